// SPDX-License-Identifier: Apache-2.0
// Tests what a screen reader gets of an EventTable: a table with all rows, cells with their texts and places,
// and the current cell. Many rows must cost no more than a screen.
#include "ui/events/event_table_accessible.h"

#include <QtTest>

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/events/events_panel.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class EventTableAccessibleTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_view = std::make_unique<ViewState>();
        m_view->setScopeChoice(ScopeChoice::whole);
        m_panel = std::make_unique<EventsPanel>(*m_view, test::workers());
        m_panel->resize(1280, 320);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        m_panel->setScene(test::madeScene(test::madeWorkspace(4)));
        QTRY_VERIFY(!m_panel->isBusy() && table().model().rowCount() > 100);
    }

    void cleanup()
    {
        m_panel.reset();
        m_view.reset();
    }

    void allRowsAreReachable()
    {
        QCOMPARE(tree()->role(), QAccessible::Table);
        QCOMPARE(tree()->text(QAccessible::Name), QString("Events"));
        QCOMPARE(rows()->rowCount(), table().model().rowCount());
        QCOMPARE(static_cast<size_t>(rows()->columnCount()), table().columns().size());
        const int last = rows()->rowCount() - 1;
        for (const int row : {0, last}) {
            for (int column = 0; column < rows()->columnCount(); ++column) {
                QAccessibleInterface* const cell = rows()->cellAt(row, column);
                QVERIFY(cell != nullptr && cell->isValid());
                QCOMPARE(cell->role(), QAccessible::Cell);
                QCOMPARE(cell->parent(), tree());
                const int section = static_cast<int>(table().columns()[static_cast<size_t>(column)].column);
                QCOMPARE(cell->text(QAccessible::Name),
                         table().model().index(row, section).data(Qt::DisplayRole).toString());
                QCOMPARE(cell->tableCellInterface()->rowIndex(), row);
                QCOMPARE(cell->tableCellInterface()->columnIndex(), column);
                QVERIFY(!rows()->columnDescription(column).isEmpty());
            }
        }
        QVERIFY(rows()->cellAt(last, 0)->state().offscreen && !rows()->cellAt(0, 0)->state().offscreen);
        QVERIFY(rows()->cellAt(last + 1, 0) == nullptr && rows()->cellAt(-1, 0) == nullptr);
        QVERIFY(rows()->cellAt(0, rows()->columnCount()) == nullptr);
    }

    void cellsOnScreenAreChildren()
    {
        table().setCurrentRow(rows()->rowCount() / 2);
        QCOMPARE(tree()->childCount(), table().rowsShown() * rows()->columnCount());
        for (int i = 0; i < tree()->childCount(); ++i) {
            QAccessibleInterface* const cell = tree()->child(i);
            QCOMPARE(tree()->indexOfChild(cell), i);
            const QRect place = cell->rect();
            if (!table().viewport()->rect().contains(table().viewport()->mapFromGlobal(place.center())))
                continue; // a column beyond the edge
            QCOMPARE(tree()->childAt(place.center().x(), place.center().y()), cell);
        }
        QVERIFY(tree()->child(-1) == nullptr && tree()->child(tree()->childCount()) == nullptr);
        QCOMPARE(tree()->indexOfChild(rows()->cellAt(0, 0)), -1);
    }

    void currentCellHasTheFocus()
    {
        table().setFocus();
        QTest::keyClick(&table(), Qt::Key_Home);
        QTest::keyClick(&table(), Qt::Key_Down);
        QAccessibleInterface* const cell = tree()->focusChild();
        QVERIFY(cell != nullptr && cell->state().focused && cell->state().selected);
        QCOMPARE(cell->tableCellInterface()->rowIndex(), 1);
        QCOMPARE(rows()->selectedCellCount(), 1);
        QVERIFY(!rows()->isRowSelected(1)); // one cell of it is
        QTest::keyClick(&table(), Qt::Key_A, Qt::ControlModifier);
        QVERIFY(rows()->isRowSelected(0) && rows()->isRowSelected(rows()->rowCount() - 1));
        QCOMPARE(rows()->selectedRowCount(), table().rowsShown());
    }

    void selectedRowIsShownInTheTimeline()
    {
        QVERIFY(rows()->selectRow(3));
        QCOMPARE(table().currentRow(), 3);
        QCOMPARE(m_view->slice(), table().model().sliceAt(3));
        QVERIFY(!rows()->selectRow(-1) && !rows()->selectRow(rows()->rowCount()));
    }

    // A screen reader may walk through everything, and keep cells of a list that is gone.
    void manyCellsAreNotKept()
    {
        QAccessibleInterface* kept = nullptr;
        for (int row = 0; row < rows()->rowCount(); ++row) {
            for (int column = 0; column < rows()->columnCount(); ++column)
                QVERIFY((kept = rows()->cellAt(row, column)) != nullptr);
        }
        table().setList(nullptr);
        QVERIFY(!kept->isValid() && kept->text(QAccessible::Name).isEmpty());
        QCOMPARE(tree()->childCount(), 0);
        QCOMPARE(rows()->rowCount(), 0);
    }

  private:
    EventTable& table() { return *m_panel->table(); }
    QAccessibleInterface* tree() { return QAccessible::queryAccessibleInterface(&table()); }
    QAccessibleTableInterface* rows() { return tree()->tableInterface(); }

    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<EventsPanel> m_panel;
};

LOCKSTEP_TEST(EventTableAccessibleTest, "event_table_accessible_test")
#include "event_table_accessible_test.moc"
