// SPDX-License-Identifier: Apache-2.0
// Tests the lane of phases, with the bubbles of their process: duration, position, and nothing if no file
// records phases.
#include "core/lanes/phase_lanes.h"
#include "core/timeline/lane_kind.h"

#include <sstream>

#include "core/analysis/analysis.h"
#include "tests/support/rl_run.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using test::kRl_ms;

namespace {

uint32_t phaseLaneOf(const Scene& scene, const std::string& role)
{
    for (uint32_t lane = 0; lane < scene.tree->size(); ++lane) {
        if (scene.tree->lane(lane).data.is<PhaseLaneData>() && scene.tree->lane(lane).role == role)
            return lane;
    }
    return kNoLane;
}

const ProcessBubbles* bubblesOf(const Scene& scene, const std::string& role)
{
    const uint32_t lane = phaseLaneOf(scene, role);
    return lane == kNoLane ? nullptr : scene.bubbles->of(*scene.tree, scene.tree->parentOf(lane));
}

// Makes one frame of a whole scene, a thousand pixels wide.
struct PhaseFrame {
    explicit PhaseFrame(ScenePtr of) : scene(std::move(of))
    {
        for (const Lane& lane : scene->tree->lanes())
            state.fold(lane, false);
        flow = placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 0;
        view.size = {1'000, 600};
        view.visible = {scene->extent().begin, scene->extent().begin + Duration{100 * kRl_ms}};
        list = layOut(*scene, view);
    }

    std::string textOf(const std::string& role) const
    {
        std::ostringstream out;
        for (const DisplayRow& row : list.rows) {
            if (row.lane == phaseLaneOf(*scene, role)) row.kind->write(out, row);
        }
        return out.str();
    }
    Hit at(const std::string& role, int x) const
    {
        const auto lane = std::ranges::find(list.lanes, phaseLaneOf(*scene, role), &DisplayLane::lane);
        return hitTest(list, x, lane->y + lane->height / 2);
    }

    ScenePtr scene;
    LaneState state;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);
    FrameView view;
    DisplayList list;
};

} // namespace

class PhaseLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void phasesAndBubblesAreDrawn()
    {
        const PhaseFrame frame(test::rlScene(test::rlRun()));
        QCOMPARE(frame.textOf("actor"), std::string("    [420, 550) old_log_prob\n"
                                                    "    [550, 900) update_actor\n"
                                                    "    [900, 1000) weight_sync\n"
                                                    "    at 460 \"old_log_prob\"\n"
                                                    "    at 590 \"update_actor\"\n"
                                                    "    at 937 \"weight_sync\"\n"
                                                    "    [0, 400) bubble\n"
                                                    "    at 200 \"bubble 40 ms\"\n"));
        QCOMPARE(frame.textOf("rollout"), std::string("    [0, 400) generation\n"
                                                      "    [600, 900) waiting\n"
                                                      "    at 34 \"generation\"\n"
                                                      "    at 625 \"waiting\"\n"
                                                      "    [420, 900) bubble\n"
                                                      "    at 856 \"bubble 48 ms\"\n"));
    }

    void textAndHatchingDoNotOverlap()
    {
        const PhaseFrame frame(test::rlScene(test::rlRun()));
        size_t hatched = 0;
        for (const DisplayRow& row : frame.list.rows) {
            for (const Span& span : row.spans) {
                if (span.ink.kind != Ink::Kind::bubble) continue;
                hatched += static_cast<size_t>(span.end - span.begin);
                for (const DisplayRow& other : frame.list.rows) {
                    for (const RowLabel& label : other.labels)
                        QVERIFY(other.lane != row.lane || label.x < span.begin || label.x >= span.end);
                }
            }
        }
        QVERIFY(hatched > 600 && hatched < 878);
    }

    void clicksAndCardsDescribeThePhase()
    {
        const PhaseFrame frame(test::rlScene(test::rlRun()));
        const Hit phase = frame.at("actor", 700);
        QVERIFY(phase.part == Hit::Part::box);
        const Report& report = frame.scene->shown.report(phase.slice.report);
        QCOMPARE(report.nameOf(phase.slice.slice), std::string_view("actor_update"));
        const auto said = phase.kind->hover(*frame.scene, frame.list, phase);
        QCOMPARE(said.at(1), std::string("phase update_actor"));
        const Hit bubble = frame.at("actor", 100);
        QVERIFY(bubble.part == Hit::Part::shape);
        const auto lines = bubble.kind->hover(*frame.scene, frame.list, bubble);
        QCOMPARE(lines.at(0),
                 std::string("bubble of 40 ms: its devices were idle while those of rollout worked"));
        QVERIFY(lines.at(1).find("40 % of its recorded time") != std::string::npos);
        // A phase inside a bubble shows both.
        const Hit both = frame.at("rollout", 700);
        QVERIFY(both.part == Hit::Part::box);
        const auto told = both.kind->hover(*frame.scene, frame.list, both);
        QCOMPARE(told.at(1), std::string("phase waiting"));
        QVERIFY(std::ranges::any_of(
            told, [](const std::string& line) { return line.starts_with("bubble of 48 ms: "); }));
        const auto placed =
            std::ranges::find(frame.list.lanes, phaseLaneOf(*frame.scene, "actor"), &DisplayLane::lane);
        QCOMPARE(placed->value, std::string("bubble 40 %"));
    }

    void sumsEqualTheTable()
    {
        const ScenePtr scene = test::rlScene(test::rlRun());
        const Table table = runAnalysis("role_breakdown", *scene, {}, Progress(test::workers())).value();
        const auto sumOf = [&](const char* role) {
            return std::to_string(bubblesOf(*scene, role)->total.ns);
        };
        QCOMPARE(test::columnCells(table, "role"), (std::vector<std::string>{"actor", "rollout"}));
        QCOMPARE(test::columnCells(table, "role_bubble"),
                 (std::vector<std::string>{sumOf("actor"), sumOf("rollout")}));
    }

    void shortIdleMomentsAreNotBubbles()
    {
        Workspace workspace;
        workspace.add(test::rlActor(0));
        test::RowReport engine;
        engine.identify(0, "rollout", 1, "node1", "GPU-1");
        engine.setUtc(1'700'000'000'000'000'000);
        engine.range("generate_sequences", 0, 100 * kRl_ms);
        for (int64_t at = 0; at < 100;
             ++at) // the 100 us after each are not a bubble, although the actor works
            engine.kernel("k", at * kRl_ms, (at + 1) * kRl_ms - 100'000);
        workspace.add(engine.finish());
        const ScenePtr scene = test::rlScene(workspace);
        QVERIFY(bubblesOf(*scene, "rollout")->ranges.empty());
        QCOMPARE(bubblesOf(*scene, "actor")->ranges.size(), size_t(2)); // before and after its work
    }

    void unrecordedPhasesAreNotGuessed()
    {
        // Without phases there is no lane.
        test::RowReport plain;
        plain.identify(0, "actor", 1, "node0");
        plain.range("forward", 0, 1'000);
        plain.kernel("k", 0, 1'000);
        Workspace workspace = plain.made();
        QCOMPARE(phaseLaneOf(*test::rlScene(workspace), "actor"), kNoLane);
        // A single role has no bubble, whatever it waits for; nor has a process without a known role.
        Workspace alone;
        alone.add(test::rlActor(0));
        QVERIFY(phaseLaneOf(*test::rlScene(alone), "actor") != kNoLane);
        QVERIFY(bubblesOf(*test::rlScene(alone), "actor") == nullptr);
        test::RowReport nameless;
        nameless.identify(0, "", 1, "node1");
        nameless.setUtc(1'700'000'000'000'000'000);
        test::fillWithKernels(nameless, "k", 0, 40);
        alone.add(nameless.finish());
        QVERIFY(bubblesOf(*test::rlScene(alone), "actor") == nullptr);
        // Work of two roles on one GPU is not a bubble of either; if no file identifies GPUs, that is
        // reported.
        Workspace shared, untold;
        shared.add(test::rlActor(0, "GPU-0"));
        shared.add(test::rlRollout(0, "GPU-1"));
        QVERIFY(bubblesOf(*test::rlScene(shared), "actor")->isDeviceKnown);
        untold.add(test::rlActor(0, ""));
        untold.add(test::rlRollout(0, ""));
        QVERIFY(!bubblesOf(*test::rlScene(untold), "actor")->isDeviceKnown);
    }

    void unrecordedTimeIsNotABubble()
    {
        Workspace workspace = test::rlRun();
        test::RowReport late; // its report begins at 30 ms of the run
        late.identify(1, "actor", 1, "node0", "GPU-2");
        late.setUtc(1'700'000'000'000'000'000 + 30 * kRl_ms);
        late.range("actor_update", 0, 70 * kRl_ms);
        test::fillWithKernels(late, "gemm", 20, 60);
        workspace.add(late.finish());
        const ScenePtr scene = test::rlScene(workspace);
        for (const auto& [key, bubbles] : scene->bubbles->ofProcess) {
            if (key.find("rank=1") == key.npos) continue;
            QCOMPARE(bubbles.ranges.size(), size_t(1));
            QCOMPARE(bubbles.ranges.front().begin - scene->extent().begin, Duration{30 * kRl_ms});
            QCOMPARE(bubbles.recorded, Duration{70 * kRl_ms});
        }
    }
};

LOCKSTEP_TEST(PhaseLaneTest, "phase_lane_test")
#include "phase_lane_test.moc"
