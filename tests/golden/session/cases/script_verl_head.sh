#!/usr/bin/env bash
# Profiled run: MODE=nsys bash run.sh
set -xeuo pipefail
export HYDRA_FULL_ERROR=1 NCCL_DEBUG=WARN
MODEL=${MODEL:-Qwen/Qwen3-4B}
MODE="${MODE:-nsys}"
NNODES=${NNODES:-2}
prompt=$((1024 * 2)); response=$((1024 * 8))
tokens=$(((prompt + response) * 2))
OUT=/shared/profile/${MODEL##*/}
mkdir -p "$OUT"

DATA=(
    data.train_files=/data/train.parquet   # made by preprocess.py
    data.max_prompt_length=$prompt
    # data.seed=7
    data.max_response_length=$response
)
TRAINER=(
    trainer.logger='["console","wandb"]'
    trainer.nnodes="${NNODES}"
    trainer.n_gpus_per_node=8
    trainer.total_training_steps=30
)
PROFILE=()
if [ "$MODE" = "nsys" ]; then
    PROFILE+=(
        global_profiler.tool=nsys
        "global_profiler.steps=[2,5]"
        global_profiler.global_tool_config.nsys.discrete=True
        '+global_profiler.global_tool_config.nsys.worker_nsight_options.gpu-metrics-devices="all"'
    )
elif [ "$MODE" = "torch" ]; then
    PROFILE+=(global_profiler.tool=torch "global_profiler.steps=[2]")
fi
if [ "$NNODES" -gt 1 ]; then
    PROFILE+=(actor_rollout_ref.actor.profiler.ranks=[0,8])
fi
python3 -m verl.trainer.main_ppo \
    "${DATA[@]}" "${TRAINER[@]}" \
    actor_rollout_ref.model.path="$MODEL" \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=${tokens} \
    actor_rollout_ref.actor.profiler.enable=True \
    ${PROFILE[@]+"${PROFILE[@]}"} \
    "$@"
