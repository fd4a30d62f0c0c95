// SPDX-License-Identifier: Apache-2.0
// Scope: which rows of a workspace an analysis looks at, and how its table is split. Made from the command
// line or by a panel; a value. Filters of different keys must all hold; alternatives of one key are joined by
// "or". A filter lets through only what is known to match: a row whose rank the files do not say is in no
// rank=... scope, and device and stream let no CPU row through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/align/alignment.h"
#include "core/base/pattern.h"
#include "core/trace/workspace.h"

namespace lockstep {

// One table over everything, or rows per group with a leading column that names the group.
// communicator: of analyses whose rows are of one, see Analysis::hasCommunicators.
enum class GroupBy : uint8_t { total, report, rank, role, step, host, process, communicator };

// "total", "report" ...: the command line's words. groupByNamed is empty for other words.
std::string_view groupByName(GroupBy by);
std::optional<GroupBy> groupByNamed(std::string_view name);

// first <= number <= last.
struct NumberRange {
    int64_t first = 0;
    int64_t last = 0;

    friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

// What the scope's time range cuts: counted, as far as each table says it counts it, or left out.
enum class Clip : uint8_t { include, exclude };

struct Scope {
    GroupBy by = GroupBy::total;
    std::vector<NumberRange> ranks;
    std::vector<NumberRange> steps;
    std::vector<NumberRange> processes; // pids, as their hosts number them
    std::vector<NumberRange> devices;   // CUDA ordinals as the process numbers them
    std::vector<NumberRange> streams;   // stream ids
    std::vector<std::string> roles;
    std::vector<std::string> hosts;
    // Searched for in the name that the table shows (an operation, a base name), not in every stored name.
    std::optional<Pattern> name;
    // On the aligned axis. Slices that overlap it count, with the part of their duration that lies inside.
    std::optional<TimeRange> time;
    Clip clip = Clip::include;

    // Adds one filter as the command line spells it: key "rank", "role", "step", "host", "process", "device",
    // "stream" or "name", values "0,2..5" or "actor,rollout"; name takes the whole text. invalid when key or
    // value makes no sense.
    Status addFilter(std::string_view key, std::string_view values);
    // Each filter as text, in a fixed order; empty when everything is in scope.
    std::vector<std::string> description() const;
};

// True when the report and process part of the filters holds (rank, role, step, host, process).
bool isInScope(const Scope& scope, const Identity& identity);
// The same of one process, or of the report when it is invalid; a step by another count (see otherSteps())
// holds too.
bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey report, ProcessId process);
// Whether a step that the report's file goes by besides its own is in scope; true without a filter of steps.
bool holdsOtherStep(const Scope& scope, const Workspace& workspace, ReportKey report);
// True when all filters that can be decided for a whole track hold.
bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey report, const Track& track);
// The scope's time range on a report's own clock; absent when it has none.
std::optional<TimeRange> windowOf(const Scope& scope, const Alignment& alignment, ReportKey report);

// Whether a row counts under a window (see windowOf()): one that overlaps it, or with Clip::exclude only one
// that lies in it whole; an instant where it lies in it; any without a window.
bool isInWindow(const Scope& scope, const std::optional<TimeRange>& window, TimeRange row);

// The same in words: "kernels that overlap the time range count, whole".
std::string windowRule(const Scope& scope, std::string_view rows, std::string_view how);

// The group that rows fall into. Sorted: known before unknown, by number, then by text.
struct GroupKey {
    bool isUnknown = false;
    int64_t number = 0; // rank, step, pid, or the report's position
    std::string text;   // role, host, communicator, or the report's path; of processes "host:pid"

    friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

// The key of total is the same for all; of communicator, which no process is of one of, it is unknown.
GroupKey groupKeyOf(GroupBy by, const Workspace& workspace, ReportKey report, ProcessId process);

} // namespace lockstep
