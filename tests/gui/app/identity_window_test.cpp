// SPDX-License-Identifier: Apache-2.0
// Tests the identity sheet in the window: edits change the lanes immediately and can be undone; also blocks,
// files and workspaces.
#include <QLabel>
#include <QLineEdit>
#include <QUndoStack>

#include "app/window/identity_controller.h"
#include "app/window/save_controller.h"
#include "app/window/start_page_controller.h"
#include "core/trace/identity.h"
#include "tests/support/model_testers.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/identity_panel.h"
#include "ui/panels/identity_view.h"

using namespace lockstep;

class IdentityWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        QVERIFY(test::testModels(*m_window) > 0);
        open({m_folder->write("t/a.json", test::smallTrace(0)),
              m_folder->write("t/b.json", test::smallTrace(1)),
              m_folder->write("t/c.json", test::smallTrace(2))});
        run("Report identities");
        QTRY_COMPARE(sheet().rowCount(), 3);
    }

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
        settle();
        run("Undo");
        QCOMPARE(cell(0, "rank"), "unknown");
        QTRY_COMPARE(labels(), before);
        run("Redo");
        QCOMPARE(cell(0, "rank"), "7");
        settle();
    }

    void typingSetsEverySelectedCell()
    {
        IdentityView& view = *part<IdentityPanel>().view();
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
        QCOMPARE(part<QUndoStack>("workspace").count(), 1);
        undo();
        QCOMPARE(cell(2, "role"), "unknown");
    }

    void blocksAreCopiedAndPasted()
    {
        IdentityView& view = *part<IdentityPanel>().view();
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
        undo();
        QCOMPARE(cell(2, "rank"), "unknown");
    }

    void refusesInvalidNumbers()
    {
        sheet().setData(sheet().index(0, ReportIdentityModel::columnOf("rank")), "seven", Qt::EditRole);
        QCOMPARE(cell(0, "rank"), "unknown");
        QCOMPARE(part<QUndoStack>("workspace").count(), 0);
        bool isTold = false;
        for (const QLabel* label : part<IdentityPanel>().findChildren<QLabel*>())
            isTold |= label->isVisible() && label->text().contains("'seven' is not a number");
        QVERIFY(isTold);
    }

    void exportsAndImportsFiles()
    {
        const int step = ReportIdentityModel::columnOf("step");
        sheet().setCells({{sheet().index(0, step), "1"}, {sheet().index(1, step), "2"}});
        const auto file = m_folder->path() / "who.csv";
        auto& files = part<IdentityController>();
        files.exportFile(file);
        QTRY_VERIFY(!files.isBusy());
        undo();
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
        part<IdentityController>().importFile(file);
        QTRY_COMPARE(cell(0, "step"), "4");
        QVERIFY2(part<IdentityPanel>().message().contains("skipped the lines with a pid (2)"),
                 qPrintable(part<IdentityPanel>().message()));
    }

    void isSavedInTheWorkspace()
    {
        sheet().setData(sheet().index(1, ReportIdentityModel::columnOf("role")), "reward", Qt::EditRole);
        QVERIFY(m_window->isWindowModified()); // manual edits are not discarded without a question
        const auto file = m_folder->path() / "kept.lockstep";
        part<SaveController>().saveTo(file);
        settle();
        makeWindow();
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && !isInFront<StartPageController>());
        run("Report identities");
        QTRY_COMPARE(cell(1, "role"), "reward");
        const QModelIndex role = sheet().index(1, ReportIdentityModel::columnOf("role"));
        QVERIFY(role.data(Qt::ToolTipRole).toString().contains("manual edit"));
        QVERIFY(sheet().setData(role, "", Qt::EditRole)); // reverted
        QCOMPARE(cell(1, "role"), "unknown");
        part<QUndoStack>("workspace").setClean();
    }

  private:
    ReportIdentityModel& sheet() { return part<IdentityPanel>().model(); }

    QString cell(int row, std::string_view part)
    {
        return sheet().index(row, ReportIdentityModel::columnOf(part)).data().toString();
    }

    QStringList labels()
    {
        QStringList labels;
        for (const Lane& lane : view().state().tree().lanes())
            labels << QString::fromStdString(lane.label);
        return labels;
    }
};

LOCKSTEP_TEST(IdentityWindowTest, "identity_window_test")
#include "identity_window_test.moc"
