// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/rule_table.h"

#include <algorithm>

#include "core/analysis/empty_table.h"

namespace lockstep {

namespace {

constexpr RowKinds kRanges = rowKinds({RowKind::nvtxPushPop, RowKind::nvtxStartEnd});

// Returns the first range with this name. A domain may follow the last '@'; otherwise the default domain is
// used.
std::optional<TimeRange> firstRange(const Report& report, std::string_view rangeName)
{
    const size_t at = rangeName.rfind('@');
    const std::string_view name = rangeName.substr(0, at);
    const std::string_view domain = at == rangeName.npos ? std::string_view() : rangeName.substr(at + 1);
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
    const bool isLimited = arguments.isGiven(kStartArgument.name) || arguments.isGiven(kEndArgument.name);
    return isLimited ? "No row overlaps the time between the options start and end." : "";
}

} // namespace

RowKinds idleRuleKinds(const AnalysisRequest& request)
{
    const RowKinds graphs = rowKinds({RowKind::graphLaunch});
    return request.arguments.flag(kNoGraphsArgument.name) ? kDeviceWorkKinds & ~graphs : kDeviceWorkKinds;
}

RuleRow ruleRow(const AnalysisRequest& request, ReportKey report, ProcessId process, TimeRange range,
                SliceId slice)
{
    RuleRow row;
    row.group = groupKeyOf(request.scope.by, request.workspace, report, process);
    row.longest = {report, slice};
    row.range = range;
    row.order = -range.length().ns;
    if (process.isValid()) row.pid = request.workspace.report(report).processes[process.value].pid;
    return row;
}

RuleRow ruleRow(const AnalysisRequest& request, const DeviceWork& work, TimeRange range, SliceId slice)
{
    RuleRow row = ruleRow(request, work.report, work.process, range, slice);
    row.group = work.group;
    row.device = ordinalOf(request.workspace.report(work.report), work.device);
    if (work.operations.front().context != 0) row.context = work.operations.front().context;
    return row;
}

ReportWindow ruleWindow(const AnalysisRequest& request)
{
    return [&request](ReportKey key) -> std::optional<TimeRange> {
        const ArgumentValues& arguments = request.arguments;
        const std::string_view nvtx = arguments.text(kNvtxArgument.name);
        std::optional<TimeRange> window = windowOf(request.scope, request.alignment, key);
        const auto narrow = [&](TimeRange range) { window = window ? window->clippedTo(range) : range; };
        TimeRange own = kAllTime;
        if (!nvtx.empty()) own = firstRange(request.workspace.report(key), nvtx).value_or(TimeRange{});
        // As in nsys, explicit times take precedence over those of the range.
        if (arguments.isGiven(kStartArgument.name)) own.begin = {arguments.duration(kStartArgument.name).ns};
        if (arguments.isGiven(kEndArgument.name)) own.end = {arguments.duration(kEndArgument.name).ns};
        if (own != kAllTime) narrow(own);
        return window;
    };
}

TableSource ruleSource(const AnalysisRequest& request, size_t listed, size_t found)
{
    TableSource source;
    source.whenEmpty = found == 0 ? windowText(request) : limitText(kRowsArgument, found);
    if (listed < found)
        source.rules.push_back("the worst " + std::to_string(listed) + " of " + std::to_string(found) +
                               " rows: rows=-1 lists all");
    if (request.scope.time) source.rules.push_back(windowRule(request.scope, "rows", ", in full"));
    source.rules.push_back("Start is on the report's own clock");
    return source;
}

} // namespace lockstep
