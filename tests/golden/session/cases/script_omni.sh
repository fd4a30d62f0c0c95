# image model, one node
set -x
export TOKENIZERS_PARALLELISM="false"
ENGINE=vllm_omni
python3 -m verl_omni.trainer.main_flowgrpo \
    algorithm.adv_estimator=flow_grpo \
    actor_rollout_ref.model.target_modules="['to_q','to_k','to_out.0']" \
    actor_rollout_ref.rollout.name=$ENGINE \
    +global_profiler.tool=torch \
    +global_profiler.steps=[1,2,5] \
    +actor_rollout_ref.actor.profiler.enable=True \
    +actor_rollout_ref.actor.profiler.all_ranks=True \
    +actor_rollout_ref.actor.profiler.tool_config.torch.contents=[cpu,cuda] \
    trainer.total_training_steps=10; echo done
