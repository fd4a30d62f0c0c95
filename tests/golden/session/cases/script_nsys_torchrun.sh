#!/bin/bash
cd /w/train
pip install -r requirements.txt
CUDA_VISIBLE_DEVICES=0,1 nsys profile -t cuda,nvtx -c cudaProfilerApi --capture-range-end=stop -o /out/r_%h --force-overwrite true \
  torchrun --nproc-per-node 2 --max-restarts=0 train.py --lr 1e-3 > train.log 2>&1 &
wait
