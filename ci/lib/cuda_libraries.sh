# What the CUDA half of LibTorch (libtorch_cuda) loads beyond a CUDA toolkit: three libraries from
# NVIDIA's wheels, in the versions that the torch wheel's own METADATA asks for.

# cuda_toolkit LIBTORCH: the toolkit of the wheel's CUDA major that has the wheel's NCCL or a newer one as
# well; nothing where there is none.
cuda_toolkit() {
  local major folder wanted here older=
  major=$(needed_cuda "$1")
  wanted=$(asked_by_wheel "$1" nvidia-nccl | sed 's/.*==//')
  for folder in /usr/local/cuda /usr/local/cuda-"$major"*; do
    [ -e "$folder/include/nccl.h" ] && [ -e "$folder/lib64/libcudart.so.$major" ] || continue
    here=$(nccl_version "$folder/include/nccl.h")
    if [ "$(printf '%s\n' "$wanted" "$here" | sort -V | tail -1)" != "$here" ]; then
      older="$folder has $here"
      continue
    fi
    echo "$folder"
    return
  done
  [ -z "$older" ] || say "NCCL: left out: this LibTorch was built with $wanted, and $older"
}

# nccl_version HEADER: "2.28.9".
nccl_version() {
  sed -nE 's/^#define NCCL_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' "$1" | paste -sd .
}

# needed_cuda LIBTORCH: the CUDA major of its libtorch_cuda; nothing for a LibTorch without one.
needed_cuda() {
  [ -e "$1/lib/libtorch_cuda.so" ] || return 0
  readelf -d "$1/lib/libtorch_cuda.so" | sed -nE 's/.*\[libcudart\.so\.([0-9]+)\].*/\1/p'
}

# asked_by_wheel LIBTORCH NAME: "NAME-cu13==0.8.0", as the wheel's METADATA has it.
asked_by_wheel() {
  sed -nE "s/^Requires-Dist: ($2(-cu[0-9]+)?==[0-9.]+).*/\1/p" "$1"/../torch-*.dist-info/METADATA |
    head -1
}

# find_cuda_libraries LIBTORCH: the folder with the three; nothing where the wheel does not say
# which, or where there is no toolkit that they would go with.
find_cuda_libraries() {
  local libtorch=$1 wanted=() name home fresh part
  [ -n "$(cuda_toolkit "$libtorch")" ] || return 0
  for name in nvidia-nvshmem nvidia-cusparselt; do
    wanted+=("$(asked_by_wheel "$libtorch" "$name")")
  done
  wanted+=("nvidia-cufile==1.15.1.6")
  [ -n "${wanted[0]}" ] && [ -n "${wanted[1]}" ] || return 0
  home=$cache/cuda_libraries/$(echo "${wanted[*]}" | tr ' =' '__')
  if [ ! -d "$home" ]; then
    mkdir -p "$cache/cuda_libraries"
    fresh=$(mktemp -d "$cache/cuda_libraries/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    mkdir "$fresh/lib"
    for part in "${wanted[@]}"; do
      say "libraries of libtorch_cuda: downloading $part"
      download_wheel "$part" "$fresh"
      unpack_wheel "$fresh" nvidia/
    done
    find "$fresh/nvidia" -name 'libnvshmem_host.so.*' -exec mv -t "$fresh/lib" {} +
    find "$fresh/nvidia" -name 'libcusparseLt.so.*' -exec mv -t "$fresh/lib" {} +
    find "$fresh/nvidia" -name 'libcufile.so.*' -exec mv -t "$fresh/lib" {} +
    mv -T "$fresh/lib" "$home" 2>/dev/null || [ -d "$home" ] || fail "could not make $home"
  fi
  echo "$home"
}
