# Sourced by apps/quickstart.sh and tests/run.sh: installs the Debian packages
# that are missing and builds a release in build/. What is there already is
# left alone, so a second run costs nothing.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

install_missing_packages() {
  local missing=() package
  while read -r package; do
    [[ -z $package || $package == \#* ]] && continue
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q '^install ok installed$' || missing+=("$package")
  done <"$root/cmake/debian-packages.txt"
  ((${#missing[@]} == 0)) && return 0

  echo "Gyre needs these Debian packages and will install them:"
  printf '  %s\n' "${missing[@]}"
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "error: installing packages needs root: run as root, or install" \
        "sudo, or run: apt-get install ${missing[*]}" >&2
      return 2
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build TARGET...: configures build/ if it is not, then builds.
build() {
  if [[ ! -f $root/build/build.ninja ]]; then
    echo "Configuring and building Gyre in $root/build ..."
    cmake -S "$root" -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      ${GYRE_TEST_PYTHON:+-DGYRE_TEST_PYTHON="$GYRE_TEST_PYTHON"} \
      >"$root/build-configure.log" 2>&1 || {
      cat "$root/build-configure.log" >&2
      return 1
    }
    mv "$root/build-configure.log" "$root/build/configure.log"
  fi
  ninja -C "$root/build" "$@"
}
