// SPDX-License-Identifier: Apache-2.0
// Tests the window with a workspace file: save, change, reopen; failures shown in place; a question before
// changes are lost.
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>

#include "app/window/main_window.h"
#include "app/window/save_controller.h"
#include "app/window/start_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/views_controller.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/in_window.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"
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

class WorkspaceWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = makeWindow();
    }

    void cleanup() { m_window.reset(); }

    void reopensTheSavedState()
    {
        openTwo();
        WorkspaceController& controller = test::part<WorkspaceController>(*m_window);
        const ReportKey first = controller.reports().entries()[0].key,
                        second = controller.reports().entries()[1].key;
        align(onZero({{second, 12'345}}));
        controller.setShown({first}, false);
        QTRY_VERIFY(m_window->isSettled());
        test::part<TimelineView>(*m_window).navigation().zoomTo({{13'000}, {21'000}});
        LaneState lanes = test::part<TimelineView>(*m_window).lanes().laneState();
        lanes.pinned.insert(test::part<TimelineView>(*m_window).state().tree().lane(0).key);
        test::part<TimelineView>(*m_window).lanes().setLaneState(lanes);
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->windowTitle().startsWith("kept.lockstep"));
        QVERIFY(!m_window->isWindowModified());
        const TimeRange visible = test::part<TimelineView>(*m_window).viewState().visible();
        const int64_t offset_ns = controller.scene()->alignment.map(ReportKey(0u)).offset_ns;

        std::filesystem::remove(m_folder->path() / "t/r0.json"); // a workspace needs none of its input files
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !test::isInFront<StartPageController>(*m_window));
        WorkspaceController& again = test::part<WorkspaceController>(*m_window);
        QCOMPARE(again.reports().entries().size(), size_t(2));
        QVERIFY(!again.reports().entries()[0].isShown && again.reports().entries()[1].isShown);
        QCOMPARE(again.reports().entries()[0].path, m_folder->path() / "t/r0.json");
        const AlignmentChoice& choice = test::part<WorkDocument>(*m_window).work().alignment;
        QCOMPARE(choice.options.mode, AlignMode::zero);
        QCOMPARE(choice.options.shifts_ns.at(again.reports().entries()[1].key), 12'345);
        QCOMPARE(again.scene()->alignment.map(ReportKey(0u)).offset_ns, offset_ns);
        QCOMPARE(test::part<TimelineView>(*m_window).viewState().visible(), visible);
        QCOMPARE(test::part<TimelineView>(*m_window).lanes().laneState(), lanes);
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_settings->recentWorkspaces(), std::vector{m_file});
        QCOMPARE(m_settings->recent().size(), size_t(2)); // the reports; the workspace is not among them
    }

    void marksChangesAndSavesThem()
    {
        openTwo();
        QVERIFY(!m_window->isWindowModified()); // closing would lose nothing
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        test::part<WorkspaceController>(*m_window).close(
            {test::part<WorkspaceController>(*m_window).reports().entries()[0].key});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->isWindowModified());
        test::run(*m_window, "Save workspace");
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->isWindowModified());
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_COMPARE(test::part<WorkspaceController>(*m_window).scene()->shown.size(), size_t(1));
    }

    void reportsWhyItWasNotSaved()
    {
        openTwo();
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        const auto before = std::filesystem::file_size(m_file);
        test::part<SaveController>(*m_window).saveTo(m_folder->path() / "nowhere" / "kept.lockstep");
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(test::part<NoticeBar>(*m_window).isVisible());
        QVERIFY2(test::part<NoticeBar>(*m_window).text().contains("nowhere/kept.lockstep"),
                 qPrintable(test::part<NoticeBar>(*m_window).text()));
        QCOMPARE(test::part<NoticeBar>(*m_window).findChildren<QToolButton*>().size() >= 3, true);
        QCOMPARE(test::part<SaveController>(*m_window).saved().path(), m_file);
        QCOMPARE(std::filesystem::file_size(m_file), before);
    }

    // A newer Lockstep wrote the views. They outlast a save here, even next to views of this window.
    void sectionsOfOtherVersionsAreKept()
    {
        const std::string newer = R"({"version":9,"views":"?"})";
        openTwo();
        SaveJob::Sections sections = test::part<SaveController>(*m_window).currentSections();
        sections["views"] = newer;
        const Workspace reports = test::part<WorkspaceController>(*m_window).reports().openReports();
        QVERIFY(saveWorkspaceFile(m_file, reports, sections, Progress()));
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !test::isInFront<StartPageController>(*m_window));
        QVERIFY2(test::part<NoticeBar>(*m_window).text().contains("stays in the file"),
                 qPrintable(test::part<NoticeBar>(*m_window).text()));
        const auto save = [this] {
            test::part<SaveController>(*m_window).saveTo(m_file);
            QTRY_VERIFY(m_window->isSettled());
        };
        save();
        QCOMPARE(*readWorkspaceSection(m_file, "views"), newer);
        test::page<TimelinePageController>(*m_window).views().store(1);
        save();
        QVERIFY(readWorkspaceSection(m_file, "views")->find("\"key\":1") != std::string::npos);
        QCOMPARE(*readWorkspaceSection(m_file, "views, not read"), newer);
    }

    void addsToOpenReports()
    {
        openTwo();
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        m_window = makeWindow();
        m_window->open({m_folder->write("t/r2.json", test::smallTrace(2))});
        QTRY_VERIFY(m_window->isSettled());
        m_window->open({m_file});
        QTRY_COMPARE(test::part<WorkspaceController>(*m_window).scene()->shown.size(), size_t(3));
        QVERIFY(test::part<NoticeBar>(*m_window).text().contains("added"));
        QVERIFY(test::part<SaveController>(*m_window).saved().path().empty());
    }

    void asksBeforeChangesAreLost()
    {
        openTwo();
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        align(onZero());
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->close());
        QMessageBox* box = m_window->findChild<QMessageBox*>();
        QVERIFY(box != nullptr);
        press(*box, "Cancel");
        QVERIFY(m_window->isVisible());
        QVERIFY(!m_window->close());
        press(*m_window->findChild<QMessageBox*>(), "Save");
        QTRY_VERIFY(!m_window->isVisible());

        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !test::isInFront<StartPageController>(*m_window));
        QCOMPARE(test::part<WorkDocument>(*m_window).work().alignment.options.mode, AlignMode::zero);
        QVERIFY(m_window->close());
    }

    void refusesBrokenWorkspaces()
    {
        openTwo();
        test::part<SaveController>(*m_window).saveTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        std::filesystem::resize_file(m_file, std::filesystem::file_size(m_file) / 2);
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(test::isInFront<StartPageController>(*m_window));
        QCOMPARE(test::part<WorkspaceController>(*m_window).reports().entries().size(), size_t(1));
        QCOMPARE(test::part<WorkspaceController>(*m_window).reports().entries()[0].state,
                 ReportState::failed);
    }

  private:
    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>(*m_settings, false, test::workers(), test::memory());
        window->resize(1280, 720);
        window->show();
        return window;
    }

    void align(const AlignmentChoice& choice)
    {
        test::part<WorkDocument>(*m_window).edit("align", [&](Work& work) { work.alignment = choice; });
    }

    void openTwo()
    {
        m_file = m_folder->path() / "kept.lockstep";
        m_window->open({m_folder->write("t/r0.json", test::smallTrace(0)),
                        m_folder->write("t/r1.json", test::smallTrace(1))});
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(test::part<WorkspaceController>(*m_window).scene()->shown.size(), size_t(2));
    }

    static void press(QMessageBox& box, const QString& text)
    {
        for (QAbstractButton* button : box.buttons()) {
            if (button->text() == text) return button->click();
        }
        QFAIL(qPrintable("no button " + text));
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    std::filesystem::path m_file;
};

LOCKSTEP_TEST(WorkspaceWindowTest, "workspace_window_test")
#include "workspace_window_test.moc"
