// A thousand reports that arrive one after another: clocks are aligned all the while, and what the user chose
// meanwhile stays.
#include <thread>

#include <QtTest>

#include "app/workspace_controller.h"
#include "tests/support/in_window.h"
#include "tests/support/made_reports.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"
#include "ui/timeline/timeline_view.h"

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
    std::this_thread::sleep_for(8ms); // a file takes its time
    return opened;
}

// Slow, and each of its outcomes can be told from the others.
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

} // namespace

class ArrivalsTest : public QObject {
    Q_OBJECT

  private slots:
    void clocksAreAlignedWhileReportsArrive()
    {
        WorkspaceController controller(test::workers(), test::memory(), nullptr, openArriving, alignSlowly);
        QElapsedTimer clock;
        std::vector<qint64> applied_ms; // when another alignment was on screen
        std::string basis;
        connect(&controller, &WorkspaceController::sceneChanged, this, [&] {
            const Alignment& alignment = controller.scene()->alignment;
            if (!clock.isValid()) clock.start(); // the first report is there
            if (!alignment.basis.starts_with("alignment ") || alignment.basis == basis) return;
            basis = alignment.basis;
            applied_ms.push_back(clock.elapsed());
        });
        openAll(controller);
        QTRY_VERIFY_WITH_TIMEOUT(!controller.isBusy(), 120'000);
        QCOMPARE(controller.scene()->shown.size(), size_t(kReports));
        for (const ReportKey key : controller.scene()->open.keys())
            QVERIFY(controller.scene()->alignment.speaksOf(key));
        QVERIFY(applied_ms.size() >= 3);
        qint64 before_ms = 0, longest_ms = 0;
        for (const qint64 at_ms : applied_ms) {
            longest_ms = std::max(longest_ms, at_ms - before_ms);
            before_ms = at_ms;
        }
        QVERIFY2(longest_ms < 1'000 * test::kSlowness, qPrintable(QString("%1 ms without").arg(longest_ms)));
    }

    void whatWasChosenStays()
    {
        WorkspaceController controller(test::workers(), test::memory(), nullptr, openArriving, alignSlowly);
        TimelineView view(test::workers());
        view.resize(900, 600);
        view.show();
        connect(&controller, &WorkspaceController::sceneChanged, this,
                [&] { view.setScene(controller.scene()); });
        openAll(controller);
        QTRY_VERIFY_WITH_TIMEOUT(controller.scene()->shown.size() >= 20, 60'000);
        QVERIFY(controller.isBusy());
        const ScenePtr then = controller.scene();
        const ReportKey chosen = then->shown.keys()[10];
        const SliceRef slice{chosen, SliceId(5u)};
        view.select(slice, false);
        const uint32_t stream = then->tree->laneOf({chosen, then->shown.report(chosen).trackOf(slice.slice)});
        uint32_t process = stream;
        while (then->tree->lane(process).subject != LaneSubject::process)
            process = then->tree->lane(process).parent;
        LaneState state = view.laneState();
        state.pinned.insert(then->tree->lane(stream).key);
        state.collapsed[then->tree->lane(process).key] = false;
        view.setLaneState(state);
        view.zoomTo({{1'000'000}, {9'000'000}});
        const int64_t utc_ns = view.visibleRange().begin.ns + *then->alignment.utcAtZero_ns;

        QTRY_VERIFY_WITH_TIMEOUT(!controller.isBusy(), 120'000);
        const ScenePtr now = controller.scene();
        QCOMPARE(now->shown.size(), size_t(kReports));
        QCOMPARE(view.selectedSlice(), slice);
        QVERIFY(now->shown.shared(chosen) == then->shown.shared(chosen));
        QVERIFY(view.laneState() == state);
        const uint32_t streamNow =
            now->tree->laneOf({chosen, now->shown.report(chosen).trackOf(slice.slice)});
        QVERIFY(state.isPinned(now->tree->lane(streamNow)));
        QVERIFY(now->tree->find(then->tree->lane(process).key) != kNoLane);
        QCOMPARE(view.visibleRange().begin.ns + *now->alignment.utcAtZero_ns, utc_ns); // the same moment
    }

  private:
    static void openAll(WorkspaceController& controller)
    {
        std::vector<std::filesystem::path> paths;
        for (int rank = 0; rank < kReports; ++rank)
            paths.push_back(pathOf(kReports - 1 - rank)); // the latest first: the axis' zero moves
        controller.open(paths);
    }
};

LOCKSTEP_TEST(ArrivalsTest, "arrivals_test")
#include "arrivals_test.moc"
