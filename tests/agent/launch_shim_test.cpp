// SPDX-License-Identifier: Apache-2.0
// Runs launch scripts under the shims of the real agent, and compares what their programs get with what bash
// alone gives them. A stand-in for python3 and the other programs writes its arguments and environment to a
// file.
#include <QJsonDocument>
#include <QTest>

#include "core/session/launch_plan.h"
#include "core/session/script_launch.h"
#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

namespace fs = std::filesystem;

// Each call of a stand-in appends: "call", its name, the arguments, "environment", the variables;
// NUL-terminated.
constexpr const char* kStandIn = R"(#!/bin/bash
{
    printf '%s\0' call "${0##*/}" "$@"
    printf 'environment\0'
    cat /proc/$$/environ
} >> "$HOME/calls"
if [ "$1" = status ]; then exit "$2"; fi
if [ "$1" = sleep ]; then exec sleep 60; fi
)";

// A wrapper such as srun: skips its options and runs the rest.
constexpr const char* kWrapper = R"(#!/bin/bash
printf '%s\0' call "${0##*/}" "$@" >> "$HOME/calls"
while [[ $1 == -* ]]; do shift; done
exec "$@"
)";

struct Call {
    QString name;
    QStringList arguments;
    QStringList environment;
};

QList<Call> callsIn(const fs::path& file)
{
    QList<Call> calls;
    const QStringList words = QString::fromStdString(contentOf(file)).split(QChar(0));
    bool isEnvironment = false;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] == "call" && i + 1 < words.size()) {
            calls.append({words[++i], {}, {}});
            isEnvironment = false;
        } else if (words[i] == "environment") {
            isEnvironment = true;
        } else if (!calls.isEmpty() && !(isEnvironment && words[i].isEmpty())) {
            (isEnvironment ? calls.back().environment : calls.back().arguments).append(words[i]);
        }
    }
    if (!calls.isEmpty() && !isEnvironment) calls.back().arguments.removeLast(); // after the last NUL
    const QString home = QString::fromStdString(file.parent_path().string());
    for (Call& call : calls) {
        call.environment.replaceInStrings(home, "HOME");
        call.arguments.replaceInStrings(home, "HOME");
        call.environment.sort();
    }
    return calls;
}

SessionConfig slimeSession()
{
    SessionConfig config;
    config.name = "shim";
    const auto names = enumNames(Framework{});
    config.framework = static_cast<Framework>(std::ranges::find(names, "slime") - names.begin());
    config.script = "run.sh";
    config.tool = Tool::torch;
    config.steps = {2};
    config.savePath = "/traces";
    return config;
}

const QString kTraining = "train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --num-rollout 9";
const QStringList kAdded{"--use-pytorch-profiler",
                         "--profile-step-start",
                         "2",
                         "--profile-step-end",
                         "3",
                         "--tensorboard-dir",
                         "/traces"};

} // namespace

class LaunchShimTest : public QObject {
    Q_OBJECT

  private slots:
    void trainingGetsTheSettings();
    void scriptsRunAsUnderBash_data();
    void scriptsRunAsUnderBash();
    void otherProgramsAreUntouched();
    void signalsAndPidsArePassed();
    void wrappersGetTheVariables_data();
    void wrappersGetTheVariables();
    void referencesOfTheSessionAreResolved();
    void scriptWithoutTrainingIsReported();
    void otherFrameworkIsReported();
    void dryRunStartsNoTraining();
    void secretsAreNotRecorded();
    void rayJobsCannotPassEveryWord();

  private:
    // Runs the script with the session's plan, or with bash alone, in a new home folder.
    struct Ran {
        std::unique_ptr<AgentRun> run; // null for bash alone
        std::unique_ptr<TempDir> home;
        int status = -1;
        QList<Call> calls;
        QByteArray output, errors;
        QList<QJsonObject> events;
    };
    static void addPrograms(const fs::path& home, const QString& script);
    static Ran withLockstep(const QString& script, const SessionConfig& config,
                            const std::function<void(QJsonObject&)>& change = {});
    static Ran withBash(const QString& script);
};

void LaunchShimTest::addPrograms(const fs::path& home, const QString& script)
{
    const auto write = [&home](const char* name, std::string_view text) {
        fs::create_directories((home / name).parent_path());
        std::ofstream(home / name) << text;
        fs::permissions(home / name, fs::perms::owner_all);
    };
    for (const char* name :
         {"bin/python3", "bin/python", "bin/docker", "venv/bin/python3", "venv/bin/accelerate"})
        write(name, kStandIn);
    for (const char* name : {"bin/srun", "bin/uv"})
        write(name, kWrapper);
    write("venv/bin/activate", "PATH=\"$HOME/venv/bin:$PATH\"; export PATH VIRTUAL_ENV=\"$HOME/venv\"\n");
    write("inner.sh", ("python3 " + kTraining + " \"$@\"\n").toStdString());
    write("user_env", "FROM_BASH_ENV=1\n");
    write("run.sh", script.toStdString());
}

LaunchShimTest::Ran LaunchShimTest::withLockstep(const QString& script, const SessionConfig& config,
                                                 const std::function<void(QJsonObject&)>& change)
{
    Ran ran;
    const Result<LaunchPlan> plan = planLaunch(config, {});
    if (!plan) {
        qWarning("%s", plan.error().message.c_str());
        return ran;
    }
    QJsonObject host =
        QJsonDocument::fromJson(QByteArray::fromStdString(jsonFromHostPlan(*plan, plan->hosts[0]))).object();
    if (change) change(host);
    ran.run = std::make_unique<AgentRun>(host);
    addPrograms(ran.run->home(), script);
    ran.run->start();
    const AgentAnswer answer = ran.run->attach();
    ran.status = answer.status;
    ran.events = answer.objects();
    ran.output = textOf(ran.events, "stdout").toUtf8();
    ran.errors = textOf(ran.events, "stderr").toUtf8();
    ran.calls = callsIn(ran.run->home() / "calls");
    return ran;
}

LaunchShimTest::Ran LaunchShimTest::withBash(const QString& script)
{
    Ran ran;
    ran.home = std::make_unique<TempDir>();
    addPrograms(ran.home->path(), script);
    QProcess process;
    process.setProcessEnvironment(agentEnvironment(ran.home->path()));
    process.setWorkingDirectory(QString::fromStdString(ran.home->path().string()));
    process.setStandardInputFile(QProcess::nullDevice());
    process.start("bash", {"run.sh"});
    if (!process.waitForFinished(kPatience_ms)) return ran;
    ran.status = process.exitCode();
    ran.output = process.readAllStandardOutput();
    ran.errors = process.readAllStandardError();
    ran.calls = callsIn(ran.home->path() / "calls");
    return ran;
}

void LaunchShimTest::trainingGetsTheSettings()
{
    const Ran ran = withLockstep("python3 " + kTraining + " --name 'a b' --glob '*'\n", slimeSession());
    QCOMPARE(ran.status, 0);
    QCOMPARE(ran.calls.size(), 1);
    QCOMPARE(ran.calls[0].arguments,
             (kTraining.split(' ') + QStringList{"--name", "a b", "--glob", "*"} + kAdded));
    const QList<QJsonObject> launches = ofKind(ran.events, "launch");
    QCOMPARE(launches.size(), 1);
    QCOMPARE(launches[0]["outcome"].toString(), "profiled");
    QCOMPARE(launches[0]["framework"].toString(), "slime");
    QCOMPARE(launches[0]["argv"].toArray().size(), 12);
    QCOMPARE(launches[0]["added"].toArray(), QJsonArray::fromStringList(kAdded));
    QVERIFY(isGapless(ran.events));
    for (const QJsonObject& event : ofKind(ran.events, "error"))
        QVERIFY2(event["failure"].toString() != "no_launch", "a launch was recorded");
}

void LaunchShimTest::scriptsRunAsUnderBash_data()
{
    QTest::addColumn<QString>("script");
    const auto add = [](const char* name, QString script) {
        QTest::newRow(name) << script.replace("TRAIN", "python3 " + kTraining);
    };
    add("plain", "TRAIN\n");
    add("options of bash", "set -euo pipefail\nx=$(echo sub | cat)\nTRAIN --x \"$x\"\n");
    add("trace", "set -x\nf() { echo \"in $1\"; }\nf a\nTRAIN\nfalse || echo no\n");
    add("environment", "export A='1 2' B=\"$(printf 'x\\ny')\"\nC=3 TRAIN\nunset LC_ALL\nTRAIN\n");
    add("arrays and loops", "args=(--a 'b c' --d \"\")\nfor i in 1 2; do TRAIN \"${args[@]}\" $i; done\n");
    add("activated environment", "source venv/bin/activate\nTRAIN\n");
    add("activated in a function", "f() { source venv/bin/activate; TRAIN; }\nf\nTRAIN --again\n");
    add("activated in a subshell", "( source venv/bin/activate; TRAIN )\nTRAIN --again\n");
    add("PATH replaced", "PATH=$HOME/venv/bin:/usr/bin:/bin\nTRAIN\n");
    add("exec", "exec TRAIN\n");
    add("background", "TRAIN &\nwait $!\necho $?\n");
    add("pipe", "TRAIN 2>&1 | cat\necho ${PIPESTATUS[0]}\n");
    add("inner script", "bash inner.sh --x 1\n");
    add("inner script of sh", "sh inner.sh --x 1\n");
    add("changed folder", "mkdir -p sub && cd sub\nTRAIN\n");
    add("here document", "bash <<'EOF'\nTRAIN --from stdin\nEOF\n");
    add("literal references", "TRAIN '~/x' '$HOME/y' '--out=~/z' '$$'\n");
    add("env", "env D=1 TRAIN\nnohup TRAIN\n");
    add("trap of the script", "trap 'echo end' EXIT\ntrap 'echo dbg' DEBUG\nTRAIN\n");
    add("exit status", "python3 status 3\necho $?\npython3 status 7\n");
    add("last argument", "echo a b\nTRAIN --last \"$_\"\n");
    add("missing program", "accelerate launch x.py\necho $?\ncommand -v accelerate || echo none\n");
    add("function of the same name", "python3() { echo mine; }\npython3 x\ncommand TRAIN\n");
    add("own BASH_ENV", "export BASH_ENV=$HOME/user_env\nbash -c 'echo ${FROM_BASH_ENV-none}'\nTRAIN\n");
}

void LaunchShimTest::scriptsRunAsUnderBash()
{
    QFETCH(QString, script);
    const Ran bash = withBash(script);
    const Ran shimmed = withLockstep(script, slimeSession());
    QCOMPARE(shimmed.status, bash.status);
    QCOMPARE(shimmed.output, bash.output);
    QByteArray errors = shimmed.errors, expectedErrors = bash.errors;
    errors.replace(QByteArray::fromStdString(shimmed.run->home().string()), "HOME");
    expectedErrors.replace(QByteArray::fromStdString(bash.home->path().string()), "HOME");
    QCOMPARE(errors, expectedErrors);
    QCOMPARE(shimmed.calls.size(), bash.calls.size());
    for (qsizetype i = 0; i < bash.calls.size(); ++i) {
        const Call &got = shimmed.calls[i], &expected = bash.calls[i];
        const bool isTraining = expected.arguments.value(0) == "train.py";
        QCOMPARE(got.name, expected.name);
        QCOMPARE(got.arguments, expected.arguments + (isTraining ? kAdded : QStringList()));
        if (isTraining) QCOMPARE(got.environment, expected.environment);
    }
}

void LaunchShimTest::otherProgramsAreUntouched()
{
    const Ran ran =
        withLockstep("python3 prepare.py --out data\npython3 -c 'import torch'\npython3 - < inner.sh\n"
                     "uv --version\npython3 " +
                         kTraining + "\n",
                     slimeSession());
    QCOMPARE(ran.status, 0);
    QCOMPARE(ran.calls[0].arguments, (QStringList{"prepare.py", "--out", "data"}));
    QCOMPARE(ran.calls[1].arguments, (QStringList{"-c", "import torch"}));
    QCOMPARE(ran.calls[2].arguments, (QStringList{"-"}));
}

void LaunchShimTest::signalsAndPidsArePassed()
{
    const Ran ran =
        withLockstep("python3 sleep &\npid=$!\nuntil [ -s \"$HOME/calls\" ]; do sleep 0.05; done\n"
                     "kill -TERM $pid\nwait $pid\necho \"status $?\"\npython3 " +
                         kTraining + "\n",
                     slimeSession());
    QCOMPARE(ran.output, QByteArray("status 143\n"));
    QCOMPARE(ran.status, 0);
}

void LaunchShimTest::wrappersGetTheVariables_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("before");
    const QString train = "python3 " + kTraining;
    QTest::newRow("srun") << "srun --ntasks=2 " + train + "\n"
                          << "srun" << QStringList{"--ntasks=2"};
    QTest::newRow("uv run") << "uv run " + train + "\n"
                            << "uv" << QStringList{"run"};
    QTest::newRow("docker exec") << "docker exec box " + train + "\n"
                                 << "docker" << QStringList{"exec", "box"};
}

void LaunchShimTest::wrappersGetTheVariables()
{
    QFETCH(QString, script);
    QFETCH(QString, program);
    QFETCH(QStringList, before);
    SessionConfig config = slimeSession();
    config.tool = Tool::capture;
    const Ran ran = withLockstep(script, config);
    QVERIFY(!ran.calls.isEmpty());
    QCOMPARE(ran.calls[0].name, program);
    const QList<QJsonObject> launches = ofKind(ran.events, "launch");
    QCOMPARE(launches.size(), 1);
    const QStringList variables = launches[0]["added_environment"].toVariant().toStringList();
    QVERIFY(!variables.filter("LOCKSTEP_OUTPUT=").isEmpty());
    const QStringList given = ran.calls[0].arguments;
    QCOMPARE(given.mid(0, before.size()), before);
    // A container does not inherit variables.
    const bool isContainer = program == "docker";
    QCOMPARE(given.value(before.size()) == "env", isContainer);
    QCOMPARE(given.filter("LOCKSTEP_OUTPUT=").isEmpty(), !isContainer);
    QVERIFY(given.contains("train.py"));
}

// The session's own texts may refer to values of the host; the words of the script are final.
void LaunchShimTest::referencesOfTheSessionAreResolved()
{
    SessionConfig config = slimeSession();
    config.savePath = "$HOME/traces";
    config.otherOverrides = {"--price=$$5", "--user=$USER_OF_NOBODY"};
    const Ran ran = withLockstep("python3 " + kTraining + " '$HOME'\n", config);
    QCOMPARE(ran.calls.size(), 1);
    const QStringList& words = ran.calls[0].arguments;
    QVERIFY(words.contains("$HOME"));
    QVERIFY(words.contains("HOME/traces")); // the test replaces the folder by HOME
    QVERIFY(words.contains("--price=$5"));
    QVERIFY(words.contains("--user=$USER_OF_NOBODY"));
}

void LaunchShimTest::scriptWithoutTrainingIsReported()
{
    const Ran ran = withLockstep("python3 prepare.py\n$HOME/bin/python3 " + kTraining +
                                     "\nPATH=$HOME/venv/bin:$PATH python3 " + kTraining + "\n",
                                 slimeSession());
    QCOMPARE(ran.status, 0);
    QVERIFY(ofKind(ran.events, "launch").isEmpty());
    const QList<QJsonObject> errors = ofKind(ran.events, "error");
    QVERIFY(std::ranges::any_of(errors, [](const QJsonObject& e) { return e["failure"] == "no_launch"; }));
}

void LaunchShimTest::otherFrameworkIsReported()
{
    const Ran ran =
        withLockstep("python3 -m skyrl.train.entrypoints.main_base trainer.epochs=1\n", slimeSession());
    QCOMPARE(ran.calls.size(), 1);
    QCOMPARE(ran.calls[0].arguments,
             (QStringList{"-m", "skyrl.train.entrypoints.main_base", "trainer.epochs=1"}));
    const QList<QJsonObject> launches = ofKind(ran.events, "launch");
    QCOMPARE(launches.size(), 1);
    QCOMPARE(launches[0]["outcome"].toString(), "foreign");
    QVERIFY(launches[0]["text"].toString().contains("skyrl"));
    QVERIFY(ran.errors.contains("no profiling settings were added"));
}

void LaunchShimTest::dryRunStartsNoTraining()
{
    const auto recordOnly = [](QJsonObject& host) {
        QJsonArray commands = host["commands"].toArray();
        QJsonObject command = commands.last().toObject();
        QJsonArray argv = command["argv"].toArray();
        argv.insert(2, "--record-only");
        command["argv"] = argv;
        commands.replace(commands.size() - 1, command);
        host["commands"] = commands;
    };
    const Ran ran =
        withLockstep("echo before\npython3 " + kTraining + "\npython3 after.py\necho \"status $?\"\n",
                     slimeSession(), recordOnly);
    QCOMPARE(ran.output, QByteArray("before\nstatus 0\n"));
    QCOMPARE(ran.calls.size(), 1);
    QCOMPARE(ran.calls[0].arguments, QStringList{"after.py"});
    QCOMPARE(ofKind(ran.events, "launch").size(), 1);
}

void LaunchShimTest::secretsAreNotRecorded()
{
    SessionConfig config = slimeSession();
    config.secrets = {"MY_CODE"};
    const Ran ran = withLockstep("export HF_TOKEN=hf_abcdefghijklmnop1234 MY_CODE=open-sesame\npython3 " +
                                     kTraining + " --wandb-key 0123456789abcdef0123\n",
                                 config, [](QJsonObject& host) { host.remove("secrets"); });
    QCOMPARE(ran.calls.size(), 1);
    QVERIFY(ran.calls[0].arguments.contains("0123456789abcdef0123"));
    QVERIFY(ran.calls[0].environment.contains("MY_CODE=open-sesame"));
    const std::string log = contentOf(ran.run->folder() / "events.jsonl");
    const std::string launches = contentOf(ran.run->folder() / "launches.jsonl");
    QVERIFY(!launches.empty());
    for (const char* secret : {"hf_abcdefghijklmnop1234", "0123456789abcdef0123", "open-sesame"}) {
        QVERIFY2(log.find(secret) == std::string::npos, secret);
        QVERIFY2(launches.find(secret) == std::string::npos, secret);
    }
}

void LaunchShimTest::rayJobsCannotPassEveryWord()
{
    const std::vector<std::string> argv{"ray", "job",     "submit",   "--address=http://h:8265",
                                        "--",  "python3", "train.py", "--actor-num-nodes",
                                        "1"};
    SessionConfig config = slimeSession();
    config.otherOverrides = {"--x=[1,2]", "--y=\"a:b\"", "--z=a $b"};
    ShimmedLaunch made = shimmedLaunch(config, "", argv);
    QCOMPARE(made.outcome, ShimmedLaunch::Outcome::profiled);
    QVERIFY(std::ranges::find(made.argv, "--x=\\[1,2\\]") != made.argv.end());
    QVERIFY(std::equal(argv.begin(), argv.end(), made.argv.begin()));
    QVERIFY(std::ranges::find(made.argv, "--y=\"a:b\"") != made.argv.end());
    QVERIFY(std::ranges::find(made.argv, "--z=a \\$b") != made.argv.end());
    config.otherOverrides = {"--x=a\nb"};
    made = shimmedLaunch(config, "", argv);
    QCOMPARE(made.outcome, ShimmedLaunch::Outcome::refused);
    QCOMPARE(made.argv, argv);
    QVERIFY(made.problem.find("--x=") != std::string::npos);
}

LOCKSTEP_TEST(LaunchShimTest, "launch_shim_test")
#include "launch_shim_test.moc"
