// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/straggler_table.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/collective_selection.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"

namespace lockstep {

namespace {

constexpr size_t kMaxActivities = 3;

TableColumns<StragglerRow> stragglerColumns(const AnalysisRequest& request)
{
    using Row = StragglerRow;
    const GroupBy by = request.scope.by;
    TableColumns<Row> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::rank)
        columns.count(&Row::rank, "rank", "rank in the job; empty if no file records it");
    if (by != GroupBy::role) columns.text(&Row::role, "role", "role in the job; empty if no file records it");
    if (by != GroupBy::host) columns.text(&Row::host, "host", "host name; empty if no file records it");
    columns
        .count(&Row::collectives, "collectives",
               "collectives of the rank in which all ranks wait for each other")
        .count(&Row::timesLast, "times_last",
               "number of times the rank arrived last: its duration was the shortest")
        .summed()
        .add(&Row::lastShare_permille, {"last_share", "%", ColumnType::percent, 1,
                                        "share of the rank's collectives in which it arrived last"})
        .time(&Row::causedWait_ns, "caused_wait",
              "sum of the longest wait over the collectives in which the rank arrived last")
        .summed()
        .add(&Row::causedShare_permille,
             {"caused_share", "%", ColumnType::percent, 1,
              "caused_wait as a share of the longest waits of all the rank's collectives; 100 = always the "
              "cause"})
        .time(&Row::ownWait_ns, "own_wait",
              "sum of the rank's own duration minus transfer: how long the rank "
              "waited for others")
        .summed()
        .count(&Row::timesLastByStart, "times_last_by_start",
               "number of times the rank's aligned start was the last, and later than the first by more than "
               "the clock error; empty if the clocks are not aligned with each other")
        .time(&Row::medianSkew_ns, "late_by_median",
              "median net arrival skew of the collectives in times_last_by_start, rounded")
        .count(
            &Row::disputed, "disputed",
            "collectives in which this rank arrived last by duration but another rank clearly did by start")
        .count(&Row::timesHostBound, "host_late",
               "number of times the rank was late while its GPU had too little work")
        .text(&Row::activities, "doing",
              "activities that took most of the wait the rank caused: the three most frequent")
        .report(&Row::report, "report", "path of its report")
        .text(&Row::notTimed, "not_timed", "why the rank could not be analyzed; empty for analyzed ranks");
    return columns;
}

// Lateness of one rank, measured by the starts of slices on the aligned axis.
struct StartLateness {
    std::vector<int64_t> netSkews;
    int64_t disputed = 0;
    bool isTied = false; // at least one of its collectives has a known arrival skew
};

std::map<uint32_t, StartLateness> latenessByStart(const StragglerMetrics& metrics,
                                                  const CollectiveSelection& selection)
{
    std::map<uint32_t, StartLateness> out;
    for (const CollectiveTiming& timing : metrics.timings) {
        if (timing.isDisputed) ++out[timing.lastRank].disputed;
        if (!timing.lastByStart) continue;
        for (const MatchedPart& part : selection.partsOf(timing.collective))
            out[part.rank].isTied = true;
        if (timing.netSkew_ns() > 0) out[*timing.lastByStart].netSkews.push_back(timing.netSkew_ns());
    }
    return out;
}

class StragglerSearch {
  public:
    StragglerSearch(const AnalysisRequest& request, const CollectiveSelection& selection)
        : m_request(request), m_selection(selection)
    {
    }

    // common: the common group of all these rows, if rows are grouped by a property of the collectives.
    void add(const std::vector<uint32_t>& collectives, const std::optional<GroupKey>& common)
    {
        const StragglerMetrics metrics = m_selection.stragglers(collectives);
        auto byStart = latenessByStart(metrics, m_selection);
        std::vector<std::pair<GroupKey, const RankLateness*>> rows;
        for (const RankLateness& lateness : metrics.ranks) {
            if (!m_selection.isRankInScope(lateness.rank)) continue;
            const CollectiveRank& rank = m_selection.matches().ranks[lateness.rank];
            GroupKey group = groupKeyOf(m_request.scope.by, m_request.workspace, rank.report, rank.process);
            if (common) group = *common;
            rows.emplace_back(std::move(group), &lateness);
        }
        std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
        for (const auto& [group, lateness] : rows)
            addRank(group, *lateness, byStart[lateness->rank]);
    }

    // Lists ranks that could not be analyzed, because omitting them would make them appear to be on time.
    void addUnmatched()
    {
        if (m_selection.matches().ranks.size() < 2) return;
        for (const auto& [rank, reason] : m_selection.unmatchedRanks()) {
            if (!m_selection.isRankInScope(rank)) continue;
            const CollectiveRank& own = m_selection.matches().ranks[rank];
            StragglerRow& row =
                addRow(groupKeyOf(m_request.scope.by, m_request.workspace, own.report, own.process), rank,
                       own.collectives.front().slice);
            row.notTimed = reason;
        }
    }

    std::vector<StragglerRow> take() { return std::move(m_rows); }

  private:
    StragglerRow& addRow(const GroupKey& group, uint32_t rank, SliceId slice)
    {
        const Identity identity = m_selection.identityOfRank(rank);
        StragglerRow& row = m_rows.emplace_back();
        row.group = group;
        row.longest = {m_selection.matches().ranks[rank].report, slice};
        if (identity.rank.isKnown()) row.rank = *identity.rank.value;
        row.role = identity.role.value.value_or("");
        row.host = identity.host.value.value_or("");
        row.report = m_selection.reportOf(rank).provenance.path.string();
        return row;
    }

    void addRank(const GroupKey& group, const RankLateness& lateness, StartLateness& byStart)
    {
        StragglerRow& row = addRow(group, lateness.rank, lateness.worst);
        row.collectives = static_cast<int64_t>(lateness.collectives);
        row.timesLast = static_cast<int64_t>(lateness.timesLast);
        row.lastShare_permille = roundedQuotient(__int128(lateness.timesLast) * 1000, row.collectives);
        row.causedWait_ns = lateness.causedWait_ns;
        row.causedShare_permille = std::llround(lateness.score * 1000);
        row.ownWait_ns = lateness.totalWait_ns;
        if (byStart.isTied) row.timesLastByStart = static_cast<int64_t>(byStart.netSkews.size());
        if (!byStart.netSkews.empty()) row.medianSkew_ns = durationStatistics(byStart.netSkews).median(1);
        row.disputed = byStart.disputed;
        row.timesHostBound = static_cast<int64_t>(lateness.timesHostBound);
        row.activities = activitiesText(m_selection.reportOf(lateness.rank), lateness);
    }

    // Returns the kernel's base name if the file records one.
    static std::string_view shortText(const Report& report, StringId name)
    {
        const auto found =
            std::ranges::lower_bound(report.shortNames, name, {}, &std::pair<StringId, StringId>::first);
        const bool isShortened = found != report.shortNames.end() && found->first == name;
        return report.strings.at(isShortened ? found->second : name);
    }

    static std::string activitiesText(const Report& report, const RankLateness& lateness)
    {
        std::string text;
        for (size_t i = 0; i < std::min(kMaxActivities, lateness.activities.size()); ++i) {
            const auto& [name, times] = lateness.activities[i];
            text += (text.empty() ? "" : "; ") + std::string(shortText(report, name)) + " (" +
                    std::to_string(times) + ")";
        }
        return text;
    }

    const AnalysisRequest& m_request;
    const CollectiveSelection& m_selection;
    std::vector<StragglerRow> m_rows;
};

} // namespace

Result<AnalysisRows<StragglerRow>> stragglers(const AnalysisRequest& request, const Progress& progress)
{
    LOCKSTEP_TRY(progress.check());
    const CollectiveSelection selection(request, progress);
    LOCKSTEP_TRY(progress.check());
    StragglerSearch search(request, selection);
    if (request.scope.by == GroupBy::step) {
        for (const auto& [step, collectives] : selection.bySteps())
            search.add(collectives, GroupKey{!step, step.value_or(0), {}});
    } else if (request.scope.by == GroupBy::communicator) {
        for (const auto& [name, collectives] : selection.byCommunicators())
            search.add(collectives, GroupKey{false, 0, name});
    } else {
        search.add(selection.collectives(), std::nullopt);
        search.addUnmatched();
    }
    AnalysisRows<StragglerRow> made{search.take(), {}};
    selection.describe(made.source);
    made.source.rules.push_back("the last rank of a collective is the one with the shortest duration; "
                                "aligned starts are a cross-check");
    return made;
}

Analysis stragglersAnalysis()
{
    return withCharts({"stragglers",
                       "Stragglers: ranks that arrive late to collectives",
                       "collectives of two or more ranks",
                       {},
                       makeTable<stragglers, stragglerColumns>,
                       RowOwner::communicator},
                      {{ChartKind::heatMap, {"rank", "host"}, {"caused_wait"}, "step"},
                       {ChartKind::bars, {"rank", "host"}, {"caused_wait"}}});
}

} // namespace lockstep
