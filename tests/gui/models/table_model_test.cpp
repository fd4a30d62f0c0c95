// SPDX-License-Identifier: Apache-2.0
// Tests TableModel and TableFilter: units, rounding, exact copies, sorting with missing values, filters of
// texts and numbers.
#include "ui/models/table_model.h"

#include <array>
#include <limits>

#include <QAbstractItemModelTester>

#include "tests/support/made_table.h"
#include "tests/support/test_registry.h"
#include "ui/models/table_filter.h"
#include "ui/models/table_roles.h"

using namespace lockstep;

class TableModelTest : public QObject {
    Q_OBJECT

  private slots:
    void showsShortAndCopiesExact()
    {
        TableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTable(test::madeTable());
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "Total Time (ms)");
        QCOMPARE(model.headerData(1, Qt::Horizontal, copyRole).toString(), "Total Time (ns)");
        QCOMPARE(model.index(0, 1).data().toString(), "11.993");
        QCOMPARE(model.index(0, 1).data(copyRole).toString(), "11993499");
        QCOMPARE(model.index(0, 2).data().toString(), "1,842");
        QCOMPARE(model.index(0, 0).data().toString(), "31.4");
        QVERIFY(!model.index(2, 1).data(numberRole).isValid());
        QCOMPARE(model.index(0, 1).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight, int(Qt::AlignRight));
        model.setTable(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void bytesHaveOneUnitPerColumn()
    {
        auto table = std::make_shared<Table>("made", "Made");
        table->headerStyle = HeaderStyle::identifier;
        table->addColumn({"at_peak", "B", ColumnType::bytes, 0, "Memory at the peak"});
        for (const int64_t size_bytes : {int64_t(65'712'345'678), int64_t(512), int64_t(-512), int64_t(0)}) {
            table->addRow();
            table->setNumber(0, size_bytes);
        }
        TableModel model;
        model.setTable(table);
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), "At peak (GiB)");
        QCOMPARE(model.index(0, 0).data().toString(), "61.199");
        QCOMPARE(model.index(1, 0).data().toString(), "<0.001");
        QCOMPARE(model.index(2, 0).data().toString(), ">\u22120.001");
        QCOMPARE(model.index(3, 0).data().toString(), "0.000");
        QCOMPARE(model.index(1, 0).data(Qt::ToolTipRole).toString(), "512 B: Memory at the peak");
        QCOMPARE(model.index(0, 0).data(copyRole).toString(), "65712345678");
    }

    void tooltipsShowTheNoteOfTheRow()
    {
        auto table = std::make_shared<Table>("made", "Made");
        table->addColumn({"Duration", "ns", ColumnType::time, 0, "Length of the gap"});
        table->addColumn({"Cause", "", ColumnType::text, 0, "Cause of the gap"});
        table->addColumn({"Host", "", ColumnType::text, 0, "Host name"});
        for (const char* const note : {"", "Cause: copy. The copy took 5 ns."}) {
            table->addRow();
            table->setNumber(0, 5);
            table->setText(1, "copy");
            table->setText(2, "node1");
            if (*note != 0) table->setNote(note);
        }
        TableModel model;
        model.setTable(table);
        const auto tooltip = [&](int row, int column) {
            return model.index(row, column).data(Qt::ToolTipRole).toString();
        };
        QCOMPARE(tooltip(0, 0), "Length of the gap");
        QCOMPARE(tooltip(0, 1), "copy");
        QCOMPARE(tooltip(1, 0), "Length of the gap\nCause: copy. The copy took 5 ns.");
        QCOMPARE(tooltip(1, 1), "Cause: copy. The copy took 5 ns.");
        QCOMPARE(tooltip(1, 2), "node1\nCause: copy. The copy took 5 ns.");
    }

    // Of a corrupt file: two times that do not fit in 64 bits together.
    void excessiveTotalsAreNotShown()
    {
        auto table = std::make_shared<Table>("made", "Made");
        table->addColumn({"total", "ns", ColumnType::time, 0, ""});
        table->markSums({"total"});
        for (int row = 0; row < 2; ++row) {
            table->addRow();
            table->setNumber(0, std::numeric_limits<int64_t>::max());
        }
        TableModel model;
        model.setTable(table);
        QCOMPARE(model.summaryText(0, std::array{0, 1}), QString("\u03A3 \u2013"));
    }

    void byteUnits()
    {
        QCOMPARE(byteColumnUnit(10'239).name, "B");
        QCOMPARE(byteColumnUnit(10'240).name, "KiB");
        QCOMPARE(byteColumnUnit(0x1p34).name, "GiB");
        QCOMPARE(byteColumnUnit(0x1p60).name, "TiB");
        QCOMPARE(byteCellText(10'239, byteColumnUnit(10'239)), "10,239");
    }

    void roundsHalfAway()
    {
        QCOMPARE(groupedFixedPoint(1'499'999, 6, 3), "1.500");
        QCOMPARE(groupedFixedPoint(1'499'499, 6, 3), "1.499");
        QCOMPARE(groupedFixedPoint(-1'500, 3, 0), "\u22122");
        QCOMPARE(groupedFixedPoint(-4, 1, 0), "0");
        QCOMPARE(groupedFixedPoint(12'345'678, 1, 1), "1,234,567.8");
        QCOMPARE(groupedFixedPoint(1'204'118'402, 9, 9), "1.204\u2009118\u2009402");
        QCOMPARE(groupedFixedPoint(1'234'567'890'123, 6, 5), "1,234,567.890\u200912");
    }

    void sortsWithGapsLast()
    {
        TableModel model;
        model.setTable(test::madeTable());
        TableFilter filter;
        filter.setSourceModel(&model);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            filter.sort(1, order);
            QCOMPARE(filter.index(2, 3).data().toString(), "nccl_ring");
            QCOMPARE(filter.index(0, 3).data().toString(),
                     order == Qt::DescendingOrder ? "gemm" : "flash\tfwd");
        }
    }

    void filtersTextsAndNumbers()
    {
        TableModel model;
        model.setTable(test::madeTable());
        TableFilter filter;
        filter.setSourceModel(&model);
        filter.setColumnFilter(3, "NCCL");
        QCOMPARE(filter.rowCount(), 1);
        filter.setColumnFilter(3, {});
        filter.setColumnFilter(2, ">= 620");
        QCOMPARE(filter.rowCount(), 2);
        filter.setColumnFilter(0, "<30");
        QCOMPARE(filter.rowCount(), 1);
        filter.setColumnFilter(0, {});
        filter.setColumnFilter(2, {});
        filter.setTextFilter("gem");
        QCOMPARE(filter.rowCount(), 1);
    }
};

LOCKSTEP_TEST(TableModelTest, "table_model_test")
#include "table_model_test.moc"
