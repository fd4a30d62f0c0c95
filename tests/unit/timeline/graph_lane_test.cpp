// SPDX-License-Identifier: Apache-2.0
// Tests lanes of CUDA graph events: bars are taller with more nodes, boxes have a duration, and the card
// shows counts.
#include "core/timeline/lane_kind.h"

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// A thread that makes one node at 100 ns, 200 nodes at 500 ns, and a graph from 700 to 900 ns.
std::shared_ptr<const Report> reportOfGraphs()
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 77);
    const TrackId track =
        builder.track({TrackKind::graphEvents, process, builder.thread(process, 78), {}, 0, 0});
    SliceBatch batch;
    uint64_t source = 0;
    const auto add = [&](int64_t start_ns, int64_t duration_ns, const char* name) {
        SliceRow row;
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.name = builder.intern(name);
        row.kind = RowKind::graphEvent;
        row.category = SliceCategory::graph;
        row.source = SourceRow::of(0, source++);
        batch.add(track, row);
    };
    add(100, 0, "node");
    for (int i = 0; i < 200; ++i)
        add(500, 0, "node");
    add(700, 200, "instantiate");
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

} // namespace

class GraphLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void denseEventsAreTallAndCounted()
    {
        Workspace workspace;
        workspace.add(reportOfGraphs());
        const ScenePtr scene = test::madeScene(workspace);
        LaneState state;
        for (const Lane& lane : scene->tree->lanes())
            state.collapsed[lane.key] = false;
        const LaneFlow flow =
            placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        const LabelFont font = LabelFont::fixed(6);
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 0;
        view.size = {100, 400};
        view.visible = scene->alignment.map(ReportKey(0u)).alignedFromTrace(TimeRange{{0}, {1'000}});
        const DisplayList list = layOut(*scene, view);
        const auto row = std::ranges::find_if(
            list.rows, [](const DisplayRow& r) { return r.kind->name() == "graph events"; });
        QVERIFY(row != list.rows.end());
        const auto heightAt = [&](int x) {
            int height = 0;
            for (const Span& span : row->spans)
                if (span.begin <= x && x < span.end) height = std::max(height, span.bottom - span.top);
            return height;
        };
        QVERIFY2(heightAt(10) > 0 && heightAt(10) < heightAt(50), "one node is lower than two hundred");
        QCOMPARE(heightAt(50), row->height);
        QCOMPARE(heightAt(30), 0);
        QCOMPARE(row->boxes.size(), size_t(1));
        const Hit many = hitTest(list, 50, row->y + row->height - 2, 0),
                  one = hitTest(list, 10, row->y + row->height - 2, 0);
        QCOMPARE(many.kind->hover(*scene, list, many).front(),
                 std::string("200 CUDA graph events in this pixel"));
        QCOMPARE(one.kind->hover(*scene, list, one).front(), std::string("node"));
    }
};

LOCKSTEP_TEST(GraphLaneTest, "graph_lane_test")
#include "graph_lane_test.moc"
