#!/usr/bin/env bash
set -euxo pipefail
RAY_ADDRESS=${RAY_ADDRESS:-"http://head:8265"}
RUNTIME_ENV=${RUNTIME_ENV:-"/w/verl/trainer/runtime_env.yaml"}
if [ -z "${MODEL_PATH:-}" ]; then
    MODEL_PATH=/models/base
fi
cd /w/verl && ray job submit --no-wait --address "$RAY_ADDRESS" --runtime-env="${RUNTIME_ENV}" \
    -- python3 -m recipe.dapo.main_dapo \
    actor_rollout_ref.model.path="${MODEL_PATH}" \
    ++global_profiler.tool=torch '++global_profiler.steps=[3]' \
    '++actor_rollout_ref.actor.profiler={enable:true,all_ranks:true}' \
    '++actor_rollout_ref.actor.profiler.tool_config.torch.contents=[cuda,cpu]' \
    ++global_profiler.save_path=/shared/traces
