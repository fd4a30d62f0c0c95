// SPDX-License-Identifier: Apache-2.0
// Tests the elements of painted charts: lengths of stacked bars, and axes in places of any size.
#include "ui/charts/chart_painter.h"

#include <QImage>
#include <QPainter>

#include "tests/support/test_registry.h"
#include "ui/style/theme.h"

using namespace lockstep;

class ChartPainterTest : public QObject {
    Q_OBJECT

  private slots:
    void segmentsFollowOneAnother()
    {
        QImage image(100, 10, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        const std::array segments{BarSegment{30, Qt::red}, BarSegment{-5, Qt::black},
                                  BarSegment{0, Qt::black}, BarSegment{20, Qt::blue}};
        QCOMPARE(paintStackedBar(painter, image.rect(), 100, segments), 50);
        QCOMPARE(image.pixelColor(29, 5), QColor(Qt::red));
        QCOMPARE(image.pixelColor(30, 5), QColor(Qt::white)); // the gap
        QCOMPARE(image.pixelColor(31, 5), QColor(Qt::blue));
        QCOMPARE(image.pixelColor(49, 5), QColor(Qt::blue));
        QCOMPARE(image.pixelColor(50, 5), QColor(Qt::white));
        QCOMPARE(paintStackedBar(painter, image.rect(), 40, segments), 100); // cut off at the end of the bar
        QCOMPARE(paintStackedBar(painter, image.rect(), 0, segments), 0);
    }

    void axesFitIntoAnyPlace()
    {
        QImage image(300, 100, QImage::Format_RGB32);
        QPainter painter(&image);
        const ChartAxis durations{1, 1e9, {}, AxisScale::logarithmic}, counts{0, 1234, {}, AxisScale::whole};
        for (const QRect& plot :
             {QRect(40, 10, 240, 70), QRect(40, 10, 3, 3), QRect(), QRect(9, 9, -50, -50)}) {
            paintBottomAxis(painter, durations, plot, lightTheme());
            paintLeftAxis(painter, counts, plot, lightTheme());
            QVERIFY(leftAxisWidth(counts, plot.height(), painter.fontMetrics()) > 0);
        }
    }
};

LOCKSTEP_TEST(ChartPainterTest, "chart_painter_test")
#include "chart_painter_test.moc"
