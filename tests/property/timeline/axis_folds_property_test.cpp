// SPDX-License-Identifier: Apache-2.0
// Tests folded gaps. The map between times and pixels is monotone, has no holes and is invertible, for any
// folds; zooms and pans keep their invariants; gaps equal those of a plain search.
#include <cmath>
#include <set>

#include <rapidcheck.h>

#include "core/lanes/covered_time.h"
#include "core/timeline/axis_folds.h"
#include "core/timeline/view_window.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kMinute = 60'000'000'000;

struct Axis {
    TimeRange extent;
    std::vector<TimeRange> gaps;
};

// Makes stretches of 2 us to minutes with gaps of minutes to days between them.
Axis randomAxis()
{
    Axis axis;
    const int count = *rc::gen::inRange(0, 8);
    int64_t at = *rc::gen::inRange<int64_t>(-kMinute, kMinute);
    axis.extent.begin = {at};
    const auto stretch = [] {
        const int64_t most = *rc::gen::element<int64_t>(10, 5'000, 10'000'000, kMinute);
        return 2'000 + *rc::gen::inRange<int64_t>(0, most);
    };
    at += stretch();
    for (int i = 0; i < count; ++i) {
        const int64_t most = *rc::gen::element<int64_t>(1, kMinute, 3'000 * kMinute);
        const int64_t end = at + kMinute + *rc::gen::inRange<int64_t>(0, most);
        axis.gaps.push_back({{at}, {end}});
        at = end + stretch();
    }
    axis.extent.end = {at};
    return axis;
}

ViewWindow windowOf(const Axis& axis)
{
    ViewWindow window(axis.extent);
    window.setBandPart(*rc::gen::inRange(1, 100) / 1'000.0);
    window.setGaps(axis.gaps);
    return window;
}

TimeRange randomPart(const Axis& axis)
{
    const auto time = [&] { return *rc::gen::inRange(axis.extent.begin.ns, axis.extent.end.ns); };
    const int64_t a = time(), b = time();
    return {{std::min(a, b)}, {std::max(a, b) + 1}};
}

void checkScale(const PixelScale& scale, TimeRange visible, int width)
{
    RC_ASSERT(scale.width() == width && scale.range() == visible);
    int last = 0;
    for (int x = 0; x < width; ++x) {
        const TimeRange pixel = scale.pixelRange(x);
        RC_ASSERT(pixel.begin <= pixel.end);
        if (pixel.isEmpty()) continue;
        RC_ASSERT(scale.pixelOf(pixel.begin) == x);
        RC_ASSERT(scale.pixelOf(pixel.end - Duration{1}) == x);
        RC_ASSERT(x >= last);
        last = x;
    }
    RC_ASSERT(scale.startOf(0) == visible.begin && scale.startOf(width) == visible.end);
    int at = 0;
    TraceTime time = visible.begin;
    for (const ScalePart& part : scale.parts()) {
        RC_ASSERT(part.begin == at && part.end > at);
        RC_ASSERT(part.range.begin == time);
        at = part.end;
        time = part.range.end;
    }
    RC_ASSERT(scale.isEven() || (at == width && time == visible.end));
}

void pixelsAndTimesGoThereAndBack()
{
    const Axis axis = randomAxis();
    ViewWindow window = windowOf(axis);
    window.show(randomPart(axis));
    const int width = *rc::gen::inRange(1, 700);
    const PixelScale scale = window.scale(width);
    checkScale(scale, window.visible(), width);
    checkScale(window.scaleOfBounds(width), window.bounds(), width);
    int folded = 0, most = 0;
    for (const ScalePart& part : scale.parts()) {
        if (!part.isFolded()) continue;
        RC_ASSERT(part.range == part.gap.clippedTo(window.visible()));
        folded += part.width();
        most = std::max(most, part.width());
    }
    RC_ASSERT(most <= width / 10 + 2);
    // In a view of everything, bands leave half of the width to the events.
    if (!scale.isEven() && window.visible() == window.bounds())
        RC_ASSERT(folded <= width / 2 + static_cast<int>(2 * scale.parts().size()));
    // A time inside a gap that is not the only one in view has a pixel of its own on either side.
    for (const TimeRange& gap : axis.gaps) {
        if (scale.isEven() || !window.visible().contains(gap.begin) || !window.visible().contains(gap.end))
            continue;
        if (window.isOpen(gap)) continue;
        RC_ASSERT(scale.pixelOf(gap.begin - Duration{1}) < scale.pixelOf(gap.begin));
        RC_ASSERT(scale.pixelOf(gap.end - Duration{1}) < scale.pixelOf(gap.end));
    }
}

void distancesGoThereAndBack()
{
    const Axis axis = randomAxis();
    const ViewWindow window = windowOf(axis);
    const AxisFolds& folds = window.folds();
    const TimeRange visible = randomPart(axis);
    const double zoom = std::max(10.0, folds.lengthOf(visible));
    const TimeRange part = randomPart(axis);
    const double there = folds.distance(part.begin, part.end, zoom);
    RC_ASSERT(there >= 0 && there <= static_cast<double>(part.length().ns) + 1);
    RC_ASSERT(folds.distance(part.end, part.begin, zoom) == -there);
    // One ns of a band may be a tiny fraction of one on the axis: the result is at the same axis position,
    // but not the same time.
    const TraceTime back = folds.moved(part.begin, there, zoom);
    RC_ASSERT(std::abs(folds.distance(part.begin, back, zoom) - there) <= 2);
    RC_ASSERT(std::abs(folds.distance(part.end, folds.moved(part.end, -there, zoom), zoom) + there) <= 2);
    const double half = folds.distance(part.begin, visible.begin, zoom);
    const double rest = folds.distance(visible.begin, part.end, zoom);
    RC_ASSERT(std::abs(half + rest - there) <= 1e-6 * (std::abs(half) + std::abs(rest)) + 2);
}

void zoomsKeepWhatTheyAreAt()
{
    const Axis axis = randomAxis();
    ViewWindow window = windowOf(axis);
    window.show(randomPart(axis));
    constexpr int kWidth = 1'000;
    for (int i = 0; i < 6; ++i) {
        const int x = *rc::gen::inRange(0, kWidth);
        const PixelScale before = window.scale(kWidth);
        const TraceTime at = before.startOf(x);
        const TimeRange was = window.visible();
        const double factor = *rc::gen::element(0.5, 0.8, 0.97, 1.03, 1.25, 2.0);
        window.zoomAt(at, factor);
        const TimeRange now = window.visible();
        RC_ASSERT(now.begin >= window.bounds().begin && now.end <= window.bounds().end);
        RC_ASSERT(window.lengthOnAxis() >= ViewWindow::kShortest - Duration{1});
        RC_ASSERT(now.contains(at) || at == now.end || window.lengthOnAxis().ns < 100);
        // The zoom center stays under the mouse, unless an outer edge of the axis comes into view.
        const bool isAtEdge = now.begin == window.bounds().begin || now.end == window.bounds().end;
        if (!isAtEdge && window.lengthOnAxis().ns > 100'000)
            RC_ASSERT(std::abs(window.scale(kWidth).pixelOf(at) - x) <=
                      8 + 2 * static_cast<int>(axis.gaps.size()));
        // One ns of a band's axis may be hours, so distances are measured on the axis.
        const auto zoom = static_cast<double>(window.lengthOnAxis().ns);
        if (factor < 1) RC_ASSERT(window.folds().distance(was.begin, now.begin, zoom) >= -3);
        if (factor < 1) RC_ASSERT(window.folds().distance(now.end, was.end, zoom) >= -3);
        const TimeRange shown = window.visible();
        window.show(shown);
        RC_ASSERT(window.visible() == shown);
    }
}

void pansGoOverGapsEvenly()
{
    const Axis axis = randomAxis();
    ViewWindow window = windowOf(axis);
    window.show(randomPart(axis));
    for (int i = 0; i < 8; ++i) {
        const TimeRange was = window.visible();
        const Duration length = window.lengthOnAxis();
        const double part = *rc::gen::inRange(-30, 31) / 100.0;
        window.panBy(part);
        const TimeRange now = window.visible();
        const double moved = window.folds().distance(was.begin, now.begin, static_cast<double>(length.ns));
        RC_ASSERT(part == 0 || (part > 0 ? moved >= -3 : moved <= 3));
        RC_ASSERT(now.begin >= window.bounds().begin && now.end <= window.bounds().end);
        const int64_t slack = 4 + length.ns / 1'000;
        RC_ASSERT(std::abs((window.lengthOnAxis() - length).ns) <= slack);
    }
}

void whatIsSeenAloneIsOpened()
{
    const Axis axis = randomAxis();
    RC_PRE(!axis.gaps.empty());
    ViewWindow window = windowOf(axis);
    const TimeRange gap = axis.gaps[*rc::gen::inRange<size_t>(0, axis.gaps.size())];
    const TimeRange inside{gap.begin + Duration{100}, gap.begin + Duration{1'000'000}};
    RC_ASSERT(!window.isOpen(gap));
    window.show(inside);
    RC_ASSERT(window.isOpen(gap) && window.visible() == inside);
    RC_ASSERT(window.scale(100).isEven());
    window.setOpen(gap, false);
    RC_ASSERT(window.isOpen(gap)); // it fills the view: there would be nothing else
    window.showAll();
    window.setOpen(gap, false);
    RC_ASSERT(!window.isOpen(gap) && window.folds().at(inside.begin) != nullptr);
    window.moveAxis({-5'000});
    RC_ASSERT(window.folds().at(inside.begin - Duration{5'000}) != nullptr);
}

// Returns every ns that the report doesn't cover, as stretches, with a plain scan.
void coveredTimeIsThatOfAllSlices()
{
    const auto report = test::randomReport();
    const CoveredTime covered = findCoveredTime(*report);
    const auto holds = [&](int64_t begin, int64_t end) {
        const auto has = [&](const TimeRange& stretch) {
            return stretch.begin.ns <= begin && end <= stretch.end.ns;
        };
        return std::ranges::any_of(covered.stretches, has);
    };
    for (size_t i = 0; i < report->slices.size(); ++i) {
        const TimeRange slice = report->slices.range(SliceId(i));
        RC_ASSERT(holds(slice.begin.ns, slice.end.ns));
    }
    for (size_t i = 0; i < report->counters.size(); ++i)
        RC_ASSERT(holds(report->counters.time_ns[i], report->counters.time_ns[i]));
    for (size_t i = 1; i < covered.stretches.size(); ++i)
        RC_ASSERT(covered.stretches[i].begin - covered.stretches[i - 1].end > CoveredTime::kJoin);
}

} // namespace

class AxisFoldsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void scales() { QVERIFY(rc::check("pixels and times", pixelsAndTimesGoThereAndBack)); }
    void distances() { QVERIFY(rc::check("distances", distancesGoThereAndBack)); }
    void zooms() { QVERIFY(rc::check("zooms", zoomsKeepWhatTheyAreAt)); }
    void pans() { QVERIFY(rc::check("pans", pansGoOverGapsEvenly)); }
    void opens() { QVERIFY(rc::check("what is seen alone is opened", whatIsSeenAloneIsOpened)); }
    void covers() { QVERIFY(rc::check("covered time", coveredTimeIsThatOfAllSlices)); }
};

LOCKSTEP_TEST(AxisFoldsPropertyTest, "axis_folds_property_test")
#include "axis_folds_property_test.moc"
