// SPDX-License-Identifier: Apache-2.0
// The findings table: lists RunFindings, one per row, worst first, for files and the command line. The HTML
// report and the Findings panel show the same findings in full.
#include "core/analysis/registry.h"
#include "core/analysis/training/findings.h"

namespace lockstep {

namespace {

constexpr std::string_view kFindingsTitle = "Findings, worst first";

Result<Table> findingRows(const AnalysisRequest& request, const Progress& progress)
{
    return findingsTable(request.what, LOCKSTEP_TRY(findingsOf(request.scene, request.scope, progress)));
}

} // namespace

Table findingsTable(std::string_view what, const RunFindings& all)
{
    Table table{std::string(what), std::string(kFindingsTitle)};
    table.headerStyle = HeaderStyle::identifier;
    const auto text = [&](const char* name, const char* doc) {
        return table.addColumn({name, "", ColumnType::text, 0, doc});
    };
    const auto time = [&](const char* name, const char* doc) {
        return table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    const size_t severity =
        table.addColumn({"severity", "", ColumnType::text, 0,
                         "high, medium or low; rows are by severity, then cost", ColumnMeaning::severity});
    const size_t finding = text("finding", "the finding, over all affected ranks");
    const size_t cost = time("cost", "GPU time lost by the most affected rank");
    const size_t costAStep = time("cost_per_step", "lost GPU time per step; empty if no step is known");
    const size_t advice = text("advice", "what to try first");
    const size_t rule = text("rule", "the rule or table that found it");
    const size_t evidence = text("evidence", "evidence for the finding");
    for (const RunFinding& found : all.found) {
        table.addRow(found.show);
        table.setText(severity, findingSeverityName(found.severity));
        table.setText(finding, found.sentence);
        table.setNumber(cost, found.cost_ns);
        if (all.steps > 0) table.setNumber(costAStep, all.costAStep_ns(found.cost_ns));
        table.setText(advice, found.fix);
        table.setText(rule, found.rule);
        std::string reasons;
        for (const auto& [heading, reason] : found.reasons)
            reasons += (reasons.empty() ? "" : "; ") + heading + ": " + reason;
        table.setText(evidence, reasons);
    }
    table.source.rows = "findings over the reports in scope";
    std::string ran;
    for (const std::string& name : all.ran)
        ran += (ran.empty() ? "" : ", ") + name;
    table.source.rules.push_back("found by: " + ran);
    if (all.ran.empty()) return table;
    table.source.whenEmpty = "No rule found anything above its threshold (" + ran + ").";
    return table;
}

Analysis findingsAnalysis()
{
    return {"findings", kFindingsTitle, "findings", {}, findingRows};
}

} // namespace lockstep
