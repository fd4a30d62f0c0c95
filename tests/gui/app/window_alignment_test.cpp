// SPDX-License-Identifier: Apache-2.0
// Tests alignment in the whole window: the panel's choice moves the lanes, the window's undo reverts it, and
// a saved workspace restores it.
#include <QUndoStack>

#include "app/window/save_controller.h"
#include "app/window/work_sections.h"
#include "tests/support/window_fixture.h"

#include "tests/support/test_registry.h"
#include "ui/models/alignment_model.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/table_view.h"

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

class WindowAlignmentTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        open({m_folder->write("t/r0.json", collectiveTrace(0)),
              m_folder->write("t/r1.json", collectiveTrace(1))});
        run("Clock alignment");
        QTRY_COMPARE(panel().model()->rowCount(), 2);
    }

    void panelListsOpenReports()
    {
        QCOMPARE(panel().model()->rowCount(), 2);
        part<WorkspaceController>().setShown({part<WorkspaceController>().reports().entries()[0].key}, false);
        QTRY_COMPARE(scene().shown.keys(), std::vector<ReportKey>{ReportKey(1u)});
        QCOMPARE(panel().model()->rowCount(), 2); // hidden reports are aligned too
        QVERIFY(scene().alignment.coversReport(ReportKey(0u)));
    }

    void movedReportIsUndone()
    {
        const int64_t before = offsetOf(1);
        QVERIFY(panel().moveBy({panel().model()->keyAt(1)}, {5'000}));
        QTRY_COMPARE(offsetOf(1), before + 5'000);
        QCOMPARE(scene().alignment.map(ReportKey(1u)).method, AlignMethod::manual);
        undo();
        QTRY_COMPARE(offsetOf(1), before);
        part<QUndoStack>("workspace").redo();
        QTRY_COMPARE(offsetOf(1), before + 5'000);
    }

    // Undoing every step leaves the workspace as it was opened or saved.
    void undoneStepsLeaveTheWorkspaceUnchanged()
    {
        QUndoStack& undo = part<QUndoStack>("workspace");
        const QString title = m_window->windowTitle();
        emit view().laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        settle();
        QVERIFY(m_window->isWindowModified() && m_window->windowTitle() != title);
        undo.undo();
        settle();
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_window->windowTitle(), title);
        undo.redo();
        part<SaveController>().saveTo(m_folder->path() / "moved.lockstep");
        QTRY_VERIFY(m_window->isSettled() && !m_window->isWindowModified());
        undo.undo(); // differs from the file now
        settle();
        QVERIFY(m_window->isWindowModified());
        undo.redo();
        settle();
        QVERIFY(!m_window->isWindowModified());
    }

    void draggedLaneReachesThePanel()
    {
        const int64_t before = offsetOf(1);
        emit view().laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        QTRY_COMPARE(offsetOf(1), before + 7'000);
        QCOMPARE(panel().choice().options.shifts_ns.at(panel().model()->keyAt(1)), int64_t(7'000));
        panel().table()->selectTableRow(1);
        panel().toggleLock();
        settle();
        emit view().laneDrag().shiftRequested({ReportKey(1u)}, {7'000});
        QVERIFY(m_window->isSettled()); // no new alignment ran
        QCOMPARE(offsetOf(1), before + 7'000);
    }

    void modeChangesTheAxis()
    {
        AlignmentChoice choice = panel().choice();
        choice.options.mode = AlignMode::zero;
        part<WorkDocument>().edit("mode", [&](Work& work) { work.alignment = choice; });
        QTRY_COMPARE(scene().alignment.map(ReportKey(1u)).method, AlignMethod::zero);
        QCOMPARE(panel().choice().options.mode, AlignMode::zero);
    }

    void savedWorkIncludesTheAlignment()
    {
        panel().table()->selectTableRow(1);
        panel().toggleLock();
        QVERIFY(panel().moveBy({panel().model()->keyAt(0)}, {-3'000}));
        const ReportKey first = panel().model()->keyAt(0), second = panel().model()->keyAt(1);
        const Work& work = part<WorkDocument>().work();
        const Work inFile = work.renumbered({{first, ReportKey(0u)}, {second, ReportKey(1u)}});
        const Work back = readWork(sectionsOf(inFile), 2).work;
        QVERIFY(back.renumbered({{ReportKey(0u), first}, {ReportKey(1u), second}}).alignment ==
                panel().choice());
        const Work fewer = readWork(sectionsOf(inFile), 1).work; // positions beyond the file are dropped
        QVERIFY(fewer.alignment.options.accepted.empty() && fewer.alignment.locked.empty());
    }

    // Hiding a report, saving a view and expanding a gap are steps like any other.
    void hiddenReportsAreUndone()
    {
        WorkspaceController& reports = part<WorkspaceController>();
        reports.setShown({reports.reports().entries()[0].key}, false);
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(1));
        QUndoStack& undo = part<QUndoStack>("workspace");
        QCOMPARE(undo.undoText(), QString("hide 1 report"));
        undo.undo();
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(2));
        QVERIFY(reports.reports().entries()[0].isShown);
        undo.redo();
        QTRY_COMPARE(reports.scene()->shown.size(), size_t(1));
        reports.close({reports.reports().entries()[0].key});
        settle();
        undo.undo(); // the report no longer exists
        settle();
        QCOMPARE(reports.scene()->shown.size(), size_t(1));
    }

  private:
    AlignmentPanel& panel() { return part<AlignmentPanel>(); }
    int64_t offsetOf(uint32_t report) const { return scene().alignment.map(ReportKey(report)).offset_ns; }
};

LOCKSTEP_TEST(WindowAlignmentTest, "window_alignment_test")
#include "window_alignment_test.moc"
