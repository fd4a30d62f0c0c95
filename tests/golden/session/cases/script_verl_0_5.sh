#!/bin/bash
set -xeuo pipefail
run() {
    local tp=$1; shift
    PYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo --config-path=config --config-name='ppo_trainer.yaml' \
        actor_rollout_ref.rollout.tensor_model_parallel_size=${tp} \
        actor_rollout_ref.profiler.ranks="[0,8]" actor_rollout_ref.profiler.discrete=True \
        critic.profiler.ranks=[0] reward_model.profiler.ranks=[0] \
        trainer.profile_steps=[1,2,5] "$@"
}
ray stop --force || true
run 4 trainer.nnodes=2 trainer.n_gpus_per_node=8
