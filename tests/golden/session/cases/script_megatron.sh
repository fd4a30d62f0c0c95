export CUDA_DEVICE_MAX_CONNECTIONS=1
nsys profile -t cuda,nvtx -s none -o /data/megatron torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \
  --num-layers 32 --train-iters 50 --mock-data
