// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/rule_table.h"

#include <algorithm>
#include <tuple>

#include "core/analysis/empty_table.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr RowKinds kRanges = rowKinds({RowKind::nvtxPushPop, RowKind::nvtxStartEnd});

// Returns the first range with this name. A domain may follow the last '@'; otherwise the default domain is
// used.
std::optional<TimeRange> firstRange(const Report& report, std::string_view wanted)
{
    const size_t at = wanted.rfind('@');
    const std::string_view name = wanted.substr(0, at);
    const std::string_view domain = at == wanted.npos ? std::string_view() : wanted.substr(at + 1);
    std::optional<TimeRange> first;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::nvtx || report.strings.at(track.name) != domain) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (!holds(kRanges, report.slices.kind[row]) || report.nameOf(SliceId(row)) != name) continue;
            const TimeRange range = report.slices.range(SliceId(row));
            if (!first || range.begin < first->begin) first = range;
            break; // a track is sorted by start
        }
    }
    return first;
}

// Returns a sentence that states how the rule's own time window excludes all rows, or "" if the rule has no
// window.
std::string windowText(const AnalysisRequest& request)
{
    const ArgumentValues& arguments = request.arguments;
    const std::string nvtx(arguments.text(kNvtxArgument.name));
    const auto hasRange = [&](ReportKey key) {
        return firstRange(request.workspace.report(key), nvtx).has_value();
    };
    if (!nvtx.empty() && std::ranges::none_of(request.workspace.keys(), hasRange))
        return "No NVTX range is named '" + nvtx + "' " + optionText(kNvtxArgument) + ".";
    if (!nvtx.empty())
        return "No row overlaps the NVTX range '" + nvtx + "' " + optionText(kNvtxArgument) + ".";
    const bool isLimited = arguments.isStated(kStartArgument.name) || arguments.isStated(kEndArgument.name);
    return isLimited ? "No row overlaps the time between the options start and end." : "";
}

} // namespace

RowKinds idleRuleKinds(const AnalysisRequest& request)
{
    const RowKinds graphs = rowKinds({RowKind::graphLaunch});
    return request.arguments.flag(kNoGraphsArgument.name) ? kDeviceWorkKinds & ~graphs : kDeviceWorkKinds;
}

ReportWindow RuleTable::window() const
{
    return [&request = m_request](ReportKey key) -> std::optional<TimeRange> {
        const ArgumentValues& arguments = request.arguments;
        const std::string_view nvtx = arguments.text(kNvtxArgument.name);
        std::optional<TimeRange> window = windowOf(request.scope, request.alignment, key);
        const auto narrow = [&](TimeRange range) { window = window ? window->clippedTo(range) : range; };
        TimeRange own = kAllTime;
        if (!nvtx.empty()) own = firstRange(request.workspace.report(key), nvtx).value_or(TimeRange{});
        // As in nsys, explicit times take precedence over those of the range.
        if (arguments.isStated(kStartArgument.name)) own.begin = {arguments.duration(kStartArgument.name).ns};
        if (arguments.isStated(kEndArgument.name)) own.end = {arguments.duration(kEndArgument.name).ns};
        if (own != kAllTime) narrow(own);
        return window;
    };
}

Table RuleTable::make(std::string_view title, bool isNumbered, std::vector<TableColumn> columns,
                      std::vector<RuleFinding> findings, const Fill& fill) const
{
    std::ranges::sort(findings, {}, [](const RuleFinding& finding) {
        return std::tuple(finding.group, finding.order, finding.second, finding.range.begin, finding.report,
                          finding.slice);
    });
    Table table{std::string(m_request.what), std::string(title)};
    const GroupBy by = m_request.scope.by;
    addGroupColumn(table, by);
    const size_t number = table.columnCount();
    if (isNumbered)
        table.addColumn({"Row#", "", ColumnType::integer, 0, "position in the list, worst first"});
    const size_t first = table.columnCount();
    for (TableColumn& column : columns)
        table.addColumn(std::move(column));
    const bool areSeveral = m_request.workspace.keys().size() > 1;
    const size_t aligned = table.columnCount();
    if (areSeveral) {
        table.addColumn(
            {"Aligned Start", "ns", ColumnType::time, 0, "Start on the aligned axis shared by all reports"});
        table.addColumn({"Report", "", ColumnType::text, 0, "path of the report"});
    }
    const int64_t most = m_request.arguments.whole(kRowsArgument.name);
    int64_t count = 0;
    const GroupKey* group = nullptr;
    for (const RuleFinding& finding : findings) {
        if (group == nullptr || *group != finding.group) count = 0;
        group = &finding.group;
        if (++count > most && most >= 0) continue;
        table.addRow({finding.report, finding.slice});
        setGroup(table, by, finding.group);
        if (isNumbered) table.setNumber(number, count);
        fill(table, first, finding);
        if (!areSeveral) continue;
        table.setNumber(aligned,
                        m_request.alignment.map(finding.report).alignedFromTrace(finding.range.begin).ns);
        table.setText(aligned + 1, m_request.workspace.report(finding.report).provenance.path.string());
    }
    auto& rules = table.source.rules;
    table.source.whenEmpty =
        findings.empty() ? windowText(m_request) : limitText(kRowsArgument, findings.size());
    if (table.rowCount() < findings.size()) {
        rules.push_back("the worst " + std::to_string(table.rowCount()) + " of " +
                        std::to_string(findings.size()) + " rows: rows=-1 lists all");
    }
    if (m_request.scope.time) rules.push_back(windowRule(m_request.scope, "rows", ", in full"));
    rules.push_back("Start is on the report's own clock");
    return table;
}

TableColumn ruleDuration(std::string doc)
{
    return {"Duration", "ns", ColumnType::time, 0, std::move(doc)};
}

TableColumn ruleStart()
{
    return {"Start", "ns", ColumnType::time, 0, "start time, on the report's own clock"};
}

TableColumn rulePid()
{
    return {"PID", "", ColumnType::integer, 0, "process ID on its host"};
}

TableColumn ruleDevice()
{
    return {"Device ID", "", ColumnType::integer, 0, "CUDA device ordinal in the process"};
}

TableColumn ruleContext()
{
    return {"Context ID", "", ColumnType::integer, 0, "CUDA context; empty if not recorded"};
}

} // namespace lockstep
