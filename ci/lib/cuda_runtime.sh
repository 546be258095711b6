# libcudart and libcupti: libtorch_cpu of a CUDA wheel loads them even where there is no GPU.

# missing_libraries LIBTORCH: what the loader would not find for its libtorch_cpu.
missing_libraries() {
  env -u LD_LIBRARY_PATH ldd "$1/lib/libtorch_cpu.so" | awk '/not found/ { print $1 }'
}

# has_all FOLDER LIBRARY...
has_all() {
  local folder=$1 library
  shift
  for library; do [ -e "$folder/$library" ] || return 1; done
}

# wheel_cuda_runtime MAJOR: the folder with both, from NVIDIA's small wheels.
wheel_cuda_runtime() {
  local major=$1 home=$cache/cuda_runtime/$1 fresh part
  if [ ! -d "$home" ]; then
    local -A wheels=([12]="nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-cupti-cu12==12.8.90"
                     [13]="nvidia-cuda-runtime==13.2.75 nvidia-cuda-cupti==13.2.75")
    [ -n "${wheels[$major]:-}" ] ||
      fail "no libcudart of CUDA $major here, and no wheel known that has it"
    mkdir -p "$cache/cuda_runtime"
    fresh=$(mktemp -d "$cache/cuda_runtime/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    mkdir "$fresh/lib"
    for part in ${wheels[$major]}; do
      say "CUDA $major runtime libraries: downloading $part"
      download_wheel "$part" "$fresh"
      unpack_wheel "$fresh" nvidia/
    done
    find "$fresh/nvidia" -name 'lib*.so.*' -exec mv -t "$fresh/lib" {} + ||
      fail "could not move the libraries of CUDA $major into $fresh/lib"
    mv -T "$fresh/lib" "$home" 2>/dev/null || [ -d "$home" ] || fail "could not make $home"
  fi
  echo "$home"
}

# find_cuda_runtime LIBTORCH: the folder with what is missing, from a toolkit or from wheels;
# nothing where the loader finds all by itself.
find_cuda_runtime() {
  local libtorch=$1 missing folder major
  mapfile -t missing < <(missing_libraries "$libtorch")
  [ ${#missing[@]} != 0 ] || return 0
  for folder in /usr/local/cuda*/lib64; do
    if has_all "$folder" "${missing[@]}"; then
      echo "$folder"
      return
    fi
  done
  major=$(printf '%s\n' "${missing[@]}" |
    sed -nE 's/^lib(cudart|cupti)\.so\.([0-9]+)$/\2/p' | head -1)
  [ -n "$major" ] || fail "$libtorch needs libraries that this machine has not: ${missing[*]}"
  folder=$(wheel_cuda_runtime "$major")
  has_all "$folder" "${missing[@]}" ||
    fail "$libtorch needs ${missing[*]}, and $folder has not all of them"
  echo "$folder"
}
