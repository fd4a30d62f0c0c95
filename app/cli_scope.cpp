// SPDX-License-Identifier: Apache-2.0
#include "app/cli_scope.h"

#include <algorithm>

#include "app/cli_session.h"
#include "core/base/text.h"

namespace lockstep {

Status setBy(CommandLine& line, std::string_view value)
{
    const auto by = groupByNamed(value);
    if (!by)
        return usage("--by '" + std::string(value) +
                     "': it is one of total, report, rank, role, step, host, process, communicator");
    line.scope.by = *by;
    return {};
}

Status setFilter(CommandLine& line, std::string_view value)
{
    const size_t equals = value.find('=');
    if (equals == value.npos)
        return usage("--filter '" + std::string(value) + "': write KEY=VALUE, e.g. rank=0..3");
    return line.scope.addFilter(value.substr(0, equals), value.substr(equals + 1));
}

Status setTimeRange(CommandLine& line, std::string_view value)
{
    const size_t dots = value.find("..");
    const auto begin = parseDuration(value.substr(0, dots));
    const auto end = dots == value.npos ? std::nullopt : parseDuration(value.substr(dots + 2));
    if (!begin || !end || *begin >= *end) {
        return usage("--time-range '" + std::string(value) + "': write A..B with A before B, e.g. 1.5s..2s");
    }
    line.scope.time = TimeRange{{*begin}, {*end}};
    return {};
}

Status setClip(CommandLine& line, std::string_view value)
{
    if (value != "include" && value != "exclude")
        return usage("--clip '" + std::string(value) + "': include or exclude what the time range cuts");
    line.scope.clip = value == "exclude" ? Clip::exclude : Clip::include;
    line.isClipSaid = true;
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
    if (line.isClipSaid && !line.scope.time)
        return usage("--clip says what becomes of what --time-range cuts: give one");
    if (!line.goTo.empty() && line.scope.time)
        return usage("--goto and --time-range both say what is shown: give one");
    if (!line.goTo.empty() && line.task != Task::window && std::ranges::none_of(line.what, isPicture))
        return usage("--goto is for the window and for pictures");
    if (line.task == Task::window && (line.scope.by != GroupBy::total || !line.scope.description().empty()))
        return usage("--by, --filter and --time-range are for --export; --goto says where the window opens");
    const auto change = std::ranges::find_if(line.failOn, &FailCondition::isChange);
    if (change != line.failOn.end() && line.baseline.empty())
        return usage("--fail-on '" + change->text +
                     "': a change in percent is against a --baseline: give one");
    if (!line.baseline.empty() && line.task != Task::exportFiles)
        return usage("--baseline is for --export: it is what tables and --fail-on are held against");
    if (!line.baseline.empty() && std::ranges::none_of(line.what, isCompared) && change == line.failOn.end())
        return usage("--baseline is what tables, the timeline and --fail-on are held against: "
                     "none was asked for");
    return {};
}

} // namespace lockstep
