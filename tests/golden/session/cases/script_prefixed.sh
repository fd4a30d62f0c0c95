export HF_HOME=/models
export VLLM_USE_V1=1
RAY_DEDUP_LOGS=0 python3 -m verl.trainer.main_ppo global_profiler.tool=nsys global_profiler.steps=[1,2] actor_rollout_ref.actor.profiler.enable=True trainer.nnodes=1 trainer.n_gpus_per_node=8
