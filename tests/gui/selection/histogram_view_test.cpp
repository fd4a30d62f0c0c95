// SPDX-License-Identifier: Apache-2.0
// Tests that the names of the lines in a histogram of durations do not overlap.
#include "ui/selection/histogram_view.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class HistogramViewTest : public QObject {
    Q_OBJECT

  private slots:
    void namesDoNotOverlap_data()
    {
        QTest::addColumn<int>("median_us");
        QTest::addColumn<int>("p95_us");
        QTest::addColumn<bool>("showsBoth");
        QTest::newRow("apart") << 1 << 100 << true;
        QTest::newRow("equal") << 10 << 10 << false;
        QTest::newRow("close") << 10 << 11 << false;
        QTest::newRow("apart, p95 at the right end") << 1 << 990 << true;
        // Both names have the same place: that of p95 is on the left of its line, where the median's is.
        QTest::newRow("p95 at the right end, the median before it") << 700 << 990 << false;
        QTest::newRow("both at the right end") << 980 << 990 << false;
    }

    void namesDoNotOverlap()
    {
        QFETCH(int, median_us);
        QFETCH(int, p95_us);
        QFETCH(bool, showsBoth);
        HistogramView view;
        view.resize(400, 120);
        DurationHistogram histogram;
        histogram.first = DurationHistogram::barOf(1'000);
        histogram.bars.assign(static_cast<size_t>(DurationHistogram::barOf(999'000) - histogram.first + 1),
                              1);
        histogram.count = histogram.bars.size();
        histogram.median_ns = median_us * 1'000;
        histogram.p95_ns = p95_us * 1'000;
        view.setHistogram(histogram, Qt::blue);
        QCOMPARE(view.showsP95(), showsBoth);
    }
};

LOCKSTEP_TEST(HistogramViewTest, "histogram_view_test")
#include "histogram_view_test.moc"
