# The cuDNN frontend: headers alone, which the cuDNN probe is built from where the machine has cuDNN.

cudnn_frontend=nvidia-cudnn-frontend==1.32.0

# Whether a toolkit or CUDNN_ROOT has the headers of cuDNN.
has_cudnn() {
  compgen -G "/usr/local/cuda*/include/cudnn_version.h" >/dev/null ||
    [ -e "${CUDNN_ROOT:-/usr}/include/cudnn_version.h" ]
}

# wheel_cudnn_frontend: the folder of its headers. The last step of unpacking is a rename, so a folder
# that is there is complete.
wheel_cudnn_frontend() {
  local home=$cache/cudnn_frontend/${cudnn_frontend##*==} fresh
  if [ ! -e "$home/include/cudnn_frontend.h" ]; then
    mkdir -p "$cache/cudnn_frontend"
    fresh=$(mktemp -d "$cache/cudnn_frontend/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    say "cuDNN frontend: downloading $cudnn_frontend"
    download_wheel "$cudnn_frontend" "$fresh"
    unpack_wheel "$fresh" include/
    mv -T "$fresh" "$home" 2>/dev/null || [ -e "$home/include/cudnn_frontend.h" ] ||
      fail "$home is there without the frontend in it: remove it and run this again"
  fi
  echo "$home/include"
}

# find_cudnn_frontend: nothing where there is no cuDNN to ask, or the frontend cannot be had: the build
# then leaves the probe out and says so.
find_cudnn_frontend() {
  if ! has_cudnn; then
    say "cuDNN: none here, so the probe is not built"
  elif ! (wheel_cudnn_frontend); then
    say "cuDNN: no frontend, so the probe is not built"
  fi
}
