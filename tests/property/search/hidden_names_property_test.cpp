// SPDX-License-Identifier: Apache-2.0
// Tests hidden names: rows show all other slices, as a scan of each slice gives pixel by pixel, and no slice
// with a hidden name is drawn or found under the mouse.
#include <rapidcheck.h>

#include "core/search/hidden_names.h"
#include "core/timeline/lane_kind.h"
#include "core/trace/process_groups.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

std::set<std::string> someNames(const Scene& scene)
{
    std::set<std::string> names{"a name that is nowhere"};
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
        const Report& report = scene.shown.report(*rc::gen::elementOf(scene.shown.keys()));
        if (report.slices.size() == 0) continue;
        names.insert(std::string(report.nameOf(SliceId(*rc::gen::inRange<size_t>(0, report.slices.size())))));
    }
    return names;
}

// Returns how many shown slices of the row overlap the pixel, and for how long.
std::pair<uint32_t, int64_t> shownIn(const Report& report, const DisplayRow& row,
                                     const std::set<std::string>& names, TimeRange pixel)
{
    const Track& track = report.track(row.track.track);
    std::pair<uint32_t, int64_t> out;
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        const SliceId slice(track.firstSlice.value + i);
        if (report.slices.depth[slice.value] != row.depth) continue;
        if (names.contains(std::string(report.nameOf(slice)))) continue;
        const TimeRange range = report.slices.range(slice);
        const bool isIn = range.length().ns == 0 ? pixel.contains(range.begin) : range.overlaps(pixel);
        if (!isIn) continue;
        ++out.first;
        out.second += std::min(range.end, pixel.end).ns - std::max(range.begin, pixel.begin).ns;
    }
    return out;
}

void checkRow(const Scene& scene, const DisplayList& list, const DisplayRow& row,
              const std::set<std::string>& names)
{
    const Report& report = scene.shown.report(row.track.report);
    const PixelScale scale(scene.alignment.map(row.track.report).traceFromAligned(list.visible),
                           list.timeWidth());
    for (const SliceBox& box : row.boxes)
        RC_ASSERT(!names.contains(std::string(report.nameOf(box.slice))));
    for (const DenseColumn& column : row.columns) {
        const TimeRange pixel = scale.pixelRange(column.x);
        const auto [count, busy_ns] = shownIn(report, row, names, pixel);
        RC_ASSERT(column.count == count && count > 0);
        const auto length_ns = std::max<int64_t>(1, pixel.length().ns);
        RC_ASSERT(std::abs(int64_t(column.occupancy) - busy_ns * 255 / length_ns) <= 1);
        if (column.longest.isValid()) RC_ASSERT(!names.contains(std::string(report.nameOf(column.longest))));
    }
    // Nothing else is lost: each shown slice in view is in a box or a column.
    const Track& track = report.track(row.track.track);
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        const SliceId slice(track.firstSlice.value + i);
        const TimeRange range = report.slices.range(slice);
        const bool isInSight = range.begin < scale.range().end && range.end > scale.range().begin;
        if (report.slices.depth[slice.value] != row.depth || !isInSight ||
            names.contains(std::string(report.nameOf(slice))))
            continue;
        const auto x = static_cast<uint16_t>(std::max(0, scale.pixelOf(range.begin)));
        const bool isBox = std::ranges::find(row.boxes, slice, &SliceBox::slice) != row.boxes.end();
        const bool isColumn = std::ranges::find(row.columns, x, &DenseColumn::x) != row.columns.end();
        RC_ASSERT(isBox || isColumn);
    }
}

void rowsShowAllButThem()
{
    Workspace workspace;
    const int reports = *rc::gen::inRange(1, 4);
    for (int i = 0; i < reports; ++i)
        workspace.add(*rc::gen::arbitrary<bool>() ? test::randomReport() : test::madeRank({.rank = i}));
    completeIdentities(workspace);
    const ScenePtr scene = test::madeScene(workspace);
    const TimeRange all = scene->extent();
    if (all.isEmpty()) return;
    const std::set<std::string> names = someNames(*scene);
    LaneState unfolded;
    for (const Lane& lane : scene->tree->lanes())
        unfolded.collapsed[lane.key] = false;
    const LaneFlow flow =
        placeLanes(*scene, unfolded, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(7);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.size = {*rc::gen::inRange(300, 700), 600};
    view.visible = test::randomView(all);
    DisplayList plain = layOut(*scene, view);
    view.hidden = HiddenNames::make(*scene, names);
    RC_ASSERT(HiddenNames::make(*scene, {"a name that is nowhere"}) == nullptr);
    // Positions from the previous frame, whose rows are no longer the same.
    const DisplayList list = layOut(*scene, view, std::move(plain));
    for (const DisplayRow& row : list.rows) {
        const bool isOfSlices = row.kind->name() == "slices" && !row.isSummary && row.track.track.isValid();
        // If several captures share a row, each takes pixels from the others.
        const auto atRow = std::ranges::count_if(list.rows, [&](const DisplayRow& other) {
            return other.y == row.y && other.isPinned == row.isPinned;
        });
        if (!isOfSlices || atRow > 1 || view.hidden == nullptr) continue;
        if (view.hidden->on(row.track.report, row.track.track) != nullptr) checkRow(*scene, list, row, names);
    }
}

} // namespace

class HiddenNamesPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void rows() { QVERIFY(rc::check(rowsShowAllButThem)); }
};

LOCKSTEP_TEST(HiddenNamesPropertyTest, "hidden_names_property_test")
#include "hidden_names_property_test.moc"
