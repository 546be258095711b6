# Wheels from PyPI, used as archives: no Python environment is made or changed.

# download_wheel NAME==VERSION FOLDER: one wheel, its hash checked where lib/wheels.txt knows it.
download_wheel() {
  local what=$1 folder=$2 machine hash
  machine=$(uname -m)
  hash=$(awk -v w="$what" -v m="$machine" '$1 == w && $2 == m { print $3 }' \
    "$root/ci/lib/wheels.txt")
  if [ -n "$hash" ]; then
    echo "$what --hash=sha256:$hash" >"$folder/wanted.txt"
  else
    say "$what for $machine: ci/lib/wheels.txt has no hash of it, so it is not checked"
    echo "$what" >"$folder/wanted.txt"
  fi
  local tag platforms=()
  for tag in 2_28 2_27 2_25 2_17; do platforms+=(--platform "manylinux_${tag}_$machine"); done
  python3 -m pip download --quiet --no-deps --no-cache-dir --disable-pip-version-check \
    --only-binary=:all: --implementation cp --python-version 311 --abi cp311 --abi none \
    "${platforms[@]}" --platform "manylinux2014_$machine" \
    --dest "$folder" --requirement "$folder/wanted.txt" >&2 ||
    fail "could not download $what (no such version, no network, or a wrong hash): see above"
  rm "$folder/wanted.txt"
}

# unpack_wheel FOLDER PREFIX...: unpacks FOLDER's wheel there, the members that start with a PREFIX
# alone (none given: all of them), and deletes the wheel. Ends where it cannot, in $(...) as well, where -e is off.
unpack_wheel() {
  python3 - "$@" <<'PYTHON' || fail "could not unpack the wheel in $1: see above"
import glob, os, sys, zipfile
folder, prefixes = sys.argv[1], tuple(sys.argv[2:])
(wheel,) = glob.glob(os.path.join(folder, "*.whl"))
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(folder, [n for n in archive.namelist() if n.startswith(prefixes or "")])
os.remove(wheel)
PYTHON
}
