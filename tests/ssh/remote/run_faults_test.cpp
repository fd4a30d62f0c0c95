// SPDX-License-Identifier: Apache-2.0
// Tests failures during a run: links, agents, this program, disks, hosts, keys. No existing data is lost, the
// right row shows a clear reason, and the rest continues.
#include <csignal>
#include <fstream>
#include <map>
#include <set>

#include "tests/support/run_site.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Checks a host's events in all outputs together: each seq occurs once, with none missing.
bool isGapless(const std::vector<const LockstepProcess*>& outputs, const QString& host)
{
    std::multiset<qint64> seqs;
    for (const LockstepProcess* output : outputs) {
        for (const QJsonObject& line : output->lines()) {
            if (line["host"] == host && line.contains("seq")) seqs.insert(line["seq"].toInteger());
        }
    }
    qint64 wanted = 0;
    for (const qint64 seq : seqs) {
        if (seq != ++wanted) return false;
    }
    return wanted > 0;
}

std::map<QString, int> fileStates(const LockstepProcess& process)
{
    std::map<QString, int> counts;
    for (const QJsonObject& line : process.lines()) {
        if (line["kind"] == "file") ++counts[line["state"].toString()];
    }
    return counts;
}

QString lastReason(const LockstepProcess& process, const QString& host)
{
    const auto lines = process.linesWhere(lineOf("host", host));
    return lines.empty() ? QString() : lines.back()["reason"].toString();
}

bool saysState(const QJsonObject& line, const char* state)
{
    return line["state"] == state;
}

} // namespace

class RunFaultsTest : public QObject {
    Q_OBJECT

  private slots:
    void sshdKilledAndRestarted()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(1, 1);
        LockstepProcess process = site.run();
        QVERIFY(process.waitForLine(lineOf("step", "node1")));
        site.node(1).killSshd();
        QVERIFY(process.waitForLine(
            lineOf("host", "node1", [](const auto& line) { return saysState(line, "link lost"); })));
        site.release(1, 1);
        // The program ends while nothing is connected.
        QVERIFY(waitUntil([&] { return site.node(1).processes("train.py").empty(); }));
        QVERIFY(site.node(1).start());
        QCOMPARE(process.waitForEnd(), 0);
        QVERIFY(isGapless({&process}, "node1"));
        QCOMPARE(fileStates(process)["verified"], 8);
    }

    void agentKilled()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(1, 1);
        LockstepProcess process = site.run();
        QVERIFY(process.waitForLine(lineOf("step", "node1")));
        const auto folder = site.node(1).home() / ".local/state/lockstep/agent-runs" /
                            process.runId().toStdString() / "node1";
        int supervisor = 0;
        std::ifstream(folder / "supervisor.pid") >> supervisor;
        QVERIFY(supervisor > 1);
        ::kill(supervisor, SIGKILL);
        const std::vector<int> followers = site.node(1).processes("attach");
        QVERIFY(!followers.empty());
        for (const int pid : followers)
            ::kill(pid, SIGKILL);
        site.release(1, 1);
        QCOMPARE(process.waitForEnd(), 0);
        QVERIFY(isGapless({&process}, "node1"));
        QCOMPARE(fileStates(process)["verified"], 8);
    }

    void launcherKilledAndAttached()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        site.hold(1, 1);
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        QVERIFY(first.waitForLine(lineOf("step", "node1")));
        const QString run = first.runId();
        first.kill();
        first.waitForEnd();
        site.site().closeConnections();
        site.release(0, 1);
        LockstepProcess second = site.attach(run);
        QVERIFY(second.waitForLine(lineOf("exit", "node0", isRunEnd)));
        site.release(1, 1);
        QCOMPARE(second.waitForEnd(), 0);
        QCOMPARE(fileStates(second)["verified"], 8);
        QVERIFY(std::filesystem::exists(site.workspace()));
        // Reports that the first run stored are not fetched again; the others are.
        for (const char* host : {"node0", "node1"}) {
            QVERIFY(isGapless({&first, &second}, host) || !isGapless({&second}, host));
            QVERIFY(second.linesWhere(lineOf("started", host)).empty());
        }
        // A third time: everything is stored already.
        LockstepProcess third = site.attach("three nodes");
        QCOMPARE(third.waitForEnd(), 0);
        QVERIFY(fileStates(third).empty());
    }

    void interruptStopsWatching()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        first.terminate();
        QCOMPARE(first.waitForEnd(), 130);
        QVERIFY(first.errors().contains("lockstep --attach " + first.runId().toUtf8()));
        QVERIFY(!site.node(0).processes("train.py").empty());
        site.release(0, 1);
        LockstepProcess second = site.attach(first.runId());
        QCOMPARE(second.waitForEnd(), 0);
        QCOMPARE(fileStates(second)["verified"], 4);
    }

    void diskFullUnderReports()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        const SmallDisk disk(site.node(1).home() / "reports", "16k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        QVERIFY2(lastReason(process, "node1").contains("disk"), qPrintable(lastReason(process, "node1")));
        QVERIFY(!process
                     .linesWhere(lineOf("error", "node1",
                                        [](const auto& line) { return line["failure"] == "disk_full"; }))
                     .empty());
        // The other node's reports are complete.
        QCOMPARE(process.linesWhere(lineOf("file", "node0")).size(), size_t(4));
        QVERIFY(std::filesystem::exists(site.workspace()));
    }

    void diskFullUnderAgent()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        const SmallDisk disk(site.node(1).home() / ".cache", "64k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LockstepProcess process = site.run({"--force"});
        QCOMPARE(process.waitForEnd(), 3);
        QVERIFY2(lastReason(process, "node1").contains("free space on that disk"),
                 qPrintable(lastReason(process, "node1")));
        QCOMPARE(fileStates(process)["verified"], 4);
    }

    void hostNeverReachable()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.site().addDeadAlias("gone");
        site.config().hosts.push_back({"gone", "", {}, {}, ""});
        LockstepProcess process = site.run({"--patience", "10", "--force"});
        QCOMPARE(process.waitForEnd(), 3);
        QVERIFY2(lastReason(process, "gone").contains("nothing listens on its port"),
                 qPrintable(lastReason(process, "gone")));
        QCOMPARE(fileStates(process)["verified"], 4);
    }

    void wrongHostKey()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.node(1).killSshd();
        site.node(1).changeHostKey();
        QVERIFY(site.node(1).start());
        LockstepProcess process = site.run({"--force"});
        QCOMPARE(process.waitForEnd(), 3);
        QVERIFY2(lastReason(process, "node1").contains("ssh-keygen -R"),
                 qPrintable(lastReason(process, "node1")));
        QCOMPARE(fileStates(process)["verified"], 4);
    }

    void reportWithoutItsEnd()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.node(1).write("cut_last", "");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        QCOMPARE(fileStates(process)["verified"], 6);
        const auto cut = process.linesWhere(
            lineOf("file", "node1", [](const auto& line) { return saysState(line, "cut short"); }));
        QCOMPARE(cut.size(), size_t(2));
        for (const QJsonObject& line : cut) {
            QVERIFY(!line["reason"].toString().isEmpty());
            QVERIFY(std::filesystem::exists(line["local_path"].toString().toStdString()));
            QVERIFY(line["rows"].toInt() > 0); // rows before the cut
        }
    }
};

LOCKSTEP_TEST(RunFaultsTest, "run_faults_test")
#include "run_faults_test.moc"
