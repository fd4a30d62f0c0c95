// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/analysis/table_columns.h"
#include "core/base/text.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

namespace {

// A part of one track. It is small enough to load the workers evenly and to allow quick cancellation.
struct TrackChunk {
    ReportKey report;
    TrackId track;
    uint32_t first = 0;
    uint32_t last = 0; // one past the last row
};

struct GatheredGroup {
    RowChunks<int64_t> values;
    SliceId longest;
    int64_t largest = -1;
    int64_t cut = 0, excluded = 0, excluded_total = 0;
};

// Groups in one portion. Recently used groups are found without a search.
class GatheredGroups {
  public:
    GatheredGroup& at(uint64_t key)
    {
        auto& [recentKey, recent] = m_recent[key * 0x9E37'79B9'7F4A'7C15u >> 56];
        if (recent != nullptr && recentKey == key) return *recent;
        recentKey = key;
        recent = &m_byKey[key];
        return *recent;
    }
    auto begin() { return m_byKey.begin(); }
    auto end() { return m_byKey.end(); }
    void clear()
    {
        m_byKey.clear();
        m_recent = {};
    }

  private:
    std::unordered_map<uint64_t, GatheredGroup> m_byKey;
    std::array<std::pair<uint64_t, GatheredGroup*>, 256> m_recent = {};
};

constexpr uint32_t kChunkRows = 1 << 18;
constexpr uint32_t kRowsAtOnce = 1 << 12; // this many picks fit into the cache

std::vector<TrackChunk> portionsInScope(const AnalysisRequest& request)
{
    std::vector<TrackChunk> trackChunks;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        const auto window = windowOf(request.scope, request.alignment, key);
        for (size_t t = 0; t < report.tracks.size(); ++t) {
            const Track& track = report.tracks[t];
            if (track.sliceCount == 0 || !isInScope(request.scope, request.workspace, key, track)) continue;
            const uint32_t first = track.firstSlice.value;
            uint32_t last = first + track.sliceCount;
            if (window) {
                const auto starts = report.slices.start_ns.begin();
                last = static_cast<uint32_t>(std::lower_bound(starts + first, starts + last, window->end.ns) -
                                             starts);
            }
            for (uint32_t at = first; at < last; at += kChunkRows) {
                trackChunks.push_back({key, TrackId(t), at, std::min(last, at + kChunkRows)});
            }
        }
    }
    return trackChunks;
}

// Returns the part of a slice inside the window; negative if the slice is not counted.
int64_t durationInside(const std::optional<TimeRange>& window, TimeRange slice)
{
    static const Scope kAny; // Clip::include
    if (!isInWindow(kAny, window, slice)) return -1;
    const bool isClipped = window && slice.begin != slice.end;
    return (isClipped ? slice.clippedTo(*window) : slice).length().ns;
}

void gather(const SummaryRule& rule, const AnalysisRequest& request, const TrackChunk& trackChunk,
            const ColumnPlace& place, GatheredGroups& out)
{
    const Report& report = request.workspace.report(trackChunk.report);
    const auto window = windowOf(request.scope, request.alignment, trackChunk.report);
    std::vector<SummaryPick> picks;
    uint64_t unknownAmounts = 0;
    for (uint32_t first = trackChunk.first; first < trackChunk.last; first += kRowsAtOnce) {
        picks.clear();
        rule.pick(trackChunk.report, report, first, std::min(trackChunk.last, first + kRowsAtOnce), picks);
        for (const SummaryPick& pick : picks) {
            const int64_t inside = durationInside(window, pick.range);
            const bool isCut = window && inside >= 0 && inside < pick.range.length().ns;
            const bool isExcluded = isCut && request.scope.clip == Clip::exclude;
            const int64_t value = rule.hasAmounts ? pick.amount : inside;
            if (inside < 0 || (isExcluded && !rule.countsClipped)) continue;
            if (value < 0) {
                ++unknownAmounts;
                continue;
            }
            GatheredGroup& group = out.at(pick.key);
            group.cut += isCut ? 1 : 0;
            if (isExcluded) {
                ++group.excluded;
                group.excluded_total += value;
                // If all slices are clipped, one of them represents the group.
                if (!group.longest.isValid()) group.longest = SliceId(pick.row);
                continue;
            }
            group.values.add(value, place.temporary());
            if (value > group.largest) {
                group.largest = value;
                group.longest = SliceId(pick.row);
            }
        }
    }
    if (rule.unknownAmounts != nullptr) *rule.unknownAmounts += unknownAmounts;
}

struct Joined {
    RowChunks<int64_t> values;
    SliceRef longest;
    int64_t largest = -2; // -1: slice excluded from the statistics
    int64_t cut = 0, excluded = 0, excluded_total = 0;
};

using JoinedByName = std::map<std::pair<GroupKey, std::vector<std::string>>, Joined>;

void join(JoinedByName& joined, const SummaryRule& rule, const AnalysisRequest& request,
          const TrackChunk& trackChunk, GatheredGroups& gathered)
{
    const Report& report = request.workspace.report(trackChunk.report);
    const Track& track = report.track(trackChunk.track);
    const GroupKey group =
        groupKeyOf(request.scope.by, request.workspace, trackChunk.report, track.key.process);
    for (auto& [key, part] : gathered) {
        std::vector<std::string> labels = rule.labels(report, track, key);
        if (request.scope.name && !request.scope.name->matches(labels.back())) continue;
        Joined& whole = joined[{group, std::move(labels)}];
        const SliceRef longest{trackChunk.report, part.longest};
        if (part.largest > whole.largest || (part.largest == whole.largest && longest < whole.longest)) {
            whole.largest = part.largest;
            whole.longest = longest;
        }
        whole.values.take(std::move(part.values));
        whole.cut += part.cut;
        whole.excluded += part.excluded;
        whole.excluded_total += part.excluded_total;
    }
    gathered.clear();
}

// -1 represents a slice that is excluded from the statistics
ColumnPlace placeOf(const Workspace& workspace)
{
    for (const ReportKey key : workspace.keys()) {
        if (!workspace.report(key).place.isHeap()) return workspace.report(key).place;
    }
    return {};
}

// There are as many values as slices. If a report is too large for memory, the values are too.
Status gatherAll(const SummaryRule& rule, const AnalysisRequest& request, const ColumnPlace& place,
                 const Progress& progress, JoinedByName& joined)
{
    constexpr size_t kMaxChunksAtOnce = 64;
    const std::vector<TrackChunk> trackChunks = portionsInScope(request);
    std::vector<GatheredGroups> gathered(std::min(kMaxChunksAtOnce, trackChunks.size()));
    for (size_t first = 0; first < trackChunks.size(); first += kMaxChunksAtOnce) {
        const size_t count = std::min(kMaxChunksAtOnce, trackChunks.size() - first);
        progress.workers().run(count, [&](size_t i, size_t) {
            if (!progress.isCanceled()) gather(rule, request, trackChunks[first + i], place, gathered[i]);
        });
        LOCKSTEP_TRY(progress.check());
        for (size_t i = 0; i < count; ++i)
            join(joined, rule, request, trackChunks[first + i], gathered[i]);
        LOCKSTEP_TRY(place.status());
    }
    return {};
}

DurationStatistics statisticsOf(RowChunks<int64_t>& values)
{
    std::vector<std::span<const int64_t>> parts;
    for (const RowChunk<int64_t>& chunk : values.chunks)
        parts.push_back(chunk.rows());
    const DurationStatistics out = durationStatistics(parts);
    values = {};
    return out;
}

TableColumn timeColumn(std::string name, int decimals, std::string doc)
{
    return {std::move(name), "ns", ColumnType::time, decimals, std::move(doc)};
}

void addTimeColumns(Table& table, std::string_view countName, const Scope& scope)
{
    const GroupBy by = scope.by;
    const bool isWhole = scope.time && scope.clip == Clip::exclude;
    const std::string which = isWhole ? " of slices that the time range does not clip" : "";
    const std::string whole = by == GroupBy::total ? "" : " of the same " + std::string(groupByName(by));
    table.addColumn(
        {"Time", "%", ColumnType::percent, 1,
         "Total Time as a share of the sum of all Total Times listed" + whole + ", not of wall time"});
    table.addColumn(
        timeColumn("Total Time", 0, "sum of the durations; overlapping work counts more than once"));
    table.addColumn({std::string(countName), "", ColumnType::integer, 0, "number of instances"});
    table.markSums({"Total Time", countName});
    if (by == GroupBy::total) table.markSums({"Time"});
    table.addColumn(
        timeColumn("Avg", 1, isWhole ? "mean duration" + which : "Total Time / " + std::string(countName)));
    table.addColumn(timeColumn(
        "Med", 1, "median duration" + which + "; the mean of the two middle ones for an even count"));
    table.addColumn(timeColumn("Min", 0, "shortest duration" + which));
    table.addColumn(timeColumn("Max", 0, "longest duration" + which));
    table.addColumn(timeColumn(
        "StdDev", 1, "sample standard deviation (divisor n - 1)" + which + "; 0.0 for a single instance"));
}

void setTimes(Table& table, const TimeSummaryColumns& at, const SummaryGroup& group, __int128 listedTotal)
{
    const DurationStatistics& statistics = group.statistics;
    table.setNumber(at.time, roundedQuotient(__int128(group.total()) * 1000, listedTotal));
    table.setNumber(at.total, group.total());
    table.setNumber(at.count, group.count());
    for (size_t i = 0; i < group.labels.size(); ++i)
        table.setText(at.labels + i, group.labels[i]);
    if (statistics.count == 0) return; // all slices are clipped
    table.setNumber(at.average, statistics.average(10));
    table.setNumber(at.median, statistics.median(10));
    table.setNumber(at.minimum, statistics.minimum);
    table.setNumber(at.maximum, statistics.maximum);
    table.setNumber(at.deviation, statistics.standardDeviation(10));
}

// Describes how clipped slices are treated.
std::string clippingRule(int64_t cut, Clip clip, std::string_view countName)
{
    if (cut == 0) return "slices that overlap the time range are counted; none is clipped";
    const std::string number = groupedText(cut) + (cut == 1 ? " is" : " are");
    return "slices that overlap the time range are counted, with their durations clipped to it; " + number +
           " clipped: " +
           (clip == Clip::include ? "the parts inside count everywhere"
                                  : "the parts inside count in Total Time and " + std::string(countName) +
                                        " and are left out of Avg, Med, Min, Max and StdDev");
}

} // namespace

Result<std::vector<SummaryGroup>> summarize(const SummaryRule& rule, const AnalysisRequest& request,
                                            const Progress& progress)
{
    const ColumnPlace place = placeOf(request.workspace);
    JoinedByName joined;
    LOCKSTEP_TRY(gatherAll(rule, request, place, progress, joined));
    std::vector<Joined*> parts;
    std::vector<SummaryGroup> groups;
    for (auto& [name, part] : joined) {
        groups.push_back(
            {name.first, name.second, {}, part.longest, part.cut, part.excluded, part.excluded_total});
        parts.push_back(&part);
    }
    progress.workers().run(parts.size(), [&](size_t i, size_t) {
        if (!progress.isCanceled()) groups[i].statistics = statisticsOf(parts[i]->values);
    });
    LOCKSTEP_TRY(progress.check());
    LOCKSTEP_TRY(place.status());
    std::ranges::sort(groups, [](const SummaryGroup& a, const SummaryGroup& b) {
        const int64_t aTotal = a.total(), bTotal = b.total(), aCount = a.count(), bCount = b.count();
        return std::tie(a.group, bTotal, aCount, a.labels) < std::tie(b.group, aTotal, bCount, b.labels);
    });
    return groups;
}

void addGroupColumn(Table& table, GroupBy by)
{
    if (by != GroupBy::total) table.addColumn(groupColumn(by));
}

void setGroup(Table& table, GroupBy by, const GroupKey& group)
{
    if (by == GroupBy::total || group.isUnknown) return;
    if (by == GroupBy::rank || by == GroupBy::step) {
        table.setNumber(0, group.number);
    } else {
        table.setText(0, group.text);
    }
}

Result<Table> timeSummaryTable(const SummaryRule& rule, const AnalysisRequest& request,
                               std::string_view title, std::string_view countName,
                               const std::vector<TableColumn>& labelColumns, const Progress& progress)
{
    SummaryRule includingRule = rule;
    includingRule.countsClipped = true;
    const std::vector<SummaryGroup> groups = LOCKSTEP_TRY(summarize(includingRule, request, progress));
    std::map<GroupKey, __int128> listed;
    int64_t cut = 0;
    for (const SummaryGroup& group : groups) {
        listed[group.group] += group.total();
        cut += group.cut;
    }

    Table table{std::string(request.what), std::string(title)};
    const GroupBy by = request.scope.by;
    addGroupColumn(table, by);
    addTimeColumns(table, countName, request.scope);
    for (const TableColumn& column : labelColumns)
        table.addColumn(column);
    for (const SummaryGroup& group : groups) {
        table.addRow(group.longest);
        setGroup(table, by, group.group);
        setTimes(table, TimeSummaryColumns(by), group, listed[group.group]);
    }
    if (request.scope.time) {
        table.source.cut = cut;
        table.source.rules.push_back(clippingRule(cut, request.scope.clip, countName));
    }
    return table;
}

} // namespace lockstep
