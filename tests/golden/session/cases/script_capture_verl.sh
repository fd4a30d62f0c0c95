python3 -m verl.trainer.main_ppo \
  '++global_profiler.tool=null' \
  '++ray_kwargs.ray_init.runtime_env.env_vars.NVTX_INJECTION64_PATH=/opt/lockstep/lib/liblockstep_capture.so' \
  '++ray_kwargs.ray_init.runtime_env.env_vars.LOCKSTEP_OUTPUT=/data/reports' \
  '++ray_kwargs.ray_init.runtime_env.env_vars.LOCKSTEP_ALL_RANKS="1"' \
  '++ray_kwargs.ray_init.runtime_env.env_vars.NCCL_DEBUG=INFO'
