// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli_scope.h"

#include <algorithm>

#include "app/cli/cli_session.h"
#include "core/base/text.h"

namespace lockstep {

Status setBy(CommandLine& line, std::string_view value)
{
    const auto by = groupByNamed(value);
    if (!by)
        return usage("--by '" + std::string(value) +
                     "': use total, report, rank, role, step, host, process or communicator");
    line.scope.by = *by;
    return {};
}

Status setFilter(CommandLine& line, std::string_view value)
{
    const size_t equals = value.find('=');
    if (equals == value.npos)
        return usage("--filter '" + std::string(value) + "': use KEY=VALUE, for example rank=0..3");
    return line.scope.addFilter(value.substr(0, equals), value.substr(equals + 1));
}

Status setTimeRange(CommandLine& line, std::string_view value)
{
    const size_t dots = value.find("..");
    const auto begin = parseDuration(value.substr(0, dots));
    const auto end = dots == value.npos ? std::nullopt : parseDuration(value.substr(dots + 2));
    if (!begin || !end || *begin >= *end) {
        return usage("--time-range '" + std::string(value) +
                     "': use A..B with A before B, for example 1.5s..2s");
    }
    line.scope.time = TimeRange{{*begin}, {*end}};
    return {};
}

Status setClip(CommandLine& line, std::string_view value)
{
    if (value != "include" && value != "exclude")
        return usage("--clip '" + std::string(value) + "': use include or exclude");
    line.scope.clip = value == "exclude" ? Clip::exclude : Clip::include;
    line.isClipGiven = true;
    return {};
}

Status setBaseline(CommandLine& line, std::string_view value)
{
    if (value.empty() || value == "-") return usage("--baseline needs a report, a folder or a workspace");
    line.baseline.emplace_back(value);
    return {};
}

namespace {

bool isCompared(std::string_view what)
{
    return isTable(what) || what == "timeline";
}

} // namespace

Status checkScope(const CommandLine& line)
{
    if (line.isClipGiven && !line.scope.time)
        return usage("--clip requires --time-range, because it applies to slices that the range cuts");
    if (!line.goTo.empty() && line.scope.time)
        return usage("--goto and --time-range cannot be combined; both select the visible time");
    if (!line.goTo.empty() && line.task != Task::window && std::ranges::none_of(line.what, isPicture))
        return usage("--goto applies only to the window and to pictures");
    if (line.task == Task::window && (line.scope.by != GroupBy::total || !line.scope.description().empty()))
        return usage(
            "--by, --filter and --time-range require --export; use --goto to choose what the window shows");
    const auto change = std::ranges::find_if(line.failOn, &FailCondition::isChange);
    if (change != line.failOn.end() && line.baseline.empty())
        return usage("--fail-on '" + change->text + "': a change in percent requires --baseline");
    if (!line.baseline.empty() && line.task != Task::exportFiles)
        return usage("--baseline requires --export; tables and --fail-on are compared with it");
    if (!line.baseline.empty() && std::ranges::none_of(line.what, isCompared) && change == line.failOn.end())
        return usage(
            "--baseline applies only to tables, the timeline and --fail-on; none of them was requested");
    return {};
}

} // namespace lockstep
