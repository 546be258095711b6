# LibTorch: the user's own, or the PyPI wheel, unpacked once into a cache that all builds share.

cache=${ATTNCHECK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/attncheck}

# The LibTorch folder that CMAKE_PREFIX_PATH or Torch_DIR names; nothing where neither does. Both
# the folder itself and torch.utils.cmake_prefix_path (torch/share/cmake) are understood.
users_libtorch() {
  local prefix folder prefixes
  IFS=':;' read -r -a prefixes <<<"${Torch_DIR:-}:${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    [ -n "$prefix" ] || continue
    for folder in "$prefix" "$prefix/../.." "$prefix/../../.."; do
      if [ -e "$folder/lib/libtorch_cpu.so" ] && [ -e "$folder/include/ATen/ATen.h" ]; then
        (cd "$folder" && pwd)
        return
      fi
    done
  done
}

# wheel_libtorch VERSION: the unpacked wheel's folder. The last step of unpacking is a rename, so a
# folder that is there is complete.
wheel_libtorch() {
  local version=$1 home=$cache/libtorch/$1 fresh
  if [ ! -e "$home/torch/lib/libtorch_cpu.so" ]; then
    mkdir -p "$cache/libtorch"
    fresh=$(mktemp -d "$cache/libtorch/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    say "LibTorch $version: downloading the torch wheel (0.5 to 0.9 GB) into $cache/libtorch"
    download_wheel "torch==$version" "$fresh"
    say "LibTorch $version: unpacking"
    unpack_wheel "$fresh" torch/ torchgen/ torch-
    mv -T "$fresh" "$home" 2>/dev/null || [ -e "$home/torch/lib/libtorch_cpu.so" ] ||
      fail "$home is there without a LibTorch in it: remove it and run this again"
  fi
  echo "$home/torch"
}

find_libtorch() {
  local own version=${ATTNCHECK_LIBTORCH:-2.11.0}
  own=$(users_libtorch)
  if [ -n "$own" ]; then
    say "LibTorch: your own, $own (from CMAKE_PREFIX_PATH or Torch_DIR)"
    echo "$own"
  else
    say "LibTorch: $version from PyPI, under $cache/libtorch (ATTNCHECK_LIBTORCH picks another)"
    wheel_libtorch "$version"
  fi
}
