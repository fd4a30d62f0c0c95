// SPDX-License-Identifier: Apache-2.0
// The `alignment` analysis: one row per report, with the report's clock, its alignment method and the quality
// of the alignment.
#include "core/analysis/registry.h"

#include "core/align/alignment_report.h"

namespace lockstep {

namespace {

constexpr std::string_view kAlignmentTableTitle = "Clock alignment";

// The columns in order; each member holds the position of one column.
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
        report =
            table.addColumn({"report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
        domain = text("clock_domain", "clock or epoch of the report's timestamps");
        method = text("method", "how the report's clock was aligned with the common axis");
        offset = time("offset", "added to a timestamp of the report to get the aligned time");
        drift = count("drift", "rate correction in parts per 10^9", "ppb");
        bound = time("bound", "error bound; empty if none can be given");
        anchors = count("anchors", "common points in time, seen by both clocks, that the mapping is "
                                   "based on");
        confidence = text("confidence", "confidence: exact, good, fair, wallclock or none");
        host = text("host", "host name; empty if no file records it");
        rank = count("rank", "rank in the job; empty if no file records it");
        clock = text("shares_clock", "which clock the host's reports share: own, system clock, host wall "
                                     "clock");
        verdict = text("verdict", "result of the estimate from collectives; empty if none was made");
        correction = time("correction", "correction from collectives, added to the wall-clock mapping");
        error = time("statistical_error",
                     "likely error of the estimate: the largest of 1.96 standard errors, the asymmetry of "
                     "the ends, and the floor of 20 us across hosts");
        earliest = time("guaranteed_earliest",
                        "lower end of the guaranteed interval of true minus mapped time, which no collective "
                        "contradicts; empty if the interval is open on this side");
        latest = time("guaranteed_latest", "upper end of the guaranteed interval of true minus mapped time; "
                                           "empty if the interval is open on this side");
        driftError = count("drift_error", "standard error of the drift", "ppb");
        residual = time("residual", "robust deviation of the report's collective ends from the common "
                                    "ends");
        bursts = count("bursts", "bursts of collectives that count as independent");
        before = count("violations_before",
                       "causality violations by the wall clock: collectives that ended on one rank before "
                       "they began on another");
        after = count("violations_after", "causality violations under this mapping");
        reason = text("reason", "why this method was used, and the source of its numbers");
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

// Adds the rules that concern the alignment as a whole.
void addRules(Table& table, const AlignmentReport& described)
{
    auto& rules = table.source.rules;
    rules.push_back("basis: " + described.basis);
    if (described.collectiveCount > 0) {
        rules.push_back(std::to_string(described.collectiveCount) +
                        " collectives were matched across different clocks; causality violations: " +
                        std::to_string(described.violationsBefore) + " before, " +
                        std::to_string(described.violationsAfter) + " after; residuals deviate by " +
                        std::to_string(described.noise_ns) +
                        " ns; dropped as contradictory: " + std::to_string(described.contradictions));
    }
    rules.insert(rules.end(), described.splitHosts.begin(), described.splitHosts.end());
    for (const AlignmentGroup& group : described.groups) {
        if (!group.pairs.empty()) rules.push_back("group " + group.name + ": " + group.pairs);
        if (!group.refusal.empty()) rules.push_back("group " + group.name + ": " + group.refusal);
        for (const std::string& remark : group.remarks)
            rules.push_back("group " + group.name + ": " + remark);
    }
}

// Returns the number of common points in time on which a map is based: 1 for a recorded wall clock, 0 if
// there is none.
int64_t anchorsUsed(const ClockMap& map)
{
    const bool isByWallClock = map.method == AlignMethod::wallclock || map.method == AlignMethod::host;
    return isByWallClock ? 1 : map.anchorsUsed;
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
        table.setText(columns.confidence, clockConfidenceName(map.confidence));
        table.setText(columns.host, row.host);
        if (row.rank) table.setNumber(columns.rank, *row.rank);
        table.setText(columns.clock, row.clock);
        setEstimate(table, columns, map, row);
        table.setText(columns.reason, map.reason);
    }
    table.source.rows = "reports";
    addRules(table, described);
    if (request.alignment.utcAtZero_ns) {
        table.source.rules.push_back("the aligned axis has its zero " +
                                     std::to_string(*request.alignment.utcAtZero_ns) +
                                     " ns after the Unix epoch");
    }
    return table;
}

} // namespace

Analysis alignmentAnalysis()
{
    return {"alignment", kAlignmentTableTitle, "reports", {}, alignmentTable};
}

} // namespace lockstep
