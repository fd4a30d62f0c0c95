// SPDX-License-Identifier: Apache-2.0
// Tests the bars and axes of histograms made from a table and from the durations of a selection.

#include "core/analysis/duration_histogram.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class HistogramBarsTest : public QObject {
    Q_OBJECT

  private slots:
    void tableShowsOneName()
    {
        Table table("cuda_gpu_kern_hist", "Durations");
        table.addColumn({"Name", "", ColumnType::text, 0, ""});
        table.addColumn({"From", "ns", ColumnType::time, 0, ""});
        table.addColumn({"To", "ns", ColumnType::time, 0, ""});
        table.addColumn({"Instances", "", ColumnType::integer, 0, ""});
        const auto add = [&](const char* name, int64_t from_ns, int64_t count) {
            table.addRow();
            table.setText(0, name);
            table.setNumber(1, from_ns);
            table.setNumber(2, from_ns + 1'000);
            table.setNumber(3, count);
        };
        add("gemm", 2'000, 3);
        add("copy", 0, 100);
        add("gemm", 3'000, -1);
        add("gemm", 5'000, kNoNumber);
        add("gemm", 8'000, 7);
        const TableChart chart = *chartOfTable(table);
        const HistogramBars gemm = histogramBarsOf(table, chart, 4);
        QCOMPARE(gemm.name, std::string("gemm"));
        QCOMPARE(gemm.countName, std::string("Instances"));
        QCOMPARE(gemm.otherRows, size_t(1));
        QCOMPARE(gemm.bars.size(), size_t(3));
        QCOMPARE(gemm.bars[1].count, 0.0); // not below the axis
        QCOMPARE(gemm.bars[2].id, 4);
        QCOMPARE(gemm.durations.from, 2'000.0);
        QCOMPARE(gemm.durations.to, 9'000.0);
        QCOMPARE(gemm.durations.unit.name, std::string("\u00B5s"));
        QCOMPARE(gemm.counts.to, 7.0);
        QVERIFY(histogramBarsOf(table, chart, 99).bars.empty());
    }

    void selectionIsLogarithmic()
    {
        DurationHistogram histogram;
        histogram.first = DurationHistogram::barOf(1'000);
        histogram.bars = {4, 0, 9};
        const HistogramBars shown = histogramBarsOf(histogram);
        QCOMPARE(shown.bars.size(), size_t(3));
        QCOMPARE(shown.bars[2].id, histogram.first + 2);
        QCOMPARE(shown.durations.scale, AxisScale::logarithmic);
        for (const HistogramBars::Bar& bar : shown.bars) // all bars have the same width
            QVERIFY(std::abs(shown.durations.shareOf(bar.to_ns) - shown.durations.shareOf(bar.from_ns) -
                             1 / 3.0) < 1e-9);
        QVERIFY(histogramBarsOf(DurationHistogram()).bars.empty());
    }
};

LOCKSTEP_TEST(HistogramBarsTest, "histogram_bars_test")
#include "histogram_bars_test.moc"
