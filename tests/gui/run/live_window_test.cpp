// SPDX-License-Identifier: Apache-2.0
// Tests a run that is watched while it records: three real sshds, six processes with 2,000 ranges per second
// each. The window keeps up, follows the newest data, survives a cut link, and at the end shows the contents
// of the collected reports. LOCKSTEP_LIVE_SECONDS: how long the program runs (default: 10).
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <tuple>

#include <QPushButton>

#include "app/window/live_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/workspace_controller.h"
#include "core/lanes/loss_lanes.h"
#include "core/readers/reader.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/top_strip.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int kRate = 2000;

int runSeconds()
{
    const int said = qEnvironmentVariableIntValue("LOCKSTEP_LIVE_SECONDS");
    return said > 0 ? said : 10;
}

constexpr int kUntilRequested_s = 1'000;

// The paced program on three nodes, two ranks each.
class LiveSite : public test::RunSite {
  public:
    explicit LiveSite(int seconds = kUntilRequested_s) : RunSite({"node a", "nodeb", "nodec"})
    {
        const std::filesystem::path programs = site().folder() / "bin";
        std::filesystem::create_directories(programs);
        std::ofstream(programs / "torchrun")
            << "#!/bin/sh\nwhile [ \"$1\" != --no-python ]; do shift; done\nshift\nexec \"$@\"\n";
        std::filesystem::permissions(programs / "torchrun", std::filesystem::perms::owner_all);
        config().framework = Framework::torchrun;
        config().torchrun.processesPerNode = 2;
        config().environment = {{"PATH", programs.string() + ":/usr/bin:/bin"}};
        config().tool = Tool::capture;
        config().command = {test::builtProgram("capture-paced").toStdString(), std::to_string(seconds),
                            std::to_string(kRate)};
        for (Host& host : config().hosts)
            host.address = host.name;
        for (const QString& name : site().environment().keys()) {
            if (name.startsWith("LOCKSTEP_"))
                qputenv(qPrintable(name), site().environment().value(name).toUtf8());
        }
    }
    // Lets the programs end with their current step.
    void endPrograms()
    {
        for (size_t i = 0; i < config().hosts.size(); ++i)
            std::ofstream(site().node(i).home() / "enough") << "";
    }
};

// Rank, start on the host's clock, duration, name, depth: everything that the timeline draws of a range.
using Drawn = std::tuple<int, int64_t, int64_t, std::string, int>;

std::vector<Drawn> drawnOf(const Scene& scene)
{
    std::vector<Drawn> all;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        if (report.provenance.kind != "lockstep capture") continue;
        const int rank = scene.shown.identity(key).rank.value.value_or(-1);
        for (uint32_t i = 0; i < report.slices.size(); ++i) {
            if (report.slices.kind[i] != RowKind::nvtxPushPop) continue;
            all.emplace_back(rank, report.slices.start_ns[i], report.slices.duration_ns[i],
                             std::string(report.nameOf(SliceId{i})), report.slices.depth[i]);
        }
    }
    std::ranges::sort(all);
    return all;
}

// Host, counter, stamp, value: everything that the hosts' lanes draw of the agents' samples.
using Sampled = std::vector<std::tuple<std::string, std::string, int64_t, double>>;

void addSamplesOf(Sampled& all, const std::string& host, const Report& report)
{
    if (report.provenance.kind != "run events") return;
    for (size_t i = 0; i < report.counterTracks.size(); ++i) {
        const CounterTrack& track = report.counterTracks[i];
        for (uint32_t row = track.firstSample; row < track.firstSample + track.sampleCount; ++row)
            all.emplace_back(host, std::string(report.strings.at(track.name)), report.counters.time_ns[row],
                             report.counters.value[row]);
    }
    std::ranges::sort(all);
}
Sampled sampledOf(const Scene& scene)
{
    Sampled all;
    for (const ReportKey key : scene.shown.keys())
        addSamplesOf(all, scene.shown.identity(key).host.value.value_or("nobody"), scene.shown.report(key));
    return all;
}
Sampled keptBy(const Run& run)
{
    Sampled all;
    for (size_t i = 0; i < run.record().hosts.size(); ++i) {
        const auto report = readReport(run.eventFile(i), Progress());
        if (report) addSamplesOf(all, run.record().hosts[i].host, **report);
    }
    return all;
}

std::set<std::string> counterLanes(const Scene& scene)
{
    std::set<std::string> keys;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.subject == LaneSubject::counter) keys.insert(lane.key);
    }
    return keys;
}

std::set<std::string> captureLanes(const Scene& scene)
{
    std::set<std::string> keys;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.subject == LaneSubject::thread) keys.insert(lane.key);
    }
    return keys;
}

size_t hatched(const Scene& scene, int64_t least_ns)
{
    size_t gaps = 0;
    for (const Lane& lane : scene.tree->lanes()) {
        const auto* const loss = lane.data.as<LossLaneData>();
        if (loss == nullptr) continue;
        gaps += static_cast<size_t>(std::ranges::count_if(
            loss->gaps, [&](const TimeRange gap) { return gap.length().ns >= least_ns; }));
    }
    return gaps;
}

} // namespace

class LiveWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { m_collector = std::make_unique<test::LoopWatchdog::Collector>(); }

    void keepsUpWithSixProcesses()
    {
        LiveSite site(runSeconds());
        LOCKSTEP_NEED_SITE(site);
        begin(site);
        run("Watch live");
        QTRY_VERIFY(live().live().figures().processes == 6);
        QTRY_VERIFY(isInFront<TimelinePageController>());
        m_collector->longestWork_ms = 0; // excludes the time to open a window and its pages
        std::vector<double> lags;
        double mostRate = 0;
        std::set<size_t> samples; // numbers of host samples in one scene
        const Run& run = *runs().run();
        QElapsedTimer since;
        since.start();
        // Waits until the agents of all hosts have reported the run's end and sent everything.
        while (!live().live().figures().hasEnded &&
               since.elapsed() < 1000 * runSeconds() + test::kPatience_ms) {
            QTest::qWait(200);
            const LiveFigures figures = live().live().figures();
            if (since.elapsed() > 3000 && figures.processes == 6 && run.state() != RunState::ended &&
                figures.lag_s > 0)
                lags.push_back(figures.lag_s);
            mostRate = std::max(mostRate, figures.received_bytesPerS);
            samples.insert(sampledOf(scene()).size());
            if (since.elapsed() > 4000 && !m_isKept) keep("live");
        }
        const LiveFigures figures = live().live().figures();
        QVERIFY(figures.hasEnded);
        QVERIFY2(figures.problems.empty(),
                 figures.problems.empty() ? "" : figures.problems.front().text.c_str());
        QCOMPARE(figures.skippedBlocks, uint64_t(0));
        QVERIFY(live().isFollowing());
        QVERIFY(lags.size() > 5);
        QVERIFY(samples.size() > 3); // the hosts' lanes grew
        std::ranges::sort(lags);
        const double median = lags[lags.size() / 2], worst = lags.back();
        std::printf(
            "live: %d s, 6 processes of %d ranges a second: lag median %.2f s, worst %.2f s; %.0f bytes "
            "over the links, %.0f bytes/s at most; the longest event computed for %d ms (%s)\n",
            runSeconds(), kRate, median, worst, static_cast<double>(figures.received_bytes), mostRate,
            static_cast<int>(m_collector->longestWork_ms), qPrintable(m_collector->longest));
        for (const QString& stall : m_collector->stalls)
            std::printf("  %s\n", qPrintable(stall));
        QVERIFY2(m_collector->longestWork_ms <= 150 * test::kSlowness, qPrintable(m_collector->longest));
        // About 1 s on a quiet machine; the lag grows where other programs keep the cores busy.
        QVERIFY2(worst < 30.0 * test::kSlowness, qPrintable(QString::number(worst)));
        // The last round is read and shown: the data equals the reports, range by range.
        const auto wanted = static_cast<size_t>(6 * (runSeconds() * (kRate * 9 / 10)));
        QTRY_VERIFY(!live().isBusy() && drawnOf(scene()).size() > wanted);
        compareWithCollected(captures());
    }

    // In the first seconds of a run its hosts have sent nothing; this is not a loss.
    void connectingIsNotReportedAsLoss()
    {
        LiveFigures figures;
        figures.isWatching = true;
        figures.awaited = {"node0"};
        QVERIFY(liveText(figures, true).contains("connecting to node0"));
        figures.awaited.push_back("node1");
        QVERIFY(liveText(figures, true).contains("connecting to 2 hosts"));
        figures.lost = {"node2"}; // reports more losses
        QVERIFY(liveText(figures, true).contains("link to node2 lost"));
    }

    // The gap is hatched while the link is down, and filled later.
    void cutLinkIsHatchedThenFilled()
    {
        LiveSite site;
        LOCKSTEP_NEED_SITE(site);
        begin(site);
        run("Watch live");
        QTRY_VERIFY(drawnOf(scene()).size() > 6000);
        QCOMPARE(hatched(scene(), 1'000'000'000), size_t(0));
        site.node(1).killSshd();
        QElapsedTimer cut;
        cut.start();
        QTRY_VERIFY(live().live().figures().lost == std::vector<std::string>{"node1"});
        QTRY_VERIFY(hatched(scene(), 1'000'000'000) == 2); // its two processes
        QVERIFY(part<QPushButton>("live").text().contains("link to node1 lost"));
        keep("live-cut");
        while (cut.elapsed() < 10'000)
            QTest::qWait(100);
        QVERIFY(site.node(1).start());
        QTRY_VERIFY(live().live().figures().lost.empty());
        QTRY_VERIFY(hatched(scene(), 1'000'000'000) == 0);
        site.endPrograms();
        QTRY_VERIFY(live().live().figures().hasEnded);
        QCOMPARE(live().live().figures().skippedBlocks, uint64_t(0));
        QTRY_VERIFY(!live().isBusy());
        compareWithCollected(captures());
    }

    // The agents of all hosts see all files, as on a cluster with a shared disk.
    void sharedFilesAreShownOnce()
    {
        LiveSite site;
        LOCKSTEP_NEED_SITE(site);
        const auto shared = site.site().folder() / "shared";
        std::filesystem::create_directories(shared);
        for (size_t node = 0; node < site.site().size(); ++node)
            std::filesystem::create_directory_symlink(shared, site.node(node).home() / "reports");
        begin(site);
        run("Watch live");
        QTRY_COMPARE(live().live().figures().processes, size_t(6));
        QTRY_VERIFY(drawnOf(scene()).size() > 12'000);
        const auto drawn = drawnOf(scene());
        QVERIFY2(std::ranges::adjacent_find(drawn) == drawn.end(), "a range is shown twice");
        QCOMPARE(live().live().figures().processes, size_t(6));
        site.endPrograms();
        QTRY_VERIFY(live().live().figures().hasEnded);
        QCOMPARE(live().live().figures().skippedBlocks, uint64_t(0));
        QTRY_VERIFY(!live().live().isBusy());
        // These hosts are one machine, so no file shows which of them wrote it.
        compareWithCollected(captures(), false);
    }

    // Any zoom or pan stops following the newest data, End resumes following; the selection stays.
    void stopAndResumeFollowing()
    {
        LiveSite site;
        LOCKSTEP_NEED_SITE(site);
        begin(site);
        run("Watch live");
        QTRY_VERIFY(drawnOf(scene()).size() > 3000);
        auto& timeline = view();
        QVERIFY(live().isFollowing());
        const auto isAtNewest = [&] { // the edge moves evenly behind the data
            const Duration behind = scene().extent().end - timeline.viewState().visible().end;
            return behind.ns >= 0 && behind.ns < 3'000'000'000;
        };
        QVERIFY(isAtNewest());
        const SliceRef chosen = sliceCalled("step 1");
        QVERIFY(chosen.isValid());
        timeline.selector().select(chosen, false);
        QVERIFY(live().isFollowing());
        QTest::keyClick(&timeline, Qt::Key_W);
        QTRY_VERIFY(!live().isFollowing());
        const TimeRange left = timeline.viewState().visible();
        const uint64_t generation = scene().generation;
        QTRY_VERIFY(scene().generation > generation + 3);
        QCOMPARE(timeline.viewState().visible().length(), left.length());
        QTest::keyClick(&timeline, Qt::Key_End);
        QVERIFY(live().isFollowing());
        QTRY_VERIFY(isAtNewest());
        QCOMPARE(timeline.viewState().visible().length(), left.length());
        QVERIFY(scene().holds(timeline.viewState().slice()));
        const SliceRef now = timeline.viewState().slice();
        QCOMPARE(std::string(scene().shown.report(now.report).nameOf(now.slice)), std::string("step 1"));
        site.endPrograms();
        QTRY_VERIFY(live().live().figures().hasEnded);
    }

    void nothingToWatchIsReported()
    {
        showWindow();
        run("Watch live");
        QVERIFY(!live().live().isWatching());
        QVERIFY(!part<QPushButton>("live").isVisible());
    }

    void cleanup()
    {
        WindowFixture::cleanup();
        m_isKept = false;
    }
    void cleanupTestCase() { m_collector.reset(); }

  private:
    RunController& runs() { return page<RunPageController>().runs(); }
    LiveController& live() { return m_window->live(); }
    void showWindow()
    {
        makeSettings();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder->path() / "state").string()));
        makeWindow({.size = {1600, 1000}});
    }
    void begin(LiveSite& site)
    {
        showWindow();
        part<SessionPage>().draft().startNew(site.config());
        EndOptions end;
        end.fetchesAll = end.opens = end.notifies = false;
        part<RunPage>().end()->setOptions(end);
        run("Launch session");
        QTRY_VERIFY(runs().run() != nullptr && runs().run()->state() == RunState::running);
    }
    SliceRef sliceCalled(std::string_view name)
    {
        for (const ReportKey key : scene().shown.keys()) {
            const Report& report = scene().shown.report(key);
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                if (report.nameOf(SliceId{i}) == name) return {key, SliceId{i}};
            }
        }
        return {};
    }
    // The reports replace the chunks in one scene: the same ranges on the same rows of the same lanes.
    void compareWithCollected(size_t pieces, bool areHostsKnown = true)
    {
        const auto watched = drawnOf(scene());
        const auto lanes = captureLanes(scene());
        QTRY_COMPARE(runs().run()->state(), RunState::ended);
        // The samples of the hosts' agents, up to the last line of their files.
        QTRY_VERIFY(sampledOf(scene()) == keptBy(*runs().run()));
        const Sampled samples = sampledOf(scene());
        const auto counters = counterLanes(scene());
        QVERIFY(counters.size() >= 3 * 5); // CPU, memory, network twice, disk
        std::vector<size_t> sizes;
        const auto connection = connect(&part<WorkspaceController>(), &WorkspaceController::sceneChanged,
                                        this, [&] { sizes.push_back(captures()); });
        part<RunPage>().end()->setOptions({});
        run("Open collected reports");
        QTRY_VERIFY(!live().live().hasPieces());
        QTRY_VERIFY(captures() == 6 && m_window->isSettled());
        disconnect(connection);
        for (const size_t size : sizes)
            QVERIFY2(size == pieces || size == 6, "a scene had both chunks and reports, or neither");
        const auto collected = drawnOf(scene());
        QCOMPARE(watched.size(), collected.size());
        QVERIFY(watched == collected);
        QVERIFY(!areHostsKnown || lanes == captureLanes(scene()));
        QVERIFY(samples == sampledOf(scene()));
        QVERIFY(counters == counterLanes(scene()));
        keep("live-collected");
    }
    size_t captures()
    {
        return static_cast<size_t>(std::ranges::count_if(scene().shown.keys(), [&](ReportKey key) {
            return scene().shown.report(key).provenance.kind == "lockstep capture";
        }));
    }
    void keep(const QString& name)
    {
        m_isKept = true;
        picture("window-" + name);
    }

    std::unique_ptr<test::LoopWatchdog::Collector> m_collector;
    bool m_isKept = false;
};

LOCKSTEP_TEST(LiveWindowTest, "live_window_test")
#include "live_window_test.moc"
