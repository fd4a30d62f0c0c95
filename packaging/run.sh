#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that Lockstep needs, builds it, and runs it with the given arguments. Without arguments, runs the
# demo: in the window if there is a display, else as a picture and tables in ./lockstep-demo/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages run build
build release -DLOCKSTEP_TESTS=OFF
lockstep=$top/build/release/bin/lockstep
[ $# -gt 0 ] && exec "$lockstep" "$@"
exec "$lockstep" --demo "$PWD/lockstep-demo"
