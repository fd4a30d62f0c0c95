// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_list.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <queue>

namespace lockstep {

namespace {

constexpr uint64_t kMaxMergedRows = 4'096; // if fewer rows than this remain, the runs are merged instead of
                                           // being bisected further

} // namespace

struct EventRuns::Cut {
    std::vector<size_t> next; // for each run, its first row after the cut
    uint64_t skip = 0;        // number of rows after the cut and before the requested one
};

size_t EventRuns::Run::firstAt(int64_t t, size_t from, size_t to) const
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (alignedAt(middle) < t) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

EventRuns::EventRuns(ScenePtr scene, std::optional<TimeRange> range, std::shared_ptr<const EventHits> hits)
    : m_scene(std::move(scene)), m_hits(std::move(hits)), m_range(range),
      m_firstOrder(m_scene->shown.slotCount())
{
    uint32_t order = 0;
    for (const ReportKey key : m_scene->shown.keys()) {
        m_firstOrder[key] = order;
        const size_t tracks = m_scene->shown.report(key).tracks.size();
        order += static_cast<uint32_t>(tracks);
        if (m_hits != nullptr && !m_hits->isOf(key)) continue;
        for (size_t i = 0; i < tracks; ++i)
            addTrack(key, TrackId(i), range);
    }
    std::ranges::sort(m_reaching, [this](SliceRef a, SliceRef b) { return isBefore(a, b); });
    m_size = m_reaching.size();
    for (const Run& run : m_runs)
        m_size += run.countOf(run.first, run.end);
}

void EventRuns::addTrack(ReportKey key, TrackId id, std::optional<TimeRange> range)
{
    const Report& report = m_scene->shown.report(key);
    const Track& track = report.track(id);
    if (track.sliceCount == 0) return;
    const ClockMap& map = m_scene->alignment.map(key);
    Run whole{key, m_firstOrder[key] + id.value, track.firstSlice.value, 0, &report, &map, nullptr};
    whole.end = whole.first + track.sliceCount;
    if (m_hits != nullptr) whole.bits = &m_hits->bitsOf(key);
    if (whole.countOf(whole.first, whole.end) == 0) return;
    // Aligned starts may go backward where the clock was stepped; the parts between the steps are ascending.
    std::vector<size_t> borders{whole.first};
    for (const ClockStep& step : map.steps) {
        const auto* const starts = report.slices.start_ns.data();
        borders.push_back(static_cast<size_t>(
            std::lower_bound(starts + borders.back(), starts + whole.end, step.at.ns) - starts));
    }
    borders.push_back(whole.end);
    for (size_t i = 0; i + 1 < borders.size(); ++i) {
        Run run = whole;
        run.first = borders[i];
        run.end = borders[i + 1];
        if (range) {
            run.end = run.firstAt(range->end.ns, run.first, run.end);
            run.first = run.firstAt(range->begin.ns, run.first, run.end);
        }
        if (run.countOf(run.first, run.end) > 0) m_runs.push_back(run);
    }
    if (range) addReaching(key, id, *range);
}

// Adds slices that began before the range and extend into it. There is at most one such slice per row of the
// track. If the track's clock was stepped, or if its last row also holds deeper slices, every slice is
// examined instead.
void EventRuns::addReaching(ReportKey key, TrackId id, TimeRange range)
{
    const Report& report = m_scene->shown.report(key);
    const ClockMap& map = m_scene->alignment.map(key);
    const Track& track = report.track(id);
    const auto add = [&](SliceId slice) {
        const TimeRange own{map.alignedFromTrace(report.slices.start(slice)),
                            map.alignedFromTrace(report.slices.end(slice))};
        const bool isWanted = m_hits == nullptr || m_hits->has({key, slice});
        if (isWanted && own.begin < range.begin && own.end > range.begin) m_reaching.push_back({key, slice});
    };
    constexpr uint16_t kFull = 0xFFFF;
    if (!map.steps.empty() || track.depthCount == kFull) {
        for (size_t i = 0; i < track.sliceCount; ++i)
            add(SliceId(track.firstSlice.value + i));
        return;
    }
    const SliceLod& lod = m_scene->lods[key]->slices();
    const int64_t begin_ns = map.traceFromAligned(range.begin).ns;
    for (uint16_t depth = 0; depth < track.depthCount; ++depth) {
        const LodRow row = lod.row(report, id, depth);
        // Includes one more position on either side, because the inverse conversion is only accurate to 1 ns.
        const uint32_t at = row.firstReaching(begin_ns);
        for (uint32_t i = at > 0 ? at - 1 : 0; i < std::min(row.count(), at + 2); ++i)
            add(row.sliceAt(i));
    }
}

// Finds a row of the merged order without merging all runs. Runs are ascending in aligned time, so a binary
// search in each run counts the rows before a given time; bisecting the time then narrows the ranges
// [cut.next[i], after[i]) of all runs. Invariant: `before` rows precede these ranges, and the requested row
// is in one of them. Stops when the ranges contain at most kMaxMergedRows rows, which merge() orders, or when
// all remaining rows start at the same time. O(log time range * runs * log slices).
EventRuns::Cut EventRuns::cutAt(uint64_t row) const
{
    Cut cut;
    std::vector<size_t> after;
    int64_t least = kAllTime.end.ns * 2, most = kAllTime.begin.ns * 2;
    uint64_t before = 0, between = 0;
    for (const Run& run : m_runs) {
        cut.next.push_back(run.first);
        after.push_back(run.end);
        between += run.countOf(run.first, run.end);
        least = std::min(least, run.alignedAt(run.first));
        most = std::max(most, run.alignedAt(run.end - 1) + 1);
    }
    std::vector<size_t> middle(m_runs.size());
    while (between > kMaxMergedRows && most - least > 1) {
        const int64_t half = least + (most - least) / 2;
        uint64_t lower = 0;
        for (size_t i = 0; i < m_runs.size(); ++i) {
            middle[i] = m_runs[i].firstAt(half, cut.next[i], after[i]);
            lower += m_runs[i].countOf(cut.next[i], middle[i]);
        }
        if (before + lower > row) {
            after.swap(middle);
            most = half;
            between = lower;
        } else {
            cut.next.swap(middle);
            least = half;
            before += lower;
            between -= lower;
        }
    }
    cut.skip = row - before;
    if (between <= kMaxMergedRows) return cut;
    // All remaining rows start at the same time and are ordered by run.
    for (size_t i = 0; i < m_runs.size() && cut.skip > 0; ++i) {
        const Run& run = m_runs[i];
        const uint64_t own = run.countOf(cut.next[i], after[i]);
        if (own <= cut.skip) {
            cut.next[i] = after[i];
            cut.skip -= own;
            continue;
        }
        size_t low = cut.next[i], high = after[i];
        while (low < high) { // last position with at most skip rows before it
            const size_t at = low + (high - low + 1) / 2;
            if (run.countOf(cut.next[i], at) <= cut.skip) {
                low = at;
            } else {
                high = at - 1;
            }
        }
        cut.next[i] = low;
        cut.skip = 0;
    }
    return cut;
}

void EventRuns::merge(Cut cut, std::span<SliceRef> out) const
{
    struct Head {
        int64_t at;
        size_t run, row;
        bool operator>(const Head& other) const { return at != other.at ? at > other.at : run > other.run; }
    };
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto push = [&](size_t i, size_t from) {
        const Run& run = m_runs[i];
        const size_t row = run.bits == nullptr ? from : run.bits->firstFrom(from, run.end);
        if (row < run.end) heads.push({run.alignedAt(row), i, row});
    };
    for (size_t i = 0; i < m_runs.size(); ++i)
        push(i, cut.next[i]);
    size_t filled = 0;
    while (filled < out.size() && !heads.empty()) {
        const Head head = heads.top();
        heads.pop();
        if (cut.skip > 0) {
            --cut.skip;
        } else {
            out[filled++] = {m_runs[head.run].report, SliceId(head.row)};
        }
        push(head.run, head.row + 1);
    }
}

void EventRuns::read(uint64_t first, std::span<SliceRef> out) const
{
    size_t filled = 0;
    while (filled < out.size() && first < m_reaching.size())
        out[filled++] = m_reaching[first++];
    if (filled < out.size()) merge(cutAt(first - m_reaching.size()), out.subspan(filled));
}

uint32_t EventRuns::orderOf(SliceRef slice) const
{
    return m_firstOrder[slice.report] + m_scene->shown.report(slice.report).trackOf(slice.slice).value;
}

TraceTime EventRuns::alignedStart(SliceRef slice) const
{
    return m_scene->alignment.map(slice.report)
        .alignedFromTrace(m_scene->shown.report(slice.report).slices.start(slice.slice));
}

bool EventRuns::isBefore(SliceRef a, SliceRef b) const
{
    const TraceTime at = alignedStart(a), bt = alignedStart(b);
    if (at != bt) return at < bt;
    const uint32_t ao = orderOf(a), bo = orderOf(b);
    return ao != bo ? ao < bo : a.slice < b.slice;
}

uint64_t EventRuns::rowsBefore(SliceRef slice) const
{
    const auto reaching =
        std::ranges::partition_point(m_reaching, [&](SliceRef other) { return isBefore(other, slice); });
    auto rows = static_cast<uint64_t>(reaching - m_reaching.begin());
    const int64_t at = alignedStart(slice).ns;
    const uint32_t order = orderOf(slice);
    for (const Run& run : m_runs) {
        size_t end = run.firstAt(run.order < order ? at + 1 : at, run.first, run.end);
        if (run.order == order && end < run.end && end < slice.slice.value && run.alignedAt(end) == at)
            end = std::min(run.firstAt(at + 1, end, run.end), size_t(slice.slice.value));
        rows += run.countOf(run.first, end);
    }
    return rows;
}

bool EventRuns::has(SliceRef slice) const
{
    if (!m_scene->holds(slice)) return false;
    if (m_hits != nullptr && (!m_hits->isOf(slice.report) || !m_hits->has(slice))) return false;
    if (!m_range) return true;
    const SliceTable& slices = m_scene->shown.report(slice.report).slices;
    const ClockMap& map = m_scene->alignment.map(slice.report);
    const TraceTime begin = map.alignedFromTrace(slices.start(slice.slice));
    const TraceTime end = map.alignedFromTrace(slices.end(slice.slice));
    return begin < m_range->end && (begin >= m_range->begin || end > m_range->begin);
}

std::optional<int64_t> EventRuns::sumOfDurations_ns(const Progress& progress) const
{
    constexpr size_t kAtOnce = size_t(1) << 18;
    std::vector<std::pair<const Run*, size_t>> parts;
    for (const Run& run : m_runs) {
        for (size_t row = run.first; row < run.end; row += kAtOnce)
            parts.emplace_back(&run, row);
    }
    std::atomic<int64_t> sum = 0;
    for (const SliceRef slice : m_reaching)
        sum += m_scene->shown.report(slice.report).slices.duration(slice.slice).ns;
    progress.workers().run(parts.size(), [&](size_t i, size_t) {
        if (progress.isCanceled()) return;
        const auto& [run, begin] = parts[i];
        const Column<int64_t>& durations = run->of->slices.duration_ns;
        const size_t end = std::min(begin + kAtOnce, run->end);
        int64_t own = 0;
        if (run->bits == nullptr) {
            for (size_t row = begin; row < end; ++row)
                own += durations[row];
        } else {
            for (size_t row = run->bits->firstFrom(begin, end); row < end;
                 row = run->bits->firstFrom(row + 1, end))
                own += durations[row];
        }
        sum += own;
    });
    if (progress.isCanceled()) return std::nullopt;
    return sum;
}

namespace {

constexpr int64_t kNoRank = std::numeric_limits<int64_t>::max();
constexpr size_t kRowsPerChunk = 1 << 16;

// Returns the sort key of a row; names are sorted by text.
int64_t orderKey(const Scene& scene, SliceRef slice, EventOrder order)
{
    const Report& report = scene.shown.report(slice.report);
    switch (order) {
    case EventOrder::time:
    case EventOrder::name:
        return 0;
    case EventOrder::duration:
        return report.slices.duration(slice.slice).ns;
    case EventOrder::rank: {
        const TrackId track = report.trackOf(slice.slice);
        const auto rank = scene.shown.identity(slice.report, report.track(track).key.process).rank.value;
        return rank ? *rank : kNoRank;
    }
    case EventOrder::lane:
        return scene.tree->laneOf({slice.report, report.trackOf(slice.slice)});
    }
    return 0;
}

// Returns, for each name in a report, its position among the names in all reports.
ByReport<std::vector<uint32_t>> orderOfNames(const Scene& scene)
{
    std::vector<std::string_view> all;
    for (const ReportKey key : scene.shown.keys()) {
        const StringPool& texts = scene.shown.report(key).strings;
        for (size_t i = 0; i < texts.size(); ++i)
            all.push_back(texts.at(StringId(i)));
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    ByReport<std::vector<uint32_t>> out(scene.shown.slotCount());
    for (const ReportKey key : scene.shown.keys()) {
        const StringPool& texts = scene.shown.report(key).strings;
        for (size_t i = 0; i < texts.size(); ++i) {
            const auto at = std::ranges::lower_bound(all, texts.at(StringId(i)));
            out[key].push_back(static_cast<uint32_t>(at - all.begin()));
        }
    }
    return out;
}

} // namespace

Result<std::shared_ptr<const EventList>> EventList::make(ScenePtr scene, const EventListOptions& options,
                                                         const Progress& progress)
{
    const std::shared_ptr<EventList> list(
        new EventList(EventRuns(std::move(scene), options.range, options.hits), options));
    const auto sum = list->m_runs.sumOfDurations_ns(progress);
    LOCKSTEP_TRY(progress.check());
    list->m_sum_ns = sum.value_or(0);
    if (list->m_order != EventOrder::time) {
        list->m_isTooLong = list->size() > options.mostSorted;
        if (list->m_isTooLong) {
            list->m_order = EventOrder::time;
            list->m_isDescending = false;
        } else {
            LOCKSTEP_TRY(list->sort(progress));
        }
    }
    return std::shared_ptr<const EventList>(list);
}

Status EventList::sort(const Progress& progress)
{
    const Scene& scene = *m_runs.scene();
    m_rows.resize(size());
    for (size_t from = 0; from < m_rows.size(); from += kRowsPerChunk) {
        LOCKSTEP_TRY(progress.check());
        m_runs.read(from, std::span(m_rows).subspan(from, std::min(kRowsPerChunk, m_rows.size() - from)));
    }
    ByReport<std::vector<uint32_t>> names;
    if (m_order == EventOrder::name) names = orderOfNames(scene);
    struct Keyed {
        int64_t key;
        uint32_t row;
        bool operator<(const Keyed& other) const
        {
            return key != other.key ? key < other.key : row < other.row;
        }
    };
    std::vector<Keyed> keyed(m_rows.size());
    const size_t parts = (keyed.size() + kRowsPerChunk - 1) / kRowsPerChunk;
    // The parts are sorted individually and then merged in pairs.
    progress.workers().run(parts, [&](size_t part, size_t) {
        const size_t begin = part * kRowsPerChunk, end = std::min(begin + kRowsPerChunk, keyed.size());
        if (progress.isCanceled()) return;
        for (size_t i = begin; i < end; ++i) {
            const SliceRef slice = m_rows[i];
            const int64_t key =
                m_order == EventOrder::name
                    ? names[slice.report]
                           [scene.shown.report(slice.report).slices.name[slice.slice.value].value]
                    : orderKey(scene, slice, m_order);
            keyed[i] = {m_isDescending ? -key : key, static_cast<uint32_t>(i)};
        }
        std::sort(keyed.begin() + static_cast<ptrdiff_t>(begin), keyed.begin() + static_cast<ptrdiff_t>(end));
    });
    for (size_t width = kRowsPerChunk; width < keyed.size(); width *= 2) {
        LOCKSTEP_TRY(progress.check());
        progress.workers().run((keyed.size() + 2 * width - 1) / (2 * width), [&](size_t pair, size_t) {
            const auto at = [&](size_t row) {
                return keyed.begin() + static_cast<ptrdiff_t>(std::min(row, keyed.size()));
            };
            std::inplace_merge(at(pair * 2 * width), at(pair * 2 * width + width),
                               at((pair + 1) * 2 * width));
        });
    }
    LOCKSTEP_TRY(progress.check());
    std::vector<SliceRef> ordered(m_rows.size());
    for (size_t i = 0; i < keyed.size(); ++i)
        ordered[i] = m_rows[keyed[i].row];
    m_rows = std::move(ordered);
    return {};
}

bool EventList::isBefore(SliceRef a, SliceRef b) const
{
    const Scene& scene = *m_runs.scene();
    if (m_order == EventOrder::name) {
        const std::string_view an = scene.shown.report(a.report).nameOf(a.slice);
        const std::string_view bn = scene.shown.report(b.report).nameOf(b.slice);
        if (an != bn) return (an < bn) != m_isDescending;
    }
    const int64_t ak = orderKey(scene, a, m_order), bk = orderKey(scene, b, m_order);
    if (ak != bk) return (ak < bk) != m_isDescending;
    return m_runs.isBefore(a, b);
}

void EventList::read(uint64_t first, std::span<SliceRef> out) const
{
    if (!m_rows.empty()) {
        std::copy_n(m_rows.begin() + static_cast<ptrdiff_t>(first), out.size(), out.begin());
    } else if (!m_isDescending) {
        m_runs.read(first, out);
    } else {
        m_runs.read(size() - first - out.size(), out);
        std::ranges::reverse(out);
    }
}

SliceRef EventList::at(uint64_t row) const
{
    SliceRef out;
    read(row, {&out, 1});
    return out;
}

std::optional<uint64_t> EventList::rowOf(SliceRef slice) const
{
    if (!m_runs.has(slice)) return std::nullopt;
    if (m_rows.empty()) {
        const uint64_t before = m_runs.rowsBefore(slice);
        return m_isDescending ? size() - 1 - before : before;
    }
    const auto found =
        std::ranges::partition_point(m_rows, [&](SliceRef row) { return isBefore(row, slice); });
    return static_cast<uint64_t>(found - m_rows.begin());
}

std::vector<RankHits> hitsByRank(const Scene& scene, const EventHits& hits)
{
    std::map<int64_t, uint64_t> counts;
    for (const ReportKey key : scene.shown.keys()) {
        if (!hits.isOf(key)) continue;
        for (const Track& track : scene.shown.report(key).tracks) {
            const auto rank = scene.shown.identity(key, track.key.process).rank.value;
            if (const uint32_t count = hits.countOf(key, track); count > 0)
                counts[rank ? *rank : kNoRank] += count;
        }
    }
    std::vector<RankHits> out;
    for (const auto& [rank, count] : counts)
        out.push_back({rank == kNoRank ? std::nullopt : std::optional(static_cast<int>(rank)), count});
    return out;
}

} // namespace lockstep
