// SPDX-License-Identifier: Apache-2.0
// Tests HistogramView: the names of its lines do not overlap, and bars are chosen by mouse and by keys.
#include "ui/charts/histogram_view.h"

#include <QSignalSpy>

#include "core/analysis/duration_histogram.h"
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
        HistogramView view(HistogramView::Choice::range);
        view.resize(400, 120);
        view.setHistogram(everyBar(), Qt::blue, {{median_us * 1e3, "median"}, {p95_us * 1e3, "p95"}});
        QCOMPARE(view.drawnLines().size(), size_t(showsBoth ? 2 : 1));
        QCOMPARE(view.drawnLines()[0].name, QString("median"));
    }

    void barsAreChosenByMouse()
    {
        HistogramView view(HistogramView::Choice::range);
        const QSignalSpy chosen(&view, &HistogramView::barsChosen);
        const auto bars = shown(view);
        const auto middleOf = [&](size_t bar) { return view.rectOfBar(bars[bar]).center(); };
        QTest::mousePress(&view, Qt::LeftButton, {}, middleOf(9));
        QTest::mouseMove(&view, middleOf(4));
        QVERIFY(chosen.isEmpty());
        QTest::mouseRelease(&view, Qt::LeftButton, {}, middleOf(4));
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0], QVariantList({bars[4].id, bars[9].id}));
        QVERIFY2(view.accessibleDescription().endsWith(": 6"), qPrintable(view.accessibleDescription()));
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(0, 50)); // before the first bar
        QCOMPARE(chosen[1], QVariantList({bars[0].id, bars[0].id}));
    }

    void barsAreChosenByKeys()
    {
        HistogramView view(HistogramView::Choice::range);
        const QSignalSpy chosen(&view, &HistogramView::barsChosen);
        const auto bars = shown(view);
        QTest::keyClick(&view, Qt::Key_Return); // no bar is chosen
        QVERIFY(chosen.isEmpty());
        for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Right})
            QTest::keyClick(&view, Qt::Key(key));
        QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
        QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
        QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier); // no further bar
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(chosen[0], QVariantList({bars[0].id, bars[2].id}));
        QTest::keyClick(&view, Qt::Key_Escape);
        QTest::keyClick(&view, Qt::Key_Left); // begins at the other end
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(chosen[1], QVariantList({bars.back().id, bars.back().id}));
    }

    void oneBarAtATime()
    {
        HistogramView view(HistogramView::Choice::oneBar);
        const QSignalSpy chosen(&view, &HistogramView::barsChosen);
        const auto bars = shown(view);
        QTest::mousePress(&view, Qt::LeftButton, {}, view.rectOfBar(bars[9]).center());
        QTest::mouseMove(&view, view.rectOfBar(bars[4]).center());
        QTest::mouseRelease(&view, Qt::LeftButton, {}, view.rectOfBar(bars[4]).center());
        QCOMPARE(chosen[0], QVariantList({bars[4].id, bars[4].id}));
        QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(chosen[1], QVariantList({bars[5].id, bars[5].id}));
    }

  private:
    // Returns bars from 1 us to 1 ms, each with one slice.
    static HistogramBars everyBar()
    {
        DurationHistogram histogram;
        histogram.first = DurationHistogram::barOf(1'000);
        histogram.bars.assign(static_cast<size_t>(DurationHistogram::barOf(999'000) - histogram.first + 1),
                              1);
        return histogramBarsOf(histogram);
    }

    static std::vector<HistogramBars::Bar> shown(HistogramView& view)
    {
        view.resize(400, 120);
        view.setHistogram(everyBar(), Qt::blue);
        view.show();
        return view.histogram().bars;
    }
};

LOCKSTEP_TEST(HistogramViewTest, "histogram_view_test")
#include "histogram_view_test.moc"
