export NRL_NSYS_WORKER_PATTERNS="*policy*"
export NRL_NSYS_PROFILE_STEP_RANGE=${RANGE:-2:3}
export NRL_NSYS_EXTRA_OPTIONS='{"gpu-metrics-device":"all"}'
uv run examples/run_grpo.py grpo.max_num_steps=3 cluster.gpus_per_node=8
