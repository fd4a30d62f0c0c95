// SPDX-License-Identifier: Apache-2.0
// Tests sessions with Lockstep's own capture as their tool, over two real sshds and four ranks that call
// NVTX. The forecast matches the collected reports, each report contains its owner, and a missing report is
// named with its reason.
#include <fstream>
#include <map>
#include <set>

#include "core/readers/workspace_file/workspace_file.h"
#include "core/remote/ledger.h"
#include "tests/support/places.h"
#include "tests/support/run_site.h"
#include "tests/support/slurm_site.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kSteps = 3;

// A stand-in for torchrun with two processes per node: it starts the program, which determines its ranks
// itself.
class CaptureSite : public RunSite {
  public:
    CaptureSite() : RunSite({"node a", "nodeb"})
    {
        const std::filesystem::path programs = site().folder() / "bin";
        std::filesystem::create_directories(programs);
        std::ofstream(programs / "torchrun")
            << "#!/bin/sh\nwhile [ \"$1\" != --no-python ]; do shift; done\nshift\n\"$@\"\n"
               "status=$?\n[ ! -f after ] || . ./after\nexit $status\n";
        std::filesystem::permissions(programs / "torchrun", std::filesystem::perms::owner_all);
        config().framework = Framework::torchrun;
        config().torchrun.processesPerNode = 2;
        config().environment = {{"PATH", programs.string() + ":/usr/bin:/bin"}};
        config().tool = Tool::capture;
        config().command = {builtProgram("capture-rank").toStdString(), std::to_string(kSteps)};
        for (Host& host : config().hosts)
            host.address = host.name;
    }
};

Ledger ledgerOf(const RunSite& site)
{
    const auto contents = openWorkspaceFile(site.workspace(), Progress());
    const auto ledger =
        contents ? ledgerFromJson(contents->sections.at("ledger.json")) : Result<Ledger>(Ledger());
    return ledger.value_or(Ledger());
}

// Returns for each rank of the collection status: state, a space, and the reason.
std::multimap<int64_t, std::string> statesByRank(const Ledger& ledger)
{
    std::multimap<int64_t, std::string> states;
    for (const LedgerEntry& entry : ledger.entries())
        states.emplace(entry.rank.value_or(-1),
                       std::string(ledgerStateName(entry.state)) + " " + entry.reason);
    return states;
}

} // namespace

class CaptureRunTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRankIsCollectedWithItsIdentity()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
        const Ledger ledger = ledgerOf(site);
        QCOMPARE(ledger.entries().size(), size_t(4)); // no unexpected report was collected
        QCOMPARE(ledger.expectedCount(), size_t(4));
        const auto contents = openWorkspaceFile(site.workspace(), Progress());
        QVERIFY(contents.has_value());
        std::set<std::tuple<std::string, int>> whose;
        std::set<int64_t> pids;
        for (const ReportKey key : contents->workspace.keys()) {
            const Report& report = contents->workspace.report(key);
            const Identity& identity = contents->workspace.identity(key);
            QCOMPARE(*identity.run.value,
                     process.runId().toStdString()); // also the run of the hosts' counters
            if (report.provenance.kind != "lockstep capture") continue;
            whose.emplace(*identity.host.value, *identity.rank.value);
            pids.insert(*identity.pid.value);
            // A step, two stages and twenty pairs, three times.
            QCOMPARE(report.slices.size() >= kSteps * 23u, true);
        }
        const std::set<std::tuple<std::string, int>> wanted{
            {"node0", 0}, {"node0", 1}, {"node1", 2}, {"node1", 3}};
        QVERIFY(whose == wanted);
        QCOMPARE(pids.size(), size_t(4));
        // The library is stored in the place that its digest names, accessible only to its user.
        for (const size_t node : {size_t(0), size_t(1)}) {
            size_t libraries = 0;
            for (const auto& entry : std::filesystem::recursive_directory_iterator(
                     site.node(node).home() / ".cache/lockstep/capture")) {
                if (!entry.is_regular_file()) continue;
                ++libraries;
                QCOMPARE(entry.status().permissions(), std::filesystem::perms::owner_all);
            }
            QCOMPARE(libraries, size_t(1));
        }
    }

    void chosenStepsOfChosenRanks()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.config().capture.range = "all";
        site.config().capture.ranks = std::vector<int64_t>{0, 3};
        site.config().capture.role = "actor";
        site.config().steps = std::vector<int64_t>{1, 3};
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        const Ledger ledger = ledgerOf(site);
        std::set<std::tuple<int64_t, std::vector<int64_t>, std::string>> found;
        for (const LedgerEntry& entry : ledger.entries()) {
            QCOMPARE(entry.state, LedgerState::verified);
            found.emplace(entry.rank.value_or(-1), entry.steps, entry.host);
        }
        const std::set<std::tuple<int64_t, std::vector<int64_t>, std::string>> wanted{
            {0, {1}, "node0"}, {0, {3}, "node0"}, {3, {1}, "node1"}, {3, {3}, "node1"}};
        QVERIFY2(found == wanted, ledgerText(ledger).c_str());
        // A collected report opens as one step of one rank, with only that step's ranges.
        const auto contents = openWorkspaceFile(site.workspace(), Progress());
        QVERIFY(contents.has_value());
        std::set<std::tuple<int, int, std::string>> opened;
        for (const ReportKey key : contents->workspace.keys()) {
            const Report& report = contents->workspace.report(key);
            if (report.provenance.kind != "lockstep capture") continue;
            const Identity& identity = contents->workspace.identity(key);
            QCOMPARE(*identity.role.value, "actor");
            opened.emplace(*identity.rank.value, static_cast<int>(*identity.step.value),
                           *identity.host.value);
            std::set<std::string> steps;
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                const std::string name(report.nameOf(SliceId{i}));
                if (name.starts_with("step ")) steps.insert(name);
            }
            QCOMPARE(steps, std::set<std::string>{"step " + std::to_string(*identity.step.value)});
        }
        QVERIFY(opened == (std::set<std::tuple<int, int, std::string>>{
                              {0, 1, "node0"}, {0, 3, "node0"}, {3, 1, "node1"}, {3, 3, "node1"}}));
    }

    void adjacentStepsShareAReport()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.config().capture.range = "all";
        site.config().capture.ranks = std::vector<int64_t>{1};
        site.config().steps = std::vector<int64_t>{1, 2};
        site.config().profileContinuousSteps = true;
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        const Ledger ledger = ledgerOf(site);
        QCOMPARE(ledger.entries().size(), size_t(1));
        QCOMPARE(ledger.entries()[0].state, LedgerState::verified);
        QCOMPARE(ledger.entries()[0].steps, (std::vector<int64_t>{1, 2}));
        QVERIFY(ledger.entries()[0].rows >= 2 * 23);
    }

    // Two stages per step: one report per rank is expected, and the other is collected in addition.
    void oneReportPerStage()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.config().capture.range = "all";
        site.config().discrete = true;
        site.config().steps = std::vector<int64_t>{2};
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        const Ledger ledger = ledgerOf(site);
        QCOMPARE(ledger.entries().size(), size_t(8));
        QCOMPARE(ledger.expectedCount(), size_t(4));
        for (const LedgerEntry& entry : ledger.entries()) {
            QCOMPARE(entry.state, LedgerState::verified);
            QCOMPARE(entry.steps, std::vector<int64_t>{2});
        }
    }

    void missingRankIsNamed()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.node(0).write("skip_1", "");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const auto states = statesByRank(ledgerOf(site));
        QCOMPARE(states.size(), size_t(4));
        QCOMPARE(states.find(1)->second, "missing the program ended without writing it");
        for (const int64_t rank : {0, 2, 3})
            QCOMPARE(states.find(rank)->second, "verified ");
    }

    void killedRankIsReadableUpToItsLastBlock()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.node(1).write("kill_2", "");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const Ledger ledger = ledgerOf(site);
        for (const LedgerEntry& entry : ledger.entries()) {
            QVERIFY(std::filesystem::exists(entry.localPath));
            QCOMPARE(entry.state, entry.rank == 2 ? LedgerState::cutShort : LedgerState::verified);
            if (entry.rank != 2) continue;
            QVERIFY2(entry.reason.starts_with("incomplete: "), entry.reason.c_str());
            // All of step 1, and step 2 up to the kill: two steps, four stages, forty pairs.
            QVERIFY(entry.rows >= 46);
        }
        QVERIFY2(process.errors().contains("cut short: incomplete: the process ended before"),
                 process.errors().constData());
    }

    void fullDiskUnderReports()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        const SmallDisk disk(site.node(1).home() / "reports", "4k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const auto states = statesByRank(ledgerOf(site));
        for (const int64_t rank : {0, 1})
            QCOMPARE(states.find(rank)->second, "verified ");
        size_t named = 0;
        for (const auto& [rank, state] : states)
            named += state.find("No space left on device") != std::string::npos ? 1 : 0;
        QVERIFY2(named > 0, ledgerText(ledgerOf(site)).c_str());
        QVERIFY2(process.errors().contains("No space left on device"), process.errors().constData());
        // The program continued to its end.
        QCOMPARE(process
                     .linesWhere(lineOf("exit", "node1",
                                        [](const QJsonObject& line) {
                                            return line["run"].toBool() && line["code"].toInt() == 0;
                                        }))
                     .size(),
                 size_t(1));
    }

    void byteChangedOnTheNode()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.node(1).write("after",
                           "for f in reports/*_rank3_*.lsc; do "
                           "printf '\\377' | dd of=\"$f\" bs=1 seek=150 conv=notrunc 2> /dev/null; done\n");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const auto states = statesByRank(ledgerOf(site));
        QVERIFY2(states.find(3)->second.starts_with("cut short incomplete: "),
                 states.find(3)->second.c_str());
        for (const int64_t rank : {0, 1, 2})
            QCOMPARE(states.find(rank)->second, "verified ");
    }

    // Under Slurm the library is stored in the login node's home, which the nodes share, and the job's script
    // exports its path.
    void tasksOfASlurmJob()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        SessionConfig& config = site.config();
        config.framework = Framework::plain;
        config.hosts.clear();
        config.environment.clear();
        config.torchrun = {};
        config.launcher.kind = LauncherKind::slurm;
        config.launcher.loginNode = "node0";
        config.launcher.slurmOptions = {"--ntasks=2", "--ntasks-per-node=2", "--nodes=1"};
        config.savePath = (site.site().folder() / "node disk").string();
        config.capture.ranks = std::vector<int64_t>{0, 1};
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        const Ledger ledger = ledgerOf(site);
        QCOMPARE(ledger.entries().size(), size_t(2));
        for (const LedgerEntry& entry : ledger.entries()) {
            QCOMPARE(entry.state, LedgerState::verified);
            QCOMPARE(entry.host, slurm.node());
            QVERIFY(entry.wasExpected && entry.rows >= kSteps * 23);
        }
    }

    void reducedOnTheNode()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        LockstepProcess process = site.run({"--reduced"});
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        const Ledger ledger = ledgerOf(site);
        QCOMPARE(ledger.counts()[static_cast<size_t>(LedgerState::verified)], size_t(4));
        for (const LedgerEntry& entry : ledger.entries()) {
            QVERIFY(entry.isReduced && entry.localPath.ends_with(".lsc.lockstep"));
            QVERIFY(entry.rows >= kSteps * 23);
        }
    }

    void readOnlyFolder()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        const SmallDisk disk(site.node(1).home() / "reports", "64k", MS_RDONLY);
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LockstepProcess refused = site.run();
        QCOMPARE(refused.waitForEnd(), 1); // found before anything starts
        QVERIFY2(refused.errors().contains("is not writable on node1"), refused.errors().constData());
        LockstepProcess process = site.run({"--force"});
        QCOMPARE(process.waitForEnd(), 3);
        const auto states = statesByRank(ledgerOf(site));
        for (const int64_t rank : {2, 3}) {
            const std::string& state = states.find(rank)->second;
            QVERIFY2(state.starts_with("missing ") &&
                         state.find("Read-only file system") != std::string::npos,
                     state.c_str());
        }
    }

    // The values that a host reports are compared with the requested ones.
    void reportsOfOtherRunsAndRanksAreNotAccepted()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.node(0).write("setenv_1", "LOCKSTEP_RUN=yesterday\n");
        site.node(1).write("setenv_3", "RANK=2\n");
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const Ledger ledger = ledgerOf(site);
        const auto states = statesByRank(ledger);
        QCOMPARE(states.find(0)->second, "verified ");
        QVERIFY2(states.find(1)->second.find("it belongs to run yesterday") != std::string::npos,
                 ledgerText(ledger).c_str());
        QCOMPARE(states.find(3)->second, "missing the program ended without writing it");
        QCOMPARE(states.count(2), size_t(2)); // the report's own, and the one that claims to be it
    }

    // No host can load it: this is reported before anything starts, and nothing starts.
    void forgedPathOfTheLibrary()
    {
        CaptureSite site;
        LOCKSTEP_NEED_SITE(site);
        site.config().capture.library = "lib/liblockstep_capture.so";
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY2(process.errors().contains("is not an absolute path"), process.errors().constData());
        QVERIFY(process.runId().isEmpty());
    }
};

LOCKSTEP_TEST(CaptureRunTest, "capture_run_test")
#include "capture_run_test.moc"
