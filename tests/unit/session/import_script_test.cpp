// SPDX-License-Identifier: Apache-2.0
// Tests what becomes of a launch script in the session: references, values that only the host knows, launches
// in branches, nsys and SFT.
#include <QTest>

#include <algorithm>

#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/shell_quote.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

ImportedSession importOf(const std::string& text, const TextPairs& values = {})
{
    Result<ImportedSession> made = importText(text, {"", {}, values});
    if (!made) qFatal("%s", made.error().message.c_str());
    return *made;
}

QString findingsOf(const ImportedSession& made)
{
    return QString::fromStdString(findingsText(made.findings));
}

std::string valueOf(const SessionConfig& config, std::string_view name)
{
    const auto found =
        std::ranges::find(config.environment, name, [](const auto& pair) { return pair.first; });
    return found != config.environment.end() ? found->second : "(none)";
}

constexpr const char* kProbing =
    "#!/bin/bash\n"
    "DEVICE=${DEVICE:-$(python3 -c 'import torch_npu' && echo npu || echo gpu)}\n"
    "EXTRA=(trainer.nnodes=1)\n"
    "if [ \"$DEVICE\" = npu ]; then\n"
    "  export HCCL_X=1\n"
    "  tp=4\n"
    "  EXTRA+=(a.npu=True)\n"
    "else\n"
    "  tp=2\n"
    "fi\n"
    "python3 -m verl.trainer.main_ppo data.dir=$HOME/d rollout.tp=$tp \"${EXTRA[@]}\"\n";

} // namespace

class ImportScriptTest : public QObject {
    Q_OBJECT

  private slots:
    void branchesAreNotGuessed()
    {
        const ImportedSession made = importOf(kProbing);
        QVERIFY(isImportPartial(made.findings));
        QCOMPARE(shellLine(made.config.otherOverrides), std::string("'data.dir=$HOME/d' 'trainer.nnodes=1'"));
        QVERIFY(made.config.environment.empty());
        for (const char* lost :
             {"line 11: left unset: rollout.tp=$tp; depends on DEVICE: $(python3 -c",
              "line 7: left unset: a.npu=True; depends on DEVICE", "line 11: left unset: HCCL_X;",
              "runs a command (line 2)", "(--set DEVICE=VALUE)"})
            QVERIFY2(findingsOf(made).contains(lost), qPrintable(findingsOf(made)));
        QCOMPARE(made.unknown.size(), size_t(1));
        QCOMPARE(made.unknown[0].name, std::string("DEVICE"));
        QVERIFY2(made.unknown[0].reason.starts_with("line 2: $(python3 -c"), made.unknown[0].reason.c_str());
    }

    void givenValuesDecideBranches()
    {
        const ImportedSession gpu = importOf(kProbing, {{"DEVICE", "gpu"}}),
                              npu = importOf(kProbing, {{"DEVICE", "npu"}});
        QVERIFY2(!isImportPartial(gpu.findings) && gpu.unknown.empty(), qPrintable(findingsOf(gpu)));
        QCOMPARE(shellLine(gpu.config.otherOverrides),
                 std::string("'data.dir=$HOME/d' 'rollout.tp=2' 'trainer.nnodes=1'"));
        QCOMPARE(shellLine(npu.config.otherOverrides),
                 std::string("'data.dir=$HOME/d' 'rollout.tp=4' 'trainer.nnodes=1' 'a.npu=True'"));
        QCOMPARE(valueOf(npu.config, "HCCL_X"), std::string("1"));
    }

    void launchesInBranches()
    {
        const ImportedSession made =
            importOf("if nvidia-smi; then\nA=1 python3 -m verl.trainer.main_ppo a.b=1 c.d=2\n"
                     "else\nA=2 python3 -m verl.trainer.main_ppo a.b=1 c.d=3\nfi\n");
        QCOMPARE(shellLine(made.config.otherOverrides), std::string("'a.b=1'"));
        QVERIFY(made.config.environment.empty());
        QVERIFY2(findingsOf(made).contains("line 2: the launch is in a branch that may not be taken; whether "
                                           "nvidia-smi succeeds (line 1)"),
                 qPrintable(findingsOf(made)));
        QVERIFY(isImportPartial(made.findings));
    }

    void argumentsOfTheScript()
    {
        const char* const text = "if [ $# -lt 1 ]; then echo usage; exit 1; fi\nN=$1; shift\n"
                                 "torchrun --nproc_per_node=$N train.py \"$@\"\n";
        const ImportedSession made = importOf(text);
        QCOMPARE(shellLine(made.config.command), std::string("train.py"));
        QVERIFY2(findingsOf(made).contains(
                     "left unset: --nproc_per_node=$N; depends on 1: an argument of the script"),
                 qPrintable(findingsOf(made)));
        const ImportedSession given = importOf(text, {{"1", "8"}, {"2", "--lr=1"}});
        QVERIFY2(!isImportPartial(given.findings), qPrintable(findingsOf(given)));
        QCOMPARE(given.config.torchrun.processesPerNode, std::optional<int64_t>(8));
        QCOMPARE(shellLine(given.config.command), std::string("train.py --lr=1"));
    }

    void wordsThatDependOnTheHost()
    {
        const ImportedSession made = importOf(
            "cd ~/w\nexport OUT=$HOME/o LIB=/x:$LD_LIBRARY_PATH PRICE='5$' LIT='$HOME'\n"
            "python3 train.py --name $(date) --out=$OUT '$USER' --dir ~/a --tilde=~/b -v $FOO $BAR\n");
        QCOMPARE(made.config.workingFolder, std::string("$HOME/w"));
        QCOMPARE(made.config.command,
                 (std::vector<std::string>{"python3", "train.py", "--out=$HOME/o", "$$USER", "--dir",
                                           "$HOME/a", "--tilde=~/b"}));
        QCOMPARE(valueOf(made.config, "OUT"), std::string("$HOME/o"));
        QCOMPARE(valueOf(made.config, "LIB"), std::string("(none)"));
        QCOMPARE(valueOf(made.config, "PRICE"), std::string("5$"));
        QCOMPARE(valueOf(made.config, "LIT"), std::string("$$HOME"));
        for (const char* lost : {"left unset: --name $(date); $(date) runs a command (line 3)",
                                 "left unset: LIB; depends on LD_LIBRARY_PATH: the host's own value (line 2)",
                                 "left unset: -v $FOO; depends on FOO: not set in the script",
                                 "--tilde=~/b: bash passes ~ on unchanged"})
            QVERIFY2(findingsOf(made).contains(lost), qPrintable(findingsOf(made)));
    }

    void theFolderOfTheStart()
    {
        const ImportedSession made = importOf("W=$PWD\nD=$(pwd)\ncd verl\npython3 a.py $W/x $D/y $PWD/z\n");
        QCOMPARE(made.config.workingFolder, std::string("verl"));
        QCOMPARE(shellLine(made.config.command), std::string("python3 a.py"));
        const ImportedSession stays = importOf("W=$PWD\npython3 a.py $W/x $(pwd)/y\n");
        QCOMPARE(stays.config.command, (std::vector<std::string>{"python3", "a.py", "$PWD/x", "$PWD/y"}));
        QVERIFY(!isImportPartial(stays.findings));
        const ImportedSession whole = importOf("cd /w\npython3 a.py $PWD/x\n");
        QCOMPARE(shellLine(whole.config.command), std::string("python3 a.py /w/x"));
    }

    void listsOfVariables()
    {
        const ImportedSession made =
            importOf("export A=$HOME/x\nB='1 2'\nC=a b $HOME\nexport D=$(date)\nE=$'\\x01'\n");
        QCOMPARE(valueOf(made.config, "A"), std::string("$HOME/x"));
        QCOMPARE(valueOf(made.config, "B"), std::string("1 2"));
        QCOMPARE(valueOf(made.config, "C"), std::string("a b $$HOME"));
        QCOMPARE(valueOf(made.config, "D"), std::string("(none)"));
        QCOMPARE(valueOf(made.config, "E"), std::string("\x01"));
        QVERIFY2(findingsOf(made).contains("left unset: D; D: $(date) runs a command"),
                 qPrintable(findingsOf(made)));
    }

    void secretsAreInNoMessage()
    {
        const char* const text =
            "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345\nexport WANDB_API_KEY=$WANDB_API_KEY\n"
            "huggingface-cli login --token $HF_TOKEN\ncurl -H \"k: $HF_TOKEN\" http://x/$(id)\n"
            "python3 -m verl.trainer.main_ppo a.b=1 $(f $HF_TOKEN) x.tok=$HF_TOKEN-$(date)\n";
        const ImportedSession made = importOf(text);
        QVERIFY2(!findingsOf(made).contains("hf_abc"), qPrintable(findingsOf(made)));
        for (const UnknownValue& value : made.unknown)
            QVERIFY2((value.reason + value.note).find("hf_abc") == std::string::npos, value.note.c_str());
        QCOMPARE(valueOf(made.config, "WANDB_API_KEY"), std::string("$WANDB_API_KEY"));
        QVERIFY(!findingsOf(made).contains("WANDB_API_KEY"));
        const ImportedSession others =
            importOf("wandb login --relogin 0123456789abcdef\ndocker login -u me -p pass1 host\n"
                     "if probe; then export HF_TOKEN=plain1; fi\npython3 -m verl.trainer.main_ppo a.b=1\n");
        for (const char* secret : {"0123", "pass1", "plain1"})
            QVERIFY2(!findingsOf(others).contains(secret), qPrintable(findingsOf(others)));
        QVERIFY2(findingsOf(others).contains("left unset: HF_TOKEN"), qPrintable(findingsOf(others)));
    }

    void nsysOptionsAreKept()
    {
        const ImportedSession made = importOf(
            "nsys profile -t cuda,nvtx --sample=none -o /out/r_%p --force-overwrite true -w true \\\n"
            "  --capture-range cudaProfilerApi python3 train.py --lr 1\n");
        QVERIFY2(!isImportPartial(made.findings), qPrintable(findingsOf(made)));
        QVERIFY(made.config.tool == Tool::nsys && made.config.framework == Framework::plain);
        QCOMPARE(shellLine(made.config.command), std::string("python3 train.py --lr 1"));
        const Result<LaunchPlan> plan = planLaunch(made.config, {});
        QVERIFY(plan);
        const std::string line = shellLine(plan->hosts[0].commands.back().argv);
        for (const char* option :
             {"--trace=cuda,nvtx", "--sample=none", "--output=/out/r_%p", "--force-overwrite=true",
              "--capture-range=cudaProfilerApi", " python3 train.py --lr 1"})
            QVERIFY2(line.find(option) != std::string::npos, line.c_str());
        QVERIFY2(line.find("-w") != std::string::npos || line.find("--show-output") != std::string::npos,
                 line.c_str());
    }

    void sftIsATrainerOfVerl()
    {
        const ImportedSession made = importOf(
            "set -x\ntorchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.sft_trainer \\\n"
            "  data.train_files=$HOME/t.parquet profiler.tool=torch 'trainer.profile_interval=[2,3]' optim.lr=1e-4 $@\n");
        QVERIFY2(!isImportPartial(made.findings), qPrintable(findingsOf(made)));
        QCOMPARE(enumName(made.config.framework), std::string_view("verl"));
        QVERIFY(made.config.tool == Tool::torch);
        QVERIFY((made.config.steps == std::vector<int64_t>{2, 3}));
        QCOMPARE(shellLine(made.config.command),
                 std::string("torchrun --standalone --nnodes=1 --nproc_per_node=8 -m "
                             "verl.trainer.sft_trainer"));
        QCOMPARE(shellLine(made.config.otherOverrides),
                 std::string("'data.train_files=$HOME/t.parquet' 'optim.lr=1e-4'"));
    }

    void evaluatedTexts()
    {
        const ImportedSession made =
            importOf("N=2\nCMD=\"python3 -m verl.trainer.main_ppo a.b='c d' trainer.x=\\$N\"\n"
                     "CMD=\"$CMD trainer.nnodes=$N\"\neval $CMD\neval \"A=1\"\n");
        QCOMPARE(made.config.otherOverrides, (std::vector<std::string>{"a.b=c d", "trainer.nnodes=2"}));
        for (const char* lost : {"left unset: trainer.x=$N; depends on N", "line 5: not imported: eval"})
            QVERIFY2(findingsOf(made).contains(lost), qPrintable(findingsOf(made)));
    }

    void innerShells()
    {
        const ImportedSession made = importOf(
            "IMG=$(cat image)\ndocker exec -it v bash -lc \"cd /w && export A=$HOME/a && \\\n"
            "  python3 -m verl.trainer.main_ppo trainer.x=\\$USER trainer.y=$IMG trainer.z='\\$HOME'\"\n");
        QCOMPARE(made.config.workingFolder, std::string("/w"));
        QCOMPARE(valueOf(made.config, "A"), std::string("$HOME/a"));
        QCOMPARE(shellLine(made.config.otherOverrides), std::string("'trainer.x=$USER' 'trainer.z=$$HOME'"));
        QVERIFY2(findingsOf(made).contains("left unset: trainer.y="), qPrintable(findingsOf(made)));
    }
};

LOCKSTEP_TEST(ImportScriptTest, "import_script_test")
#include "import_script_test.moc"
