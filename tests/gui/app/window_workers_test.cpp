// SPDX-License-Identifier: Apache-2.0
// Tests the resources of a window: every job uses the window's workers, and opening respects the window's
// memory budget.
#include <QSignalSpy>

#include "app/window/save_controller.h"
#include "tests/support/disk_place.h"
#include "tests/support/made_reports.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/watched_pool.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/report_choice_page.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_canvas.h"

using namespace lockstep;

namespace {

Result<OpenedFile> openCounting(const std::filesystem::path& path, const Progress& progress, size_t& workers)
{
    workers = progress.workers().count();
    test::MadeRank made;
    made.rank = std::stoi(path.filename().string().substr(4));
    made.steps = 1;
    OpenedFile opened;
    opened.reports.push_back({test::madeRank(made), nullptr, {}, {}, {}});
    opened.reports[0].lod = buildLod(*opened.reports[0].report, progress.workers());
    return opened;
}

} // namespace

class WindowWorkersTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { makeWindow({.pool = Workers(m_pool)}); }

    void foldersAreSearchedByAllWorkers()
    {
        m_pool->forget();
        m_window->open({test::writeReportTree(*m_folder, 4, 3)});
        QTRY_VERIFY(part<ReportChoicePage>().isVisible());
        verifyShared();
    }

    void openReportsUseAllWorkers()
    {
        m_pool->forget();
        const auto tree = test::writeReportTree(*m_folder, 2, 1);
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
        m_window->open(files); // no folder is searched
        settle();
        verifyShared();
        m_pool->forget();
        part<WorkDocument>().edit("mode",
                                  [](Work& work) { work.alignment.options.mode = AlignMode::collectives; });
        settle();
        verifyShared();

        m_pool->forget();
        part<KernelPanel>().setPerRank(true);
        settle();
        verifyShared();

        m_pool->forget();
        emit part<TopStrip>().searchTextChanged("gemm", {});
        settle();
        verifyShared();

        m_pool->forget();
        auto& timeline = view();
        timeline.navigation().setReducedMotion(true);
        timeline.navigation().zoomTo({{1'000}, {9'000}});
        part<TimelineCanvas>().grab();
        verifyShared(3); // two of the layout, one of the pixels

        m_pool->forget();
        part<SaveController>().saveTo(m_folder->path() / "kept.lockstep");
        settle();
        verifyShared();
    }

    void loadsAndScenesUseAllWorkers()
    {
        size_t inOpen = 0, inAlign = 0, inStep = 0;
        const Workers workers = Workers(m_pool).limitedTo(3);
        const SceneMaker::Align align = [&](const Workspace& reports, const AlignOptions& options,
                                            const Progress& progress) {
            inAlign = progress.workers().count();
            return alignReports(reports, options, progress);
        };
        WorkDocument document;
        WorkspaceController controller(
            document, workers, test::memory(), nullptr,
            [&](const auto& path, const Progress& progress) { return openCounting(path, progress, inOpen); },
            align);
        controller.open({"/r/rank0"});
        QTRY_VERIFY(!controller.isBusy() && controller.scene()->shown.size() == 1);
        QCOMPARE(inOpen, size_t(3));
        QCOMPARE(inAlign, size_t(3));
        SceneMaker maker(workers, align,
                         [&](const ScenePtr& last, const SceneChange& change, const Progress& progress) {
                             inStep = progress.workers().count();
                             return nextScene(last, change, progress);
                         });
        SceneChange change;
        change.laneOptions = LaneOptions();
        maker.change(std::move(change));
        QTRY_VERIFY(!maker.isBusy());
        QCOMPARE(inStep, size_t(3));
    }

    void openReportsCountAgainstTheBudget()
    {
        MemoryBudget memory({.limit_bytes = 1, .advice = "load the report anyway", .measure_bytes = {}});
        size_t ignored = 0;
        WorkDocument document;
        WorkspaceController controller(document, Workers(m_pool), memory, nullptr,
                                       [&](const auto& path, const Progress& progress) {
                                           return openCounting(path, progress, ignored);
                                       });
        controller.open({"/r/rank0"});
        QTRY_VERIFY(!controller.isBusy());
        const ReportKey key = controller.reports().entries()[0].key;
        QCOMPARE(controller.reports().entries()[0].state, ReportState::held);
        QVERIFY(controller.reports().entries()[0].error.message.ends_with("load the report anyway"));
        QCOMPARE(memory.used_bytes(), uint64_t(0));
        controller.retry(key);
        QTRY_COMPARE(controller.reports().entries()[0].state, ReportState::open);
        QTRY_VERIFY(!controller.isBusy());
        QVERIFY(memory.used_bytes() > 0);
        QCOMPARE(memory.used_bytes(), uint64_t(controller.reports().residentBytes()));
        controller.close({key});
        QCOMPARE(memory.used_bytes(), uint64_t(0));
    }

    void reportsBeyondTheBudgetAreOpenedOnDisk()
    {
        const test::DiskPlace disk;
        MemoryBudget memory({.limit_bytes = 1,
                             .advice = "load the report anyway",
                             .measure_bytes = {},
                             .disk = disk.spills()});
        const test::TempDir folder;
        const auto path = folder.write("a.json", R"({"traceEvents": [
            {"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 2, "name": "a"},
            {"ph": "X", "ts": 5, "dur": 2, "pid": 1, "tid": 2, "name": "b"}]})");
        WorkDocument document;
        WorkspaceController controller(document, Workers(m_pool), memory);
        for (int time = 0; time < 2; ++time) { // read, then cached
            controller.open({path});
            QTRY_VERIFY(!controller.isBusy());
            const ReportEntry& entry = controller.reports().entries()[0];
            QVERIFY2(entry.state == ReportState::open, entry.error.message.c_str());
            QVERIFY(entry.report->mappedBytes() > 0);
            QCOMPARE(entry.report->slices.size(), size_t(2));
            QCOMPARE(controller.reports().mappedBytes(), entry.report->mappedBytes());
            QCOMPARE(disk.keptFiles(), size_t(1));
            controller.close({entry.key});
        }
    }

  private:
    void verifyShared(size_t least = 1) const
    {
        QVERIFY(m_pool->sharedLoops() >= least);
        QVERIFY(m_pool->threadsSeen() > 1);
    }

    std::shared_ptr<test::WatchedPool> m_pool = std::make_shared<test::WatchedPool>(3);
};

LOCKSTEP_TEST(WindowWorkersTest, "window_workers_test")
#include "window_workers_test.moc"
