// SPDX-License-Identifier: Apache-2.0
// Tests host disks that are full, read-only, mounted noexec, or shared.
#include <fstream>

#include <unistd.h>

#include "tests/support/run_site.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// Stores the program in its own folder, so that the home folder contains only the agent's files.
void workElsewhere(RunSite& site)
{
    const fs::path work = site.site().folder() / "work";
    fs::create_directories(work);
    std::ofstream(work / "train.py") << kTrainProgram;
    site.config().workingFolder = work.string();
    site.config().savePath = (work / "reports").string();
}

void checkThatAnotherFolderHelps(RunSite& site)
{
    LockstepProcess refused = site.run();
    QCOMPARE(refused.waitForEnd(), 1);
    QVERIFY2(refused.errors().contains("agent_folder"), refused.errors().constData());
    const fs::path other = site.site().folder() / "other place";
    site.config().hosts[0].agentFolder = other.string();
    LockstepProcess process = site.run();
    const int status = process.waitForEnd();
    if (status != 0) qWarning() << process.errors();
    QCOMPARE(status, 0);
    QCOMPARE(process.verifiedFiles(), size_t(4));
    QVERIFY(fs::exists(other / "agent"));
    QVERIFY(fs::exists(other / "agent-runs" / process.runId().toStdString()));
}

} // namespace

class HostDisksTest : public QObject {
    Q_OBJECT

  private slots:
    void readOnlyHome()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        workElsewhere(site);
        const SmallDisk disk(site.node(0).home(), "64k", MS_RDONLY);
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        checkThatAnotherFolderHelps(site);
    }

    void homeMountedNoexec()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        workElsewhere(site);
        const SmallDisk disk(site.node(0).home(), "64m", MS_NOEXEC);
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        checkThatAnotherFolderHelps(site);
    }

    void fullHome()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        workElsewhere(site);
        const SmallDisk disk(site.node(0).home(), "64k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        checkThatAnotherFolderHelps(site);
    }

    void sharedHomeHasNoState()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.node(0).setEnvironment("LOCKSTEP_AGENT_SHARED_HOME", "1");
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
        QCOMPARE(process.verifiedFiles(), size_t(4));
        QVERIFY(!fs::exists(site.node(0).home() / ".local/state/lockstep"));
        const fs::path state = localAgentFolder() / "agent-runs" / process.runId().toStdString();
        QVERIFY(fs::exists(state / "node0" / "events.jsonl"));
        fs::remove_all(state);
    }

    // A profiler that does not check its writes: the program succeeds, and its report is unusable.
    void reportTruncatedByAFullDisk()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        const SmallDisk disk(site.node(0).home() / "reports", "4k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        site.node(0).write("whole.json", std::string(20'000, ' '));
        site.config().command = {"sh", "-c",
                                 "head -c 4096 /dev/zero > reports/other; cat train.py > "
                                 "reports/rank0.pt.trace.json; exit 0"};
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        QVERIFY2(process.errors().contains("reports/rank0.pt.trace.json: missing: empty"),
                 process.errors().constData());
    }
};

LOCKSTEP_TEST(HostDisksTest, "host_disks_test")
#include "host_disks_test.moc"
