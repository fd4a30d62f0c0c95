set -x

if [ "$#" -lt 2 ]; then
    echo "Usage: run.sh <processes> <folder> [more]"
    exit 1
fi
processes=$1
folder=${2:-/out}
shift 2
torchrun --standalone --nnodes=1 --nproc_per_node=${processes} \
     -m verl.trainer.fsdp_sft_trainer \
    data.train_files=/data/train.parquet \
    trainer.default_local_dir=$folder \
    optim.lr=1e-4 $@
