#!/usr/bin/env bash
# Compiles the headers that the front door reaches as a user does who asks for
# no instruction set and for all warnings:
#
#   headers.sh COMPILER SOURCE INCLUDE WORK
#
# In one source, or with GYRE_LONG_TESTS each in a source of its own.
set -euo pipefail
source=$2
include=$3
mkdir -p "$4"
cd "$4"
compile=("$1" -std=c++20 -I"$source/include" -I"$include")
warnings=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)

mapfile -t headers < <("${compile[@]}" -x c++ -MM "$source/include/gyre/gyre.h" |
  tr ' \\' '\n\n' |
  grep -oE "gyre/(core|mesh|autodiff|optim|models)/[a-z0-9_/]+\.h$" | sort -ru)
if ((${#headers[@]} < 50)); then
  echo "FAILED: only ${#headers[@]} headers of the rooms are reached" >&2
  exit 1
fi

# Last things first: each must include what it uses.
for header in "${headers[@]}"; do
  echo "#include \"$header\""
done >all.cc
cat >>all.cc <<'END'
#if defined(__AVX__) || defined(GYRE_SIMD)
#error "the test is to compile for the plainest processor"
#endif
#ifdef XSIMD_VERSION_MAJOR
#error "a user's source has no vectors: xsimd costs it seconds"
#endif
int main() {}
END
"${compile[@]}" "${warnings[@]}" all.cc

if [[ -n ${GYRE_LONG_TESTS:-} ]]; then
  for header in "${headers[@]}"; do
    echo "#include \"$header\"" >one.cc
    "${compile[@]}" "${warnings[@]}" one.cc
  done
fi
echo "${#headers[@]} headers"
