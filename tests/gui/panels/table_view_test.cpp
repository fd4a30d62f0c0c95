// SPDX-License-Identifier: Apache-2.0
// Tests TableView: copies as TSV in screen order, sums, filter row, column chooser, keyboard, digits of equal
// width.
#include "ui/panels/table_view.h"

#include <QAbstractProxyModel>
#include <QLineEdit>
#include <QSignalSpy>

#include "core/analysis/table_header.h"
#include "tests/support/made_table.h"
#include "tests/support/model_testers.h"
#include "tests/support/test_registry.h"
#include "ui/models/table_model.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/table_cell_delegate.h"
#include "ui/panels/table_file.h"
#include "ui/style/style_sheet.h"

using namespace lockstep;

namespace {

std::shared_ptr<const Table> wideTable(int columns)
{
    Table table;
    for (int i = 0; i < columns; ++i)
        table.addColumn({"Column " + std::to_string(i), "", ColumnType::text, 0, "", {}, {}});
    return std::make_shared<const Table>(std::move(table));
}

} // namespace

class TableViewTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_model.setTable(test::madeTable());
        m_view = std::make_unique<TableView>();
        QVERIFY(test::testModels(*m_view) > 0);
        m_view->setTable(&m_model);
        m_view->resize(700, 200);
    }

    void copiesInScreenOrder()
    {
        m_view->horizontalHeader()->moveSection(3, 0); // the name column first
        m_view->sortByColumn(2, Qt::AscendingOrder);
        m_view->selectAll();
        QCOMPARE(m_view->selectionText(), "Name\tTime (%)\tTotal Time (ns)\tInstances\n"
                                          "nccl_ring\t0.5\t\t9\n"
                                          "flash fwd\t22.7\t8670000\t620\n"
                                          "gemm\t31.4\t11993499\t1842\n");
        m_view->clearSelection();
        QCOMPARE(m_view->selectionText(), "");
    }

    void shownRowsBecomeATable()
    {
        m_view->sortByColumn(2, Qt::AscendingOrder);
        m_view->setTextFilter("f");
        const Table table = tableOfRows(*m_view->model(), "Kernels");
        QCOMPARE(table.rowCount(), size_t(1));
        QCOMPARE(fileHeader(table, 1), std::string("Total Time (ns)"));
        QCOMPARE(table.cell(0, 0), std::string("22.7"));
        QCOMPARE(table.cell(1, 0), std::string("8670000"));
        QCOMPARE(table.column(1).type, ColumnType::real);
        QCOMPARE(table.column(3).type, ColumnType::text);
        m_view->setTextFilter({});
        const Table all = tableOfRows(*m_view->model(), "Kernels");
        QCOMPARE(all.rowCount(), size_t(3));
        QCOMPARE(all.cell(1, 0), std::string()); // no value
        QVERIFY(all.cell(0, 0) == "0.5" && all.cell(0, 1) == "22.7");
    }

    void partialSelectionKeepsItsCells()
    {
        m_view->sortByColumn(2, Qt::AscendingOrder);
        QItemSelectionModel* const selection = m_view->selectionModel();
        selection->select(m_view->model()->index(0, 2), QItemSelectionModel::Select);
        selection->select(m_view->model()->index(1, 0), QItemSelectionModel::Select);
        QCOMPARE(m_view->selectionText(), "Time (%)\tInstances\n\t9\n22.7\t\n");
    }

    void clicksLeadToRows()
    {
        m_view->show();
        QSignalSpy rows(m_view.get(), &TableView::tableRowNavigated);
        QWidget* const cells = m_view->viewport();
        const auto cell = [&](int row) {
            return m_view->visualRect(m_view->model()->index(row, 1)).center();
        };
        QTest::mouseClick(cells, Qt::LeftButton, {}, cell(0)); // also if it is the current row
        QTest::mouseClick(cells, Qt::LeftButton, {}, cell(0));
        QCOMPARE(rows.count(), 2);
        QTest::mouseClick(cells, Qt::LeftButton, Qt::ShiftModifier, cell(2)); // selects
        QTest::mousePress(cells, Qt::LeftButton, {}, cell(0));
        QTest::mouseMove(cells, cell(2));
        QTest::mouseRelease(cells, Qt::LeftButton, {}, cell(2)); // selects, too
        QCOMPARE(rows.count(), 2);
        m_view->sortByColumn(2, Qt::DescendingOrder);
        QTest::mouseClick(cells, Qt::LeftButton, {}, cell(2));
        const auto& filter = *qobject_cast<const QAbstractProxyModel*>(m_view->model());
        QCOMPARE(rows.back().front().toInt(), filter.mapToSource(filter.index(2, 1)).row());
    }

    void sumsNumbersOnly()
    {
        QSignalSpy summaries(m_view.get(), &TableView::summaryChanged);
        QItemSelectionModel* const selection = m_view->selectionModel();
        for (int row = 0; row < 3; ++row) {
            selection->select(m_view->model()->index(row, 2), QItemSelectionModel::Select);
            selection->select(m_view->model()->index(row, 3), QItemSelectionModel::Select);
        }
        QCOMPARE(m_view->summaryText(), "6 cells   sum 2,471   mean 823.667");
        QCOMPARE(summaries.last().first().toString(), m_view->summaryText());
    }

    void firstClickOnNumbersSortsDescending()
    {
        m_view->show();
        const auto click = [this](int column) {
            const QHeaderView* const header = m_view->horizontalHeader();
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                              QPoint(header->sectionViewportPosition(column) + 10, 8));
            return m_view->horizontalHeader()->sortIndicatorOrder();
        };
        QCOMPARE(click(2), Qt::DescendingOrder);
        QCOMPARE(m_view->model()->index(0, 2).data().toString(), QString("1,842"));
        QCOMPARE(click(2), Qt::AscendingOrder);
        QCOMPARE(click(3), Qt::AscendingOrder); // texts
        QCOMPARE(click(1), Qt::DescendingOrder);
    }

    void columnsFitTheirTexts()
    {
        Table table;
        table.addColumn({"Kind", "", ColumnType::text, 0, "", {}, {}});
        table.addRow();
        const QString kind = "spool.host_by_setting.illimitable_filigree";
        table.setText(0, kind.toStdString());
        m_model.setTable(std::make_shared<const Table>(std::move(table)));
        m_view->fitColumns();
        const int inner = m_view->columnWidth(0) - 2 * scaledPixels(8);
        QCOMPARE(QFontMetrics(m_view->font()).elidedText(kind, Qt::ElideRight, inner), kind);
    }

    void columnsGrowUnlessTheUserSetsTheirWidth()
    {
        const auto show = [this](const char* first, const char* second) {
            Table table;
            for (const char* const name : {"A", "B"})
                table.addColumn({name, "", ColumnType::text, 0, "", {}, {}});
            table.addRow();
            table.setText(0, first);
            table.setText(1, second);
            m_model.setTable(std::make_shared<const Table>(std::move(table)));
        };
        show("short", "short");
        m_view->fitColumns();
        const int narrow = m_view->columnWidth(0);
        m_view->setColumnWidth(1, 77);
        show("a rather longer text", "a rather longer text");
        QVERIFY(m_view->columnWidth(0) > narrow);
        QCOMPARE(m_view->columnWidth(1), 77);
        const int wide = m_view->columnWidth(0);
        show("short", "short");
        QCOMPARE(m_view->columnWidth(0), wide); // the columns do not jump while rows come and go
        m_view->fitColumns();
        QCOMPARE(m_view->columnWidth(0), narrow);
    }

    void filterRowFiltersAndClears()
    {
        m_view->show();
        FilterHeader* const header = m_view->filterHeader();
        QVERIFY(header->filterField(3) == nullptr);
        header->setFiltersShown(true);
        QTest::keyClicks(header->filterField(3), "nccl");
        QCOMPARE(m_view->shownRows(), 1);
        header->setFiltersShown(false);
        QCOMPARE(m_view->shownRows(), 3);
    }

    // Tables with different numbers of columns, one after another, with the filter row in use, visible or not
    // yet laid out.
    void filterRowFollowsAnyTable()
    {
        const auto tables = {test::madeTable(), std::shared_ptr<const Table>(), wideTable(12),
                             wideTable(1),      std::shared_ptr<const Table>(), wideTable(3)};
        for (const bool isShown : {true, false}) {
            m_view->setVisible(isShown);
            FilterHeader* const header = m_view->filterHeader();
            header->setFiltersShown(true);
            for (const auto& before : tables) {
                for (const auto& after : tables) {
                    m_model.setTable(before);
                    if (header->count() > 0) header->filterField(0)->setText("g");
                    if (header->count() > 2) m_view->horizontalHeader()->moveSection(2, 0);
                    m_model.setTable(after);
                    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
                    QCOMPARE(header->count(), after ? int(after->columnCount()) : 0);
                    QVERIFY(header->filterField(header->count()) == nullptr);
                    QVERIFY(header->count() == 0 || header->filterField(header->count() - 1) != nullptr);
                }
            }
            header->setFiltersShown(false);
        }
        m_view->filterHeader()->setFiltersShown(true);
        m_model.setTable(test::madeTable());
        m_view.reset(); // with text in its fields
        m_model.setTable(nullptr);
    }

    // Another table with the same columns: positions, widths and hidden columns are preserved.
    void columnsKeepTheirPlaces()
    {
        QHeaderView* const header = m_view->horizontalHeader();
        m_model.setTable(wideTable(5));
        header->moveSection(4, 1);
        header->resizeSection(2, 77);
        m_view->setColumnHidden(3, true);
        m_view->sortByColumn(1, Qt::DescendingOrder);
        m_model.setTable(nullptr);
        m_model.setTable(wideTable(5));
        QCOMPARE(header->visualIndex(4), 1);
        QCOMPARE(header->sectionSize(2), 77);
        QVERIFY(m_view->isColumnHidden(3));
        QCOMPARE(header->sortIndicatorSection(), 1);
    }

    void enterActivatesTheRow()
    {
        m_view->sortByColumn(2, Qt::AscendingOrder);
        QSignalSpy activated(m_view.get(), &TableView::tableRowActivated);
        m_view->selectTableRow(1);
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.first().first().toInt(), 1);
    }

    void digitsHaveEqualWidth()
    {
        const QFontMetrics metrics(m_view->font());
        QCOMPARE(TableCellDelegate::tabularWidth(metrics, "1111"),
                 TableCellDelegate::tabularWidth(metrics, "8888"));
    }

  private:
    TableModel m_model;
    std::unique_ptr<TableView> m_view;
};

LOCKSTEP_TEST(TableViewTest, "table_view_test")
#include "table_view_test.moc"
