// SPDX-License-Identifier: Apache-2.0
// Tests that long idle gaps are collapsed in the axis: the band is drawn, expanded and collapsed by clicks
// and a key, measured across in real time, and never hides what is inside.
#include <algorithm>
#include <array>

#include <QSignalSpy>
#include <QTest>

#include "tests/support/made_reports.h"
#include "tests/support/row_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/fold_painter.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_picture.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int64_t kSecond = 1'000'000'000, kUtc = 1'795'176'271 * kSecond;
constexpr int64_t kGap = 252 * kSecond;

std::shared_ptr<const Report> stepReport(const char* path, int step, int64_t utc_ns)
{
    test::RowReport rows(path);
    rows.identify(0, "actor", step, "node0");
    rows.setUtc(utc_ns);
    for (int64_t i = 0; i < 100; ++i)
        rows.kernel(i % 2 ? "gemm" : "softmax", i * 1'000'000, i * 1'000'000 + 900'000);
    return rows.finish();
}

// Two steps of 0.1 s, 252 s apart.
ScenePtr twoSteps(int64_t gap_ns = kGap)
{
    Workspace workspace;
    workspace.add(stepReport("step2.sqlite", 2, kUtc));
    workspace.add(stepReport("step3.sqlite", 3, kUtc + 100'000'000 + gap_ns));
    return test::madeScene(workspace);
}

struct FoldedView {
    ScenePtr made;
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;
    RulerBar* ruler;

    explicit FoldedView(ScenePtr scene = twoSteps()) : made(std::move(scene))
    {
        view.navigation().setReducedMotion(true);
        view.resize(1280, 500);
        view.setScene(made);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
        ruler = view.findChild<RulerBar*>();
    }

    std::vector<ScalePart> bands()
    {
        std::vector<ScalePart> out;
        for (const ScalePart& part : view.displayList().scale.parts()) {
            if (part.isFolded()) out.push_back(part);
        }
        return out;
    }
    QPoint inBand(double part = 0.5)
    {
        const ScalePart band = bands().at(0);
        return {view.displayList().headerWidth + band.begin + static_cast<int>(part * band.width()), 40};
    }
};

} // namespace

class TimelineFoldingTest : public QObject {
    Q_OBJECT

  private slots:
    void longGapIsABand()
    {
        FoldedView s;
        QCOMPARE(s.bands().size(), size_t{1});
        const ScalePart band = s.bands()[0];
        QCOMPARE(band.width(), kFoldWidth);
        QVERIFY(std::abs(band.gap.length().ns - kGap) < 100'000'000);
        // Both steps fill the rest, half each.
        QVERIFY(std::abs(band.begin + band.end - s.view.displayList().timeWidth()) < 4);
        FoldedView quicker(twoSteps(50 * kSecond));
        QVERIFY(quicker.bands().empty()); // less than a minute
    }

    void measuresRealTimeAcrossAGap()
    {
        FoldedView s;
        const int left = s.view.displayList().headerWidth, y = 40;
        const QPoint from(left + 200, y), to(left + 900, y);
        QTest::mousePress(s.canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(s.canvas, (from + to) / 2);
        QTest::mouseMove(s.canvas, to);
        QTest::mouseRelease(s.canvas, Qt::LeftButton, {}, to);
        QVERIFY(s.view.viewState().range().has_value());
        QVERIFY(s.view.viewState().range()->length().ns > kGap);
        QVERIFY(s.view.viewState().range()->length().ns < kGap + 200'000'000);
        QCOMPARE(s.canvas->timeAt(200 + left), s.view.viewState().range()->begin);
        const DisplayList& list = s.view.displayList();
        QCOMPARE(list.scale.pixelOf(s.view.viewState().range()->end), 900);
    }

    void clickExpandsAndRulerCollapsesAGap()
    {
        FoldedView s;
        const TimeRange seen = s.view.viewState().visible();
        QSignalSpy told(&s.notices, &Notices::posted);
        QTest::mouseMove(s.canvas, s.inBand());
        QVERIFY2(s.view.hover().lines().join(' ').contains("4 min 12 s"),
                 qPrintable(s.view.hover().lines().join('\n')));
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, s.inBand());
        QVERIFY(s.bands().empty());
        QCOMPARE(s.view.viewState().visible(), seen);
        QVERIFY(told.last().first().toString().startsWith("Gap of 4 min 12 s expanded"));
        // Expanded, the gap takes its true share of the width, which is nearly everything; the label in the
        // middle of the ruler collapses it.
        const int left = s.view.displayList().headerWidth;
        const QPoint middle(left + (s.ruler->width() - left) / 2, 8);
        QTest::mouseClick(s.ruler, Qt::LeftButton, {}, middle);
        QCOMPARE(s.bands().size(), size_t{1});
        QCOMPARE(s.view.viewState().visible(), seen);
        // In the ruler, the band itself expands the gap.
        QTest::mouseClick(s.ruler, Qt::LeftButton, {}, QPoint(s.inBand().x(), 20));
        QVERIFY(s.bands().empty());
    }

    void keyExpandsAndCollapsesGaps()
    {
        FoldedView s;
        s.view.setFocus();
        QTest::keyClick(&s.view, Qt::Key_B);
        QVERIFY(s.bands().empty());
        QTest::keyClick(&s.view, Qt::Key_B);
        QCOMPARE(s.bands().size(), size_t{1});
        QSignalSpy told(&s.notices, &Notices::posted);
        const TimeRange first{{0}, {50'000'000}};
        s.view.navigation().zoomTo(first);
        QTest::keyClick(&s.view, Qt::Key_B);
        QCOMPARE(told.last().first().toString(), QString("No gap in view"));
    }

    void navigatingIntoAGapExpandsIt()
    {
        FoldedView s;
        const TimeRange gap = s.bands()[0].gap;
        const TraceTime inside = gap.begin + Duration{100 * kSecond};
        s.view.navigation().showPosition({inside, inside + Duration{kSecond}});
        QVERIFY(s.bands().empty());
        QVERIFY(s.view.viewState().visible().contains(inside));
        // A gap that fills the view cannot be collapsed; instead its surroundings come into view.
        s.view.navigation().zoomTo({inside, inside + Duration{kSecond}});
        QTest::keyClick(&s.view, Qt::Key_B);
        QCOMPARE(s.bands().size(), size_t{1});
        QVERIFY(s.view.viewState().visible().begin < gap.begin && gap.end < s.view.viewState().visible().end);
    }

    void slicesNextToAGapAreHitWhereDrawn()
    {
        FoldedView s;
        const DisplayList& list = s.view.displayList();
        int met = 0;
        for (const DisplayRow& row : list.rows) {
            for (const SliceBox& box : row.boxes) {
                if (!box.slice.isValid()) continue;
                const Hit hit = hitTest(list, list.headerWidth + box.begin, row.y + row.height / 2, 0);
                QVERIFY(hit.gap.isEmpty());
                QCOMPARE(hit.slice.slice, box.slice);
                const TimeRange range =
                    s.made->alignment.map(row.track.report)
                        .alignedFromTrace(s.made->shown.report(row.track.report).slices.range(box.slice));
                QCOMPARE(list.scale.pixelOf(range.begin), int(box.begin));
                ++met;
            }
        }
        QVERIFY(met > 100);
    }

    void mousePanIsUniform()
    {
        FoldedView s;
        s.view.navigation().zoomTo({{20'000'000}, {kGap + 60'000'000}});
        const int before = s.bands().at(0).begin;
        const QPoint from(700, 60), to(640, 60);
        QTest::mousePress(s.canvas, Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(s.canvas, to);
        QTest::mouseRelease(s.canvas, Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY2(std::abs(s.bands().at(0).begin - (before - 60)) <= 2,
                 qPrintable(QString::number(s.bands().at(0).begin - before)));
    }

    // Whatever is first, and however the zero of the axis moves.
    void newReportsKeepTheViewsWallTime()
    {
        const std::array<int64_t, 3> utc_ns{kUtc, kUtc + kGap, kUtc + 3 * kGap};
        std::array<size_t, 3> order{0, 1, 2};
        do {
            Workspace workspace;
            const auto add = [&](size_t step) {
                workspace.add(stepReport("step.sqlite", static_cast<int>(step), utc_ns[step]));
                return test::madeScene(workspace);
            };
            FoldedView s(add(order[0]));
            s.view.navigation().zoomTo({{20'000'000}, {60'000'000}});
            const auto seen_ns = [&] {
                return *s.view.scene().alignment.utcAtZero_ns + s.view.viewState().visible().begin.ns;
            };
            const int64_t before_ns = seen_ns();
            for (const size_t step : {order[1], order[2]}) {
                s.view.setScene(add(step));
                QCOMPARE(seen_ns(), before_ns);
                QCOMPARE(s.view.viewState().visible().length(), Duration{40'000'000});
            }
            s.view.navigation().fitAll();
            QCOMPARE(s.bands().size(), size_t{2});
        } while (std::ranges::next_permutation(order).found);
    }

    void pictureCollapsesGapsToo()
    {
        PictureOptions options;
        options.size = {1280, 400};
        const auto image = timelineImage(twoSteps(), options);
        QVERIFY(image);
        FoldedView s;
        const int x = s.inBand().x();
        // The hatching covers the band, and nothing next to it.
        const auto countInk = [&](int at) {
            int ink = 0;
            for (int y = 300; y < 400; ++y)
                ink += image->pixelColor(at, y) == lightTheme().panel ? 0 : 1;
            return ink;
        };
        QVERIFY(countInk(x - 20) > 4 && countInk(x - 20) < 60);
    }
};

LOCKSTEP_TEST(TimelineFoldingTest, "timeline_folding_test")
#include "timeline_folding_test.moc"
