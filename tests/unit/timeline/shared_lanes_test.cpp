// SPDX-License-Identifier: Apache-2.0
// Tests one process in many reports: one group of lanes, its captures on shared rows, and nothing hidden.
#include "core/lanes/lane_packing.h"
#include "core/lanes/loss_lanes.h"
#include "core/search/related_slices.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/summary_layout.h"
#include "core/trace/process_groups.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kStart_ns = 1'795'176'271'000'000'000;

struct RankCapture {
    std::string path;
    int rank = 0;
    std::string role = "actor";
    int64_t pid = 77;
    int64_t at_ns = 0; // of its begin, after kStart_ns
    std::string tool = "nsys";
    bool losesRows = false;
    int step = -1;
    bool hasGpu = true;
};

// 1000 ns: a kernel 100..400 on stream 7 that a call at 50..70 launched, a range over all, memory in use.
std::shared_ptr<const Report> reportOfRank(const RankCapture& capture)
{
    ReportBuilder builder;
    Report& r = builder.report();
    r.provenance.path = capture.path;
    r.provenance.tool = capture.tool;
    r.clock.utcAtZero_ns = kStart_ns + capture.at_ns;
    r.identity.host.learn("node0", "made", Confidence::stated);
    r.identity.role.learn(capture.role, "made", Confidence::stated);
    r.identity.rank.learn(capture.rank, "made", Confidence::stated);
    if (capture.step >= 0) r.identity.step.learn(capture.step, "made", Confidence::stated);
    if (capture.losesRows) r.notes.add("made.lost", NoteSeverity::dataLoss, "Rows were lost", "row 1", 3);
    const ProcessId process = builder.process(static_cast<uint64_t>(capture.pid), capture.pid);
    const ThreadId thread = builder.thread(process, capture.pid);
    const DeviceId gpu = builder.device(process, 0);
    SliceBatch batch;
    const auto add = [&](const TrackKey& key, int64_t start, int64_t duration, const char* name, RowKind kind,
                         SliceCategory category, uint32_t correlation) {
        SliceRow row;
        row.start_ns = start;
        row.duration_ns = duration;
        row.name = builder.intern(name);
        row.source = SourceRow::of(0, static_cast<uint64_t>(start));
        row.kind = kind;
        row.category = category;
        row.correlation = correlation;
        batch.add(builder.track(key), row);
    };
    add({TrackKind::cudaApi, process, thread, {}, 0, 0}, 50, 20, "cudaLaunchKernel", RowKind::runtimeApi,
        SliceCategory::cudaApi, 9);
    if (capture.hasGpu)
        add({TrackKind::gpuStream, process, {}, gpu, 7, 1}, 100, 300, "gemm", RowKind::kernel,
            SliceCategory::compute, 9);
    add({TrackKind::nvtx, process, thread, {}, 0, 0}, 0, 1'000, "step", RowKind::nvtxPushPop,
        SliceCategory::nvtx, kNoCorrelation);
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

ScenePtr timelineOf(const std::vector<RankCapture>& captures)
{
    Workspace workspace;
    for (const RankCapture& capture : captures)
        workspace.add(reportOfRank(capture));
    completeIdentities(workspace);
    return test::madeScene(workspace);
}

std::string textOf(const LaneTree& tree)
{
    std::string out;
    for (uint32_t i = 0; i < tree.size(); ++i) {
        const Lane& lane = tree.lane(i);
        out += std::string(tree.levelOf(i) * 2u, ' ') + lane.label;
        if (lane.rowCount > 1) out += " rows=" + std::to_string(lane.rowCount);
        if (!lane.sources.empty()) out += " sources=" + std::to_string(lane.sources.size());
        out += "\n";
    }
    return out;
}

struct Frame {
    ScenePtr made;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);

    explicit Frame(ScenePtr timeline) : made(std::move(timeline))
    {
        LaneState state;
        for (const Lane& lane : made->tree->lanes())
            state.collapsed[lane.key] = false;
        flow = placeLanes(*made, state, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
    }
    const Scene& scene() const { return *made; }
    FrameView view() const
    {
        FrameView out;
        out.flow = &flow;
        out.font = &font;
        return out;
    }
    // Returns the slice that a click at a time on a lane's first row selects.
    SliceRef clicked(const DisplayList& list, const FrameView& view, uint32_t lane, int64_t at_ns) const
    {
        const auto shown = std::ranges::find(list.lanes, lane, &DisplayLane::lane);
        const auto width = static_cast<int64_t>(list.timeWidth());
        const int64_t since = at_ns - view.visible.begin.ns;
        const auto x = static_cast<int>(since * width / view.visible.length().ns);
        return sliceOf(scene(), list, hitTest(list, list.headerWidth + x, shown->y + 5, 0));
    }
};

uint32_t laneNamed(const LaneTree& tree, std::string_view label)
{
    for (uint32_t i = 0; i < tree.size(); ++i) {
        if (tree.lane(i).label == label) return i;
    }
    return kNoLane;
}

} // namespace

class SharedLanesTest : public QObject {
    Q_OBJECT

  private slots:
    void stepsOfOneProcessShareRows()
    {
        const auto made = timelineOf({{.path = "a.1.nsys-rep", .step = 1},
                                      {.path = "a.2.nsys-rep", .at_ns = 5'000, .step = 2},
                                      {.path = "a.3.nsys-rep", .at_ns = 9'000, .step = 3}});
        QCOMPARE(textOf(*made->tree), std::string("node0 \u00B7 rank 0 \u00B7 actor\n"
                                                  "  GPU 0 busy sources=3\n"
                                                  "    stream 7 \u00B7 compute sources=3\n"
                                                  "    NVTX (projected) sources=3\n"
                                                  "  thread 77 \u00B7 main\n"
                                                  "    NVTX sources=3\n"
                                                  "    CUDA API sources=3\n"));
        for (size_t r = 0; r < 3; ++r)
            QCOMPARE(made->tree->laneOf({ReportKey(r), TrackId(0u)}),
                     made->tree->laneOf({ReportKey(0u), TrackId(0u)}));
    }

    void twoRolesAreTwoProcesses()
    {
        const auto made = timelineOf({{.path = "a"}, {.path = "b", .role = "critic", .pid = 78}});
        QCOMPARE(made->tree->lane(0).label, std::string("node0"));
        QCOMPARE(made->tree->lane(1).label, std::string("rank 0 \u00B7 actor"));
        QVERIFY(laneNamed(*made->tree, "rank 0 \u00B7 critic") != kNoLane);
    }

    void overlappingCapturesGetSeparateRows()
    {
        const auto made = timelineOf({{.path = "a.nsys-rep"}, {.path = "b.nsys-rep", .at_ns = 200}});
        const uint32_t stream = laneNamed(*made->tree, "stream 7 \u00B7 compute");
        QVERIFY(stream != kNoLane);
        QCOMPARE(made->tree->lane(stream).rowCount, 2u);
        QCOMPARE(made->tree->lane(stream).sources[1].row, 1u);
        // The same for the busy row; the process's own row shows both as one GPU.
        QCOMPARE(made->tree->lane(1).rowCount, 2u);
        QCOMPARE(made->tree->lane(0).summary.size(), size_t(2));
        QCOMPARE(made->tree->lane(0).summary[1].row, 0u);
    }

    void toolsHaveSeparateLabeledRows()
    {
        const auto made =
            timelineOf({{.path = "a.nsys-rep"}, {.path = "b.json", .at_ns = 5'000, .tool = "PyTorch"}});
        QCOMPARE(textOf(*made->tree), std::string("node0 \u00B7 rank 0 \u00B7 actor\n"
                                                  "  GPU 0 busy sources=2\n"
                                                  "    stream 7 \u00B7 compute \u00B7 PyTorch sources=1\n"
                                                  "    stream 7 \u00B7 compute \u00B7 nsys sources=1\n"
                                                  "    NVTX (projected) \u00B7 PyTorch sources=1\n"
                                                  "    NVTX (projected) \u00B7 nsys sources=1\n"
                                                  "  thread 77 \u00B7 main\n"
                                                  "    NVTX \u00B7 PyTorch sources=1\n"
                                                  "    NVTX \u00B7 nsys sources=1\n"
                                                  "    CUDA API \u00B7 PyTorch sources=1\n"
                                                  "    CUDA API \u00B7 nsys sources=1\n"));
    }

    void lossIsReportedOncePerProcess()
    {
        const auto made = timelineOf({{.path = "a.1", .losesRows = true},
                                      {.path = "a.2", .at_ns = 5'000},
                                      {.path = "a.3", .at_ns = 9'000}});
        QCOMPARE(made->tree->lane(1).label, std::string("data loss in 1 of 3 files"));
        QCOMPARE(made->tree->lane(1).note, std::string("a.1: Rows were lost (3)"));
        QVERIFY(!made->tree->lane(2).data.is<LossLaneData>());
    }

    void everyCaptureOfARowIsClickedAndFollowed()
    {
        Frame frame(timelineOf({{.path = "a.1"}, {.path = "a.2", .at_ns = 5'000}}));
        const LaneTree& tree = *frame.made->tree;
        const uint32_t stream = laneNamed(tree, "stream 7 \u00B7 compute");
        FrameView view = frame.view();
        view.headerWidth = 200;
        view.size = {800, 400};
        view.visible = {{0}, {6'000}};
        const Report& second = frame.made->shown.report(ReportKey(1u));
        const SliceRef kernel{ReportKey(1u), second.links.all()[0].effect};
        view.selection.slice = kernel;
        const DisplayList list = layOut(frame.scene(), view);
        QCOMPARE(frame.clicked(list, view, stream, 250).report, ReportKey(0u));
        QCOMPARE(frame.clicked(list, view, stream, 5'250), kernel);
        QVERIFY(!frame.clicked(list, view, stream, 3'000).isValid());
        QCOMPARE(list.links.size(), size_t(1));
        const auto lane = std::ranges::find(list.lanes, stream, &DisplayLane::lane);
        QCOMPARE(list.links[0].y1, lane->y + 10);
        QCOMPARE(slicePosition(frame.scene(), view, kernel)->y, lane->y);
    }

    void stepsContinueInTheNextCapture()
    {
        const auto made = timelineOf({{.path = "a.2", .at_ns = 5'000}, {.path = "a.1"}});
        const auto kernelOf = [&](uint32_t report) {
            return SliceRef{ReportKey(report), made->shown.report(ReportKey(report)).links.all()[0].effect};
        };
        QCOMPARE(sliceAfter(*made, kernelOf(1)), kernelOf(0));
        QCOMPARE(sliceBefore(*made, kernelOf(0)), kernelOf(1));
        QVERIFY(!sliceAfter(*made, kernelOf(0)).isValid());
        QVERIFY(!sliceBefore(*made, kernelOf(1)).isValid());
    }

    // Both captures in one pixel: one column that counts both.
    void capturesInOnePixelAreCounted()
    {
        Frame frame(
            timelineOf({{.path = "a.1"}, {.path = "a.2", .at_ns = 5'000}, {.path = "a.3", .at_ns = 9'000}}));
        const uint32_t stream = laneNamed(*frame.made->tree, "stream 7 \u00B7 compute");
        FrameView view = frame.view();
        view.headerWidth = 200;
        view.size = {300, 400};
        view.visible = {{0}, {100'000'000}};
        const DisplayList list = layOut(frame.scene(), view);
        const auto shown = std::ranges::find(list.lanes, stream, &DisplayLane::lane);
        QCOMPARE(hitTest(list, 200, shown->y + 5, 0).count, 3u);
    }

    // Rows that are drawn concurrently must not overlap; overlapping rows are drawn one after the other. Once
    // a lane's second step copied its lines while another thread drew the first, and a line lost its end.
    void overlappingRowsAreDrawnSequentially()
    {
        std::vector<RankCapture> captures;
        for (int step = 0; step < 3; ++step) {
            captures.push_back({.path = "step" + std::to_string(step), .at_ns = step * 5'000, .step = step});
            captures.push_back(
                {.path = "other" + std::to_string(step), .rank = 1, .at_ns = step * 5'000, .step = step});
        }
        const Frame frame(timelineOf(captures));
        FrameView view = frame.view();
        view.size = {800, 1'000};
        view.visible = frame.scene().extent();
        const DisplayList list = layOut(frame.scene(), view);
        size_t rows = 0, most = 0;
        int bottom = std::numeric_limits<int>::min();
        for (const std::vector<uint32_t>& group : disjointRowGroups(list, false)) {
            rows += group.size();
            most = std::max(most, group.size());
            QVERIFY(std::ranges::is_sorted(group));
            for (const uint32_t row : group)
                QVERIFY(list.rows[row].y >= bottom);
            for (const uint32_t row : group)
                bottom = std::max(bottom, list.rows[row].y + list.rows[row].height);
        }
        QCOMPARE(rows, list.rows.size());
        QCOMPARE(most, size_t(3));
        QVERIFY(disjointRowGroups(list, true).empty());
    }

    void otherCapturesDoNotDiluteOccupancy()
    {
        Frame frame(timelineOf({{.path = "a.1"}, {.path = "a.2", .at_ns = 5'000}}));
        const DisplayRow row = layOutOverview(frame.scene(), PixelScale({{0}, {6'000}}, 60), test::workers());
        // The kernel fills pixel 2 (200..300 ns) in both captures.
        const auto occupancy = [&](uint16_t x) {
            const auto column = std::ranges::find(row.columns, x, &DenseColumn::x);
            return column == row.columns.end() ? 0 : int(column->occupancy);
        };
        QCOMPARE(occupancy(2), 255);
        QCOMPARE(occupancy(52), 255);
        QCOMPARE(occupancy(30), 0);
    }

    // Some processes have a GPU, others only calls: the mean is over processes, however many share the work.
    void anyNumberOfWorkersGivesTheSameOverview()
    {
        std::vector<RankCapture> captures;
        for (int rank = 0; rank < 5; ++rank)
            captures.push_back({.path = "r" + std::to_string(rank),
                                .rank = rank,
                                .pid = 70 + rank,
                                .hasGpu = rank % 2 == 0});
        const Frame frame(timelineOf(captures));
        const PixelScale axis({{0}, {1'000}}, 100);
        const DisplayRow one = layOutOverview(frame.scene(), axis, Workers());
        const auto inKernel = std::ranges::find(one.columns, uint16_t(20), &DenseColumn::x);
        QVERIFY(inKernel != one.columns.end());
        QCOMPARE(int(inKernel->occupancy), 255); // kernels, and ranges of those that have none
        for (const size_t count : {2u, 3u, 8u, 64u}) {
            const DisplayRow row =
                layOutOverview(frame.scene(), axis, Workers(std::make_shared<TaskPool>(count)));
            QCOMPARE(row.columns.size(), one.columns.size());
            for (size_t i = 0; i < row.columns.size(); ++i) {
                QCOMPARE(row.columns[i].x, one.columns[i].x);
                QCOMPARE(int(row.columns[i].occupancy), int(one.columns[i].occupancy));
                QCOMPARE(row.columns[i].category, one.columns[i].category);
            }
        }
    }

    // Two crossing spans are on two rows of a track; neither contains the other, so the collapsed row shows
    // both.
    void collapsedCrossingSlicesAreAllShown()
    {
        ReportBuilder builder;
        const ProcessId process = builder.process(1, 1);
        const ThreadId thread = builder.thread(process, 1);
        const TrackId track = builder.track({TrackKind::other, process, thread, {}, 0, 0});
        SliceBatch batch;
        for (const auto& [start, end] : {std::pair{0, 400}, {100, 300}, {200, 700}, {800, 1'000}}) {
            SliceRow row;
            row.start_ns = start;
            row.duration_ns = end - start;
            row.name = builder.intern("span");
            batch.add(track, row);
        }
        builder.adopt(std::move(batch));
        Workspace workspace;
        workspace.add(builder.freeze(Progress()).value());
        const auto made = test::madeScene(workspace);
        QCOMPARE(made->tree->size(), size_t(2));
        for (uint32_t lane = 0; lane < made->tree->size(); ++lane) {
            QCOMPARE(made->tree->lane(lane).summary.size(), size_t(2));
            QCOMPARE(made->tree->lane(lane).summary[1].depth, uint16_t(2)); // row 1 was occupied
            QVERIFY(!made->tree->lane(lane).isSummaryOfOne);
        }
    }

    void rowsAreAsFewAsOverlapsAllow()
    {
        std::vector<LaneBlock> blocks{
            {{{0}, {10}}, 2, 0}, {{{5}, {15}}, 1, 0}, {{{10}, {20}}, 3, 0}, {{{15}, {16}}, 1, 0}};
        QCOMPARE(packBlocks(blocks), 4u);
        QCOMPARE(blocks[0].row, 0u);
        QCOMPARE(blocks[1].row, 3u); // under the tallest that stands above it
        QCOMPARE(blocks[2].row, 0u);
        QCOMPARE(blocks[3].row, 3u);
    }
};

LOCKSTEP_TEST(SharedLanesTest, "shared_lanes_test")
#include "shared_lanes_test.moc"
