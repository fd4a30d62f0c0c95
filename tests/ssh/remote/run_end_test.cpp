// SPDX-License-Identifier: Apache-2.0
// Tests how runs end: hosts that start nothing are notified, and --stop ends the processes that keep running.
#include <fstream>

#include "core/session/typed_value.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::string_view kTrace =
    R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":1,"tid":1}]})";

QString lastState(const LockstepProcess& process, const QString& host)
{
    const auto lines = process.linesWhere(lineOf("host", host));
    return lines.empty() ? QString() : lines.back()["state"].toString();
}

// A program that Ray distributes to the other hosts: one command, on the first host.
void planForRay(RunSite& site)
{
    site.config().framework = *enumFromWord<Framework>("nemo_rl");
    site.node(1).write("reports/none", "");
}

} // namespace

class RunEndTest : public QObject {
    Q_OBJECT

  private slots:
    void hostsWithoutCommandsAreFinished()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        planForRay(site);
        LockstepProcess process = site.run({"--force"}); // no Ray is installed here
        QVERIFY(process.waitForLine(lineOf("exit", "node0", isRunEnd)));
        // A worker's report that is written last.
        site.node(1).write("reports/rank2_step1.json", kTrace);
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
        QCOMPARE(process.verifiedFiles(), size_t(5));
        QCOMPARE(lastState(process, "node1"), "ended");
        QVERIFY(waitUntil([&] { return site.node(1).processes("lockstep-agent").empty(); }));
    }

    void attachedRunsEnd()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        planForRay(site);
        site.hold(0, 1);
        LockstepProcess first = site.run({"--force"});
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        QVERIFY(first.waitForLine(
            lineOf("host", "node1", [](const QJsonObject& line) { return line["state"] == "running"; })));
        first.kill();
        first.waitForEnd();
        site.release(0, 1);
        LockstepProcess second = site.attach("three nodes");
        QCOMPARE(second.waitForEnd(), 0);
        QCOMPARE(second.verifiedFiles(), size_t(4));
    }

    // The command that starts Ray on a host ends immediately; its workers' reports are written later.
    void hostsAreWatchedAfterRayStarts()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        planForRay(site);
        const std::string bin = (site.site().folder() / "bin").string();
        std::filesystem::create_directories(bin);
        std::ofstream(bin + "/ray") << "#!/bin/sh\nexit 0\n";
        std::filesystem::permissions(bin + "/ray", std::filesystem::perms::owner_all);
        site.config().environment = {{"PATH", bin + ":/usr/local/bin:/usr/bin:/bin"}};
        site.config().launcher.startRay = true;
        site.hold(0, 1);
        LockstepProcess process = site.run({"--force"});
        QVERIFY(process.waitForLine(lineOf("step", "node0")));
        QVERIFY(process.waitForLine(lineOf("exit", "node1")));
        QVERIFY(process.linesWhere(lineOf("exit", "node1", isRunEnd)).empty());
        site.node(1).write("reports/rank2_step1.json", kTrace);
        QVERIFY(process.waitForLine(lineOf("report", "node1")));
        site.release(0, 1);
        QCOMPARE(process.waitForEnd(), 0);
        QCOMPARE(process.verifiedFiles(), size_t(5));
    }

    void stopEndsARunWatchedElsewhere()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        site.hold(1, 1);
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        QVERIFY(first.waitForLine(lineOf("step", "node1")));
        LockstepProcess refused = site.attach(first.runId());
        QCOMPARE(refused.waitForEnd(), 1);
        QVERIFY2(refused.errors().contains("another lockstep is watching run"), refused.errors().constData());
        LockstepProcess stop(site.site().environment(), {"--stop", first.runId(), "--grace", "5"});
        QCOMPARE(stop.waitForEnd(), 0);
        QVERIFY(stop.errors().contains("will collect its reports"));
        QCOMPARE(first.waitForEnd(), 0);
        QCOMPARE(first.verifiedFiles(), size_t(4));
        QVERIFY(site.node(0).processes("train.py").empty());
        QVERIFY(site.node(1).processes("train.py").empty());
    }

    void stopCollectsAnUnwatchedRun()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        site.hold(1, 1);
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        QVERIFY(first.waitForLine(lineOf("step", "node1")));
        first.kill();
        first.waitForEnd();
        LockstepProcess stop(site.site().environment(), {"--stop", "three nodes", "--grace", "5"});
        QCOMPARE(stop.waitForEnd(), 0);
        QCOMPARE(stop.verifiedFiles(), size_t(4));
        QCOMPARE(lastState(stop, "node1"), "ended");
        QVERIFY(std::filesystem::exists(site.workspace()));
        QVERIFY(site.node(0).processes("train.py").empty());
        // Stopping an ended run succeeds, too.
        LockstepProcess again(site.site().environment(), {"--stop", "three nodes"});
        QCOMPARE(again.waitForEnd(), 0);
    }

    void programsThatIgnoreTheEndAreKilledAfterTheGrace()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.node(0).write("ignore_term", "");
        site.hold(0, 1);
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        first.kill();
        first.waitForEnd();
        LockstepProcess stop(site.site().environment(), {"--stop", "three nodes", "--grace", "1"});
        QVERIFY(stop.waitForEnd() >= 0);
        QVERIFY(site.node(0).processes("train.py").empty());
        QVERIFY(!stop.linesWhere(
                         lineOf("error", "node0",
                                [](const QJsonObject& line) { return line["failure"] == "stop_ignored"; }))
                     .empty());
    }
};

LOCKSTEP_TEST(RunEndTest, "run_end_test")
#include "run_end_test.moc"
