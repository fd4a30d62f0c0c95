// SPDX-License-Identifier: Apache-2.0
// Tests search hits in lanes: the marks equal a scan of every slice, however many share a pixel; the first
// hits are those of the whole list; counts and ticks lose none.
#include <rapidcheck.h>

#include "core/timeline/hit_rows.h"
#include "core/timeline/layout.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/scene_search.h"
#include "core/trace/process_groups.h"
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
        workspace.add(*rc::gen::arbitrary<bool>() ? test::randomReport() : test::madeRank({.rank = i}));
    completeIdentities(workspace);
    return test::madeScene(workspace);
}

// Returns a part of some name, or a duration condition.
EventQuery someQuery(const Scene& scene)
{
    EventClause clause;
    const ReportKey key = *rc::gen::elementOf(scene.shown.keys());
    const size_t slices = scene.shown.report(key).slices.size();
    if (slices > 0 && *rc::gen::arbitrary<bool>()) {
        const SliceId slice(*rc::gen::inRange<size_t>(0, slices));
        clause.text = std::string(scene.shown.report(key).nameOf(slice)).substr(0, 9);
    }
    if (clause.text.empty()) {
        clause.key = EventKey::duration;
        clause.duration = {*rc::gen::inRange<int64_t>(0, 20'000)};
    }
    EventQuery query;
    query.clauses.push_back(clause);
    return query;
}

// Returns whether a hit of the row overlaps the pixel. Slices that only touch the pixel do not count;
// instants inside it do.
bool hasHitIn(const Scene& scene, const EventHits& hits, const DisplayRow& row, TimeRange pixel)
{
    const Report& report = scene.shown.report(row.track.report);
    if (row.source->kind == RowSource::Kind::projection) {
        const auto& projection = scene.lods[row.track.report]->projections()[row.source->projection];
        const LodRow ranges = projection.row(row.isSummary ? row.source->depth : row.depth);
        for (uint32_t i = 0; i < ranges.count(); ++i) {
            const TimeRange range{{ranges.start(i)}, {ranges.end(i)}};
            const bool isIn = range.isEmpty() ? pixel.contains(range.begin) : range.overlaps(pixel);
            if (isIn && hits.has({row.track.report, ranges.sliceAt(i)})) return true;
        }
        return false;
    }
    const Track& track = report.track(row.track.track);
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        const SliceId slice(track.firstSlice.value + i);
        if (report.slices.depth[slice.value] != row.depth || !hits.has({row.track.report, slice})) continue;
        const TimeRange range = report.slices.range(slice);
        const bool isIn = range.length().ns == 0 ? pixel.contains(range.begin) : range.overlaps(pixel);
        if (isIn) return true;
    }
    return false;
}

void checkMarks(const Scene& scene, const DisplayList& list, const EventHits& hits)
{
    for (const DisplayRow& row : list.rows) {
        if (!row.isSearched) continue;
        const PixelScale scale(scene.alignment.map(row.track.report).traceFromAligned(list.visible),
                               list.timeWidth());
        for (const SliceBox& box : row.boxes) {
            RC_ASSERT(box.isHit == hits.has({row.track.report, box.slice}));
            RC_ASSERT(box.isDimmed != box.isHit);
        }
        for (const DenseColumn& column : row.columns) {
            const bool isMarked = std::ranges::binary_search(row.hitColumns, column.x);
            const bool isHit = hasHitIn(scene, hits, row, scale.pixelRange(column.x));
            RC_ASSERT(isMarked == isHit || (row.isSummary && isMarked));
        }
        // Each hit is painted, on top of everything else.
        const auto lines = std::ranges::count_if(
            row.spans, [](const Span& span) { return span.ink.kind == Ink::Kind::hit; });
        const auto boxes = std::ranges::count_if(row.boxes, &SliceBox::isHit);
        RC_ASSERT(static_cast<size_t>(lines) == static_cast<size_t>(boxes) + row.hitColumns.size());
    }
}

} // namespace

class HitRowsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void marksAreWhereHitsAre()
    {
        QVERIFY(rc::check("any reports, query and view", [] {
            const ScenePtr scene = someScene();
            const TimeRange all = scene->extent();
            if (all.isEmpty()) return;
            const Progress progress(test::workers());
            const auto hits = EventHits::find(*scene, someQuery(*scene), progress).value();
            const LaneFlow flow =
                placeLanes(*scene, {}, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
            const LabelFont font = LabelFont::fixed(7);
            FrameView view;
            view.flow = &flow;
            view.font = &font;
            view.size = {*rc::gen::inRange(300, 700), 600};
            view.visible = test::randomView(all);
            view.hits = HitRows::make(scene, hits, progress).value();
            checkMarks(*scene, layOut(*scene, view), *hits);
        }));
    }

    // A collapsed lane marks each hit below it where the hit begins.
    void collapsedLanesShowHiddenHits()
    {
        QVERIFY(rc::check("any reports, query and view, all folded", [] {
            const ScenePtr scene = someScene();
            const TimeRange all = scene->extent();
            if (all.isEmpty()) return;
            const Progress progress(test::workers());
            const auto hits = EventHits::find(*scene, someQuery(*scene), progress).value();
            const auto rows = HitRows::make(scene, hits, progress).value();
            const TimeRange visible = test::randomView(all);
            ByReport<PixelScale> scales(scene->shown.slotCount());
            for (const ReportKey key : scene->shown.keys())
                scales[key] = PixelScale(scene->alignment.map(key).traceFromAligned(visible), 500);
            for (uint32_t lane = 0; lane < scene->tree->size(); ++lane) {
                if (scene->tree->parentOf(lane) != kNoLane) continue;
                const auto marked = rows->hitPixelsInSubtree(*scene, lane, scales);
                for (const ReportKey key : scene->shown.keys()) {
                    const Report& report = scene->shown.report(key);
                    for (size_t i = 0; i < report.slices.size(); ++i) {
                        const SliceId slice(i);
                        if (!hits->has({key, slice})) continue;
                        uint32_t own = scene->tree->laneOf({key, report.trackOf(slice)});
                        while (own != kNoLane && scene->tree->parentOf(own) != kNoLane)
                            own = scene->tree->parentOf(own);
                        const TimeRange seen = scales[key].range();
                        const TimeRange range = report.slices.range(slice);
                        if (own != lane || range.begin >= seen.end) continue;
                        if (range.begin < seen.begin && range.end <= seen.begin) continue;
                        const auto x = static_cast<uint16_t>(scales[key].pixelOf(range.begin));
                        RC_ASSERT(std::ranges::binary_search(marked, x));
                    }
                }
            }
        }));
    }

    void countsAndTicksLoseNoHit()
    {
        QVERIFY(rc::check("any reports and query", [] {
            const ScenePtr scene = someScene();
            const Progress progress(test::workers());
            const EventQuery query = someQuery(*scene);
            const auto hits = EventHits::find(*scene, query, progress).value();
            const auto rows = HitRows::make(scene, hits, progress).value();
            uint64_t ofRanks = 0, ofTops = 0;
            for (const RankHits& rank : hitsByRank(*scene, *hits))
                ofRanks += rank.count;
            RC_ASSERT(ofRanks == hits->count());
            for (uint32_t lane = 0; lane < scene->tree->size(); ++lane) {
                if (scene->tree->parentOf(lane) == kNoLane)
                    ofTops += rows->countOf(*scene->tree, lane).value_or(0);
            }
            RC_ASSERT(ofTops <= hits->count()); // diagnostics may have no lane
            const TimeRange range = rows->range();
            std::vector<bool> ticks(HitRows::kTicks, false);
            for (const ReportKey key : scene->shown.keys()) {
                const Report& report = scene->shown.report(key);
                for (size_t i = 0; i < report.slices.size() && !range.isEmpty(); ++i) {
                    if (!hits->has({key, SliceId(i)})) continue;
                    const TraceTime at =
                        scene->alignment.map(key).alignedFromTrace(report.slices.start(SliceId(i)));
                    const auto tick = static_cast<int64_t>(__int128((at - range.begin).ns) *
                                                           int64_t(HitRows::kTicks) / range.length().ns);
                    ticks[static_cast<size_t>(std::clamp<int64_t>(tick, 0, int64_t(HitRows::kTicks) - 1))] =
                        true;
                }
            }
            RC_ASSERT(rows->ticks() == ticks);
        }));
    }

    void firstHitsAreFirstOverall()
    {
        QVERIFY(rc::check("any reports, query and number", [] {
            const ScenePtr scene = someScene();
            const Progress progress(test::workers());
            const EventQuery query = someQuery(*scene);
            const auto most = *rc::gen::inRange<uint64_t>(1, 200);
            const SceneSearch first = SceneSearch::makeFirst(scene, query, most, progress).value();
            const SceneSearch whole = SceneSearch::make(scene, query, progress).value();
            RC_ASSERT(first.sliceCount() ==
                      std::min(most, whole.sliceCount())); // so few slices are all scanned
            std::vector<SliceRef> some(first.sliceCount()), same(first.sliceCount());
            first.slices()->read(0, some);
            whole.slices()->read(0, same);
            RC_ASSERT(some == same);
        }));
    }
};

LOCKSTEP_TEST(HitRowsPropertyTest, "hit_rows_property_test")
#include "hit_rows_property_test.moc"
