// SPDX-License-Identifier: Apache-2.0
// Compares event lists with a plain sort of all slices, for any reports, drifting and jumping clocks, ranges,
// queries and orders. Also tests that a query that is written as text is read back the same.
#include <algorithm>

#include <rapidcheck.h>

#include "core/search/event_list.h"
#include "tests/support/made_reports.h"
#include "tests/support/random_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// Makes any reports. With `isMoved` their clocks are arbitrary, so that starts of one track may go back on
// the axis.
ScenePtr anyScene(bool isMoved)
{
    Workspace workspace;
    const int reports = *rc::gen::inRange(1, 4);
    for (int i = 0; i < reports; ++i)
        workspace.add(test::randomReport());
    Alignment alignment = alignReports(workspace, {});
    for (const ReportKey key : workspace.keys()) {
        if (!isMoved) break;
        ClockMap& map = alignment.maps[key];
        const TimeRange extent = workspace.report(key).extent;
        map.offset_ns += *rc::gen::inRange<int64_t>(-5'000, 5'000);
        map.driftOrigin = extent.begin;
        map.drift_ppb = *rc::gen::element<int64_t>(0, 0, 40'000, -900'000);
        const auto steps = *rc::gen::inRange(0, 3);
        for (int s = 0; s < steps; ++s) {
            const auto permille = *rc::gen::inRange(0, 1'001);
            map.steps.push_back({{extent.begin.ns + extent.length().ns / 1'000 * permille},
                                 *rc::gen::element<int64_t>(-100'000, -50, 7, 3'000)});
        }
        std::ranges::sort(map.steps, {}, &ClockStep::at);
    }
    return makeScene(workspace, std::move(alignment), test::workers());
}

TraceTime startOf(const Scene& scene, SliceRef slice)
{
    return scene.alignment.map(slice.report)
        .alignedFromTrace(scene.shown.report(slice.report).slices.start(slice.slice));
}

bool isInRange(const Scene& scene, SliceRef slice, TimeRange range)
{
    const TraceTime begin = startOf(scene, slice);
    const TraceTime end = scene.alignment.map(slice.report)
                              .alignedFromTrace(scene.shown.report(slice.report).slices.end(slice.slice));
    return begin < range.end && (begin >= range.begin || end > range.begin);
}

std::vector<SliceRef> allSlices(const Scene& scene)
{
    std::vector<SliceRef> out;
    for (const ReportKey key : scene.shown.keys()) {
        for (size_t i = 0; i < scene.shown.report(key).slices.size(); ++i)
            out.push_back({key, SliceId(i)});
    }
    return out;
}

// Sorted by start, then by report, track and slice.
void sortByTime(const Scene& scene, std::vector<SliceRef>& slices)
{
    std::ranges::sort(slices, {}, [&](SliceRef s) {
        return std::tuple(startOf(scene, s), s.report, scene.shown.report(s.report).trackOf(s.slice),
                          s.slice);
    });
}

EventQuery anyQuery(const Scene& scene)
{
    EventQuery query;
    const auto slices = allSlices(scene);
    if (!slices.empty() && *rc::gen::arbitrary<bool>()) {
        const SliceRef one = *rc::gen::elementOf(slices);
        const std::string name(scene.shown.report(one.report).nameOf(one.slice));
        EventClause clause;
        clause.text = name.substr(0, static_cast<size_t>(*rc::gen::inRange(1, 6)));
        if (!clause.text.empty()) query.clauses.push_back(clause);
    }
    if (*rc::gen::arbitrary<bool>()) {
        EventClause clause;
        clause.key = EventKey::duration;
        clause.limit = *rc::gen::element(EventClause::Limit::above, EventClause::Limit::atMost);
        clause.duration = {*rc::gen::inRange<int64_t>(0, 500)};
        query.clauses.push_back(clause);
    }
    return query;
}

bool isAsked(const Scene& scene, SliceRef slice, const EventMatcher& matcher)
{
    const Report& report = scene.shown.report(slice.report);
    return matcher.matchesName(report.nameOf(slice.slice)) &&
           matcher.matchesDuration(report.slices.duration(slice.slice).ns);
}

std::optional<TimeRange> anyRange(const Scene& scene)
{
    const TimeRange all = scene.extent();
    if (all.isEmpty() || *rc::gen::arbitrary<bool>()) return std::nullopt;
    const auto at = [&] { return all.begin.ns + all.length().ns / 1'000 * *rc::gen::inRange(-10, 1'010); };
    const int64_t a = at(), b = at();
    return TimeRange{{std::min(a, b)}, {std::max(a, b)}};
}

// Returns the key of another order, ascending; ties keep the order of time.
void sortBy(const Scene& scene, std::vector<SliceRef>& slices, EventOrder order, bool isDescending)
{
    const auto key = [&](SliceRef s) -> std::pair<int64_t, std::string> {
        const Report& report = scene.shown.report(s.report);
        const TrackId track = report.trackOf(s.slice);
        if (order == EventOrder::duration) return {report.slices.duration(s.slice).ns, {}};
        if (order == EventOrder::name) return {0, std::string(report.nameOf(s.slice))};
        if (order == EventOrder::lane) return {scene.tree->laneOf({s.report, track}), {}};
        const auto rank = scene.shown.identity(s.report, report.track(track).key.process).rank.value;
        return {rank ? *rank : std::numeric_limits<int64_t>::max(), {}};
    };
    std::ranges::stable_sort(
        slices, [&](SliceRef a, SliceRef b) { return isDescending ? key(b) < key(a) : key(a) < key(b); });
}

void checkList(const EventList& list, const std::vector<SliceRef>& expected)
{
    RC_ASSERT(list.size() == expected.size());
    std::vector<SliceRef> rows(expected.size());
    list.read(0, rows);
    RC_ASSERT(rows == expected);
    if (expected.empty()) return;
    for (int i = 0; i < 5; ++i) {
        const auto from = *rc::gen::inRange<size_t>(0, expected.size());
        std::vector<SliceRef> part(std::min<size_t>(7, expected.size() - from));
        list.read(from, part);
        RC_ASSERT(std::ranges::equal(part, std::span(expected).subspan(from, part.size())));
        RC_ASSERT(list.rowOf(expected[from]) == std::optional<uint64_t>(from));
        RC_ASSERT(list.at(from) == expected[from]);
    }
}

} // namespace

class EventListPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void rowsEqualAllSlicesSorted()
    {
        QVERIFY(rc::check("any reports, clocks, ranges, queries and orders", [] {
            const ScenePtr scene = anyScene(*rc::gen::arbitrary<bool>());
            const Progress progress(test::workers());
            const EventQuery query = anyQuery(*scene);
            EventListOptions options;
            options.range = anyRange(*scene);
            std::vector<SliceRef> expected;
            const EventMatcher matcher = EventMatcher::make(query).value();
            for (const SliceRef slice : allSlices(*scene)) {
                const bool isThere = !options.range || isInRange(*scene, slice, *options.range);
                if (isThere && isAsked(*scene, slice, matcher)) expected.push_back(slice);
            }
            sortByTime(*scene, expected);
            if (!query.isEmpty()) options.hits = EventHits::find(*scene, query, progress).value();
            options.isDescending = *rc::gen::arbitrary<bool>();
            options.order = *rc::gen::element(EventOrder::time, EventOrder::time, EventOrder::duration,
                                              EventOrder::name, EventOrder::rank, EventOrder::lane);
            int64_t sum_ns = 0;
            for (const SliceRef slice : expected)
                sum_ns += scene->shown.report(slice.report).slices.duration(slice.slice).ns;
            if (options.order == EventOrder::time) {
                if (options.isDescending) std::ranges::reverse(expected);
            } else {
                sortBy(*scene, expected, options.order, options.isDescending);
            }
            const auto list = EventList::make(scene, options, progress).value();
            RC_ASSERT(!list->isTooLong() && list->sumOfDurations().ns == sum_ns);
            checkList(*list, expected);
        }));
    }

    // A thousand slices at the same moment on several tracks: they are ordered by track and slice, whichever
    // are requested first.
    void equalStartsAreDistinguished()
    {
        QVERIFY(rc::check("any row among equals", [] {
            Workspace workspace;
            ReportBuilder builder;
            const ProcessId process = builder.process(7, 7);
            SliceBatch batch;
            const int tracks = *rc::gen::inRange(1, 4);
            uint64_t rows = 0;
            for (int t = 0; t < tracks; ++t) {
                const TrackId track = builder.track({TrackKind::other, process, {}, {}, t, 0});
                for (int i = 0; i < 5'000; ++i) {
                    SliceRow row;
                    row.start_ns = i < 10 ? 5 : 9; // nearly all at once
                    row.name = builder.intern("mark");
                    row.source = SourceRow::of(0, ++rows);
                    row.kind = RowKind::instant;
                    batch.add(track, row);
                }
            }
            builder.adopt(std::move(batch));
            workspace.add(builder.freeze(Progress()).value());
            const ScenePtr scene = test::madeScene(workspace);
            std::vector<SliceRef> expected = allSlices(*scene);
            sortByTime(*scene, expected);
            checkList(*EventList::make(scene, {}, Progress()).value(), expected);
        }));
    }

    void queriesRoundTripThroughText()
    {
        QVERIFY(rc::check("any text", [] {
            const auto word = rc::gen::container<std::string>(rc::gen::element(
                'a', 'b', ' ', '"', '\\', '/', ':', 'n', 'm', 'e', '.', '-', '\xC3', '0', '>'));
            const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
                word, rc::gen::element<std::string>("name:", "rank:0-3", "dur>2us", " ", "lane:", "\"a b\"",
                                                    "/a b/", "arg:", "dur<=1s")));
            std::string text;
            for (const std::string& part : parts)
                text += part;
            const SearchSwitches switches{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
            const auto query = parseEventQuery(text, switches);
            if (!query) {
                RC_ASSERT(query.error().message.starts_with("character "));
                return;
            }
            const auto again = parseEventQuery(eventQueryText(*query), switches);
            RC_ASSERT(again.has_value() && *again == *query);
            for (const EventClause& clause : query->clauses) {
                const auto less = parseEventQuery(withoutClause(text, clause), switches);
                RC_ASSERT(less.has_value() && less->clauses.size() + 1 == query->clauses.size());
            }
        }));
    }
};

LOCKSTEP_TEST(EventListPropertyTest, "event_list_property_test")
#include "event_list_property_test.moc"
