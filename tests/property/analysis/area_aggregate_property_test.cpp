// SPDX-License-Identifier: Apache-2.0
// Compares the aggregates of random areas of random reports with the plain rules, slice by slice.
#include <algorithm>
#include <map>

#include <rapidcheck.h>

#include "core/analysis/area_aggregate.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

ScenePtr someScene()
{
    Workspace workspace;
    const int reports = *rc::gen::inRange(1, 4);
    for (int i = 0; i < reports; ++i)
        workspace.add(test::randomReport());
    ScenePtr aligned = makeScene(workspace, alignReports(workspace, {}), test::workers());
    auto scene = std::make_shared<Scene>(*aligned);
    for (const ReportKey key : workspace.keys())
        scene->alignment.maps[key].offset_ns += *rc::gen::inRange<int64_t>(-500, 500);
    return scene;
}

AreaQuery someRequest(const Scene& scene)
{
    AreaQuery request;
    request.clip = *rc::gen::arbitrary<bool>() ? Clip::include : Clip::exclude;
    const TimeRange whole = scene.extent();
    const int64_t length = std::max<int64_t>(2, whole.length().ns);
    const auto someTime = [&] { return whole.begin + Duration{*rc::gen::inRange<int64_t>(-1, length + 1)}; };
    const int areas = *rc::gen::inRange(0, 4);
    for (int i = 0; i < areas; ++i) {
        Area area;
        const TraceTime a = someTime(), b = someTime();
        area.range = {std::min(a, b), std::max(a, b)};
        for (const Lane& lane : scene.tree->lanes()) {
            if (*rc::gen::inRange(0, 3) == 0) area.lanes.push_back({lane.key, *rc::gen::inRange(0, 3) == 0});
        }
        area.lanes.push_back({"no such lane", true});
        request.areas.push_back(area);
    }
    std::vector<SliceRef> picks;
    for (const ReportKey key : scene.shown.keys()) {
        for (uint32_t row = 0; row < scene.shown.report(key).slices.size(); ++row) {
            if (*rc::gen::inRange(0, 6) == 0) picks.push_back({key, SliceId(row)});
        }
    }
    request.picks = sliceListOf(std::move(picks));
    return request;
}

// Applies the rules to one slice: its part inside the area, and whether it counts.
struct Counted {
    bool counts = false, isCut = false;
    int64_t inside_ns = 0;
    std::vector<TimeRange> parts; // aligned
};

bool takesLane(const LaneTree& tree, const Area& area, uint32_t lane)
{
    for (const AreaLane& taken : area.lanes) {
        const uint32_t at = tree.find(taken.key);
        for (uint32_t up = lane; up != kNoLane; up = tree.parentOf(up)) {
            if (up == at && (up == lane || taken.isWhole)) return true;
        }
    }
    return false;
}

Counted countedBy(const Scene& scene, const AreaQuery& request, SliceRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const uint32_t lane = scene.tree->laneOf({ref.report, report.trackOf(ref.slice)});
    const TimeRange slice = scene.alignment.map(ref.report).alignedFromTrace(report.slices.range(ref.slice));
    std::vector<TimeRange> windows;
    for (const Area& area : request.areas) {
        if (lane != kNoLane && takesLane(*scene.tree, area, lane)) windows.push_back(area.range);
    }
    Counted out;
    const IntervalSet apart = IntervalSet::unionOf(windows);
    for (const TimeRange& window : apart.ranges()) {
        const bool isIn = slice.isEmpty() ? window.contains(slice.begin) : slice.overlaps(window);
        if (!isIn) continue;
        out.isCut = slice.begin < window.begin || window.end < slice.end;
        out.counts = true;
        out.parts.push_back(slice.clippedTo(window));
        out.inside_ns += out.parts.back().length().ns;
    }
    const bool isPicked = request.picks != nullptr && std::ranges::binary_search(*request.picks, ref);
    if (!out.counts && isPicked) out = {true, false, slice.length().ns, {slice}};
    return out;
}

struct PlainGroup {
    int64_t sum_ns = 0;
    uint64_t count = 0, cut = 0;
    std::vector<TimeRange> parts;
    std::vector<int64_t> durations;
};

std::string plainLabel(const Scene& scene, AreaGroup by, SliceRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    if (by == AreaGroup::name) return std::string(report.nameOf(ref.slice));
    if (by == AreaGroup::category)
        return std::string(sliceCategoryName(report.slices.category[ref.slice.value]));
    if (by == AreaGroup::lane) return scene.tree->pathOf(scene.tree->laneOf({ref.report, track}));
    const auto& rank = scene.shown.identity(ref.report, report.track(track).key.process).rank.value;
    return rank ? std::to_string(*rank) : std::string();
}

std::map<std::string, PlainGroup> plainGroups(const Scene& scene, const AreaQuery& request, AreaGroup by)
{
    std::map<std::string, PlainGroup> groups;
    for (const ReportKey key : scene.shown.keys()) {
        for (uint32_t row = 0; row < scene.shown.report(key).slices.size(); ++row) {
            const SliceRef ref{key, SliceId(row)};
            const Counted counted = countedBy(scene, request, ref);
            if (!counted.counts) continue;
            PlainGroup& group = groups[plainLabel(scene, by, ref)];
            group.sum_ns += counted.inside_ns;
            ++group.count;
            group.cut += counted.isCut ? 1 : 0;
            group.parts.insert(group.parts.end(), counted.parts.begin(), counted.parts.end());
            if (!counted.isCut || request.clip == Clip::include) group.durations.push_back(counted.inside_ns);
        }
    }
    return groups;
}

} // namespace

class AreaAggregateTest : public QObject {
    Q_OBJECT

  private slots:
    void equalsThePlainRules()
    {
        QVERIFY(rc::check("an aggregate = slice by slice", [] {
            const ScenePtr scene = someScene();
            const AreaQuery request = someRequest(*scene);
            const auto by =
                *rc::gen::element(AreaGroup::name, AreaGroup::category, AreaGroup::lane, AreaGroup::rank);
            const Result<AreaAggregate> made =
                aggregateArea(*scene, request, by, Progress(test::workers()),
                              *rc::gen::element<uint64_t>(1, 2, 7, kAreaSegmentRows));
            RC_ASSERT(made.has_value());
            auto plain = plainGroups(*scene, request, by);
            RC_ASSERT(made->rows.size() == plain.size());
            std::vector<TimeRange> all;
            uint64_t count = 0;
            for (const AreaGroupRow& row : made->rows) {
                const PlainGroup& group = plain.at(row.label);
                RC_ASSERT(row.sum_ns == group.sum_ns);
                RC_ASSERT(row.count == group.count);
                RC_ASSERT(row.cut == group.cut);
                RC_ASSERT(row.union_ns == IntervalSet::unionOf(group.parts).length().ns);
                RC_ASSERT(row.statistics == durationStatistics(group.durations));
                RC_ASSERT(countedBy(*scene, request, row.longest).counts);
                all.insert(all.end(), group.parts.begin(), group.parts.end());
                count += group.count;
            }
            RC_ASSERT(made->total.count == count);
            RC_ASSERT(made->total.union_ns == IntervalSet::unionOf(all).length().ns);
            RC_ASSERT(std::ranges::is_sorted(made->rows, std::greater<>(), &AreaGroupRow::sum_ns));
        }));
    }
};

LOCKSTEP_TEST(AreaAggregateTest, "area_aggregate_property_test")
#include "area_aggregate_property_test.moc"
