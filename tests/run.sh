#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs all tests. Arguments
# are passed on to CTest:
#
#   bash tests/run.sh -L unit        # the fast ones
#   bash tests/run.sh -R collectives
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

install_missing_packages
build
cd "$root/build"
# Slow tests run in a short form unless GYRE_LONG_TESTS is set.
exec ctest --output-on-failure --timeout 300 -j 2 "$@"
