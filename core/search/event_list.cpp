// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_list.h"

#include <algorithm>
#include <map>

namespace lockstep {

namespace {

constexpr int64_t kNoRank = std::numeric_limits<int64_t>::max();
constexpr size_t kRowsARead = 1 << 16;

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
    for (size_t from = 0; from < m_rows.size(); from += kRowsARead) {
        LOCKSTEP_TRY(progress.check());
        m_runs.read(from, std::span(m_rows).subspan(from, std::min(kRowsARead, m_rows.size() - from)));
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
    const size_t parts = (keyed.size() + kRowsARead - 1) / kRowsARead;
    // The parts are sorted individually and then merged in pairs.
    progress.workers().run(parts, [&](size_t part, size_t) {
        const size_t begin = part * kRowsARead, end = std::min(begin + kRowsARead, keyed.size());
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
    for (size_t width = kRowsARead; width < keyed.size(); width *= 2) {
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
