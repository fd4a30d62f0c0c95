// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/scope.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 11> kGroupNames{"total",   "report",  "rank",    "role",
                                                       "step",    "host",    "process", "communicator",
                                                       "replica", "version", "group"};

Result<NumberRange> parseNumberRange(std::string_view key, std::string_view text)
{
    const size_t dots = text.find("..");
    const auto first = parseInt(text.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : parseInt(text.substr(dots + 2));
    if (!first || !last || *first > *last) {
        return makeError(ErrorKind::invalid, "filter " + std::string(key) + "=" + std::string(text) +
                                                 ": not a number or a range; write 3 or 1..3");
    }
    return NumberRange{*first, *last};
}

Status addNumbers(std::vector<NumberRange>& ranges, std::string_view key, std::string_view values)
{
    for (const std::string_view part : splitAt(values, ',')) {
        ranges.push_back(LOCKSTEP_TRY(parseNumberRange(key, part)));
    }
    return {};
}

Status addWords(std::vector<std::string>& words, std::string_view key, std::string_view values)
{
    for (const std::string_view part : splitAt(values, ',')) {
        if (part.empty())
            return makeError(ErrorKind::invalid, "filter " + std::string(key) + "=: empty value");
        words.emplace_back(part);
    }
    return {};
}

template<class Number>
bool holds(const std::vector<NumberRange>& ranges, const std::optional<Number>& number)
{
    if (ranges.empty()) return true;
    return number && std::ranges::any_of(ranges, [&](const NumberRange& range) {
               return range.first <= *number && *number <= range.last;
           });
}

bool holds(const std::vector<std::string>& words, const std::optional<std::string>& word)
{
    return words.empty() || (word && std::ranges::find(words, *word) != words.end());
}

void describe(std::vector<std::string>& out, std::string_view key, const std::vector<NumberRange>& ranges)
{
    std::string text;
    for (const NumberRange& range : ranges) {
        text += text.empty() ? "" : ",";
        text += std::to_string(range.first);
        if (range.last != range.first) text += ".." + std::to_string(range.last);
    }
    if (!text.empty()) out.push_back(std::string(key) + "=" + text);
}

void describe(std::vector<std::string>& out, std::string_view key, const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ",") + word;
    if (!text.empty()) out.push_back(std::string(key) + "=" + text);
}

template<class T>
GroupKey keyOf(const std::optional<T>& part)
{
    GroupKey key;
    key.isUnknown = !part;
    if (!part) return key;
    if constexpr (std::is_same_v<T, std::string>) {
        key.text = *part;
    } else {
        key.number = *part;
    }
    return key;
}

} // namespace

std::string_view groupByName(GroupBy by)
{
    return kGroupNames[static_cast<size_t>(by)];
}

std::optional<GroupBy> groupByNamed(std::string_view name)
{
    const auto found = std::ranges::find(kGroupNames, name);
    if (found == kGroupNames.end()) return std::nullopt;
    return static_cast<GroupBy>(found - kGroupNames.begin());
}

RowOwner ownerForGrouping(GroupBy by)
{
    if (by == GroupBy::communicator) return RowOwner::communicator;
    return by > GroupBy::communicator ? RowOwner::sample : RowOwner::process;
}

Status Scope::addFilter(std::string_view key, std::string_view values)
{
    if (values.empty()) return makeError(ErrorKind::invalid, "filter " + std::string(key) + "=: no value");
    if (key == "rank") return addNumbers(ranks, key, values);
    if (key == "step") return addNumbers(steps, key, values);
    if (key == "process") return addNumbers(processes, key, values);
    if (key == "device") return addNumbers(devices, key, values);
    if (key == "stream") return addNumbers(streams, key, values);
    if (key == "role") return addWords(roles, key, values);
    if (key == "host") return addWords(hosts, key, values);
    if (key == "name") {
        name = LOCKSTEP_TRY(Pattern::compile(values));
        return {};
    }
    return makeError(ErrorKind::invalid,
                     "filter " + std::string(key) +
                         ": no such key; rank, role, step, host, process, device, stream and name are");
}

std::vector<std::string> Scope::description() const
{
    std::vector<std::string> out;
    describe(out, "rank", ranks);
    describe(out, "role", roles);
    describe(out, "step", steps);
    describe(out, "host", hosts);
    describe(out, "process", processes);
    describe(out, "device", devices);
    describe(out, "stream", streams);
    if (name) out.push_back("name=" + name->expression());
    if (time) {
        out.push_back("time-range=" + std::to_string(time->begin.ns) + "ns.." + std::to_string(time->end.ns) +
                      "ns (aligned axis)");
        out.push_back(clip == Clip::include ? "clip=include (clipped items count)"
                                            : "clip=exclude (clipped items are left out)");
    }
    return out;
}

bool isInScope(const Scope& scope, const Identity& identity)
{
    return holds(scope.ranks, identity.rank.value) && holds(scope.steps, identity.step.value) &&
           holds(scope.roles, identity.role.value) && holds(scope.hosts, identity.host.value) &&
           holds(scope.processes, identity.pid.value);
}

bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey report, ProcessId process)
{
    const Identity& identity = workspace.identity(report, process);
    if (isInScope(scope, identity)) return true;
    if (scope.steps.empty() || holds(scope.steps, identity.step.value)) return false;
    Scope withoutSteps = scope;
    withoutSteps.steps.clear();
    return isInScope(withoutSteps, identity) && hasOtherStepInScope(scope, workspace, report);
}

bool hasOtherStepInScope(const Scope& scope, const Workspace& workspace, ReportKey report)
{
    if (scope.steps.empty()) return true;
    if (workspace.reportIdentity(report).stated.step.isKnown())
        return false; // a user's value takes precedence
    return std::ranges::any_of(otherSteps(workspace.report(report)),
                               [&](int step) { return holds(scope.steps, std::optional(step)); });
}

bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey id, const Track& track)
{
    const Report& report = workspace.report(id);
    std::optional<int> device;
    std::optional<int64_t> stream;
    if (track.key.device.isValid()) {
        device = report.devices[track.key.device.value].ordinal;
        if (track.key.kind <= TrackKind::gpuAnnotation) stream = track.key.lane;
    }
    return holds(scope.devices, device) && holds(scope.streams, stream) &&
           isInScope(scope, workspace, id, track.key.process);
}

std::optional<TimeRange> windowOf(const Scope& scope, const Alignment& alignment, ReportKey report)
{
    if (!scope.time) return std::nullopt;
    return alignment.map(report).traceFromAligned(*scope.time);
}

bool isInWindow(const Scope& scope, const std::optional<TimeRange>& window, TimeRange row)
{
    if (!window) return true;
    if (row.begin == row.end) return window->contains(row.begin);
    if (scope.clip == Clip::exclude) return window->begin <= row.begin && row.end <= window->end;
    return row.overlaps(*window);
}

std::string windowRule(const Scope& scope, std::string_view rows, std::string_view how)
{
    const std::string what(rows);
    if (scope.clip == Clip::exclude)
        return what + " that lie entirely within the time range are counted; clipped ones are not";
    return what + " that overlap the time range are counted" + std::string(how);
}

GroupKey groupKeyOf(GroupBy by, const Workspace& workspace, ReportKey report, ProcessId process)
{
    if (by == GroupBy::total) return {};
    if (ownerForGrouping(by) != RowOwner::process) return {true, 0, {}};
    if (by == GroupBy::report) {
        return {false, int64_t(report.value), workspace.report(report).provenance.path.string()};
    }
    const Identity& identity = workspace.identity(report, process);
    if (by == GroupBy::process) {
        const int64_t pid = identity.pid.value.value_or(0);
        const std::string file = workspace.report(report).provenance.path.filename().string();
        return {pid <= 0, pid, identity.host.value.value_or(file) + ":" + std::to_string(pid)};
    }
    switch (by) {
    case GroupBy::rank:
        return keyOf(identity.rank.value);
    case GroupBy::role:
        return keyOf(identity.role.value);
    case GroupBy::step:
        return keyOf(identity.step.value);
    default:
        return keyOf(identity.host.value);
    }
}

} // namespace lockstep
