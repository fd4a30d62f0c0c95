#!/usr/bin/env bash
# Installs what Lockstep needs, builds it with its tests, and runs them. Arguments go to ctest.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages
build release -DLOCKSTEP_TESTS=ON
cd "$top"
ctest --test-dir build/release --output-on-failure -j2 "$@"
