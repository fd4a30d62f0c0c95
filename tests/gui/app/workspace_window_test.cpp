// The window and its workspace file: save, change, reopen; failures in place; asking before changes are lost.
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>

#include "app/main_window.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

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
        m_settings =
            std::make_unique<Settings>(QString::fromStdString((m_folder->path() / "window.ini").string()));
        m_window = makeWindow();
    }

    void cleanup() { m_window.reset(); }

    void reopensAsItWasSaved()
    {
        openTwo();
        WorkspaceController& controller = m_window->controller();
        const ReportKey first = controller.reports().entries()[0].key,
                        second = controller.reports().entries()[1].key;
        controller.setAlignment(onZero({{second, 12'345}}));
        controller.setShown({first}, false);
        QTRY_VERIFY(m_window->isSettled());
        m_window->timeline()->zoomTo({{13'000}, {21'000}});
        LaneState lanes = m_window->timeline()->laneState();
        lanes.pinned.insert(m_window->timeline()->laneTree().lane(0).key);
        m_window->timeline()->setLaneState(lanes);
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->windowTitle().startsWith("kept.lockstep"));
        QVERIFY(!m_window->isWindowModified());
        const TimeRange visible = m_window->timeline()->visibleRange();
        const int64_t offset_ns = controller.scene()->alignment.map(ReportKey(0u)).offset_ns;

        std::filesystem::remove(m_folder->path() / "t/r0.json"); // a workspace needs none of its files
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !m_window->isStartPageShown());
        WorkspaceController& again = m_window->controller();
        QCOMPARE(again.reports().entries().size(), size_t(2));
        QVERIFY(!again.reports().entries()[0].isShown && again.reports().entries()[1].isShown);
        QCOMPARE(again.reports().entries()[0].path, m_folder->path() / "t/r0.json");
        QCOMPARE(again.alignmentChoice().options.mode, AlignMode::zero);
        QCOMPARE(again.alignmentChoice().options.shifts_ns.at(again.reports().entries()[1].key), 12'345);
        QCOMPARE(again.scene()->alignment.map(ReportKey(0u)).offset_ns, offset_ns);
        QCOMPARE(m_window->timeline()->visibleRange(), visible);
        QCOMPARE(m_window->timeline()->laneState(), lanes);
        QVERIFY(!m_window->isWindowModified());
        QCOMPARE(m_settings->recentWorkspaces(), std::vector{m_file});
        QCOMPARE(m_settings->recent().size(), size_t(2)); // the reports; no workspace among them
    }

    void marksChangesAndSavesThem()
    {
        openTwo();
        QVERIFY(!m_window->isWindowModified()); // nothing that closing would lose
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        m_window->controller().close({m_window->controller().reports().entries()[0].key});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->isWindowModified());
        m_window->actionTable().at(ActionId::saveWorkspace)->trigger();
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->isWindowModified());
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_COMPARE(m_window->controller().scene()->shown.size(), size_t(1));
    }

    void tellsWhyItWasNotSaved()
    {
        openTwo();
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        const auto before = std::filesystem::file_size(m_file);
        m_window->saveWorkspaceTo(m_folder->path() / "nowhere" / "kept.lockstep");
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->noticeBar()->isVisible());
        QVERIFY2(m_window->noticeBar()->text().contains("nowhere/kept.lockstep"),
                 qPrintable(m_window->noticeBar()->text()));
        QCOMPARE(m_window->noticeBar()->findChildren<QToolButton*>().size() >= 3, true);
        QCOMPARE(m_window->savedWorkspace().path(), m_file);
        QCOMPARE(std::filesystem::file_size(m_file), before);
    }

    void addsToWhatIsOpen()
    {
        openTwo();
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        m_window = makeWindow();
        m_window->open({m_folder->write("t/r2.json", test::smallTrace(2))});
        QTRY_VERIFY(m_window->isSettled());
        m_window->open({m_file});
        QTRY_COMPARE(m_window->controller().scene()->shown.size(), size_t(3));
        QVERIFY(m_window->noticeBar()->text().contains("added"));
        QVERIFY(m_window->savedWorkspace().path().empty());
    }

    void asksBeforeChangesAreLost()
    {
        openTwo();
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        m_window->controller().setAlignment(onZero());
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(!m_window->close());
        QMessageBox* box = m_window->findChild<QMessageBox*>();
        QVERIFY(box != nullptr);
        press(*box, "Stay");
        QVERIFY(m_window->isVisible());
        QVERIFY(!m_window->close());
        press(*m_window->findChild<QMessageBox*>(), "Save");
        QTRY_VERIFY(!m_window->isVisible());

        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled() && !m_window->isStartPageShown());
        QCOMPARE(m_window->controller().alignmentChoice().options.mode, AlignMode::zero);
        QVERIFY(m_window->close());
    }

    void refusesBrokenWorkspaces()
    {
        openTwo();
        m_window->saveWorkspaceTo(m_file);
        QTRY_VERIFY(m_window->isSettled());
        std::filesystem::resize_file(m_file, std::filesystem::file_size(m_file) / 2);
        m_window = makeWindow();
        m_window->open({m_file});
        QTRY_VERIFY(m_window->isSettled());
        QVERIFY(m_window->isStartPageShown());
        QCOMPARE(m_window->controller().reports().entries().size(), size_t(1));
        QCOMPARE(m_window->controller().reports().entries()[0].state, ReportState::failed);
    }

  private:
    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>(*m_settings, false);
        window->resize(1280, 720);
        window->show();
        return window;
    }

    void openTwo()
    {
        m_file = m_folder->path() / "kept.lockstep";
        m_window->open({m_folder->write("t/r0.json", test::smallTrace(0)),
                        m_folder->write("t/r1.json", test::smallTrace(1))});
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(m_window->controller().scene()->shown.size(), size_t(2));
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
