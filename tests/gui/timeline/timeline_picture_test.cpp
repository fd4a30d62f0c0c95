// SPDX-License-Identifier: Apache-2.0
// Tests pictures of generated workspaces: they have the colors of their contents, in both themes, at the
// smallest and largest sizes. With LOCKSTEP_PICTURES=FOLDER the pictures are saved.
#include "ui/timeline/timeline_picture.h"

#include <set>

#include <QColor>
#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

#include "tests/support/made_reports.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/watched_pool.h"
#include "ui/style/style_sheet.h"
#include "ui/style/theme.h"

using namespace lockstep;

namespace {

void keep(const QImage& image, const QString& name)
{
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty()) image.save(folder + "/" + name + ".png");
}

size_t countOf(const QImage& image, const QColor& color)
{
    size_t count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixel(x, y) == color.rgb() ? 1u : 0u;
    }
    return count;
}

PictureOptions optionsOf(bool dark, QSize size)
{
    PictureOptions options;
    options.dark = dark;
    options.size = size;
    return options;
}

} // namespace

class TimelinePictureTest : public QObject {
    Q_OBJECT

  private slots:
    // All workers make the minimap, lanes and pixels, and the result does not depend on the worker.
    void allWorkersDraw()
    {
        const ScenePtr made = test::madeScene(test::madeWorkspace());
        PictureOptions options = optionsOf(true, {1400, 900});
        const QImage alone = timelineImage(made, options).value();
        const auto pool = std::make_shared<test::WatchedPool>(3);
        options.workers = Workers(pool);
        QVERIFY(timelineImage(made, options).value() == alone);
        QVERIFY(pool->threadsSeen() > 1);
        constexpr size_t kOverview = 1, kLayOut = 2, kPixels = 1, kLabels = 1;
        QCOMPARE(pool->sharedLoops(), kOverview + kLayOut + kPixels + kLabels);
    }

    // The same spans drawn as pixels and as vectors: nothing differs except the edges of letters.
    void vectorsShowTheSamePixels()
    {
        const test::TempDir folder;
        const ScenePtr made = test::madeScene(test::madeWorkspace(1));
        for (const double scale : {1.0, 1.5, 2.0}) {
            PictureOptions options = optionsOf(true, {1400, 900});
            options.scale = scale;
            const QImage image = timelineImage(made, options).value();
            QVERIFY(writeTimelineSvg(folder.path() / "t.svg", made, options));
            QImage vectors(image.size(), QImage::Format_RGB32);
            QSvgRenderer renderer(QString::fromStdString((folder.path() / "t.svg").string()));
            QVERIFY(renderer.isValid());
            QPainter painter(&vectors);
            QFont font = painter.font();
            disableLigatures(font); // Qt ignores the font features of the SVG
            painter.setFont(font);
            renderer.render(&painter);
            painter.end();
            size_t differing = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor a(image.pixel(x, y)), b(vectors.pixel(x, y));
                    differing += std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                                             std::abs(a.blue() - b.blue()) >
                                         48
                                     ? 1u
                                     : 0u;
                }
            }
            const double part = static_cast<double>(differing) / (image.width() * image.height());
            QVERIFY2(part < 0.03, qPrintable(QString("scale %1: %2 % differ").arg(scale).arg(part * 100)));
        }
    }

    // An empty picture has text in the theme's muted color, in PNG and SVG.
    void emptyPictureShowsTheReason()
    {
        const auto textIn = [](const Workspace& workspace, const std::string& lanes) {
            const ScenePtr scene = test::madeScene(workspace);
            PictureOptions options = optionsOf(false, {900, 300});
            options.lanesRegex = lanes;
            const auto image = timelineImage(scene, options);
            if (!image || countOf(*image, lightTheme().mutedText) < 50) return QString("no text");
            const test::TempDir folder;
            if (!writeTimelineSvg(folder.path() / "t.svg", scene, options)) return QString("no SVG");
            QFile file(QString::fromStdString((folder.path() / "t.svg").string()));
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        QVERIFY(textIn(Workspace(), "").contains("no report is open"));
        Workspace rowless;
        rowless.add(ReportBuilder().freeze(Progress()).value());
        QVERIFY(textIn(rowless, "").contains("no slices and no counters"));
        QVERIFY(textIn(test::madeWorkspace(1), "no such lane").contains("No lane matches"));
    }

    void showsLanesInBothThemes()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        for (const bool dark : {false, true}) {
            for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)}) {
                const auto image = timelineImage(made, optionsOf(dark, size));
                QVERIFY(image.has_value());
                QCOMPARE(image->size(), size);
                const Theme& theme = dark ? darkTheme() : lightTheme();
                QVERIFY(countOf(*image, theme.roleColor("actor")) > 1000);
                keep(*image, QString("two_ranks_%1_%2").arg(dark ? "dark" : "light").arg(size.width()));
            }
        }
    }

    void zoomedInHasLabelsAndWideSlices()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        PictureOptions options = optionsOf(true, {1280, 900});
        options.range = TimeRange{{10'500'000}, {14'000'000}};
        const auto image = timelineImage(made, options);
        QVERIFY(image.has_value());
        keep(*image, "zoomed_dark");
        options.dark = false;
        options.utc = true;
        keep(timelineImage(made, options).value(), "zoomed_light_utc");
        bool foundCommunication = false;
        for (int shade = 0; shade < Theme::kShades; ++shade) {
            foundCommunication |=
                countOf(*image, darkTheme().shadeColor(SliceCategory::communication, shade)) > 500;
        }
        QVERIFY(foundCommunication);
    }

    void manyRanksAndLosses()
    {
        Workspace workspace = test::madeWorkspace(32, 1);
        const auto made = test::madeScene(workspace);
        keep(timelineImage(made, optionsOf(true, {1280, 720})).value(), "many_dark");
        Workspace odd;
        test::MadeRank rank;
        rank.utcAtZero_ns = 0;
        rank.losesRows = true;
        odd.add(test::madeRank(rank));
        const auto lost = test::madeScene(odd);
        const auto image = timelineImage(lost, optionsOf(false, {1280, 720}));
        keep(*image, "lost_light");
        QVERIFY(countOf(*image, lightTheme().bad) > 0);
    }

    void filtersLanesAndChoosesHeight()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        PictureOptions options = optionsOf(false, {800, 0});
        const auto all = timelineImage(made, options);
        options.lanesRegex = "stream 20";
        const auto some = timelineImage(made, options);
        QVERIFY(some->height() < all->height());
        options.lanesRegex = "(";
        QCOMPARE(timelineImage(made, options).error().kind, ErrorKind::invalid);
        options.lanesRegex.clear();
        options.size = {20, 20};
        QCOMPARE(timelineImage(made, options).error().kind, ErrorKind::invalid);
    }

    void emptyWorkspaceIsNotAnError()
    {
        QVERIFY(timelineImage(std::make_shared<const Scene>(), optionsOf(true, {640, 480})).has_value());
    }

    void writesSvg()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        const test::TempDir folder;
        const auto bytes = writeTimelineSvg(folder.path() / "t.svg", made, optionsOf(false, {1280, 720}));
        QVERIFY(bytes.has_value());
        QFile file(QString::fromStdString((folder.path() / "t.svg").string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        QCOMPARE(static_cast<uint64_t>(svg.size()), *bytes);
        QVERIFY(svg.contains("stream 20"));
        QVERIFY(svg.contains("</svg>"));
        QVERIFY(svg.size() < 8'000'000);
        const auto refused = writeTimelineSvg(folder.path() / "no" / "t.svg", made, {});
        QCOMPARE(refused.error().kind, ErrorKind::io);
    }

    // One page without a date: equal pictures are equal files.
    void writesPdf()
    {
        const auto made = test::madeScene(test::madeWorkspace(1));
        const auto pdf = timelinePdf(made, optionsOf(true, {1280, 720}));
        QVERIFY(pdf.has_value() && pdf->starts_with("%PDF-"));
        QVERIFY(pdf->find("/CreationDate (D:19700101000000") != std::string::npos);
        QVERIFY(pdf->find("/Count 1") != std::string::npos);
        QTest::qWait(1'100); // the clock's second changes
        QVERIFY(*timelinePdf(made, optionsOf(true, {1280, 720})) == *pdf);
    }
};

LOCKSTEP_TEST(TimelinePictureTest, "timeline_picture_test")
#include "timeline_picture_test.moc"
