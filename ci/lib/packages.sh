# Debian packages: only the missing ones are installed, and nothing is asked.

debian_packages=(
  librapidcheck-dev libgtest-dev libgloo-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  libpugixml-dev libgoogle-perftools-dev python3-yaml python3-dev python3-venv openmpi-bin ninja-build ccache clang-format binutils ca-certificates
  chromium chromium-driver fonts-dejavu-core
)

# Tools that a machine may have from elsewhere: their package counts only where the tool is absent.
missing_tools() {
  command -v g++ >/dev/null || echo g++
  command -v cmake >/dev/null || echo cmake
  command -v git >/dev/null || echo git
  command -v python3 >/dev/null || echo python3
  python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
}

missing_packages() {
  missing_tools
  local name
  for name in "${debian_packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || echo "$name"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system, so nothing is installed; needed: ${debian_packages[*]}"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} = 0 ]; then
    say "packages: all there"
    return
  fi
  say "packages: installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    "${missing[@]}" >&2
}
