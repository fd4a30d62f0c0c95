// SPDX-License-Identifier: Apache-2.0
// Proves the tolerance of the reference pictures: noise of anti-aliasing passes, and each error that a person
// would see in a timeline fails. See reference_picture.h.
#include <QPainter>
#include <QtTest>

#include "tests/gui/support/reference_picture.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/style/theme.h"
#include "ui/timeline/timeline_font.h"

using namespace lockstep;

namespace {

// How a drawing differs from the right one.
struct DrawingError {
    int laneShift = 0;     // pixels by which the lane is moved down
    int edgeShift = 0;     // pixels by which the end of one slice is moved to the right
    int shade = 0;         // number of shades by which one slice is lighter
    bool hasLabel = true;  // whether one slice has its label
    bool hasSlice = true;  // whether the slice of two pixels is drawn
    bool hasNarrow = true; // whether the slice of one pixel is drawn
    QString text = "norm"; // label of one slice
    int labelShift = 0;    // pixels by which the label is moved to the right
    int noise = 0;         // largest difference of a channel
};

constexpr int kDrawnRow = 20; // height of a row in pixels

// Draws one lane with four slices and two labels.
QImage drawnLane(bool isDark, const DrawingError& error = {})
{
    const Theme& theme = themeOf(isDark, false);
    QImage picture(200, 60, QImage::Format_RGB32);
    picture.fill(theme.lane);
    QPainter painter(&picture);
    painter.setFont(timelineFont(1));
    const auto slice = [&](int x, int width, int shade, const QString& label) {
        const QRect box(x, 20 + error.laneShift, width, kDrawnRow);
        const QColor color = theme.shadeColor(SliceCategory::compute, shade);
        painter.fillRect(box, color);
        painter.setPen(textColorOn(color));
        painter.drawText(QRectF(box).adjusted(4 + error.labelShift, 0, 0, 0), Qt::AlignVCenter, label);
    };
    slice(10, 60 + error.edgeShift, 2 + error.shade, error.text);
    slice(90, 50, 1, error.hasLabel ? "if" : "");
    if (error.hasSlice) slice(150, 2, 3, "");
    if (error.hasNarrow) slice(170, 1, 3, "");
    painter.end();
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            const auto moved = [&](int channel, int seed) {
                const int by = (x * 7 + y * 13 + seed * 5) % (2 * error.noise + 1) - error.noise;
                return std::clamp(channel + by, 0, 255);
            };
            const QRgb pixel = picture.pixel(x, y);
            picture.setPixel(x, y,
                             qRgb(moved(qRed(pixel), 0), moved(qGreen(pixel), 1), moved(qBlue(pixel), 2)));
        }
    }
    return picture;
}

} // namespace

class ReferencePictureTest : public QObject {
    Q_OBJECT

  private slots:
    void toleranceSeparatesNoiseFromErrors_data()
    {
        QTest::addColumn<DrawingError>("error");
        QTest::addColumn<bool>("isMatch");
        QTest::newRow("equal") << DrawingError{} << true;
        QTest::newRow("noise of 2 levels") << DrawingError{.noise = 2} << true;
        QTest::newRow("one edge moved by a pixel") << DrawingError{.edgeShift = 1} << true;
        QTest::newRow("one edge moved by two pixels") << DrawingError{.edgeShift = 2} << false;
        QTest::newRow("lane moved by a pixel") << DrawingError{.laneShift = 1} << false;
        QTest::newRow("next lighter shade") << DrawingError{.shade = 1} << false;
        QTest::newRow("next darker shade") << DrawingError{.shade = -1} << false;
        QTest::newRow("label missing") << DrawingError{.hasLabel = false} << false;
        QTest::newRow("label with another letter") << DrawingError{.text = "form"} << false;
        QTest::newRow("label moved by a pixel") << DrawingError{.labelShift = 1} << false;
        QTest::newRow("slice of two pixels missing") << DrawingError{.hasSlice = false} << false;
        QTest::newRow("slice missing, with noise") << DrawingError{.hasSlice = false, .noise = 2} << false;
    }

    void toleranceSeparatesNoiseFromErrors()
    {
        QFETCH(const DrawingError, error);
        QFETCH(const bool, isMatch);
        for (const bool isDark : {false, true}) {
            const auto found = test::pictureDifference(drawnLane(isDark, error), drawnLane(isDark));
            QVERIFY2(
                found.isMatch() == isMatch,
                qPrintable(QString("%1: %2 pixels differ").arg(isDark ? "dark" : "light").arg(found.pixels)));
        }
    }

    // A slice with another color is found however close the two colors are.
    void colorsDifferByMoreThanNoise()
    {
        const auto areFar = [](const QColor& a, const QColor& b) {
            return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                             std::abs(a.blue() - b.blue())}) > test::kChannelNoise;
        };
        for (const bool isDark : {false, true}) {
            const Theme& theme = themeOf(isDark, false);
            for (size_t c = 0; c < theme.categories.size(); ++c) {
                const auto category = static_cast<SliceCategory>(c);
                for (int shade = 1; shade < Theme::kShades; ++shade)
                    QVERIFY2(areFar(theme.shadeColor(category, shade), theme.shadeColor(category, shade - 1)),
                             qPrintable(QString("category %1, shade %2").arg(c).arg(shade)));
            }
        }
    }

    void otherSizeNeverMatches()
    {
        const QImage picture = drawnLane(false);
        QVERIFY(!test::pictureDifference(picture.copy(0, 0, 199, 60), picture).isMatch());
        QVERIFY(!test::pictureDifference(picture, QImage()).isMatch());
    }

    void differenceIsLocated()
    {
        const auto found = test::pictureDifference(drawnLane(true, {.hasSlice = false}), drawnLane(true));
        QCOMPARE(found.pixels, 2 * kDrawnRow);
        QCOMPARE(found.bounds, QRect(150, 20, 2, kDrawnRow));
        QCOMPARE(found.picture.pixelColor(150, 20), QColor(Qt::red));
        QCOMPARE(found.picture.pixelColor(152, 20).saturation(), 0);
    }

    // Without a reference the comparison fails, saves the picture and names its path.
    void missingReferenceFails()
    {
        const test::TempDir folder;
        const QByteArray before = qgetenv("LOCKSTEP_PICTURES"), update = qgetenv("LOCKSTEP_UPDATE_PICTURES");
        qputenv("LOCKSTEP_PICTURES", folder.path().c_str());
        qunsetenv("LOCKSTEP_UPDATE_PICTURES");
        const QImage picture = drawnLane(false);
        const QString problem = test::comparePicture(picture, "no_such_scene");
        for (const auto& [name, value] :
             {std::pair("LOCKSTEP_PICTURES", before), std::pair("LOCKSTEP_UPDATE_PICTURES", update)})
            value.isEmpty() ? qunsetenv(name) : qputenv(name, value);
        QVERIFY2(problem.contains("no such picture"), qPrintable(problem));
        const QString saved = QString::fromStdString((folder.path() / "no_such_scene_actual.png").string());
        QVERIFY2(problem.contains(saved), qPrintable(problem));
        QVERIFY(test::pictureDifference(QImage(saved), picture).pixels == 0);
    }
};

LOCKSTEP_TEST(ReferencePictureTest, "reference_picture_test")
#include "reference_picture_test.moc"
