// SPDX-License-Identifier: Apache-2.0
// Tests a run from its plan to its last event, with real processes.
#include <QScopeGuard>
#include <QTest>

#include "capture/agent/node_plan.h"
#include "core/session/launch_plan.h"
#include "core/session/typed_value.h"
#include "tests/support/agent_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class AgentRunTest : public QObject {
    Q_OBJECT

  private slots:
    void theSessionsPlanRuns();
    void wrongPlansAreRefused();
    void commandsRunInOrder();
    void firstFailureEndsTheRun();
    void endsAreDescribed_data();
    void endsAreDescribed();
    void programsGetThePlansSettings();
    void sameRunIsPickedUp();
    void heldCommandsWait();
    void nodeWithoutCommandsStaysUntilStopped();
    void signsBecomeEvents();
    void daemonsOutliveTheirCommand();
};

void AgentRunTest::theSessionsPlanRuns()
{
    SessionConfig config;
    config.command = {"python3", "-c", "print('é \" \\ \n')", "-x"};
    config.environment = {{"A", "1 2"}, {"B", "'"}};
    config.workingFolder = "/a b/c";
    config.framework = Framework::torchrun;
    config.tool = Tool::torch;
    config.hosts.resize(2);
    config.hosts[0].name = "one";
    config.hosts[1].name = "two";
    const Result<LaunchPlan> plan = planLaunch(config, {});
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    for (const HostPlan& host : plan->hosts) {
        const std::string text = jsonFromHostPlan(*plan, host);
        const Result<HostPlan> again = hostPlanFromJson(text);
        QVERIFY(again && *again == host);
        const auto node = agent::nodePlanFromJson(text);
        QVERIFY(node);
        QCOMPARE(node->commands.size(), host.commands.size());
        for (size_t i = 0; i < host.commands.size(); ++i) {
            QVERIFY(node->commands[i].argv == host.commands[i].argv);
            QCOMPARE(node->commands[i].name, host.commands[i].purpose);
            QCOMPARE(node->commands[i].order, host.commands[i].order);
            QVERIFY(node->commands[i].environment == host.environment);
            QCOMPARE(node->commands[i].workingFolder.string(), host.workingFolder);
        }
        QVERIFY(node->files == host.files);
        QCOMPARE(node->reportRoots.size(), host.reportFolders.size() + 1);
        QCOMPARE(node->reportRoots.back(), std::string("/tmp/ray/session_*/logs/nsight"));
    }
    // Ray's link to the latest session may be stale, so every session is searched, once.
    config.framework = *enumFromWord<Framework>("verl");
    config.tool = Tool::nsys;
    config.steps = {1};
    config.role(Role::actor).enable = true;
    const Result<LaunchPlan> verl = planLaunch(config, {});
    QVERIFY(verl);
    QVERIFY(verl->hosts[1].reportFolders == std::vector<std::string>{"/tmp/ray/session_*/logs/nsight"});
    const auto node = agent::nodePlanFromJson(jsonFromHostPlan(*verl, verl->hosts[1]));
    QVERIFY(node && node->commands.empty());
    QCOMPARE(node->reportRoots.size(), size_t(1));
}

void AgentRunTest::wrongPlansAreRefused()
{
    TempDir home;
    home.write("plan.json", R"({"lockstep_plan": 1, "commands": [{"argv": []}]})");
    const AgentAnswer wrong = runAgent(home.path(), {"run", "--plan", "plan.json", "--run-dir", "r"});
    QCOMPARE(wrong.status, 1);
    QVERIFY2(wrong.errors.contains("a command needs argv"), wrong.errors);
    QCOMPARE(runAgent(home.path(), {"run", "--plan", "none.json", "--run-dir", "r"}).status, 1);
    QCOMPARE(runAgent(home.path(), {"run", "--plan", "plan.json"}).status, 2);
    QCOMPARE(runAgent(home.path(), {"attach", "r"}).status, 1);
    QCOMPARE(runAgent(home.path(), {"stop", "r"}).status, 1);
    QCOMPARE(runAgent(home.path(), {"fly"}).status, 2);
}

void AgentRunTest::commandsRunInOrder()
{
    AgentRun run(hostPlan({shell("echo first; echo to stderr >&2"), shell("printf second")}));
    const AgentAnswer answer = run.agent({"run", "--plan", "plan.json", "--run-dir",
                                          run.folderText()}); // not detached: prints the events themselves
    QCOMPARE(answer.status, 0);
    const auto events = answer.objects();
    QVERIFY(isGapless(events));
    QCOMPARE(textOf(events, "stdout"), QString("first\nsecond"));
    QCOMPARE(textOf(events, "stderr", 0), QString("to stderr\n"));
    QCOMPARE(events.first()["kind"].toString(), QString("started"));
    QVERIFY(events.last()["run"].toBool() && events.last()["code"] == 0 &&
            !events.last()["stopped"].toBool());
    QVERIFY(events == run.events());
    // Replay from the middle, and from after the end.
    QCOMPARE(run.attach({"--from", "4"}).objects().size(), events.size() - 3);
    const AgentAnswer behind = run.attach({"--from", "1000000"});
    QCOMPARE(behind.status, 0);
    QVERIFY(behind.output.isEmpty());
}

void AgentRunTest::firstFailureEndsTheRun()
{
    AgentRun run(hostPlan({shell("exit 7"), shell("echo never")}));
    QCOMPARE(run.start().status, 0);
    const AgentAnswer answer = run.attach();
    QCOMPARE(answer.status, 7);
    QVERIFY(!answer.output.contains("never"));
}

void AgentRunTest::endsAreDescribed_data()
{
    QTest::addColumn<QStringList>("argv");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("text");
    QTest::newRow("killed") << shell("kill -9 $$") << 137 << "killed by SIGKILL (signal 9)";
    QTest::newRow("crashed") << shell("kill -SEGV $$") << 139
                             << "killed by SIGSEGV (signal 11): invalid memory access";
    QTest::newRow("inside a shell") << shell("sh -c 'kill -9 $$'; exit $?") << 137
                                    << "the exit status of a shell for SIGKILL";
    QTest::newRow("not found by the shell")
        << shell("no-such-program") << 127 << "a shell did not find the program";
    QTest::newRow("missing program") << QStringList{"no such\nprogram"} << 1
                                     << "no such\nprogram: cannot start: not found";
    QTest::newRow("not executable") << QStringList{"/"} << 1 << "/: cannot start: Permission denied";
}

void AgentRunTest::endsAreDescribed()
{
    QFETCH(QStringList, argv);
    QFETCH(int, code);
    QFETCH(QString, text);
    AgentRun run(hostPlan({argv}));
    QCOMPARE(run.start().status, 0);
    const AgentAnswer answer = run.attach();
    QCOMPARE(answer.status, code);
    const QString reportedText = ofKind(answer.objects(), "exit").first()["text"].toString();
    QVERIFY2(reportedText.contains(text), qPrintable(reportedText));
}

void AgentRunTest::programsGetThePlansSettings()
{
    const QString folder = "-a \"b\"\n'c'";
    QJsonObject plan = hostPlan(
        {{"python3", "-c",
          "import os,sys,signal\n"
          "print(repr(sys.argv[1:]), os.environ['X'], os.path.basename(os.getcwd()) == sys.argv[2])\n"
          "print(open('in/file.sh').read(), os.access('in/file.sh', os.X_OK), sys.stdin.read() == '')\n"
          "s = open('/proc/self/status').read()\n"
          "print(['%x' % (int(l.split()[1], 16) & ~(3 << 31)) for l in s.splitlines()\n"
          "       if l.startswith(('SigIgn', 'SigBlk'))])\n"
          "print(os.getsid(0) == os.getpid(), sorted(map(int, os.listdir('/proc/self/fd')))[:3])",
          "-x", folder, "a\nb"}});
    plan["environment"] = QJsonObject{{"X", "1 '\"\n"}};
    plan["files"] = QJsonArray{QJsonObject{{"path", "in/file.sh"}, {"content", "é\n"}, {"executable", true}}};
    TempDir place;
    const auto working = place.path() / folder.toStdString();
    std::filesystem::create_directory(working);
    plan["working_folder"] = QString::fromStdString(working.string());
    AgentRun run(plan);
    run.start();
    const AgentAnswer answer = run.attach();
    const QString text = textOf(answer.objects(), "stdout");
    QVERIFY2(text.startsWith("['-x', '-a \"b\"\\n\\'c\\'', 'a\\nb'] 1 '\"\n True\né\n True True\n"),
             qPrintable(text));
    // Python itself ignores SIGPIPE (13) and SIGXFSZ (25). No other signal is ignored or blocked. Signals 32
    // and 33 were masked out above, because glibc's posix_spawn() ignores them in the new process.
    QVERIFY2(text.contains("['0', '1001000']\n"), qPrintable(text));
    QVERIFY2(text.contains("True [0, 1, 2]"), qPrintable(text));
    QCOMPARE(answer.status, 0);
}

void AgentRunTest::sameRunIsPickedUp()
{
    AgentRun run(hostPlan({shell("echo once; sleep 100")}));
    QCOMPARE(run.start().status, 0);
    QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["kind"] == "stdout"; }).isEmpty());
    QCOMPARE(run.start().status, 0); // as if the answer to the first start had been lost
    run.stop({"--grace", "0"});
    QCOMPARE(textOf(run.events(), "stdout"), QString("once\n"));
    std::ofstream(run.home() / "plan.json", std::ios::app) << " ";
    const AgentAnswer other = run.start();
    QCOMPARE(other.status, 1);
    QVERIFY2(other.errors.contains("contains another run"), other.errors);
}

void AgentRunTest::heldCommandsWait()
{
    AgentRun run(hostPlan({shell("echo first"), shell("echo second"), shell("echo third")}));
    QCOMPARE(run.start({"--until", "1"}).status, 0);
    const auto waits = [](int command) {
        return [command](const QJsonObject& event) {
            return event["waiting"].toBool() && event["command"] == command;
        };
    };
    QVERIFY(!run.waitFor(waits(1)).isEmpty());
    QCOMPARE(textOf(run.events(), "stdout"), QString("first\n"));
    QCOMPARE(run.agent({"go", run.folderText(), "--until", "2"}).status, 0);
    QVERIFY(!run.waitFor(waits(2)).isEmpty());
    QCOMPARE(textOf(run.events(), "stdout"), QString("first\nsecond\n"));
    QCOMPARE(run.agent({"go", run.folderText()}).status, 0);
    QCOMPARE(run.attach().status, 0);
    QCOMPARE(textOf(run.events(), "stdout"), QString("first\nsecond\nthird\n"));
}

void AgentRunTest::nodeWithoutCommandsStaysUntilStopped()
{
    AgentRun run(hostPlan({}));
    QCOMPARE(run.start().status, 0);
    QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["kind"] == "heartbeat"; }).isEmpty());
    QVERIFY(run.supervisor() > 0);
    QCOMPARE(run.stop({"--keep"}).status, 0);
    const QJsonObject end = run.events().last();
    QVERIFY(end["run"].toBool() && end["code"] == 0 && end["stopped"].toBool());
}

void AgentRunTest::signsBecomeEvents()
{
    AgentRun run(hostPlan({shell("echo 'step:5 - actor/loss:1'; echo 'step:5 - again'; echo 'step:6 - x';"
                                 "echo 'TaskRunner hostname: node-3, PID: 4711' >&2;"
                                 "echo '\033[36mprofiling enabled for worker vllm_policy-0\033[0m';"
                                 "echo 'Capture range ended'; echo ' /tmp/a b/x.2.nsys-rep';"
                                 "echo 'RuntimeError: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED';"
                                 "echo 'CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED'; printf 'bash: nsys: "
                                 "command not found' >&2")}));
    run.start();
    const auto events = run.attach().objects();
    const auto steps = ofKind(events, "step");
    QCOMPARE(steps.size(), 2);
    QCOMPARE(steps[1]["step"].toInt(), 6);
    QStringList captures, failures;
    for (const QJsonObject& event : ofKind(events, "capture")) {
        captures << event["state"].toString() + event["controller"].toString() + event["worker"].toString() +
                        event["path"].toString();
    }
    captures.sort();
    QCOMPARE(captures,
             QStringList({"flushing", "node-3 4711", "vllm_policy-0", "written/tmp/a b/x.2.nsys-rep"}));
    for (const QJsonObject& event : ofKind(events, "error"))
        failures << event["failure"].toString();
    failures.sort();
    QCOMPARE(failures, QStringList({"cupti_taken", "nsys_missing"}));
}

void AgentRunTest::daemonsOutliveTheirCommand()
{
    // The first command leaves a daemon that prints later, as `ray start` does; the run continues meanwhile.
    qputenv("LOCKSTEP_AGENT_LEFT_PATIENCE_S", "3"); // the agent's 30 s are near the deadline of the test
    const auto unset = qScopeGuard([] { qunsetenv("LOCKSTEP_AGENT_LEFT_PATIENCE_S"); });
    AgentRun run(hostPlan(
        {shell("(while ! [ -e go ]; do sleep 0.1; done; echo daemon; sleep 100) & echo started"),
         shell(
             "touch go; while ! grep -q daemon run*/command-0/stdout.log; do sleep 0.1; done; echo seen")}));
    run.start();
    QCOMPARE(run.attach().status, 0);
    QCOMPARE(textOf(run.events(), "stdout", 0), QString("started\ndaemon\n"));
    QCOMPARE(textOf(run.events(), "stdout", 1), QString("seen\n"));
    int monitor = 0;
    std::ifstream(run.folder() / "command-0/monitor.pid") >> monitor;
    QVERIFY(isRunning(monitor)); // with the daemon
    QCOMPARE(run.stop({"--keep"}).status, 0);
    QVERIFY(isRunning(monitor));
    QCOMPARE(run.stop({"--grace", "5"}).status, 0);
    QTRY_VERIFY(!isRunning(monitor));
}

LOCKSTEP_TEST(AgentRunTest, "agent_run_test")
#include "agent_run_test.moc"
