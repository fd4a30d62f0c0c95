// SPDX-License-Identifier: Apache-2.0
// Tests where the lane of missing data is hatched: from the last record on for a capture that was cut short,
// over the whole length if the place of a loss is unknown; and that the lane of a process says how it ended.
#include <algorithm>
#include <optional>

#include <QTest>

#include "core/lanes/loss_lanes.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/scene/scene.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/layout.h"
#include "tests/support/made_spool.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kLossMs = 1'000'000;

std::unique_ptr<Report> readCapture(const std::string& bytes)
{
    auto report = readCaptureSpool(bytes, {}, Progress());
    return report ? std::move(*report) : nullptr;
}

// A capture of rank 0 with records from 1 s to 1.1 s, whose second block is cut off in the middle.
std::string cutCapture(bool lacksBlock = false)
{
    MadeSpool spool;
    spool.meta(0, 100).pairs(1000 * kLossMs, 50);
    if (lacksBlock) spool.leaveOut();
    spool.pairs(1050 * kLossMs, 51);
    const std::string whole = spool.pairs(2000 * kLossMs, 50).bytes();
    return whole.substr(0, spool.blockAt() + (whole.size() - spool.blockAt()) / 2);
}

// The capture of rank 1, which lasts until 5 s and is complete.
std::string completeCapture()
{
    MadeSpool spool(2);
    spool.meta(1, 101).pairs(1000 * kLossMs, 50).pairs(5000 * kLossMs, 10);
    return spool.finish().bytes();
}

ScenePtr sceneWith(const std::string& cut)
{
    Workspace workspace;
    for (const std::string& bytes : {cut, completeCapture()})
        workspace.add(readCapture(bytes));
    Alignment alignment = alignReports(workspace, {});
    return makeScene(workspace, std::move(alignment), Workers());
}

const std::vector<TimeRange>& gapsOf(const Lane& lane)
{
    return lane.data.as<LossLaneData>()->gaps;
}

std::optional<Lane> lossLaneIn(const Scene& scene)
{
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.data.is<LossLaneData>()) return lane;
    }
    return {};
}

const Lane& processOf(const Scene& scene, int rank)
{
    uint32_t index = 0;
    while (scene.tree->lane(index).subject != LaneSubject::process || rankOf(scene.tree->lane(index)) != rank)
        ++index;
    return scene.tree->lane(index);
}

// Returns the hatched spans in a picture of the whole axis that is 1000 pixels wide.
std::vector<Span> hatchedIn(const Scene& scene)
{
    const LaneFlow flow =
        placeLanes(scene, LaneState(), std::vector<bool>(scene.tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(6);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.headerWidth = 0;
    view.size = {1000, 400};
    view.visible = scene.extent();
    const DisplayList list = layOut(scene, view);
    const auto row =
        std::ranges::find_if(list.rows, [](const DisplayRow& r) { return r.kind->name() == "hatch"; });
    return row == list.rows.end() ? std::vector<Span>()
                                  : std::vector<Span>(row->spans.begin(), row->spans.end());
}

} // namespace

class LossLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void cutCaptureIsHatchedFromItsLastRecord()
    {
        const ScenePtr scene = sceneWith(cutCapture());
        const auto lane = lossLaneIn(*scene);
        QVERIFY(lane.has_value());
        QCOMPARE(gapsOf(*lane).size(), size_t(1));
        const ReportKey cut = scene->shown.keys().front();
        const Report& report = scene->shown.report(cut);
        QCOMPARE(report.extent.end.ns, 1100 * kLossMs + kLossMs / 2);
        QCOMPARE(gapsOf(*lane)[0].begin, scene->alignment.map(cut).alignedFromTrace(report.extent.end));
        QVERIFY(lane->note.find("before the capture could finish") != std::string::npos);
        // The axis is 4 s long: the first 25 pixels are recorded, the rest is not.
        const std::vector<Span> spans = hatchedIn(*scene);
        QCOMPARE(spans.size(), size_t(1));
        QVERIFY2(spans[0].begin >= 24 && spans[0].begin <= 27, std::to_string(spans[0].begin).c_str());
        QCOMPARE(spans[0].end, uint16_t(1000));
    }

    // Where a missing block belongs is not known to the lane, so nothing is claimed to be complete.
    void lossOfUnknownPlaceIsHatchedOverTheWholeLength()
    {
        const ScenePtr scene = sceneWith(cutCapture(true));
        const auto lane = lossLaneIn(*scene);
        QVERIFY(lane.has_value() && gapsOf(*lane).empty());
        const std::vector<Span> spans = hatchedIn(*scene);
        QCOMPARE(spans.size(), size_t(1));
        QCOMPARE(spans[0].begin, uint16_t(0));
        QCOMPARE(spans[0].end, uint16_t(1000));
    }

    // The complete part of a capture whose end is also the end of the axis is not hatched at all.
    void nothingIsHatchedBeforeTheEndOfTheAxis()
    {
        Workspace workspace;
        workspace.add(readCapture(cutCapture()));
        Alignment alignment = alignReports(workspace, {});
        const ScenePtr scene = makeScene(workspace, std::move(alignment), Workers());
        QVERIFY(lossLaneIn(*scene).has_value());
        QVERIFY(hatchedIn(*scene).empty());
    }

    // The rank that failed is recognizable while all processes are collapsed, and its tooltip says when it
    // ended.
    void failedProcessIsMarked()
    {
        MadeSpool spool;
        spool.meta(0, 100).pairs(1000 * kLossMs, 50).inStep(3);
        spool.block(LOCKSTEP_BLOCK_SUMMARY, R"({"exit_status": 137})", 0, 0, 0);
        const ScenePtr scene = sceneWith(spool.finish().bytes());
        const Lane& failed = processOf(*scene, 0);
        QCOMPARE(failed.warning, std::string("exit status 137"));
        QVERIFY(failed.label.ends_with(" \u00B7 exit status 137"));
        QCOMPARE(failed.note, std::string("the process ended in step 3 at 22:13:21 UTC, exit status 137"));
        QVERIFY(processOf(*scene, 1).warning.empty());
    }

    void killedProcessIsMarked()
    {
        const ScenePtr scene = sceneWith(cutCapture());
        QCOMPARE(processOf(*scene, 0).warning, std::string("cut short"));
        QVERIFY(processOf(*scene, 0).note.starts_with("the process ended before the capture could finish"));
        QVERIFY(processOf(*scene, 1).warning.empty());
    }
};

LOCKSTEP_TEST(LossLaneTest, "loss_lane_test")
#include "loss_lane_test.moc"
