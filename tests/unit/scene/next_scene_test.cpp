// SPDX-License-Identifier: Apache-2.0
// Tests scenes: keys are stable, unchanged parts are shared, new reports are at their wall clocks until the
// clocks are aligned, and settings of lanes follow them.
#include <random>

#include <QtTest>

#include "core/align/clock_partition.h"
#include "core/lanes/lane_state.h"
#include "core/scene/next_scene.h"
#include "core/trace/identity.h"
#include "tests/support/made_reports.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kFirstUtc_ns = 1'700'000'000'000'000'000;

OpenedInScene opened(uint32_t key, int rank, const std::string& host = "node0")
{
    test::MadeRank made;
    made.host = host;
    made.rank = rank;
    made.steps = 1;
    made.utcAtZero_ns = kFirstUtc_ns + rank * 1'000'000;
    const auto report = test::madeRank(made);
    return {ReportKey(key), report, buildLod(*report, test::workers()),
            std::make_shared<const ReportIdentity>(identityOf(*report, {}, {}))};
}

// A Kineto trace with one kernel of each of these GPUs; pids as a merged trace writes them.
OpenedInScene openedTrace(uint32_t key, const std::vector<std::string>& gpus)
{
    std::string events;
    for (const std::string& gpu : gpus) {
        const std::string pid = gpus.size() == 1 ? gpu : "\"[TP0" + gpu + "] " + gpu + "\"";
        const std::string ts = std::to_string(1'700'000'000'000'000 + 10 * std::stoi(gpu));
        for (const char* const kind : {"cuda_runtime", "kernel"})
            events += (events.empty() ? "" : ",") + std::string(R"({"ph":"X","cat":")") + kind +
                      R"(","name":"gemm","tid":7,"dur":5,"pid":)" + pid + R"(,"ts":)" + ts +
                      R"(,"args":{"device":)" + gpu + R"(,"stream":7,"correlation":3}})";
    }
    const auto report = test::reportOfBytes(R"({"schemaVersion":1,"traceEvents":[)" + events + "]}");
    return {ReportKey(key), report, buildLod(*report, test::workers()),
            std::make_shared<const ReportIdentity>(identityOf(*report, {}, {}))};
}

ScenePtr after(const ScenePtr& last, const SceneChange& change)
{
    return nextScene(last, change, Progress()).value();
}

ScenePtr sceneOf(const std::vector<OpenedInScene>& reports)
{
    SceneChange change;
    change.opened = reports;
    return after(std::make_shared<const Scene>(), change);
}

std::vector<ReportKey> keys(std::initializer_list<uint32_t> numbers)
{
    std::vector<ReportKey> out;
    for (const uint32_t number : numbers)
        out.emplace_back(number);
    return out;
}

std::vector<std::string> laneKeys(const Scene& scene, LaneSubject subject)
{
    std::vector<std::string> out;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.subject == subject) out.push_back(lane.key);
    }
    return out;
}

// Returns all that a tree shows, one line per lane.
std::string textOf(const LaneTree& tree)
{
    std::string out;
    for (uint32_t i = 0; i < tree.size(); ++i) {
        const Lane& lane = tree.lane(i);
        out += std::to_string(tree.levelOf(i)) + " " + std::to_string(static_cast<int>(tree.parentOf(i))) +
               " " + lane.key + " | " + lane.label + " | " + lane.value + " | " + lane.role + " | " +
               lane.note + " ranks " + std::to_string(lane.rankCount) + " folded " +
               std::to_string(lane.startsCollapsed) + " rows " + std::to_string(lane.rowCount) + " found " +
               std::to_string(tree.find(lane.key)) + " children";
        for (const uint32_t child : tree.childrenOf(i))
            out += " " + std::to_string(child);
        for (const RowSource& source : lane.sources) {
            out += " source " + std::to_string(source.report.value) + "." + std::to_string(source.row);
            if (source.kind == RowSource::Kind::track)
                out += " in " + std::to_string(tree.laneOf({source.report, source.track}));
        }
        for (const RowSource& source : lane.summary)
            out += " of " + std::to_string(source.report.value) + "." + std::to_string(source.row);
        out += "\n";
    }
    return out;
}

} // namespace

class NextSceneTest : public QObject {
    Q_OBJECT

  private slots:
    // Reports that only repeat the work of others are hidden until they are requested.
    void aMergedTraceIsHidden()
    {
        const ScenePtr parts = sceneOf({openedTrace(1, {"0"}), openedTrace(2, {"1"})});
        SceneChange more;
        more.opened = {openedTrace(3, {"0", "1"})};
        const ScenePtr all = after(parts, more);
        QCOMPARE(all->open.size(), size_t(3));
        QCOMPARE(all->shown.keys(), keys({1, 2}));
        SceneChange show;
        show.shown[ReportKey(3u)] = true;
        QCOMPARE(after(all, show)->shown.keys(), keys({1, 2, 3}));
        QCOMPARE(sceneOf({openedTrace(3, {"0", "1"})})->shown.keys(), keys({3}));
    }

    void keysAreStable()
    {
        const ScenePtr first = sceneOf({opened(4, 0), opened(2, 1), opened(7, 2)});
        QCOMPARE(first->open.keys(), keys({4, 2, 7}));
        SceneChange change;
        change.closed = {ReportKey(4u)};
        change.opened = {opened(9, 3)};
        change.order = keys({9, 2, 7});
        change.shown[ReportKey(7u)] = false;
        const ScenePtr next = after(first, change);
        QCOMPARE(next->open.keys(), keys({9, 2, 7}));
        QCOMPARE(next->shown.keys(), keys({9, 2}));
        QVERIFY(next->open.shared(ReportKey(2u)) == first->open.shared(ReportKey(2u)));
        QVERIFY(next->lods[ReportKey(7u)] == first->lods[ReportKey(7u)]); // hidden, not forgotten
        QVERIFY(next->lods[ReportKey(4u)] == nullptr && !next->open.has(ReportKey(4u)));
        QVERIFY(!next->holds({ReportKey(7u), SliceId(0u)}) && next->holds({ReportKey(2u), SliceId(0u)}));
        QVERIFY(next->generation > first->generation);
        QCOMPARE(first->open.keys(), keys({4, 2, 7})); // the previous scene is unchanged
    }

    // A day of opening and closing leaves no clocks and no matched collectives behind.
    void axisIsResetWhenNothingIsOpen()
    {
        ScenePtr scene = std::make_shared<const Scene>();
        for (uint32_t key = 0; key < 10; ++key) {
            SceneChange opens;
            opens.opened = {opened(key, 0)};
            scene = after(scene, opens);
            SceneChange aligns;
            aligns.alignment = alignReports(scene->open, {});
            scene = after(scene, aligns);
            QVERIFY(scene->alignment.collectives != nullptr && scene->alignment.utcAtZero_ns);
            SceneChange closes;
            closes.closed = {ReportKey(key)};
            scene = after(scene, closes);
            QVERIFY(scene->alignment.maps.isEmpty() && scene->alignment.collectives == nullptr);
            QVERIFY(!scene->alignment.utcAtZero_ns && scene->lateness->isEmpty());
        }
    }

    void newReportsAreAtTheirWallClocks()
    {
        const ScenePtr first = sceneOf({opened(0, 3)});
        QVERIFY(!first->alignment.coversReport(ReportKey(0u)));
        QCOMPARE(first->alignment.map(ReportKey(0u)).method, AlignMethod::wallclock);
        SceneChange aligning;
        aligning.alignment = alignReports(first->open, {});
        const ScenePtr aligned = after(first, aligning);
        QVERIFY(aligned->alignment.coversReport(ReportKey(0u)));
        // An earlier report arrives: the axis keeps its zero until the next alignment.
        SceneChange coming;
        coming.opened = {opened(1, 0, "node1")};
        const ScenePtr both = after(aligned, coming);
        QCOMPARE(both->alignment.utcAtZero_ns, aligned->alignment.utcAtZero_ns);
        QCOMPARE(both->alignment.map(ReportKey(1u)).offset_ns - both->alignment.map(ReportKey(0u)).offset_ns,
                 int64_t(-3'000'000));
        QVERIFY(!both->alignment.errorBetween(ReportKey(0u), ReportKey(1u)).guaranteed_ns);
        // An alignment of the earlier reports places the new report on its axis too.
        SceneChange late;
        late.alignment = *aligning.alignment;
        const ScenePtr placed = after(both, late);
        QVERIFY(placed->alignment.coversReport(ReportKey(0u)) &&
                !placed->alignment.coversReport(ReportKey(1u)));
        QCOMPARE(placed->alignment.map(ReportKey(1u)).offset_ns,
                 both->alignment.map(ReportKey(1u)).offset_ns);
    }

    void newReportsStartAtZeroWithoutATimeOfDay()
    {
        const ScenePtr first = sceneOf({opened(0, 3)});
        AlignOptions options;
        options.mode = AlignMode::zero;
        SceneChange change;
        change.alignment = alignReports(first->open, options);
        change.opened = {opened(1, 0)};
        const ScenePtr next = after(first, change);
        QCOMPARE(next->alignment.map(ReportKey(1u)).method, AlignMethod::none);
        QCOMPARE(
            next->alignment.map(ReportKey(1u)).alignedFromTrace(startOf(next->open.report(ReportKey(1u)))),
            TraceTime{0});
    }

    void statedIdentitiesAreFinal()
    {
        const ScenePtr first = sceneOf({opened(0, 0), opened(1, 1)});
        SceneChange saying;
        QVERIFY(editPart(saying.stated[ReportKey(1u)], "rank", "5", "by hand"));
        const ScenePtr said = after(first, saying);
        QCOMPARE(said->shown.identity(ReportKey(1u)).rank.value, std::optional<int>(5));
        QCOMPARE(said->shown.identity(ReportKey(0u)).rank.value, std::optional<int>(0));
        SceneChange taking;
        taking.stated[ReportKey(1u)] = {};
        QCOMPARE(after(said, taking)->shown.identity(ReportKey(1u)).rank.value, std::optional<int>(1));
    }

    void changesAddUp()
    {
        SceneChange all;
        all.opened = {opened(0, 0), opened(1, 1)};
        all.shown[ReportKey(1u)] = false;
        SceneChange later;
        later.closed = {ReportKey(0u)};
        later.shown[ReportKey(1u)] = true;
        later.opened = {opened(2, 2)};
        all.add(std::move(later));
        const ScenePtr scene = after(std::make_shared<const Scene>(), all);
        QCOMPARE(scene->shown.keys(), keys({1, 2}));
        QVERIFY(SceneChange().isEmpty() && !all.isEmpty());
    }

    void unchangedScenesShareTheLanes()
    {
        const ScenePtr first = sceneOf({opened(0, 0)});
        QVERIFY(after(first, {})->tree == first->tree);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(nextScene(first, {}, Progress(stop.get_token())).error().kind, ErrorKind::canceled);
    }

    // Unchanged lanes are the same objects in memory; and the whole equals a scene made from scratch.
    void onlyChangedLanesAreRemade()
    {
        const ScenePtr two = sceneOf({opened(0, 0), opened(1, 1)});
        const auto laneAt = [](const ScenePtr& scene, LaneSubject subject, size_t nth) {
            return &scene->tree->lane(scene->tree->find(laneKeys(*scene, subject)[nth]));
        };
        SceneChange coming;
        coming.opened = {opened(2, 2)};
        const ScenePtr three = after(two, coming);
        for (const size_t nth : {0u, 1u})
            QCOMPARE(laneAt(three, LaneSubject::gpu, nth), laneAt(two, LaneSubject::gpu, nth));
        SceneChange saying;
        QVERIFY(editPart(saying.stated[ReportKey(1u)], "role", "critic", "by hand"));
        const ScenePtr said = after(three, saying);
        QCOMPARE(laneAt(said, LaneSubject::gpu, 0), laneAt(two, LaneSubject::gpu, 0));
        QVERIFY(laneAt(said, LaneSubject::process, 1) != laneAt(three, LaneSubject::process, 1));
        QCOMPARE(laneAt(said, LaneSubject::process, 1)->role, std::string("critic"));
        SceneChange aligning; // the first report does not move: the axis begins with it
        aligning.alignment = said->alignment;
        const ScenePtr moved = after(said, aligning);
        QCOMPARE(laneAt(moved, LaneSubject::gpu, 2), laneAt(said, LaneSubject::gpu, 2));
    }

    void patchedTreesEqualNewTrees()
    {
        std::mt19937 random(7);
        const auto below = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
        ScenePtr scene = std::make_shared<const Scene>();
        uint32_t next = 0;
        for (int step = 0; step < 120; ++step) {
            SceneChange change;
            const auto& keys = scene->open.keys();
            const uint32_t what = keys.empty() ? 0 : below(7);
            const ReportKey some =
                keys.empty() ? ReportKey() : keys[below(static_cast<uint32_t>(keys.size()))];
            if (what < 2) {
                const int rank = static_cast<int>(below(70));
                change.opened = {opened(next++, rank, "node" + std::to_string(rank / 8))};
            } else if (what == 2) {
                change.closed = {some};
            } else if (what == 3) {
                change.shown[some] = !scene->shown.has(some);
            } else if (what == 4) {
                QVERIFY(editPart(change.stated[some], "role", below(2) ? "actor" : "rollout", "by hand"));
            } else if (what == 5) {
                change.alignment = alignReports(scene->open, {});
            } else {
                change.laneOptions = LaneOptions{
                    static_cast<LaneGrouping>(below(static_cast<uint32_t>(kLaneGroupingNames.size())))};
            }
            scene = after(scene, change);
            const LaneTree anew =
                buildLaneTree(scene->shown, scene->alignment, scene->lods, scene->laneOptions);
            QCOMPARE(textOf(*scene->tree), textOf(anew));
        }
    }

    // For any order of reports, with any other reports open, in any grouping.
    void laneLabelsIdentifyTheirLanes()
    {
        const ScenePtr alone = sceneOf({opened(3, 1)});
        const ScenePtr among = sceneOf({opened(9, 5, "node1"), opened(8, 1), opened(4, 0)});
        QCOMPARE(laneKeys(*among, LaneSubject::group).size(), size_t(0));
        SceneChange grouping;
        grouping.laneOptions = LaneOptions{LaneGrouping::host};
        const ScenePtr grouped = after(among, grouping);
        QCOMPARE(laneKeys(*grouped, LaneSubject::group).size(), size_t(2));
        for (const Lane& lane : alone->tree->lanes()) {
            if (lane.subject == LaneSubject::group) continue;
            for (const ScenePtr& other : {among, grouped}) {
                const uint32_t there = other->tree->find(lane.key);
                QVERIFY2(there != kNoLane, lane.key.c_str());
                QCOMPARE(other->tree->lane(there).subject, lane.subject);
                if (lane.subject != LaneSubject::process) // the group's name is not repeated
                    QCOMPARE(other->tree->lane(there).label, lane.label);
            }
        }
    }

    // More becomes known about a process: its collapsed, hidden and pinned lanes keep their state.
    void laneSettingsFollowTheirLanes()
    {
        const ScenePtr before = sceneOf({opened(0, 0), opened(1, 1)});
        LaneState state;
        const std::string process = laneKeys(*before, LaneSubject::process)[1];
        const std::string gpu = laneKeys(*before, LaneSubject::gpu)[1];
        state.collapsed[process] = true;
        state.pinned = {gpu};
        state.hidden = {"no such lane"};
        SceneChange saying;
        QVERIFY(editPart(saying.stated[ReportKey(1u)], "rank", "7", "by hand"));
        const ScenePtr now = after(before, saying);
        QCOMPARE(now->tree->find(process), kNoLane);
        state.follow(*before->tree, *now->tree);
        const std::string processNow = laneKeys(*now, LaneSubject::process)[1];
        QVERIFY(processNow != process);
        QCOMPARE(state.collapsed, (std::map<std::string, bool>{{processNow, true}}));
        QCOMPARE(state.pinned, std::set<std::string>{laneKeys(*now, LaneSubject::gpu)[1]});
        QCOMPARE(state.hidden, std::set<std::string>{"no such lane"});
        // A lane that is only hidden temporarily is not reassigned.
        SceneChange hiding;
        hiding.shown[ReportKey(1u)] = false;
        const LaneState kept = state;
        state.follow(*now->tree, *after(now, hiding)->tree);
        QVERIFY(state == kept);
    }
};

LOCKSTEP_TEST(NextSceneTest, "next_scene_test")
#include "next_scene_test.moc"
