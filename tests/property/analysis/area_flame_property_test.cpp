// SPDX-License-Identifier: Apache-2.0
// Tests flame graphs and durations of a selection: no time is lost in either orientation, and nested search
// matches count once.
#include <algorithm>
#include <numeric>

#include <rapidcheck.h>

#include "core/analysis/area_flame.h"
#include "core/analysis/duration_histogram.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// Selects any lanes over any time of two generated hosts.
AreaQuery someQuery(const Scene& scene)
{
    const TimeRange whole = scene.extent();
    const auto part = [&] {
        return whole.begin + Duration{*rc::gen::inRange<int64_t>(0, whole.length().ns)};
    };
    const TraceTime a = part(), b = part();
    Area area{{std::min(a, b), std::max(a, b)}, {}};
    for (const Lane& lane : scene.tree->lanes()) {
        if (*rc::gen::inRange(0, 3) == 0) area.lanes.push_back({lane.key, false});
    }
    AreaQuery query;
    query.areas = {area};
    query.clip = *rc::gen::arbitrary<bool>() ? Clip::include : Clip::exclude;
    return query;
}

void checkTree(const AreaFlame& flame)
{
    std::vector<int64_t> below(flame.frames.size(), 0);
    std::vector<uint64_t> countBelow(flame.frames.size(), 0);
    for (size_t i = 1; i < flame.frames.size(); ++i) {
        const FlameFrame& frame = flame.frames[i];
        RC_ASSERT(frame.parent < i);
        RC_ASSERT(frame.depth == flame.frames[frame.parent].depth + 1);
        below[frame.parent] += frame.size;
        countBelow[frame.parent] += frame.count;
    }
    for (size_t i = 0; i < flame.frames.size(); ++i) {
        RC_ASSERT(below[i] <= flame.frames[i].size);
        RC_ASSERT(countBelow[i] <= flame.frames[i].count);
    }
}

} // namespace

class AreaFlameTest : public QObject {
    Q_OBJECT

  private slots:
    void flameGraphCoversTheSelection()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        QVERIFY(rc::check("a flame graph = what lies inside", [&] {
            const AreaQuery query = someQuery(*scene);
            const auto by = *rc::gen::element(FlameBy::ranges, FlameBy::stack);
            const Progress progress(test::workers());
            const auto sums = aggregateArea(*scene, query, AreaGroup::name, progress);
            const auto down = areaFlame(*scene, query, by, false, progress);
            const auto up = areaFlame(*scene, query, by, true, progress);
            RC_ASSERT(sums && down && up);
            checkTree(*down);
            checkTree(*up);
            RC_ASSERT(down->frames[0].count + down->excluded == sums->total.count);
            RC_ASSERT(up->frames[0] == down->frames[0]);
            const auto inLanes = aggregateArea(*scene, query, AreaGroup::lane, progress);
            int64_t united = 0; // nested slices of a lane count once; crossing ones are side by side
            for (const AreaGroupRow& lane : inLanes->rows)
                united += lane.union_ns;
            if (down->isOfWork) return;
            RC_ASSERT(down->frames[0].size >= united && down->frames[0].size <= sums->total.sum_ns);
        }));
    }

    void nestedMatchesCountOnce()
    {
        AreaFlame flame;
        flame.frames = {{0, 0, 100, 10}, {0, 1, 60, 6}, {0, 1, 40, 4}, {1, 2, 50, 2}, {2, 2, 10, 1}};
        flame.names = {"", "outer nccl", "other", "inner NCCL", "nccl alone"};
        flame.categories.resize(5);
        const FlameHits hits = flameHits(flame, "Nccl", false);
        QCOMPARE(hits.frames, uint64_t(3));
        QCOMPARE(hits.found_all, int64_t(70));
        QCOMPARE(hits.found[2], int64_t(10));
        QCOMPARE(flameHits(flame, "nccl", true).found_all, int64_t(7));
        QCOMPARE(flameHits(flame, "", false).found_all, int64_t(0));
    }

    void barsContainEachSliceOnce()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        QVERIFY(rc::check("bars = slices", [&] {
            const AreaQuery query = someQuery(*scene);
            const Progress progress(test::workers());
            const auto sums = aggregateArea(*scene, query, AreaGroup::name, progress);
            std::optional<std::string> label;
            if (!sums->rows.empty() && *rc::gen::arbitrary<bool>()) label = sums->rows.front().label;
            const DurationStatistics& plain = label ? sums->rows.front().statistics : sums->total.statistics;
            const auto bars = durationHistogram(*scene, query, AreaGroup::name, label, progress);
            RC_ASSERT(bars.has_value());
            RC_ASSERT(bars->count == static_cast<uint64_t>(plain.count));
            RC_ASSERT(bars->count == std::accumulate(bars->bars.begin(), bars->bars.end(), uint64_t(0)));
            if (bars->count == 0) return;
            RC_ASSERT(bars->max_ns == plain.maximum);
            RC_ASSERT(2 * bars->median_ns <= plain.doubledMedian);
            RC_ASSERT(bars->p95_ns >= bars->median_ns && bars->p95_ns <= bars->max_ns);
            const int last = bars->first + static_cast<int>(bars->bars.size()) - 1;
            uint64_t picked = 0;
            for (int bar = bars->first; bar <= last; ++bar) {
                const auto slices = slicesOfBars(*scene, query, AreaGroup::name, label, bar, bar, progress);
                const uint64_t count = *slices == nullptr ? 0 : (*slices)->size();
                RC_ASSERT(count == bars->bars[static_cast<size_t>(bar - bars->first)]);
                picked += count;
            }
            RC_ASSERT(picked == bars->count);
        }));
    }
};

LOCKSTEP_TEST(AreaFlameTest, "area_flame_property_test")
#include "area_flame_property_test.moc"
