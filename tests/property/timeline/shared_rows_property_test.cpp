// SPDX-License-Identifier: Apache-2.0
// Tests captures of one stream that share a row, one after another: every slice in view can be clicked.
#include <rapidcheck.h>

#include "core/timeline/hit_test.h"
#include "core/timeline/pixel_scale.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Makes kernels from 0 on, with gaps and durations that the numbers give.
std::shared_ptr<const Report> captureOf(int64_t utcAtZero_ns, const std::vector<uint16_t>& lengths)
{
    ReportBuilder builder;
    Report& r = builder.report();
    r.provenance.path = "a." + std::to_string(utcAtZero_ns) + ".nsys-rep";
    r.provenance.kind = "nsys sqlite";
    r.clock.utcAtZero_ns = utcAtZero_ns;
    r.identity.host.learn("node0", "made", Confidence::stated);
    r.identity.rank.learn(0, "made", Confidence::stated);
    const ProcessId process = builder.process(7, 7);
    const TrackId track =
        builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1});
    SliceBatch batch;
    int64_t at = 0;
    for (const uint16_t length : lengths) {
        SliceRow row;
        row.start_ns = at;
        row.duration_ns = 1 + length % 997;
        row.name = builder.intern("gemm");
        row.source = SourceRow::of(0, static_cast<uint64_t>(at));
        row.kind = RowKind::kernel;
        row.category = SliceCategory::compute;
        batch.add(track, row);
        at += row.duration_ns + length % 401;
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

} // namespace

class SharedRowsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void everySliceCanBeClicked()
    {
        QVERIFY(rc::check("any captures, any view", [] {
            Workspace workspace;
            int64_t utc_ns = 1'700'000'000'000'000'000;
            const int64_t first_ns = utc_ns;
            const auto captures = *rc::gen::inRange(1, 6);
            for (int i = 0; i < captures; ++i) {
                const auto lengths = *rc::gen::nonEmpty<std::vector<uint16_t>>();
                const ReportKey added = workspace.add(captureOf(utc_ns, lengths));
                const auto pause = *rc::gen::element<int64_t>(0, 1, 1'000, 30'000);
                utc_ns += workspace.report(added).extent.end.ns + pause;
            }
            const ScenePtr made = test::madeScene(workspace);
            const LaneFlow flow =
                placeLanes(*made, {}, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
            const LabelFont font = LabelFont::fixed(7);
            FrameView view;
            view.flow = &flow;
            view.font = &font;
            view.size = {*rc::gen::inRange(300, 900), 200};
            const int64_t all_ns = utc_ns - first_ns + 1;
            const int64_t begin = *rc::gen::inRange<int64_t>(-100, all_ns);
            view.visible = {{begin}, {begin + *rc::gen::inRange<int64_t>(10, 2 * all_ns + 20)}};
            const Scene& scene = *made;
            const DisplayList list = layOut(scene, view);
            for (size_t r = 0; r < made->shown.size(); ++r) {
                const Report& report = made->shown.report(ReportKey(r));
                const PixelScale scale(made->alignment.map(ReportKey(r)).traceFromAligned(view.visible),
                                       list.timeWidth());
                const uint32_t lane = made->tree->laneOf({ReportKey(r), TrackId(0u)});
                const auto shown = std::ranges::find(list.lanes, lane, &DisplayLane::lane);
                RC_ASSERT(shown != list.lanes.end());
                RC_ASSERT(made->tree->lane(lane).rowCount == 1u);
                for (uint32_t i = 0; i < report.slices.size(); ++i) {
                    if (!report.slices.range(SliceId(i)).overlaps(scale.range())) continue;
                    const int x = scale.pixelOf(report.slices.start(SliceId(i)));
                    const Hit hit = hitTest(list, list.headerWidth + x, shown->y + 5, 0);
                    RC_ASSERT(hit.part == Hit::Part::box || hit.part == Hit::Part::column);
                }
            }
            for (const DisplayRow& row : list.rows) {
                for (const SliceBox& box : row.boxes) {
                    if (!box.slice.isValid()) continue;
                    const Hit hit = hitTest(list, list.headerWidth + (box.begin + box.end) / 2, row.y + 5, 0);
                    RC_ASSERT(hit.slice == (SliceRef{row.track.report, box.slice}));
                }
                for (const DenseColumn& column : row.columns) {
                    const Hit hit = hitTest(list, list.headerWidth + column.x, row.y + 5, 0);
                    RC_ASSERT(hit.part == Hit::Part::box || hit.count == column.count);
                }
            }
        }));
    }
};

LOCKSTEP_TEST(SharedRowsPropertyTest, "shared_rows_property_test")
#include "shared_rows_property_test.moc"
