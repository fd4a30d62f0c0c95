// SPDX-License-Identifier: Apache-2.0
// Tests SqlPanel: a query is written, run, answered and stopped; an error shows its position; rows lead to
// slices; tabs keep several answers; queries and the history are stored.
#include "ui/sql/sql_panel.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>
#include <QTreeWidget>

#include "core/sql/ready_queries.h"
#include "core/sql/sql_table.h"
#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/test_registry.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/sql/query_tab.h"
#include "ui/window/command_table.h"
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
        QTest::mouseClick(buttonNamed("Stop"), Qt::LeftButton);
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
        m_panel->setScene(later); // only the lanes changed
        QVERIFY(!hasLabel("Run the query again"));
        later = std::make_shared<Scene>(*later);
        later->dataGeneration = m_scene->dataGeneration + 1;
        m_panel->setScene(later);
        QVERIFY(hasLabel("Run the query again"));
        QSignalSpy revealed(m_view.get(), &ViewState::revealRequested);
        emit m_panel->view()->tableRowActivated(0);
        QVERIFY(revealed.isEmpty());
        const std::weak_ptr<const Scene> old = std::exchange(m_scene, later);
        QTRY_VERIFY(old.expired()); // an outdated answer does not keep closed reports in memory
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

    void readyQueriesAreOffered()
    {
        size_t count = 0;
        for (const QAction* const group : test::part<QToolButton>(*m_panel, "ready").menu()->actions())
            count += size_t(group->menu()->actions().size());
        QCOMPARE(count, readyQueries().size());
        QSignalSpy answers(m_panel.get(), &SqlPanel::answered);
        QAction* const ready =
            test::part<QToolButton>(*m_panel, "ready").menu()->actions().last()->menu()->actions().first();
        QVERIFY(ready->toolTip().startsWith("SELECT"));
        ready->trigger();
        QTRY_COMPARE(answers.size(), 1);
        QVERIFY2(m_panel->table() != nullptr, qPrintable(m_panel->hint()));
        QVERIFY(m_panel->tabs()->tabText(0).startsWith("Clock error bound"));
    }

    // Each tab has its own query, answer and sorting; closing a tab releases its answer.
    void tabsKeepTheirAnswers()
    {
        ask("SELECT 1 AS one");
        QTest::keyClick(m_panel->editor(), Qt::Key_T, Qt::ControlModifier);
        QCOMPARE(m_panel->tabs()->count(), 2);
        QVERIFY(m_panel->table() == nullptr);
        QVERIFY(m_panel->editor()->hasFocus());
        ask("SELECT 2 AS two UNION SELECT 3");
        const QPointer<QueryTab> second = m_panel->tab();
        m_panel->tabs()->setCurrentIndex(0);
        QCOMPARE(m_panel->editor()->toPlainText(), QString("SELECT 1 AS one"));
        QCOMPARE(m_panel->table()->rowCount(), size_t(1));
        m_panel->tabs()->setCurrentIndex(1);
        QCOMPARE(m_panel->table()->rowCount(), size_t(2));
        QTest::keyClick(m_panel->editor(), Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(m_panel->tabs()->count(), 1);
        QCOMPARE(m_panel->editor()->toPlainText(), QString("SELECT 1 AS one"));
        QTRY_VERIFY(second.isNull());
        auto* const close = qobject_cast<QToolButton*>(m_panel->tabs()->tabButton(0, QTabBar::RightSide));
        QTest::mouseClick(close, Qt::LeftButton); // the last tab is replaced by an empty one
        QCOMPARE(m_panel->tabs()->count(), 1);
        QVERIFY(m_panel->table() == nullptr);
        QVERIFY(m_panel->editor()->toPlainText().isEmpty());
    }

    void tabsAreLimitedAndRunAtTheSameTime()
    {
        m_panel->editor()->setPlainText(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        QTest::keyClick(m_panel->editor(), Qt::Key_Return, Qt::ControlModifier);
        for (int i = 0; i < SqlPanel::kMaxTabs + 2; ++i)
            m_panel->addTab();
        QCOMPARE(m_panel->tabs()->count(), SqlPanel::kMaxTabs);
        QVERIFY(hasLabel("No more than 12 tabs"));
        ask("SELECT 1 AS one");
        QVERIFY(m_panel->table() != nullptr && m_panel->isBusy());
        m_panel->closeTab(0); // stops its query
        QVERIFY(!m_panel->isBusy());
        QCOMPARE(m_panel->tabs()->count(), SqlPanel::kMaxTabs - 1);
    }

    void historyIsStored()
    {
        const QSignalSpy changes(m_panel.get(), &SqlPanel::historyChanged);
        ask("SELECT 1");
        ask("SELECT 2\nFROM kernel LIMIT 1");
        ask("SELECT 1");
        QCOMPARE(changes.size(), 3);
        SqlPanel next(*m_view);
        next.setHistoryText(changes.last()[0].toString());
        QMenu& menu = *test::part<QToolButton>(next, "history").menu();
        emit menu.aboutToShow();
        QCOMPARE(menu.actions().at(0)->text(), QString("SELECT 1"));
        QCOMPARE(menu.actions().at(1)->text(), QString("SELECT 2 FROM kernel LIMIT 1"));
        menu.actions().at(1)->trigger();
        QCOMPARE(next.editor()->toPlainText(), QString("SELECT 2\nFROM kernel LIMIT 1"));
        QVERIFY(!next.isBusy());
        const QSignalSpy clears(&next, &SqlPanel::historyChanged);
        menu.actions().last()->trigger();
        QCOMPARE(clears.last()[0].toString(), QString("[]"));
        next.setHistoryText("damaged");
        emit menu.aboutToShow();
        QVERIFY(!menu.actions().at(0)->isEnabled());
    }

    void queriesAreSavedAndRemoved()
    {
        const QSignalSpy changes(m_panel.get(), &SqlPanel::savedChanged);
        ask("SELECT 'a & b' AS text");
        QMenu& menu = *test::part<QToolButton>(*m_panel, "saved").menu();
        emit menu.aboutToShow();
        menu.actions().first()->trigger();
        auto* const dialog = m_panel->findChild<QInputDialog*>("queryName");
        QTRY_VERIFY(dialog->isVisible());
        dialog->setTextValue("  A & B ");
        dialog->accept();
        QCOMPARE(changes.size(), 1);
        QCOMPARE(m_panel->tabs()->tabText(0), QString("A && B"));
        m_panel->editor()->setPlainText("SELECT 2");
        emit menu.aboutToShow();
        QSignalSpy answers(m_panel.get(), &SqlPanel::answered);
        menu.actions().at(2)->trigger();
        QTRY_COMPARE(answers.size(), 1);
        QCOMPARE(m_panel->editor()->toPlainText(), QString("SELECT 'a & b' AS text"));
        menu.actions().last()->menu()->actions().first()->trigger();
        QCOMPARE(changes.last()[0].toString(), QString("[]"));
        m_panel->setSavedText(changes.first()[0].toString());
        emit menu.aboutToShow();
        QCOMPARE(menu.actions().at(2)->text(), QString("A && B"));
    }

    // The window's command saves the table with the focus.
    void answerIsSavedByTheWindowsCommand()
    {
        QAction save(m_panel.get());
        save.setObjectName(commandSpec(CommandId::saveTable).title);
        const QSignalSpy saves(&save, &QAction::triggered);
        QPushButton* const button = buttonNamed("Save result\u2026");
        QVERIFY(!button->isEnabled());
        ask("SELECT 1 WHERE 0");
        QVERIFY(!button->isEnabled());
        ask("SELECT 1 AS one");
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(saves.size(), 1);
        QVERIFY(m_panel->view()->hasFocus());
    }

    // "Show as lane" requires a column ts, and passes the answer of the tab, not the text in its editor.
    void answersAreShownAsLanes()
    {
        QPushButton* const button = buttonNamed("Show as lane");
        QVERIFY(!button->isEnabled());
        QVERIFY(button->toolTip().contains("integer column ts"));
        ask("SELECT start_ns, duration_ns AS dur FROM kernel");
        QVERIFY(!button->isEnabled());
        ask("SELECT start_ns AS ts FROM kernel WHERE 0");
        QVERIFY(!button->isEnabled());
        ask("SELECT start_ns AS ts, duration_ns AS dur, name FROM kernel LIMIT 7");
        QVERIFY(button->isEnabled());
        QVERIFY(button->toolTip().contains("do not count them"));
        const QSignalSpy requests(m_panel.get(), &SqlPanel::lanesRequested);
        m_panel->editor()->setPlainText("SELECT 2");
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(requests.size(), 1);
        QCOMPARE(requests[0][0].toString(), QString("Query 1"));
        QVERIFY(requests[0][1].toString().endsWith("LIMIT 7"));
        QVERIFY(requests[0][2].value<std::shared_ptr<const Table>>().get() == m_panel->table());
        auto later = std::make_shared<Scene>(*m_scene);
        ++later->dataGeneration;
        m_panel->setScene(later);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(requests[1][2].value<std::shared_ptr<const Table>>() == nullptr); // outdated
    }

    // The bottom dock of a small window.
    void everythingFitsAtSmallSizes()
    {
        m_panel->resize(1280, 200);
        ask("SELECT name, duration_ns FROM kernel LIMIT 5");
        QVERIFY2(m_panel->minimumSizeHint().width() <= 1000,
                 qPrintable(QString::number(m_panel->minimumSizeHint().width())));
        QVERIFY(m_panel->minimumSizeHint().height() <= 200);
        QVERIFY(m_panel->view()->height() >= 90);
        for (const auto* const button : m_panel->tab()->findChildren<QPushButton*>()) {
            if (button->isVisible()) QVERIFY(button->width() >= button->minimumSizeHint().width());
        }
    }

    void noReportIsOpen()
    {
        m_panel->setScene(std::make_shared<const Scene>());
        QTest::keyClick(m_panel->editor(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!m_panel->isBusy());
        QVERIFY(m_panel->hint().contains("No reports visible"));
    }

  private:
    bool hasLabel(const QString& text) const
    {
        const auto labels = m_panel->tab()->findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](QLabel* label) { return label->text().contains(text); });
    }
    QPushButton* buttonNamed(const QString& text) const
    {
        for (auto* const button : m_panel->tab()->findChildren<QPushButton*>()) {
            if (button->text() == text) return button;
        }
        qFatal("no button %s", qPrintable(text));
    }
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
