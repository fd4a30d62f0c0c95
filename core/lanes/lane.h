// SPDX-License-Identifier: Apache-2.0
// Lane: a line of the timeline, or a few rows that belong together: a group of processes, a process, a GPU, a
// thread, a stream or a counter. The LaneTree defines its position; a LaneState defines whether it is
// collapsed, hidden or pinned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/lanes/kind_data.h"

namespace lockstep {

// The subject of a lane.
enum class LaneSubject : uint8_t {
    group,
    process,
    gpu,
    thread,
    track,
    counter,
    graphEvents,
    projection, // NVTX ranges projected onto a GPU
    other       // determined by the type of Lane::data
};

// The source for one or more rows in a lane. Sources on the same rows never overlap in time; they are
// consecutive captures of the same track.
struct RowSource {
    enum class Kind : uint8_t {
        track /* one row per depth */,
        busy,
        counter,
        memory,
        projection /* one row per depth */
    };

    Kind kind = Kind::track;
    ReportKey report{};
    TrackId track{};
    uint32_t busyRow = 0; // index in ReportLod::busyRows()
    CounterTrackId counter{};
    uint32_t memoryDevice = 0; // index in the report's AllocatorReplay::devices
    uint32_t projection = 0;   // index in ReportLod::projections()
    // First row in the lane. In a summary: index of the group of sources that are merged before averaging.
    uint32_t row = 0;
    uint16_t depth = 0; // in a summary: depth of the row in its track or projection
    // From the first timestamp to the last end, on the report's clock. For memory, see MemoryAxis::extent.
    TimeRange extent{};

    friend bool operator==(const RowSource&, const RowSource&) = default;
};

// a collapsed group with fewer ranks is shown as a single row
inline constexpr uint32_t kMinMapRanks = 64;
inline constexpr uint32_t kNoLane = 0xFFFFFFFFu;

struct Lane {
    LaneSubject subject = LaneSubject::group;
    // Unique in the tree, and unaffected by other reports that are opened, hidden or reloaded. Consists of
    // process (run, host, role, rank, process ID), GPU, stream, thread and domain.
    std::string key;
    std::string label;      // "node0 · rank 0 · actor"
    std::string value;      // displayed small and muted: "83 %", "61.2 GiB"; may be empty
    std::string note;       // for the tooltip: why a clock is not aligned, lost data
    std::string role;       // selects the color of the stripe; empty = other
    uint32_t rankCount = 0; // number of processes; 1 for a process, 0 for lanes outside processes
    ReportKey report;       // the first report of the lane; invalid for groups
    // sources of the lane's own rows, sorted by row, then time; empty for groups, processes and threads
    std::vector<RowSource> sources;
    // The single row while the lane is collapsed. Sources with equal RowSource::row are merged, then all are
    // averaged. Empty for lanes that contain only counters or no data.
    std::vector<RowSource> summary;
    // true if the summary has only consecutive captures of one track, so its slices can be shown
    bool isSummaryOfOne = false;
    uint32_t rowCount = 1; // number of rows while expanded
    bool hasChildren = false;
    bool isFoldable = false; // can be collapsed even if it has one row and no children
    bool startsCollapsed = false;
    // Short and shown instead of the value, also while the lane is collapsed: "clock not aligned",
    // "exit status 1". The label ends with it, after " \u00B7 ".
    std::string warning;
    // Data that only lanes of one kind have: ProcessLaneData, GpuLaneData, LossLaneData.
    KindData data;

    bool isCollapsible() const { return hasChildren || rowCount > 1 || isFoldable; }
    // Returns true if the collapsed lane shows each of its ranks, see RankMap.
    bool isRankMap() const { return subject == LaneSubject::group && rankCount >= kMinMapRanks; }
};

} // namespace lockstep
