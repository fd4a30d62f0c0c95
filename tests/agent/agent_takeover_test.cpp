// SPDX-License-Identifier: Apache-2.0
// Tests a run whose supervisor dies, is stopped, or ignores the request to stop.
#include <QTest>

#include <csignal>

#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

bool isExit(const QJsonObject& event)
{
    return event["kind"] == "exit";
}

std::function<bool(const QJsonObject&)> printed(const QString& text)
{
    return [text](const QJsonObject& event) {
        return event["kind"] == "stdout" && event["text"].toString().contains(text);
    };
}

} // namespace

class AgentTakeoverTest : public QObject {
    Q_OBJECT

  private slots:
    void killedSupervisorLosesAndRepeatsNoOutput();
    void unfinishedLineOfTheLogIsCutOff();
    void signRecordedBeforeItsTextIsNotRepeated();
    void killedMonitorIsReported();
    void stopWaitsForTheFlush();
    void programThatIgnoresTermIsKilled();
    void descendantsInOtherSessionsAreStopped();
    void reportWritersAreSpared();
    void stopEndsHeldAndLaterCommands();
};

void AgentTakeoverTest::killedSupervisorLosesAndRepeatsNoOutput()
{
    // 3,000 numbered lines with a step every 100 lines and one known failure, while the supervisor is killed
    // repeatedly.
    AgentRun run(hostPlan({{"python3", "-uc",
                            "import time\n"
                            "for i in range(3000):\n"
                            "    print('line', i)\n"
                            "    if i % 100 == 0: print('step:%d - x' % i, flush=True); time.sleep(0.05)\n"
                            "    if i % 500 == 0: print('CUDA out of memory', flush=True)\n"},
                           shell("echo second")}));
    QCOMPARE(run.start().status, 0);
    int kills = 0;
    for (int lines = 0; lines < 3000; lines += 300) {
        run.waitFor(printed("line " + QString::number(lines) + "\n"), 5'000);
        if (const int pid = run.supervisor(); pid > 0 && ::kill(pid, SIGKILL) == 0) ++kills;
        QCOMPARE(run.start().status, 0); // as attach does, but without following
    }
    QVERIFY(kills >= 5);
    const AgentAnswer answer = run.attach();
    QCOMPARE(answer.status, 0);
    const auto events = answer.objects();
    QVERIFY(isGapless(events));
    const QStringList lines = textOf(events, "stdout", 0).split('\n').filter("line ");
    QCOMPARE(lines.size(), 3000);
    for (int i = 0; i < 3000; ++i)
        QCOMPARE(lines[i], "line " + QString::number(i));
    const auto steps = ofKind(events, "step");
    QCOMPARE(steps.size(), 30);
    for (int i = 0; i < 30; ++i)
        QCOMPARE(steps[i]["step"].toInt(), i * 100);
    QCOMPARE(ofKind(events, "error").size(), 1);
    QCOMPARE(ofKind(events, "exit").size(), 3);
    QCOMPARE(textOf(events, "stdout", 1), QString("second\n"));
    int starts = 0;
    for (const QJsonObject& event : ofKind(events, "started"))
        starts += event.contains("command") ? 1 : 0;
    QCOMPARE(starts, 2);
}

void AgentTakeoverTest::unfinishedLineOfTheLogIsCutOff()
{
    AgentRun run(hostPlan({shell("echo one; while ! [ -e go ]; do sleep 0.1; done; echo two")}));
    run.start();
    QVERIFY(!run.waitFor(printed("one")).isEmpty());
    ::kill(run.supervisor(), SIGKILL);
    QTRY_COMPARE(run.supervisor(), 0);
    std::ofstream(run.folder() / "events.jsonl", std::ios::app)
        << R"({"seq":99,"t_ns":1,"kind":"stdout","te)";
    std::ofstream(run.home() / "go") << "";
    QCOMPARE(run.attach().status, 0);
    QVERIFY(isGapless(run.events()));
    QCOMPARE(textOf(run.events(), "stdout"), QString("one\ntwo\n"));
}

void AgentTakeoverTest::signRecordedBeforeItsTextIsNotRepeated()
{
    AgentRun run(
        hostPlan({shell("echo one; while ! [ -e go ]; do sleep 0.1; done; echo 'Capture range ended';"
                        "while ! [ -e end ]; do sleep 0.1; done")}));
    run.start();
    QVERIFY(!run.waitFor(printed("one")).isEmpty());
    ::kill(run.supervisor(), SIGKILL);
    QTRY_COMPARE(run.supervisor(), 0);
    std::ofstream(run.home() / "go") << "";
    QTRY_COMPARE(std::filesystem::file_size(run.folder() / "command-0/stdout.log"), uintmax_t(24));
    // The supervisor died after it recorded a sign, before it recorded the output that contains the sign.
    const qint64 seq = run.events().last()["seq"].toInteger();
    std::ofstream(run.folder() / "events.jsonl", std::ios::app)
        << "{\"seq\":" << seq + 1
        << R"(,"t_ns":1,"kind":"capture","at":24,"command":0,"log":"stdout","state":"flushing"})"
        << "\n";
    std::ofstream(run.home() / "end") << "";
    QCOMPARE(run.attach().status, 0);
    QVERIFY(isGapless(run.events()));
    QCOMPARE(ofKind(run.events(), "capture").size(), 1);
    QCOMPARE(textOf(run.events(), "stdout"), QString("one\nCapture range ended\n"));
}

void AgentTakeoverTest::killedMonitorIsReported()
{
    AgentRun run(hostPlan({shell("echo on; exec sleep 1000")}));
    run.start();
    QVERIFY(!run.waitFor(printed("on")).isEmpty());
    int monitor = 0, child = 0;
    std::ifstream(run.folder() / "command-0/monitor.pid") >> monitor;
    std::ifstream(run.folder() / "command-0/child.pid") >> child;
    ::kill(monitor, SIGKILL);
    QVERIFY(isRunning(child)); // still running, and so is the run
    QVERIFY(run.supervisor() > 0);
    ::kill(child, SIGKILL);
    QCOMPARE(run.attach().status, 1);
    QVERIFY(ofKind(run.events(), "exit")
                .first()["text"]
                .toString()
                .contains("process that watches the command was killed"));
}

void AgentTakeoverTest::stopWaitsForTheFlush()
{
    AgentRun run(
        hostPlan({{"python3", "-uc",
                   "import signal, sys, time\n"
                   "def flush(*_):\n"
                   "    print('flushing'); time.sleep(1); open('flushed', 'w').write('x'); sys.exit(0)\n"
                   "signal.signal(signal.SIGTERM, flush)\n"
                   "print('ready'); time.sleep(1000)"}}));
    run.start();
    QVERIFY(!run.waitFor(printed("ready")).isEmpty());
    const AgentAnswer stopped = run.stop({"--grace", "20"});
    QCOMPARE(stopped.status, 0);
    QVERIFY(std::filesystem::exists(run.home() / "flushed"));
    QVERIFY(ofKind(run.events(), "error").isEmpty());
    QVERIFY(run.events().last()["stopped"].toBool());
    QCOMPARE(run.stop().status, 0); // stopping an ended run is not a failure
}

void AgentTakeoverTest::programThatIgnoresTermIsKilled()
{
    AgentRun run(hostPlan({shell("trap '' TERM; echo ready; while :; do sleep 1; done")}));
    run.start();
    QVERIFY(!run.waitFor(printed("ready")).isEmpty());
    // The first request has a long grace period; a second, shorter one replaces it.
    QProcess patient;
    patient.setProcessEnvironment(agentEnvironment(run.home()));
    patient.start(builtProgram("lockstep-agent"), {"stop", run.folderText(), "--grace", "1000"});
    QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["state"] == "stopping"; }).isEmpty());
    QCOMPARE(run.stop({"--grace", "0.5"}).status, 0);
    QVERIFY(patient.waitForFinished(kPatience_ms));
    QCOMPARE(ofKind(run.events(), "error").first()["failure"].toString(), QString("stop_ignored"));
    QCOMPARE(run.waitFor(isExit)["signal"].toInt(), 9);
}

void AgentTakeoverTest::descendantsInOtherSessionsAreStopped()
{
    AgentRun run(hostPlan(
        {shell("setsid sh -c 'trap \"\" TERM; echo $$ > pid1; while :; do sleep 1; done' &"
               "(setsid setsid sh -c 'echo $$ > pid2; exec sleep 1000' &) ; echo ready; sleep 1000")}));
    run.start();
    QVERIFY(!run.waitFor(printed("ready")).isEmpty());
    const auto pidIn = [&](const char* name) {
        int pid = 0;
        std::ifstream(run.home() / name) >> pid;
        return pid;
    };
    QTRY_VERIFY(isRunning(pidIn("pid1")) && isRunning(pidIn("pid2")));
    QCOMPARE(run.stop({"--grace", "1"}).status, 0);
    QVERIFY(!isRunning(pidIn("pid1")));
    QVERIFY(!isRunning(pidIn("pid2")));
}

void AgentTakeoverTest::reportWritersAreSpared()
{
    AgentRun run(hostPlan({shell("./QdstrmImporter & echo ready; wait")}));
    std::ofstream(run.home() / "QdstrmImporter")
        << "#!/bin/sh\ntrap 'exit 3' TERM\ni=0\n"
           "while [ $i -lt 10 ]; do sleep 0.1; i=$((i+1)); done\necho whole > report\n";
    std::filesystem::permissions(run.home() / "QdstrmImporter", std::filesystem::perms::owner_all);
    run.start();
    QVERIFY(!run.waitFor(printed("ready")).isEmpty());
    QCOMPARE(run.stop({"--grace", "20"}).status, 0);
    QVERIFY(std::filesystem::exists(run.home() / "report"));
}

void AgentTakeoverTest::stopEndsHeldAndLaterCommands()
{
    AgentRun run(hostPlan(
        {shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done"), shell("echo never")}));
    run.start();
    QVERIFY(!run.waitFor(printed("ready")).isEmpty());
    run.stop({"--grace", "10"});
    QCOMPARE(textOf(run.events(), "stdout"), QString("ready\n"));
    AgentRun held(hostPlan({shell("echo never")}));
    held.start({"--until", "0"});
    QVERIFY(!held.waitFor([](const QJsonObject& event) { return event["waiting"].toBool(); }).isEmpty());
    QCOMPARE(held.stop().status, 0);
    QVERIFY(textOf(held.events(), "stdout").isEmpty());
}

LOCKSTEP_TEST(AgentTakeoverTest, "agent_takeover_test")
#include "agent_takeover_test.moc"
