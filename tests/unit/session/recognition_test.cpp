// SPDX-License-Identifier: Apache-2.0
// Tests which program a command starts after its wrappers, and which recipe recognizes it.
#include <QTest>

#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recognition.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::vector<std::string> wordsOf(const QString& line)
{
    std::vector<std::string> words;
    for (const QString& word : line.split(' ', Qt::SkipEmptyParts))
        words.push_back(word.toStdString());
    return words;
}

} // namespace

class RecognitionTest : public QObject {
    Q_OBJECT

  private slots:
    void wrappers_data();
    void wrappers();
    void patterns();
    void everyPrefixIsRead();
};

void RecognitionTest::wrappers_data()
{
    QTest::addColumn<QString>("expected"); // WORD NAME [LAUNCHER]
    const auto row = [](const char* command, const char* expected) { QTest::newRow(command) << expected; };
    row("python3 train.py --lr 1", "script train.py");
    row("python3.11 -u -X faulthandler train.py", "script train.py");
    row("/opt/venv/bin/python -m verl.trainer.main_ppo a=b", "module verl.trainer.main_ppo");
    row("A=1 B=2 env -u X C=3 nohup python train.py", "script train.py");
    row("exec env A=1 time -p python3 train.py", "script train.py");
    row("sudo -E -u root python3 train.py", "script train.py");
    row("numactl --cpunodebind 0 --membind=0 python3 train.py", "script train.py");
    row("timeout -k 5 3600 python3 train.py", "script train.py");
    row("srun -N 2 --ntasks-per-node=8 --container-image img.sqsh -l python3 train.py", "script train.py");
    row("mpirun -np 16 --allow-run-as-root -x PATH python3 train.py", "script train.py");
    row("docker exec -it trainer python3 train.py", "script train.py");
    row("docker run --rm --gpus all -v /a:/b image:tag python3 train.py", "script train.py");
    row("apptainer exec --nv -B /data image.sif python3 train.py", "script train.py");
    row("uv run examples/run_grpo.py --config x.yaml", "script examples/run_grpo.py");
    row("uv run --extra vllm --with-editable . python -m skyrl.train.entrypoints.main_base",
        "module skyrl.train.entrypoints.main_base");
    row("uv run --isolated --extra fsdp -m skyrl.train.entrypoints.main_base trainer.a=1",
        "module skyrl.train.entrypoints.main_base");
    row("uv run rl @ rl.toml", "program rl");
    row("ray job submit --address http://h:8265 --runtime-env-json {} -- python3 train.py",
        "script train.py");
    row("uv run --group test coverage run -a --data-file=.coverage --source=nemo_rl examples/run_grpo.py a=b",
        "script examples/run_grpo.py");
    row("python -m coverage run --branch examples/run_sft.py", "script examples/run_sft.py");
    row("nsys profile -o x --trace cuda,nvtx python3 train.py", "script train.py");
    row("nsys profile --capture-range=cudaProfilerApi -s none -x true torchrun --nproc-per-node 8 train.py",
        "script train.py torchrun");
    row("torchrun --standalone --nproc_per_node=8 -m torchtitan.train --module llama3",
        "module torchtitan.train torchrun");
    row("torchrun --nnodes 2 --node_rank 0 --master_addr h pretrain_gpt.py --tensor-model-parallel-size 2",
        "script pretrain_gpt.py torchrun");
    row("torchrun --no-python --nproc-per-node 8 python3 train.py", "script train.py torchrun");
    row("python -m torch.distributed.run --nproc_per_node=8 train.py", "script train.py torchrun");
    row("accelerate launch --config_file c.yaml --num_processes 8 train.py", "script train.py accelerate");
    row("accelerate launch --multi_gpu -m trl.scripts.sft", "module trl.scripts.sft accelerate");
    row("deepspeed --num_gpus 8 train.py --deepspeed ds.json", "script train.py deepspeed");
    row("deepspeed --module openrlhf.cli.train_sft --max_len 2048",
        "module openrlhf.cli.train_sft deepspeed");
    row("vllm serve model", "program vllm");
    row("bash run.sh", "program bash");
    row("env A=1", "program ");
    row("python3", "program ");
    row("ray start --head", "program ray");
    row("docker ps", "program docker");
}

void RecognitionTest::wrappers()
{
    QFETCH(QString, expected);
    const std::vector<std::string> command = wordsOf(QTest::currentDataTag());
    const LaunchedProgram program = launchedProgram(command);
    std::string text =
        std::string(enumNames(LaunchWord{})[static_cast<size_t>(program.word)]) + " " + program.name;
    if (!program.launcher.empty()) text += " " + program.launcher;
    QCOMPARE(QString::fromStdString(text), expected);
    if (!program.name.empty()) QCOMPARE(command.at(program.at), program.name);
}

void RecognitionTest::patterns()
{
    const auto recipe = readRecipe(
        "lockstep_recipe: 1\nname: one\nlabel: One\nruns_on: first_host\ncluster: ray\ntools: [torch]\n"
        "recognize:\n"
        "  - {script: '(^|/)train\\.py$', has: ['^--sglang-'], lacks: ['^--legacy'], entry: new}\n"
        "  - {module: '^one\\.main$', entry: module}\n",
        "one.yaml");
    QVERIFY2(recipe, recipe ? "" : recipe.error().message.c_str());
    const auto entryOf = [&](const char* command) {
        const LaunchPattern* pattern = matchingPattern(*recipe, wordsOf(command));
        return pattern != nullptr ? pattern->entry : std::string("none");
    };
    QCOMPARE(entryOf("python3 a/train.py --sglang-x 1"), std::string("new"));
    QCOMPARE(entryOf("python3 train.py"), std::string("none"));
    QCOMPARE(entryOf("python3 train.py --sglang-x --legacy"), std::string("none"));
    QCOMPARE(entryOf("python3 mytrain.py --sglang-x"), std::string("none"));
    QCOMPARE(entryOf("torchrun -m one.main"), std::string("module"));
    QCOMPARE(entryOf("python3 one.main"), std::string("none"));
}

// A command that ends anywhere is read without a word beyond its end.
void RecognitionTest::everyPrefixIsRead()
{
    const std::vector<std::string> command = wordsOf(
        "A=1 env -u X sudo -u root srun -N 1 docker run -v a:b image uv run --extra x nsys profile -o x "
        "ray job submit --address h -- torchrun --nproc-per-node 8 -m a.b -c d");
    for (size_t length = 0; length <= command.size(); ++length) {
        const LaunchedProgram program = launchedProgram(std::span(command).first(length));
        QVERIFY(program.at <= length);
    }
}

LOCKSTEP_TEST(RecognitionTest, "recognition_test")
#include "recognition_test.moc"
