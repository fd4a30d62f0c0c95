// The sheet of identities in the window: edits reach the lanes at once and undo, blocks, files, workspaces.
#include <QLabel>
#include <QLineEdit>

#include "app/main_window.h"
#include "core/trace/identity_parts.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
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
        m_settings =
            std::make_unique<Settings>(QString::fromStdString((m_folder->path() / "window.ini").string()));
        m_window = makeWindow();
        m_window->open({m_folder->write("t/a.json", test::smallTrace(0)),
                        m_folder->write("t/b.json", test::smallTrace(1)),
                        m_folder->write("t/c.json", test::smallTrace(2))});
        QTRY_VERIFY(m_window->isSettled());
        m_window->actionTable().at(ActionId::showIdentities)->trigger();
    }

    void cleanup() { m_window.reset(); }

    void editReachesLanesAndUndoes()
    {
        QCOMPARE(cell(0, "rank"), "unknown");
        const QStringList before = labels();
        QVERIFY(sheet().setData(sheet().index(0, ReportIdentityModel::columnOf("rank")), "7", Qt::EditRole));
        QCOMPARE(cell(0, "rank"), "7");
        QTRY_VERIFY(labels().join('|').contains("rank 7"));
        const QModelIndex rank = sheet().index(0, ReportIdentityModel::columnOf("rank"));
        QVERIFY(rank.data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(rank.data(Qt::ToolTipRole).toString().contains("set by hand"));
        QTRY_VERIFY(m_window->isSettled());
        m_window->actionTable().at(ActionId::undo)->trigger();
        QCOMPARE(cell(0, "rank"), "unknown");
        QTRY_COMPARE(labels(), before);
        m_window->actionTable().at(ActionId::redo)->trigger();
        QCOMPARE(cell(0, "rank"), "7");
        QTRY_VERIFY(m_window->isSettled());
    }

    void typingSetsEverySelectedCell()
    {
        IdentityView& view = *m_window->identityPanel()->view();
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
        QCOMPARE(m_window->undoStack().count(), 1);
        m_window->undoStack().undo();
        QCOMPARE(cell(2, "role"), "unknown");
    }

    void blocksAreCopiedAndPasted()
    {
        IdentityView& view = *m_window->identityPanel()->view();
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
        m_window->undoStack().undo();
        QCOMPARE(cell(2, "rank"), "unknown");
    }

    void refusesWhatIsNoNumber()
    {
        sheet().setData(sheet().index(0, ReportIdentityModel::columnOf("rank")), "seven", Qt::EditRole);
        QCOMPARE(cell(0, "rank"), "unknown");
        QCOMPARE(m_window->undoStack().count(), 0);
        bool isTold = false;
        for (const QLabel* label : m_window->identityPanel()->findChildren<QLabel*>())
            isTold |= label->isVisible() && label->text().contains("'seven' is no number");
        QVERIFY(isTold);
    }

    void filesGoOutAndIn()
    {
        const int step = ReportIdentityModel::columnOf("step");
        sheet().setCells({{sheet().index(0, step), "1"}, {sheet().index(1, step), "2"}});
        const auto file = m_folder->path() / "who.csv";
        m_window->exportIdentityFile(file);
        m_window->undoStack().undo();
        QCOMPARE(cell(1, "step"), "unknown");
        m_window->importIdentityFile(file);
        QCOMPARE(cell(0, "step"), "1");
        QCOMPARE(cell(1, "step"), "2");
        QCOMPARE(cell(2, "step"), "unknown");
        const QModelIndex cellOfStep = sheet().index(1, step);
        QVERIFY(cellOfStep.data(Qt::ToolTipRole).toString().contains("who.csv"));
    }

    void saysWhichLinesItDoesNotTake()
    {
        const auto file = m_folder->write("both.csv", "path,pid,rank,step\n*,,,4\n*,7,1,\n*,8,2,\n");
        m_window->importIdentityFile(file);
        QCOMPARE(cell(0, "step"), "4");
        QVERIFY2(m_window->identityPanel()->message().contains("lines with a pid (2) were passed over"),
                 qPrintable(m_window->identityPanel()->message()));
    }

    void staysInTheWorkspace()
    {
        sheet().setData(sheet().index(1, ReportIdentityModel::columnOf("role")), "reward", Qt::EditRole);
        QVERIFY(m_window->isWindowModified()); // work by hand is not thrown away unasked
        const auto file = m_folder->path() / "kept.lockstep";
        m_window->saveWorkspaceTo(file);
        QTRY_VERIFY(m_window->isSettled());
        m_window = makeWindow();
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && !m_window->isStartPageShown());
        QCOMPARE(cell(1, "role"), "reward");
        const QModelIndex role = sheet().index(1, ReportIdentityModel::columnOf("role"));
        QVERIFY(role.data(Qt::ToolTipRole).toString().contains("set by hand"));
        QVERIFY(sheet().setData(role, "", Qt::EditRole)); // taken back
        QCOMPARE(cell(1, "role"), "unknown");
        m_window->undoStack().setClean();
    }

  private:
    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>(*m_settings, false);
        window->resize(1280, 720);
        window->show();
        return window;
    }

    ReportIdentityModel& sheet() { return m_window->identityPanel()->model(); }

    QString cell(int row, std::string_view part)
    {
        return sheet().index(row, ReportIdentityModel::columnOf(part)).data().toString();
    }

    QStringList labels()
    {
        QStringList labels;
        for (const Lane& lane : m_window->timeline()->laneTree().lanes())
            labels << QString::fromStdString(lane.label);
        return labels;
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(IdentityWindowTest, "identity_window_test")
#include "identity_window_test.moc"
