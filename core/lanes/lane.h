// SPDX-License-Identifier: Apache-2.0
// Lane: one line of the timeline, or a few rows that belong together: a group of processes, a process, a GPU,
// a thread, a stream, a counter. Where it stands among others is the LaneTree's to say; whether it is folded,
// hidden or pinned a LaneState's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/lanes/phase_timeline.h"

namespace lockstep {

// What a lane is about.
enum class LaneSubject : uint8_t {
    group,
    process,
    dataLoss,
    gpu,
    thread,
    track,
    counter,
    graphEvents,
    memory, // what an allocator snapshot says of one device
    phases  // what a process was at: generation, reward, updates
};

// Where one or more rows of a lane come from. Sources of the same rows never overlap in time: they are the
// captures of one thing, one after another.
struct RowSource {
    enum class Kind : uint8_t { track /* one row per depth */, busy, counter, memory };

    Kind kind = Kind::track;
    ReportKey report{};
    TrackId track{};
    uint32_t busyRow = 0; // into ReportLod::busyRows()
    CounterTrackId counter{};
    uint32_t memoryDevice = 0; // into AllocatorReplay::devices of the report
    // The first of its rows in the lane. In a summary: which of the things that are averaged it is of.
    uint32_t row = 0;
    uint16_t depth = 0; // in a summary: which row of the track
    // From its first stamp to its last end, on the report's clock; of memory see MemoryAxis::extent.
    TimeRange extent{};

    friend bool operator==(const RowSource&, const RowSource&) = default;
};

inline constexpr uint32_t kLeastMapRanks = 64; // a folded group of fewer is one row
inline constexpr uint32_t kNoLane = 0xFFFFFFFFu;

struct Lane {
    LaneSubject subject = LaneSubject::group;
    // Unique in the tree, and the same whatever else is open, hidden or reloaded: whose process (run, host,
    // role, rank, pid), which GPU, stream, thread, domain.
    std::string key;
    std::string label; // "node0 · rank 0 · actor"
    std::string value; // small and muted: "83 %", "61.2 GiB"; may be empty
    std::string note;  // for the tooltip: why a clock is not placed, what was lost
    std::string role;  // colour of the stripe; empty = other
    // Of processes: where they stand in the job, and whose parts they are of.
    std::string host;
    std::optional<int> rank;
    std::vector<std::pair<ReportKey, ProcessId>> members;
    uint32_t rankCount = 0; // processes in it; 1 for a process, 0 for what belongs to none
    // Of GPUs, and of processes over theirs: work over the captures' length; 0 of 0 where nothing is known.
    int64_t busy_ns = 0;
    int64_t span_ns = 0;
    ReportKey report;               // the first that it is of; invalid for groups
    std::vector<RowSource> sources; // its own rows, by row, then time; none for groups, processes and threads
    // One row for all of it while collapsed: what has the same RowSource::row is united, then all is
    // averaged. Empty where there is nothing but counters, or nothing at all.
    std::vector<RowSource> summary;
    bool isSummaryOfOne = false; // it is captures of one track, one after another: their slices can be shown
    uint32_t rowCount = 1;       // while expanded
    std::vector<TimeRange> gaps; // of lost data: where, aligned; none: nobody knows
    std::vector<PhaseSegment> phases; // of a lane of phases: aligned, ascending, none overlap
    double counterLow = 0;            // the scale of a counter or memory lane, over all its sources
    double counterHigh = 0;
    bool hasChildren = false;
    bool startsCollapsed = false;
    bool isPlaced = true; // false: the report's clock is not placed; the label says so at its end

    bool isCollapsible() const { return hasChildren || rowCount > 1 || subject == LaneSubject::memory; }
    // Folded it shows each of its ranks: see RankMap.
    bool isRankMap() const { return subject == LaneSubject::group && rankCount >= kLeastMapRanks; }
};

// What the label of a process ends with when its clock is not placed.
inline constexpr std::string_view kNotPlacedMark = " \u00B7 clock not placed";

} // namespace lockstep
