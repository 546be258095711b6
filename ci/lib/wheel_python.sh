# The Python of a torch wheel, to ask its meta kernels: no GPU, no CUDA libraries, no environment of
# anybody's is changed. Source after wheel.sh, libtorch.sh and cuda_runtime.sh.

# What `import torch` wants from PyPI. Without numpy it warns, and that is all.
torch_python_packages="typing_extensions sympy networkx jinja2 filelock fsspec"

# wheel_python VERSION: a folder for PYTHONPATH with the wheel's `torch`. A cache that was filled with
# the libraries alone gets the rest beside it.
wheel_python() {
  local version=$1 torch home=$cache/python/$1 fresh
  torch=$(wheel_libtorch "$version") || return 1
  if [ -e "$torch/__init__.py" ]; then
    dirname "$torch"
    return
  fi
  if [ ! -e "$home/torch/__init__.py" ]; then
    mkdir -p "$cache/python"
    fresh=$(mktemp -d "$cache/python/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    say "LibTorch $version: downloading the wheel once more, for its Python files"
    download_wheel "torch==$version" "$fresh"
    unpack_wheel "$fresh" torch/ torchgen/
    rm -rf "$fresh/torch/lib" "$fresh/torch/include"
    ln -s "$torch/lib" "$fresh/torch/lib" || fail "could not link $torch/lib into $fresh"
    mv -T "$fresh" "$home" 2>/dev/null || [ -e "$home/torch/__init__.py" ] ||
      fail "$home is there without a torch in it: remove it and run this again"
  fi
  echo "$home"
}

# packages_folder HOME WHAT WORD...: HOME, a folder for PYTHONPATH in the cache, with what pip installs for
# the words; made once, and whole or not at all.
packages_folder() {
  local home=$1 what=$2 fresh
  shift 2
  if [ ! -d "$home" ]; then
    mkdir -p "$(dirname "$home")"
    fresh=$(mktemp -d "$(dirname "$home")/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    say "$what, from PyPI"
    python3 -m pip install --quiet --no-cache-dir --disable-pip-version-check \
      --root-user-action ignore --target "$fresh" "$@" >&2 || fail "could not install $what: see above"
    mv -T "$fresh" "$home" 2>/dev/null || [ -d "$home" ] || fail "could not make $home"
  fi
  echo "$home"
}

# python_packages: a folder for PYTHONPATH with what torch imports.
python_packages() {
  # shellcheck disable=SC2086
  packages_folder "$cache/python/packages" "what torch imports: $torch_python_packages" $torch_python_packages
}

# cuda_stand_ins VERSION PYTHON RUNTIME: a folder with a stand-in for every CUDA library that the
# wheel wants and that the loader would not find, RUNTIME included.
cuda_stand_ins() {
  local version=$1 python=$2 runtime=$3 home=$cache/python/stand_ins/$1 fresh
  if [ ! -d "$home" ]; then
    mkdir -p "$cache/python/stand_ins"
    fresh=$(mktemp -d "$cache/python/stand_ins/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    LD_LIBRARY_PATH=$runtime python3 "$root/ci/lib/stand_ins.py" "$python/torch" "$fresh" ||
      fail "could not make stand-ins for the CUDA libraries of torch $version"
    mv -T "$fresh" "$home" 2>/dev/null || [ -d "$home" ] || fail "could not make $home"
  fi
  echo "$home"
}

# wheel_environment VERSION: the variables with which this machine's python3 imports that wheel's torch,
# as words for `env`. Fails, with a line that says why, where it cannot.
wheel_environment() {
  local version=$1 python packages runtime stand_ins
  python=$(wheel_python "$version") || return 1
  ls "$python"/torch/_C.cpython-"$(python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')"-* \
    >/dev/null 2>&1 || {
    say "torch $version: not run: the wheel is for Python 3.11, and this is another"
    return 1
  }
  packages=$(python_packages) || return 1
  runtime=$(find_cuda_runtime "$(wheel_libtorch "$version")") || return 1
  stand_ins=$(cuda_stand_ins "$version" "$python" "$runtime") || return 1
  echo "PYTHONPATH=$python:$packages LD_LIBRARY_PATH=${runtime:+$runtime:}$stand_ins"
}

# meta_contracts VERSION TABLE FILE: asks the release's meta kernels for the operators of TABLE. Fails,
# with a line that says why, where they could not be asked.
meta_contracts() {
  local version=$1 table=$2 file=$3 environment
  environment=$(wheel_environment "$version") || return 1
  say "meta kernels of $version: asking the wheel's Python"
  # Not `import torch` of the working folder, and no bytecode in the cache.
  # shellcheck disable=SC2086
  (cd / && env $environment timeout 300 \
    python3 -B -W ignore "$root/ci/lib/meta_contracts.py" <"$table" >"$file.new") || return 1
  mv "$file.new" "$file"
}
