// SPDX-License-Identifier: Apache-2.0
// Tests alignment in the whole window: the panel's choice moves the lanes, the window's undo reverts it, and
// a saved workspace restores it.
#include "app/window/main_window.h"
#include "app/window/save_controller.h"
#include "app/window/work_sections.h"
#include "tests/support/in_window.h"

#include <QAction>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/models/alignment_model.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/table_view.h"
#include "ui/timeline/timeline_view.h"

using namespace lockstep;

namespace {

std::string collectiveTrace(int rank)
{
    const std::string start = std::to_string(1'700'000'000'000'000 + rank * 10);
    return R"({"distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":2},"traceEvents":[)" +
           R"({"ph":"X","ts":)" + start +
           R"(,"dur":20,"pid":0,"tid":7,"name":"gemm_kernel","cat":"kernel",)" +
           R"("args":{"device":0,"stream":7}}]})";
}

} // namespace

class WindowAlignmentTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = test::shownWindow(*m_settings);
        m_window->open({m_folder->write("t/r0.json", collectiveTrace(0)),
                        m_folder->write("t/r1.json", collectiveTrace(1))});
        test::run(*m_window, "Clock alignment");
        QTRY_VERIFY(test::part<WorkspaceController>(*m_window).scene()->shown.size() == 2 &&
                    m_window->isSettled());
        QTRY_COMPARE(panel().model()->rowCount(), 2);
    }

    void cleanup() { m_window.reset(); }

    void panelListsOpenReports()
    {
        QCOMPARE(panel().model()->rowCount(), 2);
        test::part<WorkspaceController>(*m_window).setShown(
            {test::part<WorkspaceController>(*m_window).reports().entries()[0].key}, false);
        QTRY_COMPARE(test::part<WorkspaceController>(*m_window).scene()->shown.keys(),
                     std::vector<ReportKey>{ReportKey(1u)});
        QCOMPARE(panel().model()->rowCount(), 2); // hidden reports are aligned too
        QVERIFY(test::part<WorkspaceController>(*m_window).scene()->alignment.coversReport(ReportKey(0u)));
    }

    void movedReportIsUndone()
    {
        const int64_t before = offsetOf(1);
        QVERIFY(panel().moveBy({panel().model()->keyAt(1)}, {5'000}));
        QTRY_COMPARE(offsetOf(1), before + 5'000);
        QCOMPARE(test::part<WorkspaceController>(*m_window).scene()->alignment.map(ReportKey(1u)).method,
                 AlignMethod::manual);
        test::part<QUndoStack>(*m_window, "workspace").undo();
        QTRY_COMPARE(offsetOf(1), before);
        test::part<QUndoStack>(*m_window, "workspace").redo();
        QTRY_COMPARE(offsetOf(1), before + 5'000);
    }

    // Undoing every step leaves the workspace as it was opened or saved.
    void undoneStepsLeaveTheWorkspaceUnchanged()
    {
        QUndoStack& undo = test::part<QUndoStack>(*m_window, "workspace");
        const QString title = m_window->windowTitle();
        emit test::part<TimelineView>(*m_window).laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->isWindowModified() && m_window->windowTitle() != title);
        undo.undo();
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_window->windowTitle(), title);
        undo.redo();
        test::part<SaveController>(*m_window).saveTo(m_folder->path() / "moved.lockstep");
        QTRY_VERIFY(m_window->isSettled() && !m_window->isWindowModified());
        undo.undo(); // differs from the file now
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->isWindowModified());
        undo.redo();
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->isWindowModified());
    }

    void draggedLaneReachesThePanel()
    {
        const int64_t before = offsetOf(1);
        emit test::part<TimelineView>(*m_window).laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        QTRY_COMPARE(offsetOf(1), before + 7'000);
        QCOMPARE(panel().choice().options.shifts_ns.at(panel().model()->keyAt(1)), int64_t(7'000));
        panel().table()->selectTableRow(1);
        panel().toggleLock();
        QTRY_VERIFY(m_window->isSettled());
        emit test::part<TimelineView>(*m_window).laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        QVERIFY(m_window->isSettled()); // no new alignment ran
        QCOMPARE(offsetOf(1), before + 7'000);
    }

    void modeChangesTheAxis()
    {
        AlignmentChoice choice = panel().choice();
        choice.options.mode = AlignMode::zero;
        test::part<WorkDocument>(*m_window).edit("mode", [&](Work& work) { work.alignment = choice; });
        QTRY_COMPARE(test::part<WorkspaceController>(*m_window).scene()->alignment.map(ReportKey(1u)).method,
                     AlignMethod::zero);
        QCOMPARE(panel().choice().options.mode, AlignMode::zero);
    }

    void savedWorkIncludesTheAlignment()
    {
        panel().table()->selectTableRow(1);
        panel().toggleLock();
        QVERIFY(panel().moveBy({panel().model()->keyAt(0)}, {-3'000}));
        const ReportKey first = panel().model()->keyAt(0), second = panel().model()->keyAt(1);
        const Work& work = test::part<WorkDocument>(*m_window).work();
        const Work inFile = work.renumbered({{first, ReportKey(0u)}, {second, ReportKey(1u)}});
        const Work back = readWork(sectionsOf(inFile), 2).work;
        QVERIFY(back.renumbered({{ReportKey(0u), first}, {ReportKey(1u), second}}).alignment ==
                panel().choice());
        const Work fewer = readWork(sectionsOf(inFile), 1).work; // positions beyond the file are dropped
        QVERIFY(fewer.alignment.options.kept.empty() && fewer.alignment.locked.empty());
    }

    // Hiding a report, saving a view and expanding a gap are steps like any other.
    void hiddenReportsAreUndone()
    {
        WorkspaceController& reports = test::part<WorkspaceController>(*m_window);
        reports.setShown({reports.reports().entries()[0].key}, false);
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(1));
        QUndoStack& undo = test::part<QUndoStack>(*m_window, "workspace");
        QCOMPARE(undo.undoText(), QString("hide 1 report"));
        undo.undo();
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(2));
        QVERIFY(reports.reports().entries()[0].isShown);
        undo.redo();
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(1));
        reports.close({reports.reports().entries()[0].key});
        QTRY_VERIFY(m_window->isSettled());
        undo.undo(); // the report no longer exists
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(reports.scene()->shown.size(), size_t(1));
    }

  private:
    AlignmentPanel& panel() { return test::part<AlignmentPanel>(*m_window); }
    int64_t offsetOf(uint32_t report) const
    {
        return test::part<WorkspaceController>(*m_window).scene()->alignment.map(ReportKey(report)).offset_ns;
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(WindowAlignmentTest, "window_alignment_test")
#include "window_alignment_test.moc"
