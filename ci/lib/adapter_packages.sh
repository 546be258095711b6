# The released libraries that examples/python adapts, at their pinned versions. Source after wheel.sh,
# libtorch.sh and wheel_python.sh.

# adapter_packages: a folder for PYTHONPATH with what examples/python/requirements.txt names.
adapter_packages() {
  local list=$root/examples/python/requirements.txt
  # No dependencies: the list has them all, and torch is not to be replaced.
  packages_folder "$cache/python/adapters/$(sha256sum "$list" | cut -c1-12)" \
    "what examples/python adapts: $(grep -c == "$list") packages" --no-deps -r "$list"
}
