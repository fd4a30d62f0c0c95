for seed in 1 2 3; do
docker exec -it -w /w verl bash -lc "source env.sh && python3 -m verl.trainer.main_ppo trainer.seed=$seed ++global_profiler.tool=nsys"
done
