#!/usr/bin/env bash
# Gyre as a project of somebody else's meets it:
#
#   check.sh install BUILD PREFIX          # cmake --install
#   check.sh find_package SOURCE PREFIX WORK
#   check.sh add_subdirectory SOURCE WORK  # configures; compiles one source
#   check.sh gyre_new PREFIX WORK          # a fresh project, built and tested
#   check.sh packages BUILD WORK           # the Debian packages' contents
#   check.sh clean_system BUILD WORK       # the packages on a bare Debian
#   check.sh old_processor BUILD           # what one without AVX2 is told
#
# The last two end with 77, which means skipped, where their tools are missing.
set -euo pipefail

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# No flag of ours may be among those that a project's sources are compiled
# with, but C++20.
check_flags() {
  python3 - "$1/compile_commands.json" <<'EOF'
import json, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if not entry["file"].endswith("/consumer/main.cc"):
        continue
    words = shlex.split(entry["command"])
    ours = [w for w in words
            if w.startswith(("-march", "-ffp", "-O", "-m", "-fno", "-fPI"))
            or (w.startswith("-W") and w not in ("-Wall", "-Wextra", "-Werror"))]
    assert not ours, f"flags of Gyre's: {ours}"
    assert "-std=gnu++20" in words or "-std=c++20" in words, words
    print("flags:", " ".join(w for w in words if w.startswith("-")))
    break
else:
    sys.exit("the consumer's source is not in compile_commands.json")
EOF
}

run_on_one_and_two_ranks() {
  (cd "$2" && "$3" && "$1/bin/gyre" launch -n 2 -- "$3") ||
    fail "the program did not run"
}

case $1 in
install)
  cmake --install "$2" --prefix "$3" >/dev/null
  for file in bin/gyre include/gyre/gyre.h include/gyre/optim/adam.h; do
    [[ -e $3/$file ]] || fail "nothing was installed at $file"
  done
  # Internal headers stay at home.
  [[ ! -e $3/include/gyre/autodiff/plan/plan.h ]] || fail "plan.h is public"
  [[ ! -d $3/include/core ]] || fail "include/core is in a project's way"
  ;;
find_package)
  cmake -S "$2/tests/install/consumer" -B "$4" -G Ninja \
    -DCMAKE_PREFIX_PATH="$3"
  cmake --build "$4"
  check_flags "$4"
  run_on_one_and_two_ranks "$3" "$4" "$4/consumer"
  ;;
add_subdirectory)
  cmake -S "$2/tests/install/consumer" -B "$3" -G Ninja \
    -DGYRE_SOURCE_DIR="$2"
  cmake --build "$3" --target CMakeFiles/consumer.dir/main.cc.o
  check_flags "$3"
  if [[ -n ${GYRE_LONG_TESTS:-} ]]; then
    cmake --build "$3" --target consumer
    (cd "$3" && ./consumer)
  fi
  [[ $(cd "$3" && ctest -N | tail -1) == "Total Tests: 0" ]] ||
    fail "tests of Gyre's are in the project's ctest"
  ;;
gyre_new)
  rm -rf "$3" && mkdir -p "$3"
  (cd "$3" && "$2/bin/gyre" new my_project)
  cmake -S "$3/my_project" -B "$3/build" -G Ninja -DCMAKE_PREFIX_PATH="$2"
  cmake --build "$3/build"
  (cd "$3/build" && ctest --output-on-failure)
  run_on_one_and_two_ranks "$2" "$3" "$3/build/my_project"
  ;;
packages)
  rm -rf "$3" && mkdir -p "$3"
  (cd "$3" && cpack -G DEB --config "$2/CPackConfig.cmake" -B "$3")
  for package in gyre libgyre-dev; do
    deb=$(echo "$3/${package}"_*.deb)
    [[ -f $deb ]] || fail "no package $package"
    dpkg-deb -I "$deb" | grep -E "Package|Depends|Version"
  done
  # Whole texts: grep -q on a pipe would end dpkg-deb before its time.
  programs=$(dpkg-deb -c "$3"/gyre_*.deb)
  library=$(dpkg-deb -c "$3"/libgyre-dev_*.deb)
  control=$(dpkg-deb -I "$3"/libgyre-dev_*.deb)
  [[ $programs == *usr/bin/gyre* ]] || fail "the package gyre has no gyre"
  [[ $library == *gyreConfig.cmake* ]] ||
    fail "libgyre-dev has no gyreConfig.cmake"
  [[ $control == *libabsl-dev* ]] ||
    fail "libgyre-dev does not depend on what its headers include"
  ;;
clean_system)
  [[ -n ${GYRE_LONG_TESTS:-} ]] || skip "it installs a system: set GYRE_LONG_TESTS"
  [[ -n $(command -v mmdebstrap) && $(id -u) == 0 ]] ||
    skip "needs mmdebstrap, as root"
  rm -rf "$3" && mkdir -p "$3/packages"
  trap 'rm -rf --one-file-system "$3/debian"' EXIT
  (cd "$3/packages" && cpack -G DEB --config "$2/CPackConfig.cmake" -B .)
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm \
    "$3/debian"
  mkdir "$3/debian/try"
  cp "$3"/packages/*.deb "$3/debian/try/"
  cp -r "$(dirname "$0")/consumer" "$3/debian/try/consumer"
  # Mounts of its own, which end with it.
  unshare --mount bash -euc '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"
    exec chroot "$0" bash -euxc "$1"' "$3/debian" '
    cd /try
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ./gyre_*.deb libncarg-data
    gyre launch -n 2 -- weather_loss --steps 50
    apt-get install -y -qq --no-install-recommends ./libgyre-dev_*.deb \
      g++ cmake ninja-build
    cmake -S consumer -B build -G Ninja && cmake --build build
    build/consumer && gyre launch -n 2 -- build/consumer'
  ;;
old_processor)
  qemu=$(command -v qemu-x86_64 || true)
  [[ -n $qemu ]] || skip "needs qemu-x86_64 (Debian: qemu-user)"
  grep -q "GYRE_MARCH:STRING=x86-64-v3" "$2/CMakeCache.txt" ||
    skip "not built for x86-64-v3"
  status=0
  text=$("$qemu" -cpu Nehalem "$2/bin/first_program" 2>&1) || status=$?
  [[ $status == 2 && $text == *"this one has no AVX2: run it on"* ]] ||
    fail "a processor without AVX2 got exit code $status and: $text"
  "$qemu" -cpu Haswell "$2/bin/gyre" --version 2>/dev/null
  ;;
*)
  fail "unknown check $1"
  ;;
esac
