# A virtual environment in which the pinned torch, unpacked by ci/setup, and what examples/python adapts are
# importable. Source after wheel_python.sh and adapter_packages.sh.

pinned_torch() { echo "${ATTNCHECK_LIBTORCH:-2.11.0}"; }

# front_python BUILD: the environment's python, made where it is missing, or its requirements or folders changed.
front_python() {
  local build=$1 venv=$1/python_venv wanted torch packages adapters
  torch=$(wheel_python "$(pinned_torch)") && packages=$(python_packages) &&
    adapters=$(adapter_packages) || return 1
  # The folders as well: another cache or torch is another environment.
  wanted=$(cat "$root"/{tests,examples}/python/requirements.txt &&
    printf '%s\n' "$torch" "$packages" "$build/python" "$adapters") || return 1
  if [ "$(cat "$venv/made_of" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$venv"
    say "making $venv with tests/python/requirements.txt"
    python3 -m venv "$venv" >&2 || fail "python3 -m venv does not work: Debian has it in python3-venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
      -r "$root/tests/python/requirements.txt" >&2 || fail "could not install tests/python/requirements.txt"
    printf '%s\n' "$torch" "$packages" "$build/python" "$adapters" >"$("$venv/bin/python" -c \
      'import sysconfig; print(sysconfig.get_path("purelib"))')/attncheck_tests.pth" || fail "could not write the folders of packages into $venv"
    echo "$wanted" >"$venv/made_of"
  fi
  echo "$venv/bin/python"
}

# front_libraries: folders with the CUDA libraries that the torch wheel wants, or what stands for them.
front_libraries() {
  local version runtime python
  version=$(pinned_torch)
  python=$(wheel_python "$version") || return 1
  runtime=$(find_cuda_runtime "$(wheel_libtorch "$version")") || return 1
  echo "${runtime:+$runtime:}$(cuda_stand_ins "$version" "$python" "$runtime")"
}
