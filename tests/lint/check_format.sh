#!/usr/bin/env bash
# Holds every source against .clang-format, with clang-format 14, whose word
# counts: other versions lay out the same file differently.
#
#   bash tests/lint/check_format.sh          # 0 formatted, 1 not, 77 skipped
#   bash tests/lint/check_format.sh --fix    # formats what is not
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

format=
for name in clang-format-14 clang-format; do
  if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
    format=$name
    break
  fi
done
if [[ -z $format ]]; then
  echo "skipped: clang-format 14 is not installed (Debian: clang-format-14)"
  exit 77
fi

# A check that finds no planted fault would pass on everything.
if echo 'int  x ;' | "$format" --dry-run -Werror --assume-filename=x.cc \
  2>/dev/null; then
  echo "error: $format calls 'int  x ;' well formatted" >&2
  exit 1
fi

what=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && what=(-i)
find . -type d \( -name '.?*' -o -name 'build*' \) -prune -o \
  -type f \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 -n 100 "$format" "${what[@]}" || {
  echo "error: run: bash tests/lint/check_format.sh --fix" >&2
  exit 1
}
