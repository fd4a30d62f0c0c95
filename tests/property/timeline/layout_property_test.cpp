// SPDX-License-Identifier: Apache-2.0
// Tests frames: everything drawn can be clicked; pixels convert to times and back; ticks are round, ordered
// and far enough apart.
#include <set>

#include <rapidcheck.h>

#include "core/timeline/hit_test.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/layout.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/ticks.h"
#include "core/timeline/view_window.h"
#include "core/timeline/zoom_history.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

const ScenePtr& made()
{
    static const ScenePtr timeline = test::madeScene(test::madeWorkspace(2));
    return timeline;
}

bool isInBand(const DisplayList& list, const DisplayRow& row, int y)
{
    return y >= 0 && y < list.size.height && row.isPinned == (y < list.pinnedHeight);
}

void checkRow(const DisplayList& list, const DisplayRow& row)
{
    const int y = row.y + row.height / 2;
    if (!isInBand(list, row, y)) return;
    const ReportKey report = row.track.report;
    for (const SliceBox& box : row.boxes) {
        RC_ASSERT(box.begin < box.end && box.begin >= 0 && box.end <= list.timeWidth());
        for (const int x : {box.begin, (box.begin + box.end) / 2, box.end - 1}) {
            const Hit hit = hitTest(list, list.headerWidth + x, y, 0);
            RC_ASSERT(hit.part == Hit::Part::box);
            RC_ASSERT(hit.lane == row.lane);
            RC_ASSERT(!box.slice.isValid() || hit.slice == (SliceRef{report, box.slice}));
        }
    }
    for (const DenseColumn& column : row.columns) {
        const Hit hit = hitTest(list, list.headerWidth + column.x, y, 0);
        RC_ASSERT(hit.part == Hit::Part::box || (hit.part == Hit::Part::column && hit.count == column.count));
        RC_ASSERT(hit.lane == row.lane);
    }
}

// Returns the pixels in which a row shows anything.
std::vector<bool> coverOf(const DisplayRow& row, int width)
{
    std::vector<bool> cover(static_cast<size_t>(width), false);
    for (const SliceBox& box : row.boxes)
        std::fill(cover.begin() + box.begin, cover.begin() + box.end, true);
    for (const DenseColumn& column : row.columns)
        cover[column.x] = column.count > 0;
    return cover;
}

// Returns all lanes of the tree from top to bottom, with those in `collapsed` collapsed and all others
// expanded.
DisplayList wholePicture(const ScenePtr& m, TimeRange visible, const std::set<uint32_t>& collapsed)
{
    LaneState state;
    for (uint32_t i = 0; i < m->tree->size(); ++i)
        state.collapsed[m->tree->lane(i).key] = collapsed.contains(i);
    const LaneFlow flow =
        placeLanes(*m, state, std::vector<bool>(m->tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(7);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.size = {700, flow.scrollingHeight + 100};
    view.visible = visible;
    return layOut(*m, view);
}

bool isWithin(const LaneTree& tree, uint32_t lane, uint32_t ancestor)
{
    while (lane != kNoLane && lane != ancestor)
        lane = tree.parentOf(lane);
    return lane == ancestor;
}

// A process or GPU that has a row of GPU work shows that row.
bool showsGpuBusy(const Lane& lane)
{
    return !lane.summary.empty() && lane.summary.front().kind == RowSource::Kind::busy;
}

void checkFolded(const ScenePtr& m, const DisplayList& open, uint32_t folded)
{
    const DisplayList list = wholePicture(m, open.visible, {folded});
    std::vector<bool> shown(static_cast<size_t>(list.timeWidth()), false);
    for (const DisplayRow& row : list.rows) {
        if (row.lane != folded) continue;
        const std::vector<bool> cover = coverOf(row, list.timeWidth());
        for (size_t x = 0; x < shown.size(); ++x)
            shown[x] = shown[x] || cover[x];
    }
    for (const DisplayRow& row : open.rows) {
        if (row.kind->name() != "slices" || !isWithin(*m->tree, row.lane, folded)) continue;
        const std::vector<bool> cover = coverOf(row, list.timeWidth());
        for (size_t x = 0; x < shown.size(); ++x)
            RC_ASSERT(!cover[x] || shown[x]);
    }
}

} // namespace

class LayoutPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void drawnSlicesCanBeClicked()
    {
        QVERIFY(rc::check("any view", [] {
            const ScenePtr& m = made();
            LaneState state;
            for (const Lane& lane : m->tree->lanes()) {
                if (*rc::gen::inRange(0, 8) == 0) state.pinned.insert(lane.key);
                if (*rc::gen::inRange(0, 8) == 0) state.collapsed[lane.key] = true;
            }
            const LaneFlow flow =
                placeLanes(*m, state, std::vector<bool>(m->tree->size(), true), FrameMetrics::at(1));
            const LabelFont font = LabelFont::fixed(7);
            FrameView view;
            view.flow = &flow;
            view.font = &font;
            view.size = {*rc::gen::inRange(300, 1500), *rc::gen::inRange(50, 900)};
            view.scroll = *rc::gen::inRange(0, 900);
            const int64_t begin = *rc::gen::inRange<int64_t>(-1'000'000, 40'000'000);
            view.visible = {{begin}, {begin + *rc::gen::element<int64_t>(10, 5'000, 400'000, 45'000'000)}};
            const DisplayList list = layOut(*m, view);
            for (const DisplayRow& row : list.rows)
                checkRow(list, row);
        }));
    }

    void collapsedLanesShowAllHiddenSlices()
    {
        QVERIFY(rc::check("any reports, any lane", [] {
            Workspace workspace;
            for (int i = *rc::gen::inRange(1, 3); i > 0; --i)
                workspace.add(test::randomReport());
            const ScenePtr m = test::madeScene(workspace);
            const TimeRange all = m->alignment.extent(m->shown);
            if (m->tree->size() == 0 || all.length().ns < 2) return;
            const DisplayList open = wholePicture(m, all, {});
            for (uint32_t i = 0; i < m->tree->size(); ++i) {
                const LaneSubject kind = m->tree->lane(i).subject;
                const bool isCpu = kind == LaneSubject::process || kind == LaneSubject::thread ||
                                   kind == LaneSubject::track || kind == LaneSubject::gpu;
                if (isCpu && !showsGpuBusy(m->tree->lane(i))) checkFolded(m, open, i);
            }
        }));
    }

    void denseColumnsShowTheirLongest()
    {
        QVERIFY(rc::check("any crowded pixel", [] {
            static const ScenePtr m = [] {
                Workspace workspace;
                workspace.add(test::denseReport(1, 20'000, 1'000'000, 3));
                return test::madeScene(workspace);
            }();
            const LaneFlow flow =
                placeLanes(*m, {}, std::vector<bool>(m->tree->size(), true), FrameMetrics::at(1));
            const LabelFont font = LabelFont::fixed(7);
            FrameView view;
            view.flow = &flow;
            view.font = &font;
            view.size = {500, 100};
            view.visible = {{*rc::gen::inRange<int64_t>(0, 200'000)},
                            {*rc::gen::inRange<int64_t>(500'000, 1'000'000)}};
            const Scene& scene = *m;
            const DisplayList list = layOut(scene, view);
            const DisplayRow& row = list.rows.back();
            RC_ASSERT(row.track.track.isValid() && !row.columns.empty());
            const DenseColumn& column = row.columns[*rc::gen::inRange<size_t>(0, row.columns.size())];
            RC_ASSERT(column.count > kMaxNamed && !column.longest.isValid());
            const Hit hit = hitTest(list, list.headerWidth + column.x, row.y + 5, 0);
            const SliceRef slice = sliceOf(scene, list, hit);
            RC_ASSERT(slice.isValid());
            const Report& report = m->shown.report(slice.report);
            const TimeRange pixel =
                PixelScale(m->alignment.map(slice.report).traceFromAligned(view.visible), list.timeWidth())
                    .pixelRange(column.x);
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                if (report.slices.range(SliceId(i)).overlaps(pixel)) {
                    RC_ASSERT(report.slices.duration(SliceId(i)) <= report.slices.duration(slice.slice));
                }
            }
            RC_ASSERT(report.slices.range(slice.slice).overlaps(pixel));
        }));
    }

    void pixelsAndTimesRoundTrip()
    {
        QVERIFY(rc::check("any scale", [] {
            const int64_t begin = *rc::gen::arbitrary<int64_t>() / 8;
            const int64_t length = *rc::gen::oneOf(rc::gen::inRange<int64_t>(1, 10'000),
                                                   rc::gen::inRange<int64_t>(1, int64_t(1) << 60));
            const PixelScale scale({{begin}, {begin + length}}, *rc::gen::inRange(1, 8'000));
            const int x = *rc::gen::inRange(0, scale.width());
            const TimeRange pixel = scale.pixelRange(x);
            RC_ASSERT(pixel.begin <= pixel.end);
            if (!pixel.isEmpty()) {
                RC_ASSERT(scale.pixelOf(pixel.begin) == x);
                RC_ASSERT(scale.pixelOf({pixel.end.ns - 1}) == x);
            }
            const TraceTime t{begin + *rc::gen::inRange<int64_t>(0, length)};
            RC_ASSERT(scale.pixelRange(scale.pixelOf(t)).contains(t));
        }));
    }

    void ticksAreRoundOrderedAndSpaced()
    {
        QVERIFY(rc::check("any range", [] {
            const int64_t begin = *rc::gen::inRange<int64_t>(-(int64_t(1) << 50), int64_t(1) << 50);
            const int64_t length = *rc::gen::oneOf(rc::gen::inRange<int64_t>(10, 1'000),
                                                   rc::gen::inRange<int64_t>(10, int64_t(1) << 52));
            const int width = *rc::gen::inRange(50, 4'000);
            const bool isUtc = *rc::gen::arbitrary<bool>();
            const auto utc = isUtc ? std::optional<int64_t>(1'795'176'271'000'000'123) : std::nullopt;
            const TimeRange visible{{begin}, {begin + length}};
            const TickScale scale = ticksFor(visible, width, 100, utc);
            RC_ASSERT(scale.ticks.size() <= size_t(width) / 100 * 5 + 10);
            std::optional<TraceTime> last, lastMajor;
            for (const Tick& tick : scale.ticks) {
                RC_ASSERT(visible.contains(tick.at));
                RC_ASSERT((!last || *last < tick.at)); // the macro would evaluate both sides
                last = tick.at;
                RC_ASSERT(tick.isMajor == !tick.label.empty());
                if (!tick.isMajor) continue;
                RC_ASSERT((tick.at.ns + utc.value_or(0)) %
                              (scale.step.ns > 1'000'000'000 && isUtc ? 1'000'000'000 : scale.step.ns) ==
                          0);
                RC_ASSERT((!lastMajor || double((tick.at - *lastMajor).ns) / double(length) * width >= 99.0));
                lastMajor = tick.at;
            }
        }));
    }

    void windowsStayInBounds()
    {
        QVERIFY(rc::check("any hands", [] {
            ViewWindow window({{0}, {1'000'000'000}});
            ZoomHistory history;
            for (const int act : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))) {
                const TraceTime at{*rc::gen::inRange<int64_t>(-1'000, 1'000'001'000)};
                if (act == 0) window.zoomAt(at, 0.01);
                if (act == 1) window.zoomAt(at, 30);
                if (act == 2) window.panBy(*rc::gen::element(-0.7, 0.3, 5.0));
                if (act == 3) history.remember(window.visible());
                if (act == 4) window.show(history.undo(window.visible()).value_or(window.visible()));
                if (act == 5) window.show(history.redo(window.visible()).value_or(window.visible()));
                RC_ASSERT(window.visible().length() >= ViewWindow::kShortest);
                RC_ASSERT(window.visible().begin >= window.bounds().begin);
                RC_ASSERT(window.visible().end <= window.bounds().end);
            }
        }));
    }
};

LOCKSTEP_TEST(LayoutPropertyTest, "layout_property_test")
#include "layout_property_test.moc"
