// SPDX-License-Identifier: Apache-2.0
// Tests the identity sheet in the window: edits change the lanes immediately and can be undone; also blocks,
// files and workspaces.
#include <QLabel>
#include <QLineEdit>

#include "app/window/identity_controller.h"
#include "app/window/main_window.h"
#include "app/window/save_controller.h"
#include "app/window/start_page_controller.h"
#include "core/trace/identity_parts.h"
#include "tests/support/in_window.h"
#include "tests/support/model_testers.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/panels/identity_panel.h"
#include "ui/panels/identity_view.h"
#include "ui/timeline/timeline_view.h"

using namespace lockstep;

class IdentityWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = makeWindow();
        QVERIFY(test::testModels(*m_window) > 0);
        m_window->open({m_folder->write("t/a.json", test::smallTrace(0)),
                        m_folder->write("t/b.json", test::smallTrace(1)),
                        m_folder->write("t/c.json", test::smallTrace(2))});
        QTRY_VERIFY(m_window->isSettled());
        test::run(*m_window, "Report identities");
        QTRY_COMPARE(sheet().rowCount(), 3);
    }

    void cleanup() { m_window.reset(); }

    void editChangesLanesAndIsUndone()
    {
        QCOMPARE(cell(0, "rank"), "unknown");
        const QStringList before = labels();
        QVERIFY(sheet().setData(sheet().index(0, ReportIdentityModel::columnOf("rank")), "7", Qt::EditRole));
        QCOMPARE(cell(0, "rank"), "7");
        QTRY_VERIFY(labels().join('|').contains("rank 7"));
        const QModelIndex rank = sheet().index(0, ReportIdentityModel::columnOf("rank"));
        QVERIFY(rank.data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(rank.data(Qt::ToolTipRole).toString().contains("manual edit"));
        QTRY_VERIFY(m_window->isSettled());
        test::run(*m_window, "Undo");
        QCOMPARE(cell(0, "rank"), "unknown");
        QTRY_COMPARE(labels(), before);
        test::run(*m_window, "Redo");
        QCOMPARE(cell(0, "rank"), "7");
        QTRY_VERIFY(m_window->isSettled());
    }

    void typingSetsEverySelectedCell()
    {
        IdentityView& view = *test::part<IdentityPanel>(*m_window).view();
        const int role = ReportIdentityModel::columnOf("role");
        view.setCurrentIndex(view.model()->index(0, role));
        view.selectionModel()->select(view.model()->index(2, role), QItemSelectionModel::Select);
        QTest::keyClicks(&view, "cri");
        auto* const editor = view.findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        editor->setText("critic");
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(cell(0, "role"), "critic");
        QCOMPARE(cell(1, "role"), "unknown");
        QCOMPARE(cell(2, "role"), "critic");
        QCOMPARE(test::part<QUndoStack>(*m_window, "workspace").count(), 1);
        test::part<QUndoStack>(*m_window, "workspace").undo();
        QCOMPARE(cell(2, "role"), "unknown");
    }

    void blocksAreCopiedAndPasted()
    {
        IdentityView& view = *test::part<IdentityPanel>(*m_window).view();
        const int role = ReportIdentityModel::columnOf("role");
        view.setCurrentIndex(view.model()->index(1, role));
        view.paste("Role\tRank\r\nactor\t3\r\nref\t4\r\nbeyond\t5\r\n");
        QCOMPARE(cell(0, "role"), "unknown");
        QCOMPARE(cell(1, "role"), "actor");
        QCOMPARE(cell(1, "rank"), "3");
        QCOMPARE(cell(2, "rank"), "4");
        view.selectAll();
        const QString copied = view.selectionText();
        QVERIFY(copied.contains("\tactor\t3\t"));
        test::part<QUndoStack>(*m_window, "workspace").undo();
        QCOMPARE(cell(2, "rank"), "unknown");
    }

    void refusesInvalidNumbers()
    {
        sheet().setData(sheet().index(0, ReportIdentityModel::columnOf("rank")), "seven", Qt::EditRole);
        QCOMPARE(cell(0, "rank"), "unknown");
        QCOMPARE(test::part<QUndoStack>(*m_window, "workspace").count(), 0);
        bool isTold = false;
        for (const QLabel* label : test::part<IdentityPanel>(*m_window).findChildren<QLabel*>())
            isTold |= label->isVisible() && label->text().contains("'seven' is not a number");
        QVERIFY(isTold);
    }

    void exportsAndImportsFiles()
    {
        const int step = ReportIdentityModel::columnOf("step");
        sheet().setCells({{sheet().index(0, step), "1"}, {sheet().index(1, step), "2"}});
        const auto file = m_folder->path() / "who.csv";
        auto& files = test::part<IdentityController>(*m_window);
        files.exportFile(file);
        QTRY_VERIFY(!files.isBusy());
        test::part<QUndoStack>(*m_window, "workspace").undo();
        QCOMPARE(cell(1, "step"), "unknown");
        files.importFile(file);
        QCOMPARE(cell(0, "step"), "unknown"); // the window does not wait for a file
        QTRY_COMPARE(cell(0, "step"), "1");
        QCOMPARE(cell(1, "step"), "2");
        QCOMPARE(cell(2, "step"), "unknown");
        const QModelIndex cellOfStep = sheet().index(1, step);
        QVERIFY(cellOfStep.data(Qt::ToolTipRole).toString().contains("who.csv"));
    }

    void reportsSkippedLines()
    {
        const auto file = m_folder->write("both.csv", "path,pid,rank,step\n*,,,4\n*,7,1,\n*,8,2,\n");
        test::part<IdentityController>(*m_window).importFile(file);
        QTRY_COMPARE(cell(0, "step"), "4");
        QVERIFY2(test::part<IdentityPanel>(*m_window).message().contains("skipped the lines with a pid (2)"),
                 qPrintable(test::part<IdentityPanel>(*m_window).message()));
    }

    void isSavedInTheWorkspace()
    {
        sheet().setData(sheet().index(1, ReportIdentityModel::columnOf("role")), "reward", Qt::EditRole);
        QVERIFY(m_window->isWindowModified()); // manual edits are not discarded without a question
        const auto file = m_folder->path() / "kept.lockstep";
        test::part<SaveController>(*m_window).saveTo(file);
        QTRY_VERIFY(m_window->isSettled());
        m_window = makeWindow();
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && !test::isInFront<StartPageController>(*m_window));
        test::run(*m_window, "Report identities");
        QTRY_COMPARE(cell(1, "role"), "reward");
        const QModelIndex role = sheet().index(1, ReportIdentityModel::columnOf("role"));
        QVERIFY(role.data(Qt::ToolTipRole).toString().contains("manual edit"));
        QVERIFY(sheet().setData(role, "", Qt::EditRole)); // reverted
        QCOMPARE(cell(1, "role"), "unknown");
        test::part<QUndoStack>(*m_window, "workspace").setClean();
    }

  private:
    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>(*m_settings, false, test::workers(), test::memory());
        window->resize(1280, 720);
        window->show();
        return window;
    }

    ReportIdentityModel& sheet() { return test::part<IdentityPanel>(*m_window).model(); }

    QString cell(int row, std::string_view part)
    {
        return sheet().index(row, ReportIdentityModel::columnOf(part)).data().toString();
    }

    QStringList labels()
    {
        QStringList labels;
        for (const Lane& lane : test::part<TimelineView>(*m_window).state().tree().lanes())
            labels << QString::fromStdString(lane.label);
        return labels;
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(IdentityWindowTest, "identity_window_test")
#include "identity_window_test.moc"
