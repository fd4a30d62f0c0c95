#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the programs of this folder on a machine with a GPU: run_on_gpu.sh LIBRARY OUTPUT. Needs nvcc; also records
# PyTorch if python3 has it. gpu_capture_test reads the files in OUTPUT.
set -u
library=$(realpath "$1")
output=$(realpath -m "$2")
here=$(realpath "$(dirname "$0")")
mkdir -p "$output"
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
nvcc -std=c++20 -O2 -o "$programs/cuda_program" "$here/cuda_program.cu" || exit 1
nvcc -std=c++20 -O2 -o "$programs/cupti_holder" "$here/cupti_holder.cu" -lcupti || exit 1

recorded() { # NAME SETTING... -- COMMAND...
    local name=$1; shift
    local settings=()
    while [ "$1" != -- ]; do settings+=("$1"); shift; done
    shift
    env CUDA_INJECTION64_PATH="$library" NVTX_INJECTION64_PATH="$library" LOCKSTEP_OUTPUT="$output/$name" \
        LOCKSTEP_CAPTURE_RUN=gpu "${settings[@]}" "$@" > "$output/$name.stdout" 2> "$output/$name.stderr"
    echo "$name: exit $?"
    ls -l "$output/$name"
    cat "$output/$name/lockstep_capture.log" "$output/$name.stderr" 2> /dev/null | head -20
}

time recorded all LOCKSTEP_ROLE=all -- "$programs/cuda_program" all "$output/all.txt"
time recorded profiler LOCKSTEP_CAPTURE_RANGE=cudaProfilerApi LOCKSTEP_ROLE=profiler -- "$programs/cuda_program" profiler "$output/profiler.txt"
recorded held LOCKSTEP_ROLE=held -- "$programs/cupti_holder"; cat "$output/held.stdout"
for round in 1 2 3; do
    plain=$("$programs/cuda_program" bench /dev/null)
    recorded bench LOCKSTEP_ROLE=bench -- "$programs/cuda_program" bench /dev/null > /dev/null
    echo "a launch: plain $plain ns, recorded $(cat "$output/bench.stdout") ns, $(stat -c %s "$output"/bench/*.lsc | tail -1) bytes for 500000"
    tail -c 700 "$output/bench/lockstep_capture.log" 2> /dev/null
    rm -rf "$output/bench" "$output"/bench.std*
done
if python3 -c 'import torch' 2> /dev/null; then
    time recorded torch LOCKSTEP_ROLE=trainer RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 -- python3 "$here/torch_step.py" 5
    time recorded torch_step LOCKSTEP_ROLE=trainer RANK=0 LOCKSTEP_STEPS=3 -- python3 "$here/torch_step.py" 5
    time recorded torch_interface LOCKSTEP_ROLE=trainer RANK=0 WORLD_SIZE=1 -- python3 "$here/torch_interface.py"
    cat "$output/torch_interface.stdout"
fi
