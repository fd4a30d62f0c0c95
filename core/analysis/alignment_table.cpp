// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/alignment_table.h"

#include "core/align/alignment_report.h"

namespace lockstep {

namespace {

constexpr std::string_view kAlignmentTableTitle = "Alignment of the reports' clocks";

// The columns in their order; the positions are their numbers.
struct AlignmentColumns {
    explicit AlignmentColumns(Table& table)
    {
        const auto text = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::text, 0, doc});
        };
        const auto time = [&](const char* name, const char* doc) {
            return table.addColumn({name, "ns", ColumnType::time, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc, const char* unit = "") {
            return table.addColumn({name, unit, ColumnType::integer, 0, doc});
        };
        report = text("report", "path of the report");
        domain = text("clock_domain", "what the report's stamps count from");
        method = text("method", "how the clock was put on the common axis");
        offset = time("offset", "added to a stamp of the report to get aligned time");
        drift = count("drift", "rate correction in parts per 10^9", "ppb");
        bound = time("bound", "largest error claimed; empty where none can be stated");
        anchors = count("anchors", "moments seen in both clocks that the map rests on");
        confidence = text("confidence", "exact, good, fair, wallclock or none");
        host = text("host", "name of the machine; empty where no file says");
        rank = count("rank", "position in the job; empty where no file says");
        clock =
            text("shares_clock", "how the host's reports share a clock: own, system clock, host wall clock");
        verdict = text("verdict", "what became of the estimate by collectives; empty where none was made");
        correction = time("correction", "added by collectives to the place by the wall clock");
        error =
            time("statistical_error",
                 "likely error of the estimate: 1.96 standard errors, the ends' asymmetry, or the floor of "
                 "20 us across hosts, whichever is largest");
        earliest =
            time("guaranteed_earliest",
                 "least of true minus mapped time that no collective contradicts; with the next column "
                 "the guaranteed interval; empty where it is open on a side");
        latest =
            time("guaranteed_latest", "greatest of true minus mapped time that no collective contradicts");
        driftError = count("drift_error", "standard error of the drift", "ppb");
        residual = time("residual", "robust deviation of the ends of its collectives from where all ended");
        bursts = count("bursts", "stretches of collectives that count as independent");
        before = count(
            "violations_before",
            "collectives that ended somewhere before they began on it, or the other way, by wall clock");
        after = count("violations_after", "the same under this map");
        reason = text("reason", "why this method, and where its numbers come from");
    }

    size_t report, domain, method, offset, drift, bound, anchors, confidence, host, rank, clock, verdict,
        correction, error, earliest, latest, driftError, residual, bursts, before, after, reason;
};

void setEstimate(Table& table, const AlignmentColumns& columns, const ClockMap& map, const AlignmentRow& row)
{
    table.setText(columns.verdict, row.verdict);
    if (row.verdict.empty()) return;
    table.setNumber(columns.correction, map.correction_ns);
    if (map.error_ns) table.setNumber(columns.error, *map.error_ns);
    if (map.guaranteed) {
        table.setNumber(columns.earliest, map.guaranteed->earliest_ns);
        table.setNumber(columns.latest, map.guaranteed->latest_ns);
    }
    if (map.driftError_ppb) table.setNumber(columns.driftError, *map.driftError_ppb);
    if (row.residual_ns) table.setNumber(columns.residual, *row.residual_ns);
    table.setNumber(columns.bursts, row.burstCount);
    table.setNumber(columns.before, map.violationsBefore);
    table.setNumber(columns.after, map.violationsAfter);
}

// What holds for the alignment as a whole.
void addRules(Table& table, const AlignmentReport& described)
{
    auto& rules = table.source.rules;
    rules.push_back("basis: " + described.basis);
    if (described.collectiveCount > 0) {
        rules.push_back(std::to_string(described.collectiveCount) +
                        " collectives were matched over different clocks; causality violations " +
                        std::to_string(described.violationsBefore) + " before, " +
                        std::to_string(described.violationsAfter) + " after; residuals deviate by " +
                        std::to_string(described.noise_ns) + " ns; " +
                        std::to_string(described.contradictions) + " dropped as contradictory");
    }
    rules.insert(rules.end(), described.splitHosts.begin(), described.splitHosts.end());
    for (const AlignmentGroup& group : described.groups) {
        if (!group.pairs.empty()) rules.push_back("group " + group.name + ": " + group.pairs);
        if (!group.refusal.empty()) rules.push_back("group " + group.name + ": " + group.refusal);
        for (const std::string& remark : group.remarks)
            rules.push_back("group " + group.name + ": " + remark);
    }
}

Result<Table> alignmentTable(const AnalysisRequest& request, const Progress&)
{
    Table table{std::string(request.what), std::string(kAlignmentTableTitle)};
    table.headerStyle = HeaderStyle::identifier;
    const AlignmentColumns columns(table);
    const AlignmentReport described = describeAlignment(request.workspace, request.alignment, 1);
    for (const AlignmentRow& row : described.rows) {
        const Report& report = request.workspace.report(row.report);
        const ClockMap& map = request.alignment.map(row.report);
        table.addRow();
        table.setText(columns.report, report.provenance.path.string());
        table.setText(columns.domain, report.clock.name);
        table.setText(columns.method, alignMethodName(map.method));
        table.setNumber(columns.offset, map.offset_ns);
        table.setNumber(columns.drift, map.drift_ppb);
        if (map.bound_ns) table.setNumber(columns.bound, *map.bound_ns);
        table.setNumber(columns.anchors, anchorsUsed(map));
        table.setText(columns.confidence, alignConfidence(map));
        table.setText(columns.host, row.host);
        if (row.rank) table.setNumber(columns.rank, *row.rank);
        table.setText(columns.clock, row.clock);
        setEstimate(table, columns, map, row);
        table.setText(columns.reason, map.reason);
    }
    table.source.rows = "reports";
    addRules(table, described);
    if (request.alignment.utcAtZero_ns) {
        table.source.rules.push_back("zero of the aligned axis is " +
                                     std::to_string(*request.alignment.utcAtZero_ns) +
                                     " ns after the Unix epoch");
    }
    return table;
}

} // namespace

std::string_view alignConfidence(const ClockMap& map)
{
    return clockConfidenceName(map.confidence);
}

int64_t anchorsUsed(const ClockMap& map)
{
    const bool isByWallClock = map.method == AlignMethod::wallclock || map.method == AlignMethod::host;
    return isByWallClock ? 1 : map.anchorsUsed;
}

Analysis alignmentAnalysis()
{
    return {"alignment", kAlignmentTableTitle, "reports", {}, alignmentTable};
}

} // namespace lockstep
