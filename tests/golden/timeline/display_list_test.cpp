// SPDX-License-Identifier: Apache-2.0
// Compares the display list of a small workspace, as text: everything that a frame draws.
#include "core/timeline/display_list.h"

#include "core/timeline/layout.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// One process, one GPU with two streams, one thread; an API call that launches a kernel.
std::shared_ptr<const Report> smallReport()
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 77);
    builder.report().processes[0].name = builder.intern("train");
    builder.report().clock.utcAtZero_ns = 0;
    builder.report().session = {{0}, {1'000}};
    const ThreadId thread = builder.thread(process, 77);
    const DeviceId gpu = builder.device(process, 0);
    const TrackId compute = builder.track({TrackKind::gpuStream, process, {}, gpu, 7, 1});
    const TrackId nccl = builder.track({TrackKind::gpuStream, process, {}, gpu, 20, 1});
    const TrackId api = builder.track({TrackKind::cudaApi, process, thread, {}, 0, 0});
    SliceBatch batch;
    const auto add = [&](TrackId track, int64_t start, int64_t duration, const char* name, RowKind kind,
                         SliceCategory category, uint32_t correlation = kNoCorrelation) {
        SliceRow row;
        row.start_ns = start;
        row.duration_ns = duration;
        row.name = builder.intern(name);
        row.source = SourceRow::of(0, static_cast<uint64_t>(start + 1));
        row.kind = kind;
        row.category = category;
        row.correlation = correlation;
        batch.add(track, row);
    };
    add(api, 50, 20, "cudaLaunchKernel", RowKind::runtimeApi, SliceCategory::cudaApi, 9);
    add(compute, 100, 300, "void gemm<float>(float*)", RowKind::kernel, SliceCategory::compute, 9);
    for (int64_t at = 500; at < 520; at += 5)
        add(compute, at, 2, "tiny", RowKind::kernel, SliceCategory::compute);
    add(nccl, 300, 400, "ncclDevKernel_AllReduce", RowKind::kernel, SliceCategory::communication);
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

} // namespace

class DisplayListTest : public QObject {
    Q_OBJECT

  private slots:
    void smallWorkspace()
    {
        Workspace workspace;
        workspace.add(smallReport());
        const auto made = test::madeScene(workspace);
        const LaneFlow flow =
            placeLanes(*made, {}, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
        const LabelFont font = LabelFont::fixed(6);
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 200;
        view.size = {300, 200};
        view.visible = {{0}, {1'000}};
        const Report& report = made->shown.report(ReportKey(0u));
        view.selection.slice = {ReportKey(0u), report.links.all()[0].effect};
        const DisplayList list = layOut(*made, view);
        const std::string expected = R"(frame 300x200 header 200 visible [0, 1000)
lane y=0 h=21 indent=12 v train 77 (92 %)
lane y=21 h=21 indent=26 v GPU 0 busy (92 %)
  row y=21 h=20 busy
    | 50 x4 255/255 communication
    | 51 x4 255/255 communication
    [10, 40) compute kernel
    [40, 50) communication
    [51, 70) communication
lane y=42 h=21 indent=40   stream 7 · compu… (47 %)
  row y=42 h=20 slices
    | 50 x2 102/255 compute kernel
    | 51 x2 102/255 compute kernel
    [10, 40) compute kernel
lane y=63 h=21 indent=40   stream 20 · NCCL (62 %)
  row y=63 h=20 slices
    [30, 70) communication "AllR…"
lane y=84 h=21 indent=26   thread 77 · main (CUDA API)
  row y=84 h=20 slices
    [5, 7) CUDA API
link 205,94 -> 210,52
mark 205,84 2x20 linked
mark 210,42 30x20 selected
)";
        const std::string text = displayListText(list);
        if (text != expected) qWarning("%s", text.c_str());
        QCOMPARE(text, expected);
    }
};

LOCKSTEP_TEST(DisplayListTest, "display_list_test")
#include "display_list_test.moc"
