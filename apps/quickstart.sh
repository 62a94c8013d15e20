#!/usr/bin/env bash
# Installs what is missing, builds Gyre, and trains a weather model with a
# custom loss on four processes. Arguments are passed on to weather_loss:
#
#   bash apps/quickstart.sh --loss storm_softplus
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

install_missing_packages
build gyre weather_loss
cd "$root"
exec build/bin/gyre launch -n 4 -- weather_loss "$@"
