#!/bin/bash
# A launch of slime on a cluster that runs already.
set -ex
cd /root/slime
export NCCL_DEBUG=WARN
MODEL_ARGS=(--num-layers 36 --hidden-size 2560)
ray job submit --address=http://127.0.0.1:8265 -- python3 train.py \
  --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate --num-rollout 40 \
  "${MODEL_ARGS[@]}" --rollout-num-gpus-per-engine 2 --use-pytorch-profiler --profile-step-start 3 \
  --profile-step-end 4 --tensorboard-dir /shared/traces
