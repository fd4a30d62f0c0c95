// SPDX-License-Identifier: Apache-2.0
// Tests sessions with a launch script, over ssh, under Slurm and as a Ray job: the script runs unread, and
// the training that it starts gets the profiling settings.
#include "tests/support/ray_site.h"
#include "tests/support/slurm_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// A training with the arguments of slime, which prints them and writes the trace that the recipe expects.
constexpr std::string_view kTraining = R"py(
import gzip, json, os, sys
print("arguments", " ".join(sys.argv[1:]), flush=True)
folder = sys.argv[sys.argv.index("--tensorboard-dir") + 1]
os.makedirs(folder, exist_ok=True)
for rank in range(2):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 20, "dur": 9.5}
              for i in range(20)]
    name = "%s/train_overall_rank_%d.%d.pt.trace.json.gz" % (folder, rank, 1000 + rank)
    with gzip.open(name + ".tmp", "wt") as out:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}, out)
    os.rename(name + ".tmp", name)
)py";

constexpr const char* kScript = "set -eu\n"
                                "GPUS=$(echo 2)\n"
                                "echo \"script $1\"\n"
                                "python3 -c 'print(\"prepared\")'\n"
                                "python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node $GPUS\n";

Framework frameworkNamed(std::string_view name)
{
    const auto names = enumNames(Framework{});
    return static_cast<Framework>(std::ranges::find(names, name) - names.begin());
}

void useScript(SessionConfig& config, SshNode& node, const std::string& name, const std::string& text)
{
    node.write("train.py", kTraining);
    node.write(name, text);
    config.framework = frameworkNamed("slime");
    config.command.clear();
    config.script = name;
    config.tool = Tool::torch;
    config.steps = {2};
    config.savePath = (node.home() / "traces").string();
}

bool startedWithSettings(LockstepProcess& process, const QString& arguments)
{
    const auto lines = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "stdout"; });
    return std::ranges::any_of(lines, [&](const QJsonObject& line) {
        const QString text = line["text"].toString();
        return text.contains("arguments " + arguments) && text.contains("--use-pytorch-profiler");
    });
}

} // namespace

class ScriptRunTest : public QObject {
    Q_OBJECT

  private slots:
    void scriptRunsOverSsh()
    {
        RunSite site({"one"});
        LOCKSTEP_NEED_SITE(site);
        useScript(site.config(), site.node(0), "run.sh", kScript);
        site.config().scriptArguments = {"a b"};
        LockstepProcess process = site.run();
        QCOMPARE(statusOf(process), 0);
        QVERIFY(startedWithSettings(process, "--actor-num-nodes 1 --actor-num-gpus-per-node 2"));
        const auto launches =
            process.linesWhere([](const QJsonObject& line) { return line["kind"] == "launch"; });
        QCOMPARE(launches.size(), size_t(1));
        QCOMPARE(launches[0]["framework"].toString(), "slime");
        // The number of GPUs is an argument that only the script knew.
        QCOMPARE(process.verifiedFiles(), size_t(2));
    }

    void dryRunShowsTheCommand()
    {
        RunSite site({"one"});
        LOCKSTEP_NEED_SITE(site);
        useScript(site.config(), site.node(0), "run.sh", kScript);
        site.config().scriptArguments = {"a"};
        const auto file = site.site().folder() / "session.yaml";
        QVERIFY(saveSession(site.config(), file));
        const auto resolve = [&](const QStringList& more, QByteArray& output, QByteArray& errors) {
            QProcess process;
            process.setProcessEnvironment(site.site().environment());
            process.start(builtProgram("lockstep"),
                          QStringList{"--plan", QString::fromStdString(file.string()), "--resolve"} + more);
            process.closeWriteChannel();
            if (!process.waitForFinished(kPatience_ms)) return -1;
            output = process.readAllStandardOutput();
            errors = process.readAllStandardError();
            return process.exitCode();
        };
        QByteArray output, errors;
        QCOMPARE(resolve({}, output, errors), 2); // nobody agreed
        QVERIFY2(errors.contains("--yes"), errors);
        QVERIFY(!std::filesystem::exists(site.node(0).home() / "lockstep"));
        const int status = resolve({"--yes"}, output, errors);
        QVERIFY2(status == 0, errors);
        QVERIFY2(errors.contains("prepared"), errors); // the other commands did run
        QVERIFY2(output.contains("python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 2 "
                                 "--use-pytorch-profiler"),
                 output);
        QVERIFY2(output.contains("# -           node0       0, 1 "), output); // the expected files
        QVERIFY(!std::filesystem::exists(site.node(0).home() / "traces"));
        // Nothing of the dry run stays among the runs of the host.
        const auto runs = site.node(0).home() / ".local/state/lockstep/agent-runs";
        QVERIFY(waitUntil([&] { return filesIn(runs) <= 1; }));
    }

    void batchScriptRunsUnderSlurm()
    {
        SlurmRun run("unread");
        LOCKSTEP_NEED_SLURM(run);
        SessionConfig& config = run.site().config();
        useScript(config, run.login(), "train.sbatch",
                  "#!/bin/bash\n#SBATCH --job-name=mine\n#SBATCH --nodes=1\n" + std::string(kScript) +
                      "echo \"job $SLURM_JOB_ID of $SLURM_JOB_NUM_NODES\"\n");
        config.launcher.slurmOptions = {};
        config.scriptArguments = {"a b"};
        LockstepProcess process = run.site().run();
        QCOMPARE(statusOf(process), 0);
        QVERIFY(startedWithSettings(process, "--actor-num-nodes 1"));
        QVERIFY(!process.linesWhere(lineWithText("script a b")).empty());
        QVERIFY(!process.linesWhere(lineWithText(" of 1")).empty());
        QCOMPARE(process.verifiedFiles(), size_t(2));
    }

    void scriptRunsAsRayJob()
    {
        RunSite site({"head"});
        LOCKSTEP_NEED_SITE(site);
        RaySite ray(site.site().folder() / "ray");
        site.node(0).setEnvironment("PATH", ray.path());
        useScript(site.config(), site.node(0), "run.sh", kScript);
        site.config().launcher.kind = LauncherKind::rayJob;
        site.config().launcher.rayAddress = "http://head:8265";
        site.config().workingFolder = site.node(0).home().string();
        site.config().scriptArguments = {"x"};
        LockstepProcess process = site.run();
        QCOMPARE(statusOf(process), 0);
        QVERIFY(startedWithSettings(process, "--actor-num-nodes 1"));
        QCOMPARE(process.verifiedFiles(), size_t(2));
    }
};

LOCKSTEP_TEST(ScriptRunTest, "script_run_test")
#include "script_run_test.moc"
