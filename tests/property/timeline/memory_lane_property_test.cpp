// SPDX-License-Identifier: Apache-2.0
// Tests the memory lane: the drawing equals the exact layout of the same pixels, at any zoom and width;
// everything drawn can be clicked, and the click selects the block below it.
#include <rapidcheck.h>

#include "core/lanes/memory_lanes.h"
#include "core/memory/memory_layout.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/lane_kinds/memory_columns.h"
#include "core/timeline/lane_kinds/memory_lane.h"
#include "core/timeline/layout.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_replay.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Makes a report with one process and GPU from a random allocator's history.
ScenePtr randomScene(test::RandomReplay& view)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 7);
    for (const int32_t device : view.snapshot->devices)
        builder.device(process, device);
    auto snapshot = std::make_shared<MemorySnapshot>(*view.snapshot);
    // Its texts are in a pool that does not exist.
    for (MemoryFrame& frame : snapshot->frames) {
        const std::string name = frame.line % 3 == 0 ? "forward" : frame.line % 3 == 1 ? "backward" : "work";
        frame = {builder.intern(name), builder.intern("train.py"), frame.line, StringId(0u)};
    }
    snapshot->entries.userMetadata.clear();
    snapshot->entries.compileContext.clear();
    std::ranges::fill(snapshot->segments.type, StringId(0u));
    builder.report().memory = std::move(snapshot);
    Workspace workspace;
    workspace.add(builder.freeze(Progress()).value());
    return test::madeScene(workspace);
}

struct DrawnMemory {
    LaneState state;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);
    DisplayList list;

    DrawnMemory(const ScenePtr& scene, TimeRange visible, int width, MemoryLook look, bool isFolded)
    {
        state.memoryLook = look;
        for (const Lane& lane : scene->tree->lanes())
            state.fold(lane, isFolded && lane.data.is<MemoryLaneData>());
        flow = placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 100;
        view.size = {100 + width, flow.scrollingHeight};
        view.visible = visible;
        list = layOut(*scene, view);
    }
};

// Returns what paints a pixel of a row last, except for lines.
const Span* areaAt(const DisplayRow& row, int x, int y)
{
    const Span* found = nullptr;
    for (const Span& span : row.spans) {
        const bool isThere = span.begin <= x && x < span.end && span.top <= y && y < span.bottom;
        if (isThere && span.ink.kind == Ink::Kind::memory) found = &span;
    }
    return found;
}

// Returns ranges inside the lanes' time, and sometimes outside.
TimeRange someRange(test::RandomReplay& view, const Scene& scene)
{
    TimeRange extent;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.data.is<MemoryLaneData>())
            extent = scene.alignment.map(lane.report).alignedFromTrace(lane.sources.front().extent);
    }
    const auto length = static_cast<uint64_t>(std::max<int64_t>(2, extent.length().ns));
    const int64_t begin = extent.begin.ns - 20 + static_cast<int64_t>(view.random() % length);
    return {{begin}, {begin + 1 + static_cast<int64_t>(view.random() % (length + 40))}};
}

} // namespace

class MemoryLanePropertyTest : public QObject {
    Q_OBJECT

  private:
    size_t m_columns = 0, m_areas = 0; // that were looked at

  private slots:
    void drawsTheExactLayout()
    {
        QVERIFY(rc::check("areas are those of the exact layout", [this] {
            test::RandomReplay view(300);
            const ScenePtr scene = randomScene(view);
            const auto isByStack = view.random() % 2 == 0;
            const int width = 1 + static_cast<int>(view.random() % 200);
            const DrawnMemory drawn(scene, someRange(view, *scene), width,
                                    isByStack ? MemoryLook::stack : MemoryLook::category,
                                    view.random() % 2 == 0);
            for (const DisplayRow& row : drawn.list.rows) {
                const auto* const data = row.data.as<MemoryRowData>();
                if (data == nullptr) continue;
                const MemoryPlace place = memoryPlaceOf(*scene, row.lane, row.track.report).value();
                const MemoryAxis axis = place.axis();
                const TimeRange onReport = place.map->traceFromAligned(drawn.list.visible);
                const PixelScale scale(onReport, width);
                const double top = memoryScaleTop(scene->tree->lane(row.lane));
                for (const MemoryColumnShape& column : data->columns) {
                    const TimeRange pixel = scale.pixelRange(column.x);
                    MemoryLayoutRequest request;
                    const MemoryMoment first = axis.momentAt(pixel.begin);
                    const TraceTime last = std::max(pixel.begin, pixel.end - Duration{1});
                    request.columns = {{first, std::max(first, axis.momentAt(last))}};
                    request.by = isByStack ? MemoryGrouping::stack : MemoryGrouping::category;
                    request.limits.mostAreas = 10'000;
                    const MemoryLayout exact =
                        layOutMemory(axis.device, request, place.memory->categories, Progress()).value();
                    RC_ASSERT(column.moment == exact.moments.front());
                    ++m_columns;
                    RC_ASSERT(int(column.tops.back()) ==
                              memoryHeightOf(static_cast<double>(exact.levels.front().active), top,
                                             row.height, drawn.list.metrics));
                    const MemoryLayout segments = layOutSegments(axis.device, request, Progress()).value();
                    RC_ASSERT(int(column.outline) ==
                              memoryHeightOf(static_cast<double>(segments.levels.front().reserved), top,
                                             row.height, drawn.list.metrics));
                }
            }
        }));
        QVERIFY(m_columns > 1000);
    }

    void drawnCanBeClicked()
    {
        QVERIFY(rc::check("a drawn pixel is met, and what is met is drawn", [this] {
            test::RandomReplay view(200);
            const ScenePtr scene = randomScene(view);
            const MemoryLook look = view.random() % 2 == 0 ? MemoryLook::stack : MemoryLook::category;
            const int width = 1 + static_cast<int>(view.random() % 60);
            const DrawnMemory drawn(scene, someRange(view, *scene), width, look, view.random() % 2 == 0);
            for (const DisplayRow& row : drawn.list.rows) {
                if (row.kind->name() != "memory") continue;
                const auto place = memoryPlaceOf(*scene, row.lane, row.track.report);
                for (int x = 0; x < width; ++x) {
                    for (int y = row.y; y < row.y + row.height; y += 3) {
                        const Span* const area = areaAt(row, x, y - row.y);
                        const Hit hit = hitTest(drawn.list, 100 + x, y, 0);
                        RC_ASSERT(hit.lane == row.lane);
                        const auto* const found = hit.data.as<MemoryHitData>();
                        const bool isArea = found != nullptr && found->group < kMemoryGroups;
                        RC_ASSERT(isArea == (area != nullptr));
                        if (area == nullptr) continue;
                        RC_ASSERT(area->ink == memoryInk(*place, found->group, look));
                        ++m_areas;
                        // A click selects a block of that area that is alive there; no other is larger.
                        const BlockRef block = blockAt(*scene, drawn.list, hit);
                        RC_ASSERT(block.isValid());
                        const BlockLifeTable& blocks = place->device().blocks;
                        RC_ASSERT(blocks.isActiveAt(block.life.value, found->moment));
                        RC_ASSERT(!row.kind->hover(*scene, drawn.list, hit).empty());
                    }
                }
            }
        }));
        QVERIFY(m_areas > 1000);
    }
};

LOCKSTEP_TEST(MemoryLanePropertyTest, "memory_lane_property_test")
#include "memory_lane_property_test.moc"
