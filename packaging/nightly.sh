#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nightly.sh [PART...] [--fuzz-seconds N] [--soak-minutes N]: runs the checks that take hours. The parts, in this order, are
# asan, tsan, fuzz, soak, bench, deb and tarball; the default is all of them. Each part writes a log to build/nightly. A
# summary follows at the end. The exit status is 1 if a part failed. Parts that this machine cannot run are reported as skipped.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
cd "$top" || exit 1
fuzz_seconds=600
soak_minutes=30
parts=()
while [ $# -gt 0 ]; do
    case "$1" in
        --fuzz-seconds) fuzz_seconds=$2; shift 2 ;;
        --soak-minutes) soak_minutes=$2; shift 2 ;;
        asan|tsan|fuzz|soak|bench|deb|tarball) parts+=("$1"); shift ;;
        *) sed -n '3,6s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=(asan tsan fuzz soak bench deb tarball)
logs=$top/build/nightly
mkdir -p "$logs"

sanitized() { # PRESET CTEST_OPTIONS...
    local preset=$1
    shift
    install_packages run build test && build "$preset" -DLOCKSTEP_TESTS=ON &&
        ctest --test-dir "build/$preset" --output-on-failure -j2 "$@"
}
part_asan() { sanitized asan -LE 'bench|soak'; }
# gui and the named tests are left out: the distribution's Qt is not built for the thread sanitizer, which therefore sees only
# half of each handover between Qt's threads and reports it as a race. It also does not support a second fork of a process
# with threads.
part_tsan() { sanitized tsan -LE 'bench|soak|gui' -E 'background_work|latest_file|exit_watchdog'; }

# Runs each fuzz target on a copy of its corpus. Everything found stays in build/nightly.
part_fuzz() {
    local target name status=0
    export UBSAN_OPTIONS=halt_on_error=1 # otherwise errors would not stop the target
    install_packages run build test fuzz && build fuzz -DLOCKSTEP_TESTS=ON || return 1
    for target in build/fuzz/bin/*_fuzz; do
        name=$(basename "$target")
        mkdir -p "$logs/corpus/$name" "$logs/found"
        "$target" -max_total_time="$fuzz_seconds" -timeout=30 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$logs/found/$name-" \
            "$logs/corpus/$name" "tests/fuzz/corpus/$name" 2>"$logs/fuzz_$name.log" || status=1
        printf '%-24s %10s runs, %s\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/fuzz_$name.log")" \
            "$(grep -m1 -E '^SUMMARY' "$logs/fuzz_$name.log" || echo 'nothing found')"
    done
    return $status
}

part_soak() {
    install_packages run build test && build dev -DLOCKSTEP_TESTS=ON "-DSOAK_MINUTES=$soak_minutes" &&
        ctest --test-dir build/dev -C soak -L soak -V
}

# Runs all benchmarks. They print ratios to a baseline measured in the same run.
part_bench() {
    local name status=0
    install_packages run build test && build release -DLOCKSTEP_TESTS=ON || return 1
    for name in $(build/release/bin/bench); do
        build/release/bin/bench "$name" >"$logs/$name.log" 2>&1 || { status=1; echo "$name failed"; }
        sed "s/^/${name%_bench} | /" "$logs/$name.log"
    done
    return $status
}

part_deb() { packaging/deb.sh && packaging/test_packages.sh build/package/deb; }
part_tarball() { packaging/tarball.sh && packaging/test_tarball.sh "$(ls -t build/package/lockstep-*.tar.gz | head -1)"; }

declare -A outcome
failed=0
for part in "${parts[@]}"; do
    echo "== $part ($(date +%H:%M)) ==" >&2
    SECONDS=0
    "part_$part" 2>&1 | tee "$logs/$part.log"
    status=${PIPESTATUS[0]}
    case $status in
        0) outcome[$part]="passed" ;;
        77) outcome[$part]="skipped: $(grep -m1 -oP '^SKIP \K.*' "$logs/$part.log")" ;;
        *) outcome[$part]="FAILED"; failed=1 ;;
    esac
    outcome[$part]+=" (after $((SECONDS / 60)) min $((SECONDS % 60)) s, $logs/$part.log)"
done
echo
for part in "${parts[@]}"; do printf '%-8s %s\n' "$part" "${outcome[$part]}"; done
exit $failed
