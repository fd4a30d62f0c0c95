// SPDX-License-Identifier: Apache-2.0
// Tests the lane of NVTX ranges that are projected onto a GPU: its place and rows, the texts of its hover
// card, what a click selects, and that no table or search counts a projection.
#include "core/timeline/lane_kind.h"

#include <algorithm>

#include "core/analysis/analysis.h"
#include "core/search/event_hits.h"
#include "tests/support/made_reports.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// "step" contains "forward"; "late" overlaps the GPU work of "step" without being nested in it.
Workspace ranges()
{
    test::RowReport report("ranges.sqlite");
    report.range("step", 0, 300);
    report.range("forward", 100, 200);
    report.range("late", 400, 500);
    report.launch("gemm", 110, 400, 500);
    report.launch("relu", 210, 500, 700);
    report.launch("adam", 410, 650, 900);
    return report.made();
}

// The lanes of a scene in one frame, a pixel per 10 ns.
struct Picture {
    explicit Picture(const Workspace& workspace, bool isExpanded = true) : scene(test::madeScene(workspace))
    {
        LaneState state;
        for (const Lane& lane : scene->tree->lanes()) {
            if (isExpanded) state.collapsed[lane.key] = false;
        }
        place(state);
        view.font = &font;
        view.headerWidth = 0;
        view.size = {100, 1000};
        view.visible = scene->alignment.map(ReportKey(0u)).alignedFromTrace(TimeRange{{0}, {1'000}});
    }

    void place(const LaneState& state)
    {
        flow = placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        view.flow = &flow;
    }
    DisplayList list() const { return layOut(*scene, view); }

    ScenePtr scene;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);
    FrameView view;
};

std::vector<const DisplayRow*> rowsOf(const DisplayList& list)
{
    std::vector<const DisplayRow*> rows;
    for (const DisplayRow& row : list.rows) {
        if (row.kind->name() == "projection") rows.push_back(&row);
    }
    return rows;
}

// "name [begin, end)" of each box, in pixels.
std::vector<std::string> boxesOf(const Scene& scene, const DisplayRow& row)
{
    std::vector<std::string> out;
    for (const SliceBox& box : row.boxes)
        out.push_back(std::string(scene.shown.report(row.track.report).nameOf(box.slice)) + " [" +
                      std::to_string(box.begin) + ", " + std::to_string(box.end) + ")");
    return out;
}

} // namespace

class ProjectionLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void theLaneIsBelowTheStreams()
    {
        const ScenePtr scene = test::madeScene(ranges());
        const auto lanes = scene->tree->lanes();
        const auto found = std::ranges::find(lanes, LaneSubject::projection, &Lane::subject);
        QVERIFY(found != lanes.end());
        QCOMPARE((*found).label, std::string("NVTX (projected)"));
        QCOMPARE((*found).rowCount, 2u);
        QVERIFY(!(*found).startsCollapsed);
        const auto index = static_cast<uint32_t>(found - lanes.begin());
        QCOMPARE(scene->tree->lane(scene->tree->parentOf(index)).subject, LaneSubject::gpu);
        QCOMPARE(scene->tree->lane(index - 1).label.substr(0, 8), std::string("stream 7"));
        const Lane& gpu = scene->tree->lane(scene->tree->parentOf(index));
        QVERIFY2(gpu.data.as<GpuLaneData>()->time.busy_ns == 500 && gpu.summary.size() == 1,
                 "projections are not busy time");
    }

    void rangesAreDrawnOverTheirWork()
    {
        const Picture picture(ranges());
        const DisplayList list = picture.list();
        const auto rows = rowsOf(list);
        QCOMPARE(rows.size(), size_t(2));
        QCOMPARE(boxesOf(*picture.scene, *rows[0]), (std::vector<std::string>{"step [40, 70)"}));
        QCOMPARE(boxesOf(*picture.scene, *rows[1]),
                 (std::vector<std::string>{"forward [40, 50)", "late [65, 90)"}));
    }

    void deepLanesStartCollapsedAndShowTheOutermostRanges()
    {
        test::RowReport report("ranges.sqlite");
        for (int depth = 0; depth < 5; ++depth)
            report.range(depth == 0 ? "step" : "inner", 10 * depth, 300 - 10 * depth);
        report.launch("gemm", 110, 400, 500);
        const Picture picture(report.made(), false);
        const DisplayList list = picture.list();
        const auto rows = rowsOf(list);
        QCOMPARE(rows.size(), size_t(1));
        QVERIFY(rows[0]->isSummary);
        QCOMPARE(boxesOf(*picture.scene, *rows[0]), (std::vector<std::string>{"step [40, 50)"}));
    }

    // The outermost ranges cross, so one row can't show both.
    void collapsedLanesShowHowMuchRangesCover()
    {
        Picture picture(ranges());
        LaneState state;
        for (const Lane& lane : picture.scene->tree->lanes())
            state.collapsed[lane.key] = lane.subject == LaneSubject::projection;
        picture.place(state);
        const DisplayList list = picture.list();
        const auto rows = rowsOf(list);
        QCOMPARE(rows.size(), size_t(1));
        const auto isAt = [&](int x) {
            return std::ranges::count(rows[0]->columns, x, &DenseColumn::x) == 1;
        };
        QVERIFY(!isAt(39) && isAt(40) && isAt(89) && !isAt(90));
        const Hit hit = hitTest(list, 60, rows[0]->y + rows[0]->height - 1, 0);
        QCOMPARE(hit.kind->hover(*picture.scene, list, hit).back(),
                 std::string("100 % of this pixel is in a range"));
    }

    void hoverAndClickReferToTheRange()
    {
        Picture picture(ranges());
        const DisplayList list = picture.list();
        const DisplayRow& row = *rowsOf(list)[0];
        Hit hit = hitTest(list, 45, row.y + 1, 0);
        QCOMPARE(hit.part, Hit::Part::box);
        hit.slice = sliceOf(*picture.scene, list, hit);
        const Report& report = picture.scene->shown.report(hit.slice.report);
        QCOMPARE(report.slices.kind[hit.slice.slice.value], RowKind::nvtxPushPop);
        QCOMPARE(report.slices.range(hit.slice.slice), (TimeRange{{0}, {300}}));
        const std::vector<std::string> lines = hit.kind->hover(*picture.scene, list, hit);
        QCOMPARE(lines.at(0), std::string("step"));
        QVERIFY2(lines.at(1).starts_with("300 ns   start "), lines.at(1).c_str());
        QCOMPARE(lines.at(2), std::string("projection: from the first to the last GPU operation launched in "
                                          "this range on this device"));
        QCOMPARE(lines.at(3), std::string("2 calls launched GPU work"));
        QVERIFY2(lines.at(4).starts_with("on the CPU: 300 ns   start ") &&
                     lines.at(4).ends_with("process 9 \u00B7 thread 9 \u00B7 main"),
                 lines.at(4).c_str());
        picture.view.selection.slice = hit.slice;
        const DisplayList selected = picture.list();
        const auto mark = std::ranges::find_if(selected.marks, [&](const DisplayMark& m) {
            return m.y == row.y && m.x == 40 && m.width == 30 && !m.isSelected;
        });
        QVERIFY2(mark != selected.marks.end(), "the projection of the selected range is outlined");
    }

    // A pixel with more ranges than can be drawn still names its longest.
    void crowdedPixelsNameTheirLongestRange()
    {
        test::RowReport rows("ranges.sqlite");
        for (int i = 0; i < 40; ++i) {
            rows.range(i == 7 ? "longest" : "short", 100 * i, 100 * i + 50);
            rows.launch("kernel", 100 * i + 10, 10'000 + 100 * i, 10'000 + 100 * i + (i == 7 ? 90 : 20));
        }
        Picture picture(rows.made());
        picture.view.visible =
            picture.scene->alignment.map(ReportKey(0u)).alignedFromTrace(TimeRange{{0}, {1'000'000}});
        const DisplayList list = picture.list();
        const DisplayRow& row = *rowsOf(list).at(0);
        QCOMPARE(row.columns.size(), size_t(1));
        Hit hit = hitTest(list, row.columns[0].x, row.y + 1, 0);
        QCOMPARE(hit.count, 40u);
        hit.slice = sliceOf(*picture.scene, list, hit);
        const std::vector<std::string> lines = hit.kind->hover(*picture.scene, list, hit);
        QCOMPARE(lines.front(), std::string("longest"));
        QVERIFY2(lines.back().starts_with("longest of 40 ranges here, "), lines.back().c_str());
    }

    void nothingCountsAProjection()
    {
        const Workspace workspace = ranges();
        const Report& report = workspace.report(ReportKey(0u));
        QCOMPARE(report.slices.size(), size_t(9)); // 3 ranges, 3 calls, 3 kernels
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        const Table sum = runAnalysis("nvtx_sum", *scene, {}, Progress(test::workers())).value();
        QCOMPARE(test::columnCells(sum, "Instances"), (std::vector<std::string>{"1", "1", "1"}));
    }
};

LOCKSTEP_TEST(ProjectionLaneTest, "projection_lane_test")
#include "projection_lane_test.moc"
