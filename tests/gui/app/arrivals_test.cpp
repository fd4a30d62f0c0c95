// SPDX-License-Identifier: Apache-2.0
// Tests a thousand reports that arrive one after another: clocks are aligned throughout, and the user's
// choices are preserved.
#include <atomic>
#include <mutex>
#include <thread>

#include <QtTest>

#include "app/window/workspace_controller.h"
#include "tests/support/in_window.h"
#include "tests/support/made_reports.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

constexpr int kReports = 1'024;
constexpr int kPerHost = 8;

std::filesystem::path pathOf(int rank)
{
    return "/run/rank" + std::to_string(rank);
}

Result<OpenedFile> openArriving(const std::filesystem::path& path, const Progress&)
{
    test::MadeRank made;
    made.rank = std::stoi(path.filename().string().substr(4));
    made.host = "node" + std::to_string(made.rank / kPerHost);
    made.steps = 1;
    made.utcAtZero_ns += made.rank * 1'000;
    OpenedFile opened;
    opened.reports.push_back({test::madeRank(made), nullptr, {}, {}, {}});
    opened.reports[0].lod = buildLod(*opened.reports[0].report, test::workers());
    std::this_thread::sleep_for(8ms); // reading a file takes time
    return opened;
}

// A slow alignment whose results can be told apart.
Result<Alignment> alignSlowly(const Workspace& reports, const AlignOptions&, const Progress& progress)
{
    static std::atomic<int> count = 0;
    AlignOptions byWallClock;
    byWallClock.mode = AlignMode::wallclock;
    Alignment alignment = LOCKSTEP_TRY(alignReports(reports, byWallClock, progress));
    for (int i = 0; i < 30 && !progress.isCanceled(); ++i)
        std::this_thread::sleep_for(10ms);
    LOCKSTEP_TRY(progress.check());
    alignment.basis = "alignment " + std::to_string(++count);
    return alignment;
}

// Records when some of the reports arrived and when a scene first included each. Making a scene takes time.
class Pace {
  public:
    Pace(int reports, int step_ms) : m_arrived_ms(size_t(reports), -1), m_step_ms(step_ms)
    {
        m_clock.start();
    }

    // Reports arrive one after another, however many are opened at the same time.
    Result<OpenedFile> open(const std::filesystem::path& path, const Progress& progress)
    {
        const std::scoped_lock lock(m_opening);
        Result<OpenedFile> opened = openArriving(path, progress);
        m_arrived_ms[m_count++] = m_clock.elapsed();
        return opened;
    }

    Result<ScenePtr> step(const ScenePtr& last, const SceneChange& change, const Progress& progress)
    {
        const qint64 now_ms = m_clock.elapsed();
        if (!change.opened.empty()) begun.push_back({now_ms, change.opened.size()});
        std::this_thread::sleep_for(std::chrono::milliseconds(m_step_ms));
        return nextScene(last, change, progress);
    }

    // Returns nothing until all reports are there: scenes for alignments would include arrivals early.
    Result<Alignment> align(const Workspace& reports, const AlignOptions& options, const Progress& progress)
    {
        while (m_count < m_arrived_ms.size() && !progress.isCanceled())
            std::this_thread::sleep_for(1ms);
        return alignReports(reports, options, progress);
    }

    struct Begun {
        qint64 at_ms = 0;
        size_t arrivals = 0;
    };
    std::vector<Begun> begun; // scenes that include arrivals
    qint64 firstArrival_ms() const { return m_arrived_ms.front(); }
    qint64 lastArrival_ms() const { return m_arrived_ms.back(); }
    // Returns the delay from an arrival to the beginning of the scene that includes it. Reports are included
    // in order of arrival.
    qint64 longestWait_ms() const
    {
        qint64 longest_ms = 0;
        size_t report = 0;
        for (const Begun& scene : begun) {
            for (size_t i = 0; i < scene.arrivals && report < m_arrived_ms.size(); ++i, ++report)
                longest_ms = std::max(longest_ms, scene.at_ms - m_arrived_ms[report]);
        }
        return longest_ms;
    }

  private:
    QElapsedTimer m_clock;
    std::mutex m_opening;
    std::vector<qint64> m_arrived_ms;
    std::atomic<size_t> m_count = 0;
    int m_step_ms;
};

} // namespace

class ArrivalsTest : public QObject {
    Q_OBJECT

  private slots:
    void clocksAreAlignedWhileReportsArrive()
    {
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr, openArriving,
                                       alignSlowly);
        QElapsedTimer clock;
        std::vector<qint64> applied_ms; // when another alignment appeared on screen
        std::string basis;
        connect(&controller, &WorkspaceController::sceneChanged, this, [&] {
            const Alignment& alignment = controller.scene()->alignment;
            if (!clock.isValid()) clock.start(); // the first report is there
            if (!alignment.basis.starts_with("alignment ") || alignment.basis == basis) return;
            basis = alignment.basis;
            applied_ms.push_back(clock.elapsed());
        });
        openAll(controller);
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.scene()->shown.size(), size_t(kReports));
        for (const ReportKey key : controller.scene()->open.keys())
            QVERIFY(controller.scene()->alignment.coversReport(key));
        QVERIFY(applied_ms.size() >= 3);
        qint64 before_ms = 0, longest_ms = 0;
        for (const qint64 at_ms : applied_ms) {
            longest_ms = std::max(longest_ms, at_ms - before_ms);
            before_ms = at_ms;
        }
        // An alignment takes 300 ms, and the pause after it three times as long.
        QVERIFY2(longest_ms < 30'000 * test::kSlowness, qPrintable(QString("%1 ms without").arg(longest_ms)));
    }

    void arrivalsNeedFewScenesAndNoneWaitsLong_data()
    {
        QTest::addColumn<int>("step_ms");
        QTest::newRow("the pause follows the cost") << 60;
        QTest::newRow("a scene is expensive") << 350;
    }

    void arrivalsNeedFewScenesAndNoneWaitsLong()
    {
        QFETCH(int, step_ms);
        constexpr int kArrivals = 160;
        Pace pace(kArrivals, step_ms);
        WorkDocument document;
        WorkspaceController controller(
            document, test::workers(), test::memory(), nullptr,
            [&](const auto& path, const Progress& progress) { return pace.open(path, progress); },
            [&](const Workspace& reports, const AlignOptions& options, const Progress& progress) {
                return pace.align(reports, options, progress);
            },
            [&](const ScenePtr& last, const SceneChange& change, const Progress& progress) {
                return pace.step(last, change, progress);
            });
        std::vector<std::filesystem::path> paths;
        for (int rank = 0; rank < kArrivals; ++rank)
            paths.push_back(pathOf(rank));
        controller.open(paths);
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.scene()->shown.size(), size_t(kArrivals));

        const qint64 slack_ms = 200 * test::kSlowness;
        const auto wanted = [](qint64 is_ms, qint64 most_ms) {
            return qPrintable(QString("%1 where at most %2 was wanted").arg(is_ms).arg(most_ms));
        };
        // The first scene begins immediately.
        const qint64 first_ms = pace.begun.front().at_ms - pace.firstArrival_ms();
        const qint64 mostFirst_ms = WorkspaceController::kMinPause_ms + slack_ms / 2;
        QVERIFY2(first_ms <= mostFirst_ms, wanted(first_ms, mostFirst_ms));
        // Then one per pause plus its own cost. In addition to the first there are: the one after it, whose
        // pause began before any cost was known; the one after the last arrival; and one for an alignment.
        const int pause_ms =
            std::min(WorkspaceController::kTimesCost * step_ms, WorkspaceController::kMaxPause_ms);
        const qint64 most = 4 + (pace.lastArrival_ms() - pace.firstArrival_ms()) / (pause_ms + step_ms);
        QVERIFY2(qint64(pace.begun.size()) <= most, wanted(qint64(pace.begun.size()), most));
        // A scene in progress and one for the alignment may come first.
        const qint64 mostWait_ms = WorkspaceController::kMaxPause_ms + 2 * step_ms + slack_ms;
        QVERIFY2(pace.longestWait_ms() <= mostWait_ms, wanted(pace.longestWait_ms(), mostWait_ms));
    }

    void choicesArePreserved()
    {
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr, openArriving,
                                       alignSlowly);
        ViewState viewState;
        Notices notices;
        TimelineView view(viewState, notices, test::workers());
        view.resize(900, 600);
        view.show();
        connect(&controller, &WorkspaceController::sceneChanged, this,
                [&] { view.setScene(controller.scene()); });
        openAll(controller);
        QTRY_VERIFY(controller.scene()->shown.size() >= 20);
        QVERIFY(controller.isBusy());
        const ScenePtr then = controller.scene();
        const ReportKey chosen = then->shown.keys()[10];
        const SliceRef slice{chosen, SliceId(5u)};
        view.selector().select(slice, false);
        const uint32_t stream = then->tree->laneOf({chosen, then->shown.report(chosen).trackOf(slice.slice)});
        uint32_t process = stream;
        while (then->tree->lane(process).subject != LaneSubject::process)
            process = then->tree->parentOf(process);
        LaneState state = view.lanes().laneState();
        state.pinned.insert(then->tree->lane(stream).key);
        state.collapsed[then->tree->lane(process).key] = false;
        view.lanes().setLaneState(state);
        view.navigation().zoomTo({{1'000'000}, {9'000'000}});
        const int64_t utc_ns = view.viewState().visible().begin.ns + *then->alignment.utcAtZero_ns;

        QTRY_VERIFY(!controller.isBusy());
        const ScenePtr now = controller.scene();
        QCOMPARE(now->shown.size(), size_t(kReports));
        QCOMPARE(view.viewState().slice(), slice);
        QVERIFY(now->shown.shared(chosen) == then->shown.shared(chosen));
        QVERIFY(view.lanes().laneState() == state);
        const uint32_t streamNow =
            now->tree->laneOf({chosen, now->shown.report(chosen).trackOf(slice.slice)});
        QVERIFY(state.isPinned(now->tree->lane(streamNow)));
        QVERIFY(now->tree->find(then->tree->lane(process).key) != kNoLane);
        QCOMPARE(view.viewState().visible().begin.ns + *now->alignment.utcAtZero_ns,
                 utc_ns); // the same moment
    }

  private:
    static void openAll(WorkspaceController& controller)
    {
        std::vector<std::filesystem::path> paths;
        for (int rank = 0; rank < kReports; ++rank)
            paths.push_back(
                pathOf(kReports - 1 - rank)); // the latest first, so that the zero of the axis moves
        controller.open(paths);
    }
};

LOCKSTEP_TEST(ArrivalsTest, "arrivals_test")
#include "arrivals_test.moc"
