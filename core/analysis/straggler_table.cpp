// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/straggler_table.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/collective_selection.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kStragglerTableTitle = "Stragglers: ranks that arrive late to collectives";
constexpr size_t kMaxActivities = 3;

struct StragglerColumns {
    explicit StragglerColumns(Table& table, GroupBy by)
    {
        const auto text = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::text, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::integer, 0, doc});
        };
        const auto time = [&](const char* name, const char* doc) {
            return table.addColumn({name, "ns", ColumnType::time, 0, doc});
        };
        addGroupColumn(table, by);
        if (by != GroupBy::rank) rank = count("rank", "rank in the job; empty if no file records it");
        if (by != GroupBy::role) role = text("role", "role in the job; empty if no file records it");
        if (by != GroupBy::host) host = text("host", "host name; empty if no file records it");
        collectives = count("collectives", "collectives of the rank in which all ranks wait for each "
                                           "other");
        timesLast = count("times_last", "number of times the rank arrived last: its duration was the "
                                        "shortest");
        lastShare = table.addColumn({"last_share", "%", ColumnType::percent, 1,
                                     "share of the rank's collectives in which it arrived last"});
        caused = time("caused_wait",
                      "sum of the longest wait over the collectives in which the rank arrived last");
        score = table.addColumn({"caused_share", "%", ColumnType::percent, 1,
                                 "caused_wait as a share of the longest waits of all the rank's collectives; "
                                 "100 = always the cause"});
        waited = time("own_wait",
                      "sum of the rank's own duration minus transfer: how long the rank waited for others");
        lastByStart =
            count("times_last_by_start",
                  "number of times the rank's aligned start was the last, and later than the first by more "
                  "than the clock error; empty if the clocks are not aligned with each other");
        medianSkew = time("late_by_median",
                          "median net arrival skew of the collectives in times_last_by_start, rounded");
        disputed = count(
            "disputed",
            "collectives in which this rank arrived last by duration but another rank clearly did by start");
        hostBound = count("host_late", "number of times the rank was late while its GPU had too little work");
        doing =
            text("doing", "activities that took most of the wait the rank caused: the three most frequent");
        table.markSums({"times_last", "caused_wait", "own_wait"});
        report = text("report", "path of its report");
        notTimed = text("not_timed", "why the rank could not be analyzed; empty for analyzed ranks");
    }

    size_t rank = 0, role = 0, host = 0, collectives, timesLast, lastShare, caused, score, waited,
           lastByStart, medianSkew, disputed, hostBound, doing, report, notTimed;
};

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

class StragglerRows {
  public:
    StragglerRows(const AnalysisRequest& request, const CollectiveSelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table), m_columns(table, request.scope.by)
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
            startRow(groupKeyOf(m_request.scope.by, m_request.workspace, own.report, own.process), rank,
                     own.collectives.front().slice);
            m_table.setNumber(m_columns.collectives, 0);
            m_table.setText(m_columns.notTimed, reason);
        }
    }

  private:
    void startRow(const GroupKey& group, uint32_t rank, SliceId slice)
    {
        const Identity identity = m_selection.identityOfRank(rank);
        const GroupBy by = m_request.scope.by;
        m_table.addRow({m_selection.matches().ranks[rank].report, slice});
        setGroup(m_table, by, group);
        if (by != GroupBy::rank && identity.rank.isKnown())
            m_table.setNumber(m_columns.rank, *identity.rank.value);
        if (by != GroupBy::role) m_table.setText(m_columns.role, identity.role.value.value_or(""));
        if (by != GroupBy::host) m_table.setText(m_columns.host, identity.host.value.value_or(""));
        m_table.setText(m_columns.report, m_selection.reportOf(rank).provenance.path.string());
    }

    void addRank(const GroupKey& group, const RankLateness& lateness, StartLateness& byStart)
    {
        const Report& report = m_selection.reportOf(lateness.rank);
        startRow(group, lateness.rank, lateness.worst);
        const auto count = static_cast<int64_t>(lateness.collectives);
        const auto last = static_cast<int64_t>(lateness.timesLast);
        m_table.setNumber(m_columns.collectives, count);
        m_table.setNumber(m_columns.timesLast, last);
        m_table.setNumber(m_columns.lastShare, roundedQuotient(__int128(last) * 1000, count));
        m_table.setNumber(m_columns.caused, lateness.causedWait_ns);
        m_table.setNumber(m_columns.score, std::llround(lateness.score * 1000));
        m_table.setNumber(m_columns.waited, lateness.totalWait_ns);
        if (byStart.isTied)
            m_table.setNumber(m_columns.lastByStart, static_cast<int64_t>(byStart.netSkews.size()));
        if (!byStart.netSkews.empty())
            m_table.setNumber(m_columns.medianSkew, durationStatistics(byStart.netSkews).median(1));
        m_table.setNumber(m_columns.disputed, byStart.disputed);
        m_table.setNumber(m_columns.hostBound, static_cast<int64_t>(lateness.timesHostBound));
        m_table.setText(m_columns.doing, activitiesText(report, lateness));
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
    Table& m_table;
    const StragglerColumns m_columns;
};

Result<Table> stragglerTable(const AnalysisRequest& request, const Progress& progress)
{
    LOCKSTEP_TRY(progress.check());
    const CollectiveSelection selection(request, progress);
    LOCKSTEP_TRY(progress.check());
    Table table{std::string(request.what), std::string(kStragglerTableTitle)};
    table.headerStyle = HeaderStyle::identifier;
    StragglerRows rows(request, selection, table);
    if (request.scope.by == GroupBy::step) {
        for (const auto& [step, collectives] : selection.bySteps())
            rows.add(collectives, GroupKey{!step, step.value_or(0), {}});
    } else if (request.scope.by == GroupBy::communicator) {
        for (const auto& [name, collectives] : selection.byCommunicators())
            rows.add(collectives, GroupKey{false, 0, name});
    } else {
        rows.add(selection.collectives(), std::nullopt);
        rows.addUnmatched();
    }
    selection.describe(table);
    table.source.rules.push_back("the last rank of a collective is the one with the shortest duration; "
                                 "aligned starts are a cross-check");
    return table;
}

} // namespace

Analysis stragglersAnalysis()
{
    return {"stragglers", kStragglerTableTitle, "collectives of two or more ranks", {}, stragglerTable, true};
}

} // namespace lockstep
