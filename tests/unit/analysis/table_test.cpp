// SPDX-License-Identifier: Apache-2.0
// Tests tables: fixed-point texts, headers, sorting with absent values, reordering.
#include "core/analysis/table.h"

#include "core/analysis/table_header.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::columnCells;

namespace {

Table tableOfRows()
{
    Table table("made", "Made table");
    table.addColumn({"Avg", "ns", ColumnType::time, 1, "average"});
    table.addColumn({"Name", "", ColumnType::text, 0, "name"});
    const auto add = [&](int64_t average, const char* name) {
        table.addRow({ReportKey(0u), SliceId(uint32_t(table.rowCount()))});
        table.setNumber(0, average);
        table.setText(1, name);
    };
    add(25, "b");
    add(kNoNumber, "a");
    add(100, "");
    add(25, "c");
    return table;
}

} // namespace

class TableTest : public QObject {
    Q_OBJECT

  private slots:
    void fixedPoint()
    {
        QCOMPARE(fixedPointText(24'878'077, 1), std::string("2487807.7"));
        QCOMPARE(fixedPointText(-5, 3), std::string("-0.005"));
        QCOMPARE(fixedPointText(0, 2), std::string("0.00"));
        QCOMPARE(fixedPointText(12, 0), std::string("12"));
        QCOMPARE(fixedPointText(std::numeric_limits<int64_t>::min(), 1),
                 std::string("-922337203685477580.8"));
    }

    void headersNameTheUnit()
    {
        Table table = tableOfRows();
        QCOMPARE(fileHeader(table, 0), std::string("Avg (ns)"));
        QCOMPARE(fileHeader(table, 0, "ms"), std::string("Avg (ms)"));
        QCOMPARE(fileHeader(table, 1), std::string("Name"));
        table.headerStyle = HeaderStyle::identifier;
        QCOMPARE(fileHeader(table, 0), std::string("Avg_ns"));
        QCOMPARE(table.columnNamed("Name"), size_t(1));
        QCOMPARE(table.columnNamed("none"), table.columnCount());
    }

    void headersForPeopleAreWords()
    {
        Table table("t", "T");
        table.addColumn({"late_by_median", "ns", ColumnType::time, 0, ""});
        table.addColumn({"last_share", "%", ColumnType::percent, 1, ""});
        table.addColumn({"exposed_pctg", "", ColumnType::percent, 2, ""});
        table.addColumn({"CPU total", "ns", ColumnType::time, 0, ""});
        QCOMPARE(shownHeader(table, 0), std::string("late_by_median (ns)"));
        table.headerStyle = HeaderStyle::identifier;
        QCOMPARE(shownHeader(table, 0, "ms"), std::string("Late by, median (ms)"));
        QCOMPARE(shownHeader(table, 1), std::string("Last share (%)"));
        QCOMPARE(shownHeader(table, 2), std::string("Exposed share (%)"));
        QCOMPARE(fileHeader(table, 0), std::string("late_by_median_ns"));
        table.headerStyle = HeaderStyle::query;
        QCOMPARE(shownHeader(table, 0), std::string("late_by_median_ns"));
    }

    void absentValuesSortLast()
    {
        Table table = tableOfRows();
        QCOMPARE(sortedRows(table, 0, false), (std::vector<uint32_t>{0, 3, 2, 1}));
        QCOMPARE(sortedRows(table, 0, true), (std::vector<uint32_t>{2, 0, 3, 1}));
        QCOMPARE(sortedRows(table, 1, false), (std::vector<uint32_t>{1, 0, 3, 2}));
        QCOMPARE(sortedRows(table, 1, true), (std::vector<uint32_t>{3, 0, 1, 2}));
        table.reorder(sortedRows(table, 0, true));
        QCOMPARE(columnCells(table, "Name"), (std::vector<std::string>{"", "b", "c", "a"}));
        QCOMPARE(columnCells(table, "Avg"), (std::vector<std::string>{"10.0", "2.5", "2.5", ""}));
        QCOMPARE(table.longest(0).slice, SliceId(2u));
        QVERIFY(std::isnan(table.value(0, 3)));
        QCOMPARE(table.value(0, 1), 2.5);
    }

    void reorderMayDropRows()
    {
        Table table = tableOfRows();
        const std::vector<uint32_t> kept{3, 0};
        table.reorder(kept);
        QCOMPARE(table.rowCount(), size_t(2));
        QCOMPARE(columnCells(table, "Name"), (std::vector<std::string>{"c", "b"}));
    }

    void rangesFollowTheirRows()
    {
        Table table;
        const size_t number = table.addColumn({"N", "", ColumnType::integer, 0, "", {}, {}});
        for (int64_t row = 0; row < 4; ++row) {
            table.addRow();
            table.setNumber(number, row);
            if (row % 2 == 1) table.setRange({{row * 10}, {row * 10 + 5}});
        }
        table.addRow(); // without a range, like those at the end
        table.reorder(std::vector<uint32_t>{3, 4, 0, 1});
        const auto begin = [&](size_t row) { return table.range(row) ? table.range(row)->begin.ns : -1; };
        QCOMPARE(begin(0), 30);
        QCOMPARE(begin(1), -1);
        QCOMPARE(begin(2), -1);
        QCOMPARE(begin(3), 10);
        Table page = table.withoutRows();
        page.appendRows(table, 4);
        QVERIFY(page.range(0) == table.range(0) && page.range(3) == table.range(3) && !page.range(1));
        page.clearRows();
        QVERIFY(!page.range(0));
    }

    void notesFollowTheirRows()
    {
        Table table;
        for (int row = 0; row < 4; ++row) {
            table.addRow();
            if (row % 2 == 1) table.setNote("row " + std::to_string(row));
        }
        table.addRow(); // without a note, like those at the end
        const auto notes = [](const Table& of) {
            std::vector<std::string> out;
            for (size_t row = 0; row < of.rowCount(); ++row)
                out.emplace_back(of.note(row));
            return out;
        };
        QCOMPARE(notes(table), (std::vector<std::string>{"", "row 1", "", "row 3", ""}));
        table.reorder(std::vector<uint32_t>{3, 4, 0, 1});
        QCOMPARE(notes(table), (std::vector<std::string>{"row 3", "", "", "row 1"}));
        Table page = table.withoutRows();
        page.appendRows(table, 2);
        page.appendRows(table, 4);
        QCOMPARE(notes(page), (std::vector<std::string>{"row 3", "", "row 3", "", "", "row 1"}));
        page.clearRows();
        page.addRow();
        QCOMPARE(notes(page), std::vector<std::string>{""});
    }
};

LOCKSTEP_TEST(TableTest, "table_test")
#include "table_test.moc"
