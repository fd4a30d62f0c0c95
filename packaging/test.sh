#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Lockstep needs, builds it with assertions and its tests, and runs them. Arguments go to ctest. Where CI=true,
# a test that is skipped fails, unless tests/known_skips.txt names it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages run build test
build dev -DLOCKSTEP_TESTS=ON
cd "$top"
status=0
ctest --test-dir build/dev --output-on-failure -j2 "$@" || status=$?
python3 tests/check_skips.py build/dev/Testing/Temporary/LastTest.log tests/known_skips.txt || status=$?
exit "$status"
