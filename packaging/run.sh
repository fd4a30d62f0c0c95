#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Lockstep needs, builds it, and runs it with the given arguments. Without arguments it shows the demo: in
# the window where there is a display, else as a picture and tables in ./lockstep-demo/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"
install_packages run build
build release -DLOCKSTEP_TESTS=OFF
lockstep=$top/build/release/bin/lockstep
[ $# -gt 0 ] && exec "$lockstep" "$@"
demo=$PWD/lockstep-demo
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$lockstep" --demo "$demo"
fi
mkdir -p "$demo/reports"
"$top/build/release/bin/lockstep-demo-data" "$demo/reports" >/dev/null
"$lockstep" --export timeline --format png -o "$demo/timeline.png" "$demo/reports"
"$lockstep" --export inventory,alignment,cuda_gpu_kern_sum,cuda_api_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,nvtx_sum \
    --format csv -o "$demo/tables" "$demo/reports"
echo "No display here, so the demo was written to files:"
echo "  $demo/timeline.png  the timeline of 16 reports: 2 nodes, 4 ranks, 2 steps"
echo "  $demo/tables/       its tables as CSV"
echo "  $demo/reports/      the reports themselves"
