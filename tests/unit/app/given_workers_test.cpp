// SPDX-License-Identifier: Apache-2.0
// Tests that all four given workers are used: for reading, alignment, tables, search, scenes, frames, saved
// workspaces, and an export from its command line to its files.
#include <QtTest>

#include "app/cli/export_command.h"
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "core/readers/report_search.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/scene/next_scene.h"
#include "core/timeline/layout.h"
#include "core/timeline/scene_search.h"
#include "core/timeline/summary_layout.h"
#include "tests/support/made_reports.h"
#include "tests/support/many_ranks.h"
#include "tests/support/report_tree.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"
#include "tests/support/watched_pool.h"

using namespace lockstep;

class GivenWorkersTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_pool->forget(); }
    // Several threads worked in each of these loops, the caller among them.
    void cleanup()
    {
        QVERIFY(m_pool->sharedLoops() > 0);
        QVERIFY(m_pool->threadsSeen() > 1);
        QVERIFY(m_pool->mostAtOnce() <= 4);
    }

    void toReadATrace()
    {
        const test::TempDir folder;
        const auto path = folder.write("trace.json", test::smallTrace());
        QVERIFY(readReport(path, m_progress).has_value());
    }

    void toFindReports()
    {
        const test::TempDir folder;
        QVERIFY(!findReports({test::writeReportTree(folder, 2, 2)}, m_progress)->reports.empty());
    }

    void toSave()
    {
        const test::TempDir folder;
        QVERIFY(saveWorkspaceFile(folder.path() / "a.lockstep", m_workspace, {}, m_progress).has_value());
    }

    void toOpenAWorkspace()
    {
        const test::TempDir folder;
        const auto path = folder.path() / "a.lockstep";
        QVERIFY(saveWorkspaceFile(path, m_workspace, {}, Progress()).has_value());
        QVERIFY(readReports(path, m_progress).has_value());
    }

    void toAlign() { QVERIFY(alignReports(m_clocks.workspace, {}, m_progress).has_value()); }

    void toMakeTables_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* const what : {"cuda_gpu_kern_sum", "cuda_api_sum", "nvtx_sum", "stragglers",
                                       "collectives", "collectives:sum"})
            QTest::newRow(what) << QString(what);
    }
    void toMakeTables()
    {
        QFETCH(QString, what);
        const bool isOfCollectives = what.startsWith("coll") || what == "stragglers";
        const Workspace& workspace = isOfCollectives ? m_clocks.workspace : m_workspace;
        const auto table = runAnalysis(
            what.toStdString(), *makeHeadlessScene(workspace, alignReports(workspace, {})), {}, m_progress);
        QVERIFY(table.has_value() && table->rowCount() > 0);
    }

    void toSearch()
    {
        const ScenePtr scene = test::madeScene(m_workspace);
        m_pool->forget();
        QVERIFY(SceneSearch::make(scene, "a", m_progress).has_value());
    }

    void toMakeAScene()
    {
        QVERIFY(makeScene(m_workspace, alignReports(m_workspace, {}), m_progress.workers())->tree->size() >
                0);
    }

    void toStepToTheNextScene()
    {
        SceneChange change;
        change.alignment = alignReports(m_clocks.workspace, {});
        const auto last = makeScene(m_clocks.workspace, *change.alignment, Workers());
        QVERIFY(nextScene(last, change, m_progress).has_value());
    }

    void toLayOutAFrame() { layOutFrame(test::madeScene(m_workspace)); }

    void toLayOutARankMap() { layOutFrame(test::manyRanks({})); }

    void toLayOutAnOverview()
    {
        const ScenePtr scene = test::madeScene(m_workspace);
        QVERIFY(
            !layOutOverview(*scene, PixelScale(scene->extent(), 400), m_progress.workers()).columns.empty());
    }

    void toExport_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* const what :
             {"inventory", "alignment", "cuda_gpu_kern_sum", "timeline", "workspace"})
            QTest::newRow(what) << QString(what);
    }
    void toExport()
    {
        QFETCH(QString, what);
        const test::TempDir folder;
        CommandLine line;
        line.task = Task::exportFiles;
        line.what = {what.toStdString()};
        line.inputs = {test::writeReportTree(folder, 2, 2).string()};
        line.output = (folder.path() / "out.lockstep").string();
        line.isQuiet = true;
        MemoryBudget memory({});
        size_t whoDraw = 4;
        const auto draw = [&whoDraw](const PictureRequest& request) -> Result<std::string> {
            whoDraw = request.workers.count();
            return "picture";
        };
        QCOMPARE(runExport(line, draw, m_progress.workers(), memory), exitStatus::kComplete);
        QCOMPARE(whoDraw, size_t(4));
        QCOMPARE(memory.used_bytes(), uint64_t(0)); // its memory is released
    }

  private:
    void layOutFrame(const ScenePtr& scene)
    {
        const LaneFlow flow =
            placeLanes(*scene, {}, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        const LabelFont font;
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.visible = scene->extent();
        view.size = {1'200, 800};
        view.workers = m_progress.workers();
        QVERIFY(!layOut(*scene, view).rows.empty());
    }

    std::shared_ptr<test::WatchedPool> m_pool = std::make_shared<test::WatchedPool>(3);
    const Progress m_progress{Workers(m_pool)};
    const Workspace m_workspace = test::madeWorkspace();
    const test::SyntheticClocks m_clocks = test::makeSyntheticClocks({});
};

LOCKSTEP_TEST(GivenWorkersTest, "given_workers_test")
#include "given_workers_test.moc"
