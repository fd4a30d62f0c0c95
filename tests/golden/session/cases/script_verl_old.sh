# GRPO on one node, an early release
set -x
export VLLM_ATTENTION_BACKEND=XFORMERS

steps="[2,4]"; all=False
train_files="['/data/gsm8k/train.parquet', '/data/math/train.parquet']"
python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files="$train_files" \
    data.truncation='error' \
    actor_rollout_ref.actor.profiler.ranks=[0,1] \
    actor_rollout_ref.actor.profiler.all_ranks=$all \
    actor_rollout_ref.rollout.profiler.ranks=[0,1] \
    actor_rollout_ref.ref.profiler.ranks=[0,1] \
    actor_rollout_ref.ref.profiler.discrete=True \
    trainer.profile_steps=$steps \
    trainer.worker_nsight_options.trace='"cuda,nvtx"' \
    trainer.nnodes=1 trainer.n_gpus_per_node=8 \
    trainer.total_training_steps=6 $@ 2>&1 | tee run.log \
    trainer.resume_mode=disable
