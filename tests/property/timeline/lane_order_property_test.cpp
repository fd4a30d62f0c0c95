// SPDX-License-Identifier: Apache-2.0
// Tests that, however lanes are grouped, sorted and dragged, each process's reports are shown once and each
// lane has one position. Sorted lanes are in the order of their values, ties keep their order, and unknown
// values are last.
#include "core/timeline/lane_order.h"

#include <set>

#include <rapidcheck.h>

#include "core/timeline/lane_flow.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

Workspace randomRanks()
{
    Workspace workspace;
    const int count = *rc::gen::inRange(1, 9);
    for (int i = 0; i < count; ++i) {
        test::MadeRank made;
        made.host = "node" + std::to_string(*rc::gen::inRange(0, 3));
        made.role = *rc::gen::element<std::string>("actor", "critic", "rollout");
        made.rank = *rc::gen::inRange(0, 4);
        made.steps = 1;
        workspace.add(test::madeRank(made));
    }
    return workspace;
}

// Returns the rows that a tree shows, each as often as it is shown.
std::multiset<std::pair<uint32_t, uint32_t>> tracksOf(const LaneTree& tree)
{
    std::multiset<std::pair<uint32_t, uint32_t>> tracks;
    for (const Lane& lane : tree.lanes()) {
        for (const RowSource& source : lane.sources) {
            if (source.kind == RowSource::Kind::track)
                tracks.emplace(static_cast<uint32_t>(source.report.value), source.track.value);
        }
    }
    return tracks;
}

LaneGrouping anyGrouping()
{
    return static_cast<LaneGrouping>(*rc::gen::inRange(0, static_cast<int>(kLaneGroupingNames.size())));
}

// All lanes are expanded: the flow contains everything.
LaneState opened(const LaneTree& tree)
{
    LaneState state;
    for (const Lane& lane : tree.lanes())
        state.fold(lane, false);
    return state;
}

bool showsEachLaneOnce(const Scene& scene, const LaneState& state)
{
    const LaneFlow flow =
        placeLanes(scene, state, std::vector<bool>(scene.tree->size(), true), FrameMetrics::at(1));
    std::set<uint32_t> lanes;
    int y = 0;
    for (const PlacedLane& placed : flow.scrolling) {
        if (!lanes.insert(placed.lane).second || placed.y != y) return false;
        y += placed.height;
    }
    return lanes.size() == scene.tree->size();
}

} // namespace

class LaneOrderPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void groupingLosesNothing()
    {
        QVERIFY(rc::check([] {
            const Workspace workspace = randomRanks();
            const auto flat = test::madeScene(workspace, {LaneGrouping::none});
            const auto grouped = test::madeScene(workspace, {anyGrouping()});
            RC_ASSERT(tracksOf(*grouped->tree) == tracksOf(*flat->tree));
            std::set<std::string> keys;
            for (uint32_t i = 0; i < grouped->tree->size(); ++i) {
                RC_ASSERT(keys.insert(grouped->tree->lane(i).key).second);
                RC_ASSERT(grouped->tree->find(grouped->tree->lane(i).key) == i);
                RC_ASSERT(!grouped->tree->lane(i).label.empty());
            }
            RC_ASSERT(showsEachLaneOnce(*grouped, opened(*grouped->tree)));
        }));
    }

    void anyOrderShowsEachLaneOnce()
    {
        QVERIFY(rc::check([] {
            const auto scene = test::madeScene(randomRanks(), {anyGrouping()});
            LaneState state = opened(*scene->tree);
            const auto lanes = static_cast<uint32_t>(scene->tree->size());
            state.sort = static_cast<LaneSort>(*rc::gen::inRange(0, static_cast<int>(kLaneSortNames.size())));
            for (int move = *rc::gen::inRange(0, 6); move > 0; --move) {
                const auto lane = *rc::gen::inRange(0u, lanes), before = *rc::gen::inRange(0u, lanes + 1);
                const LaneState last = state;
                if (!moveLane(*scene, state, lane, before == lanes ? kNoLane : before)) {
                    RC_ASSERT(state == last);
                    continue;
                }
                const auto now = LaneOrder(*scene, state).below(scene->tree->parentOf(lane));
                const auto at = std::ranges::find(now, lane);
                const bool isLast = at + 1 == now.end();
                const bool isThere = before == lanes ? isLast : !isLast && at[1] == before;
                RC_ASSERT(isThere);
            }
            RC_ASSERT(showsEachLaneOnce(*scene, state));
        }));
    }

    void sortedByRankWithUnknownLast()
    {
        QVERIFY(rc::check([] {
            const auto scene = test::madeScene(randomRanks(), {LaneGrouping::none});
            LaneState state;
            const std::vector<uint32_t> before = LaneOrder(*scene, state).below(kNoLane);
            state.sort = LaneSort::rank;
            const LaneOrder order(*scene, state);
            const std::vector<uint32_t> lanes = order.below(kNoLane);
            const auto numberOf = [&](uint32_t lane) {
                return rankOf(scene->tree->lane(lane)).value_or(1000);
            };
            for (size_t i = 1; i < lanes.size(); ++i) {
                RC_ASSERT(numberOf(lanes[i - 1]) <= numberOf(lanes[i]));
                const bool isTie = numberOf(lanes[i - 1]) == numberOf(lanes[i]);
                RC_ASSERT(!isTie ||
                          std::ranges::find(before, lanes[i - 1]) < std::ranges::find(before, lanes[i]));
                RC_ASSERT((order.textOf(lanes[i]) == "no rank") == !rankOf(scene->tree->lane(lanes[i])));
            }
        }));
    }

    void movingUpAndDownIsReversible()
    {
        QVERIFY(rc::check([] {
            const auto scene = test::madeScene(randomRanks(), {anyGrouping()});
            LaneState state;
            const auto lane = *rc::gen::inRange(0u, static_cast<uint32_t>(scene->tree->size()));
            const uint32_t parent = scene->tree->parentOf(lane);
            const auto before = LaneOrder(*scene, state).below(parent);
            const bool isLast = before.back() == lane;
            RC_ASSERT(moveLaneBy(*scene, state, lane, 1) == !isLast);
            if (isLast) return;
            RC_ASSERT(LaneOrder(*scene, state).below(parent) != before);
            RC_ASSERT(moveLaneBy(*scene, state, lane, -1));
            RC_ASSERT(LaneOrder(*scene, state).below(parent) == before);
        }));
    }
};

LOCKSTEP_TEST(LaneOrderPropertyTest, "lane_order_property_test")
#include "lane_order_property_test.moc"
