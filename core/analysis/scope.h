// SPDX-License-Identifier: Apache-2.0
// Scope: selects the workspace rows that an analysis covers, and how the analysis' table is split into
// groups. Set by the command line or by a panel. Filters with different keys are combined by "and",
// alternatives for one key by "or". A filter passes only rows that are known to match: rows without a
// recorded rank never match rank=..., and filters by device or stream exclude all CPU rows. Value type.
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

// total: all rows together, without groups. All other values: rows per group, with a leading column for the
// group. From communicator on: only for analyses whose rows have this property, see Analysis::owner.
enum class GroupBy : uint8_t {
    total,
    report,
    rank,
    role,
    step,
    host,
    process,
    communicator,
    replica, // the rollout engine of a sample
    version, // the weight version of its first generation
    group    // the prompt or group of a sample
};

// What the rows of an analysis belong to.
enum class RowOwner : uint8_t { process, communicator, sample };
// Returns what rows must belong to, so that they can be grouped this way. All rows belong to processes.
RowOwner ownerForGrouping(GroupBy by);

// "total", "report" ...: as on the command line. groupByNamed() returns nullopt for any other text.
std::string_view groupByName(GroupBy by);
std::optional<GroupBy> groupByNamed(std::string_view name);

// first <= number <= last.
struct NumberRange {
    int64_t first = 0;
    int64_t last = 0;

    friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

// Specifies whether slices that are clipped by the scope's time range are excluded or included. Each table
// describes how it includes them.
enum class Clip : uint8_t { include, exclude };

struct Scope {
    GroupBy by = GroupBy::total;
    std::vector<NumberRange> ranks;
    std::vector<NumberRange> steps;
    std::vector<NumberRange> processes; // process IDs on their hosts
    std::vector<NumberRange> devices;   // CUDA ordinals in the process
    std::vector<NumberRange> streams;   // stream IDs
    std::vector<std::string> roles;
    std::vector<std::string> hosts;
    // Applied only to the name that the table shows (e.g. an operation or a base name), not to every stored
    // name.
    std::optional<Pattern> name;
    // Time range on the aligned axis. Of a slice that overlaps the range, only the part inside is counted.
    std::optional<TimeRange> time;
    Clip clip = Clip::include;

    // Adds one filter in command-line syntax. key: "rank", "role", "step", "host", "process", "device",
    // "stream" or "name". values: a list such as "0,2..5" or "actor,rollout"; for "name", the whole string.
    // Returns `invalid` for an unknown key or an invalid value.
    Status addFilter(std::string_view key, std::string_view values);
    // Returns one string per filter, in a fixed order; returns no strings if everything is in scope.
    std::vector<std::string> description() const;
};

// Returns whether the report and process filters match (rank, role, step, host, process).
bool isInScope(const Scope& scope, const Identity& identity);
// Like isInScope() above, but for one process, or for the whole report if the process is invalid. A step
// filter also matches the step numbers from otherSteps().
bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey report, ProcessId process);
// Returns whether an additional step in the report's file is in scope; always true if there is no step
// filter.
bool hasOtherStepInScope(const Scope& scope, const Workspace& workspace, ReportKey report);
// Evaluates the filters that apply to an entire track, and returns whether all of them match.
bool isInScope(const Scope& scope, const Workspace& workspace, ReportKey report, const Track& track);
// Returns the scope's time range on a report's own clock; nullopt if the scope has none.
std::optional<TimeRange> windowOf(const Scope& scope, const Alignment& alignment, ReportKey report);

// Returns whether a row counts in a window (see windowOf()). A slice counts if it overlaps the window, or
// with Clip::exclude only if the window contains it. An instant counts if it is inside the window. Without a
// window, every row counts.
bool isInWindow(const Scope& scope, const std::optional<TimeRange>& window, TimeRange row);

// Describes this counting rule for display: "kernels that overlap the time range are counted, in full".
std::string windowRule(const Scope& scope, std::string_view rows, std::string_view how);

// The group of a row. Sort order: known groups before unknown ones, then by number, then by string.
struct GroupKey {
    bool isUnknown = false;
    int64_t number = 0; // rank, step, process ID, or the report's position
    std::string text;   // role, host, communicator, or the report's path; for processes "host:pid"

    friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

// Returns the group of a row. The key for `total` is constant. The key for `communicator` and what follows it
// is unknown, because a process has several.
GroupKey groupKeyOf(GroupBy by, const Workspace& workspace, ReportKey report, ProcessId process);

} // namespace lockstep
