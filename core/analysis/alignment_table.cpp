#include "core/analysis/alignment_table.h"

namespace lockstep {

namespace {

constexpr std::string_view kTitle = "Alignment of the reports' clocks";

enum : size_t { kReport, kDomain, kMethod, kOffset, kDrift, kBound, kAnchors, kConfidence, kReason };

void addColumns(Table& table)
{
    table.addColumn({"report", "", ColumnType::text, 0, "path of the report"});
    table.addColumn({"clock_domain", "", ColumnType::text, 0, "what the report's stamps count from"});
    table.addColumn({"method", "", ColumnType::text, 0, "how the clock was put on the common axis"});
    table.addColumn(
        {"offset", "ns", ColumnType::time, 0, "added to a stamp of the report to get aligned time"});
    table.addColumn({"drift", "ppb", ColumnType::integer, 0, "rate correction in parts per 10^9"});
    table.addColumn(
        {"bound", "ns", ColumnType::time, 0, "largest error claimed; empty where none can be stated"});
    table.addColumn(
        {"anchors", "", ColumnType::integer, 0, "moments seen in both clocks that the map rests on"});
    table.addColumn({"confidence", "", ColumnType::text, 0, "exact, good, fair, wallclock or none"});
    table.addColumn({"reason", "", ColumnType::text, 0, "why this method, and where its numbers come from"});
}

Result<Table> run(const AnalysisRequest& request, const Progress&)
{
    Table table{std::string(request.what), std::string(kTitle)};
    table.headerStyle = HeaderStyle::identifier;
    addColumns(table);
    for (size_t i = 0; i < request.workspace.size(); ++i) {
        const Report& report = request.workspace.report(ReportId(i));
        const ClockMap& map = request.alignment.map(ReportId(i));
        table.addRow();
        table.setText(kReport, report.provenance.path.string());
        table.setText(kDomain, report.clock.name);
        table.setText(kMethod, alignMethodName(map.method));
        table.setNumber(kOffset, map.offset_ns);
        table.setNumber(kDrift, map.drift_ppb);
        if (map.bound_ns) table.setNumber(kBound, *map.bound_ns);
        table.setNumber(kAnchors, anchorsUsed(map));
        table.setText(kConfidence, alignConfidence(map));
        table.setText(kReason, map.reason);
    }
    table.source.rows = "reports";
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
    switch (map.method) {
    case AlignMethod::wallclock:
        return "wallclock";
    case AlignMethod::reference:
        return "exact";
    case AlignMethod::none:
    case AlignMethod::zero:
        break;
    }
    return "none";
}

int64_t anchorsUsed(const ClockMap& map)
{
    return map.method == AlignMethod::wallclock ? 1 : 0;
}

Analysis alignmentAnalysis()
{
    return {"alignment", kTitle, "reports", {}, run};
}

} // namespace lockstep
