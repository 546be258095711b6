# What every script of ci/ shares. Source it; it sets `root`, the project's folder.
# Progress goes to stderr, so that stdout stays free for results.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { echo "attncheck: $*" >&2; }

fail() {
  echo "attncheck: error: $*" >&2
  exit 1
}

# as_root COMMAND...: as it is for root, else through sudo, which must not ask for a password.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    fail "this needs root, and sudo would ask for a password. Run it yourself, then again: sudo $*"
  fi
}

# Compile jobs: one per core, and at most one per 2 GiB of free memory (a Tensor header takes one).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo "${ATTNCHECK_JOBS:-$((cores < memory ? cores : memory))}"
}
