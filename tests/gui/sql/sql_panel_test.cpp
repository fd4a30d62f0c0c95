// SPDX-License-Identifier: Apache-2.0
// Tests SqlPanel: a query is written, run, answered and stopped; an error shows its position; rows lead to
// slices; the command line that it shows runs the same query.
#include "ui/sql/sql_panel.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include "core/sql/sql_table.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class SqlPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_panel.reset();
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<SqlPanel>(*m_view);
        m_panel->setTheme(lightTheme());
        m_panel->resize(1200, 300);
        m_panel->show();
        m_scene = test::madeScene(test::madeWorkspace(2, 1));
        m_panel->setScene(m_scene);
    }

    void runsQueriesAndLeadsToSlices()
    {
        ask("SELECT id, name, duration_ns FROM kernel ORDER BY duration_ns DESC LIMIT 3");
        QCOMPARE(m_panel->table()->rowCount(), size_t(3));
        QVERIFY(m_panel->hint().isEmpty());
        QSignalSpy revealed(m_view.get(), &ViewState::revealRequested);
        emit m_panel->view()->tableRowActivated(0);
        QCOMPARE(revealed.size(), 1);
        QVERIFY(m_scene->holds(m_panel->table()->longest(0)));
        QVERIFY(m_panel->commandLine().startsWith("lockstep --sql 'SELECT id, name"));
    }

    void errorsAreShownAndClearTheResult()
    {
        ask("SELECT 1");
        ask("SELECT nonsense FROM kernel");
        QVERIFY(m_panel->table() == nullptr);
        QVERIFY2(m_panel->hint().contains("no such column: nonsense"), qPrintable(m_panel->hint()));
        ask("DELETE FROM slice");
        QVERIFY(m_panel->hint().contains("only SELECT, WITH and VALUES"));
        ask("SELECT * FROM kernel WHERE name = 'nobody'");
        QCOMPARE(m_panel->hint(), QString("No rows."));
    }

    // Stopped by its button; a stopped query shows no further messages.
    void endlessQueriesStop()
    {
        QSignalSpy answers(m_panel.get(), &SqlPanel::answered);
        m_panel->editor()->setPlainText(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        QTest::keyClick(m_panel->editor(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(m_panel->isBusy());
        for (auto* const button : m_panel->findChildren<QPushButton*>()) {
            if (button->text() == "Stop") QTest::mouseClick(button, Qt::LeftButton);
        }
        QVERIFY(!m_panel->isBusy());
        QCOMPARE(m_panel->hint(), QString("Stopped."));
        ask("SELECT 1 AS one");
        QCOMPARE(answers.size(), 1);
    }

    // Report keys are the same but rows may differ: an outdated answer leads nowhere, with a message.
    void outdatedAnswerIsReported()
    {
        ask("SELECT id FROM kernel LIMIT 1");
        auto later = std::make_shared<Scene>(*m_scene);
        later->generation = m_scene->generation + 1;
        m_panel->setScene(later);
        QVERIFY(m_panel->findChildren<QLabel*>().size() > 0);
        const auto labels = m_panel->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(
            labels, [](QLabel* label) { return label->text().contains("Run the query again"); }));
        QSignalSpy revealed(m_view.get(), &ViewState::revealRequested);
        emit m_panel->view()->tableRowActivated(0);
        QVERIFY(revealed.isEmpty());
    }

    void namesAreCompleted()
    {
        QCOMPARE(m_panel->schema()->topLevelItemCount(), int(sqlTables().size()));
        for (int i = 0; i < m_panel->schema()->topLevelItemCount(); ++i) {
            const QTreeWidgetItem* const item = m_panel->schema()->topLevelItem(i);
            QCOMPARE(item->childCount(), int(sqlTables()[size_t(i)].columns.size()));
            QVERIFY(!item->child(0)->toolTip(0).isEmpty());
        }
        m_panel->editor()->setPlainText("SELECT 1 FROM");
        m_panel->editor()->moveCursor(QTextCursor::End);
        emit m_panel->schema()->itemDoubleClicked(m_panel->schema()->topLevelItem(0), 0);
        QCOMPARE(m_panel->editor()->toPlainText(), QString("SELECT 1 FROM report"));
        m_panel->editor()->setPlainText("");
        QTest::keyClicks(m_panel->editor(), "dura");
        auto* const completer = m_panel->editor()->findChild<QCompleter*>();
        QVERIFY(completer->popup()->isVisible());
        QCOMPARE(completer->currentCompletion(), QString("duration_ns"));
        completer->popup()->hide();
    }

    // These reports answer every example query.
    void examplesRun()
    {
        auto* const examples = m_panel->findChild<QComboBox*>();
        QVERIFY(examples->count() > 5);
        for (int i = 1; i < examples->count(); ++i) {
            QSignalSpy answers(m_panel.get(), &SqlPanel::answered);
            emit examples->activated(i);
            QTRY_COMPARE(answers.size(), 1);
            QVERIFY2(m_panel->table() != nullptr, qPrintable(m_panel->hint()));
        }
    }

    void noReportIsOpen()
    {
        m_panel->setScene(std::make_shared<const Scene>());
        m_panel->run();
        QVERIFY(!m_panel->isBusy());
        QVERIFY(m_panel->hint().contains("No reports visible"));
    }

  private:
    void ask(const char* query)
    {
        QSignalSpy answers(m_panel.get(), &SqlPanel::answered);
        m_panel->editor()->setPlainText(query);
        QTest::keyClick(m_panel->editor(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(answers.size(), 1);
    }

    ScenePtr m_scene;
    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<SqlPanel> m_panel;
};

LOCKSTEP_TEST(SqlPanelTest, "sql_panel_test")
#include "sql_panel_test.moc"
