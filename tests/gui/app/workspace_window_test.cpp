// SPDX-License-Identifier: Apache-2.0
// Tests the window with a workspace file: save, change, reopen; failures shown in place; a question before
// changes are lost.
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>

#include "app/window/save_controller.h"
#include "app/window/start_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/views_controller.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/notice_bar.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

AlignmentChoice onZero(const ManualShifts& shifts_ns = {})
{
    AlignmentChoice choice;
    choice.options.mode = AlignMode::zero;
    choice.options.shifts_ns = shifts_ns;
    return choice;
}

} // namespace

class WorkspaceWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { makeWindow(); }

    void reopensTheSavedState()
    {
        openTwo();
        WorkspaceController& controller = part<WorkspaceController>();
        const ReportKey first = controller.reports().entries()[0].key,
                        second = controller.reports().entries()[1].key;
        align(onZero({{second, 12'345}}));
        controller.setShown({first}, false);
        settle();
        view().navigation().zoomTo({{13'000}, {21'000}});
        LaneState lanes = view().lanes().laneState();
        lanes.pinned.insert(view().state().tree().lane(0).key);
        view().lanes().setLaneState(lanes);
        part<SaveController>().saveTo(m_file);
        settle();
        QVERIFY(m_window->windowTitle().startsWith("kept.lockstep"));
        QVERIFY(!m_window->isWindowModified());
        const TimeRange visible = view().viewState().visible();
        const int64_t offset_ns = controller.scene()->alignment.map(ReportKey(0u)).offset_ns;

        std::filesystem::remove(m_folder->path() / "t/r0.json"); // a workspace needs none of its input files
        makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !isInFront<StartPageController>());
        WorkspaceController& again = part<WorkspaceController>();
        QCOMPARE(again.reports().entries().size(), size_t(2));
        QVERIFY(!again.reports().entries()[0].isShown && again.reports().entries()[1].isShown);
        QCOMPARE(again.reports().entries()[0].path, m_folder->path() / "t/r0.json");
        const AlignmentChoice& choice = part<WorkDocument>().work().alignment;
        QCOMPARE(choice.options.mode, AlignMode::zero);
        QCOMPARE(choice.options.shifts_ns.at(again.reports().entries()[1].key), 12'345);
        QCOMPARE(again.scene()->alignment.map(ReportKey(0u)).offset_ns, offset_ns);
        QCOMPARE(view().viewState().visible(), visible);
        QCOMPARE(view().lanes().laneState(), lanes);
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_settings->value("open/recent_workspaces").toStringList(),
                 QStringList(QString::fromStdString(m_file)));
        // The two reports; the workspace is not among them.
        QCOMPARE(m_settings->value("open/recent").toStringList().size(), qsizetype(2));
    }

    void marksChangesAndSavesThem()
    {
        openTwo();
        QVERIFY(!m_window->isWindowModified()); // closing would lose nothing
        part<SaveController>().saveTo(m_file);
        settle();
        part<WorkspaceController>().close({part<WorkspaceController>().reports().entries()[0].key});
        settle();
        QVERIFY(m_window->isWindowModified());
        run("Save workspace");
        settle();
        QVERIFY(!m_window->isWindowModified());
        makeWindow();
        m_window->open({m_file});
        QTRY_COMPARE(scene().shown.size(), size_t(1));
    }

    void reportsWhyItWasNotSaved()
    {
        openTwo();
        part<SaveController>().saveTo(m_file);
        settle();
        const auto before = std::filesystem::file_size(m_file);
        part<SaveController>().saveTo(m_folder->path() / "nowhere" / "kept.lockstep");
        settle();
        QVERIFY(part<NoticeBar>().isVisible());
        QVERIFY2(part<NoticeBar>().text().contains("nowhere/kept.lockstep"),
                 qPrintable(part<NoticeBar>().text()));
        QCOMPARE(part<NoticeBar>().findChildren<QToolButton*>().size() >= 3, true);
        QCOMPARE(part<SaveController>().saved().path(), m_file);
        QCOMPARE(std::filesystem::file_size(m_file), before);
    }

    // A newer Lockstep wrote the views. They outlast a save here, even next to views of this window.
    void sectionsOfOtherVersionsAreKept()
    {
        const std::string newer = R"({"version":9,"views":"?"})";
        openTwo();
        SaveJob::Sections sections = part<SaveController>().currentSections();
        sections["views"] = newer;
        const Workspace reports = part<WorkspaceController>().reports().openReports();
        QVERIFY(saveWorkspaceFile(m_file, reports, sections, Progress()));
        makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !isInFront<StartPageController>());
        QVERIFY2(part<NoticeBar>().text().contains("stays in the file"),
                 qPrintable(part<NoticeBar>().text()));
        const auto save = [this] {
            part<SaveController>().saveTo(m_file);
            settle();
        };
        save();
        QCOMPARE(*readWorkspaceSection(m_file, "views"), newer);
        page<TimelinePageController>().views().store(1);
        save();
        QVERIFY(readWorkspaceSection(m_file, "views")->find("\"key\":1") != std::string::npos);
        QCOMPARE(*readWorkspaceSection(m_file, "views, not read"), newer);
    }

    void addsToOpenReports()
    {
        openTwo();
        part<SaveController>().saveTo(m_file);
        settle();
        makeWindow();
        m_window->open({m_folder->write("t/r2.json", test::smallTrace(2))});
        settle();
        m_window->open({m_file});
        QTRY_COMPARE(scene().shown.size(), size_t(3));
        QVERIFY(part<NoticeBar>().text().contains("added"));
        QVERIFY(part<SaveController>().saved().path().empty());
    }

    void asksBeforeChangesAreLost()
    {
        openTwo();
        part<SaveController>().saveTo(m_file);
        settle();
        align(onZero());
        settle();
        QVERIFY(!m_window->close());
        QMessageBox* box = m_window->findChild<QMessageBox*>();
        QVERIFY(box != nullptr);
        press(*box, "Cancel");
        QVERIFY(m_window->isVisible());
        QVERIFY(!m_window->close());
        press(*m_window->findChild<QMessageBox*>(), "Save");
        QTRY_VERIFY(!m_window->isVisible());

        makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !isInFront<StartPageController>());
        QCOMPARE(part<WorkDocument>().work().alignment.options.mode, AlignMode::zero);
        QVERIFY(m_window->close());
    }

    void refusesBrokenWorkspaces()
    {
        openTwo();
        part<SaveController>().saveTo(m_file);
        settle();
        std::filesystem::resize_file(m_file, std::filesystem::file_size(m_file) / 2);
        makeWindow();
        m_window->open({m_file});
        settle();
        QVERIFY(isInFront<StartPageController>());
        QCOMPARE(part<WorkspaceController>().reports().entries().size(), size_t(1));
        QCOMPARE(part<WorkspaceController>().reports().entries()[0].state, ReportState::failed);
    }

  private:
    void align(const AlignmentChoice& choice)
    {
        part<WorkDocument>().edit("align", [&](Work& work) { work.alignment = choice; });
    }

    void openTwo()
    {
        m_file = m_folder->path() / "kept.lockstep";
        openTraces(2);
    }

    static void press(QMessageBox& box, const QString& text)
    {
        for (QAbstractButton* button : box.buttons()) {
            if (button->text() == text) return button->click();
        }
        QFAIL(qPrintable("no button " + text));
    }

    std::filesystem::path m_file;
};

LOCKSTEP_TEST(WorkspaceWindowTest, "workspace_window_test")
#include "workspace_window_test.moc"
