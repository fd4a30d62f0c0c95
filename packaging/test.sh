#!/usr/bin/env bash
# Installs what Lockstep needs, builds it with its tests, and runs them. Arguments go to ctest.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages
build release -DLOCKSTEP_TESTS=ON
cd "$top"
status=0
ctest --test-dir build/release --output-on-failure -j2 "$@" || status=$?
# What a machine cannot run is told, so that a pass is not taken for more than it is.
skipped=$(grep -a '^SKIP ' build/release/Testing/Temporary/LastTest.log || true)
echo "Skipped: $(grep -ac '^SKIP ' <<< "$skipped" || true) test functions"
[ -z "$skipped" ] || sort <<< "$skipped"
exit "$status"
