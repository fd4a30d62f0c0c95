#!/bin/bash
# from the root of the checkout
NODES=4
gen=$((NODES / 2))
lag=1
COMMAND="NRL_NSYS_WORKER_PATTERNS='*policy*,*vllm*' NRL_NSYS_PROFILE_STEP_RANGE=3:5 uv run ./examples/run_grpo_math.py \
--config examples/configs/grpo_math_8B.yaml \
cluster.num_nodes=${NODES} \
grpo.async_grpo.max_trajectory_age_steps=${lag} \
policy.generation.colocated.resources.num_nodes=${gen} \
grpo.max_num_steps=15" \
CONTAINER=/images/nemo.sqsh \
MOUNTS="/w:/w" \
RAY_LOG_SYNC_FREQUENCY=30 \
WANDB_API_KEY=$WANDB_API_KEY \
sbatch \
    --nodes=${NODES} \
    --account=team \
    -p batch \
    ray.sub
