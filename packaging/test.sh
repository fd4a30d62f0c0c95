#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that Lockstep needs, builds it with assertions and tests, and runs the tests. Arguments are passed to
# ctest. With CI=true, a skipped test fails unless tests/known_skips.txt names it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages run build test
build dev -DLOCKSTEP_TESTS=ON
cd "$top"
status=0
# Tests spend two thirds of their time waiting, so three run per core.
ctest --test-dir build/dev --output-on-failure -j"$((3 * $(nproc)))" "$@" || status=$?
python3 tests/check_skips.py build/dev/Testing/Temporary/LastTest.log tests/known_skips.txt || status=$?
exit "$status"
