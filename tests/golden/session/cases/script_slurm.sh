#!/bin/bash
#SBATCH --job-name=verl
#SBATCH --nodes=2 --gpus-per-node=4
#SBATCH -p gpu
module load cuda
image=/images/verl.sif
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
head_node=${nodes%% *}
srun --nodes=1 --ntasks=1 -w "$head_node" apptainer run --nv $image ray start --head --block &
sleep 10
srun --overlap --nodes=1 apptainer exec --nv --bind /w $image bash -c "cd /w/verl; export A=1; \
  python3 -m verl.trainer.main_ppo trainer.nnodes=2 ++global_profiler.tool=nsys '++global_profiler.steps=[2]' \
  ++actor_rollout_ref.actor.profiler.enable=True"
