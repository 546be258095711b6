# The released libraries that examples/python adapts, at their pinned versions. Source after wheel.sh and
# libtorch.sh.

# adapter_packages: a folder for PYTHONPATH with what examples/python/requirements.txt names.
adapter_packages() {
  local list=$root/examples/python/requirements.txt home fresh
  home=$cache/python/adapters/$(sha256sum "$list" | cut -c1-12)
  if [ ! -d "$home" ]; then
    mkdir -p "$cache/python/adapters"
    fresh=$(mktemp -d "$cache/python/adapters/.fresh-XXXXXX")
    trap "rm -rf '$fresh'" EXIT
    say "Python packages of examples/python: $(grep -c == "$list") from PyPI"
    # No dependencies: the list has them all, and torch is not to be replaced.
    python3 -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-deps \
      --root-user-action ignore --target "$fresh" -r "$list" >&2 ||
      fail "could not install $list: see above"
    mv -T "$fresh" "$home" 2>/dev/null || [ -d "$home" ] || fail "could not make $home"
  fi
  echo "$home"
}
