// LaneTree: what the timeline shows line by line, from runs down to streams and counters. A process is one
// group of lanes however many reports show it, and its captures lie one after another on the same rows. Built
// from a workspace, its alignment and LODs whenever one of them or the grouping changes; a value that refers
// to tracks by id. Which lanes are folded, hidden or pinned is a LaneState, kept apart by lane key so that it
// outlives the tree.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/align/alignment.h"
#include "core/lanes/report_lod.h"

namespace lockstep {

// What a lane is about.
enum class LaneSubject : uint8_t { group, process, dataLoss, gpu, thread, track, counter };

// Where one or more rows of a lane come from. Sources of the same rows never overlap in time: they are the
// captures of one thing, one after another.
struct RowSource {
    enum class Kind : uint8_t { track /* one row per depth */, busy, counter };

    Kind kind = Kind::track;
    ReportKey report{};
    TrackId track{};
    uint32_t busyRow = 0; // into ReportLod::busyRows()
    CounterTrackId counter{};
    // The first of its rows in the lane. In a summary: which of the things that are averaged it is of.
    uint32_t row = 0;
    uint16_t depth = 0; // in a summary: which row of the track
    TimeRange extent{}; // from its first stamp to its last end, on the report's clock

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
    uint32_t parent = kNoLane;
    uint16_t level = 0; // 0 at the top
    ReportKey report;   // the first that it is of; invalid for groups
    std::vector<uint32_t> children;
    std::vector<RowSource> sources; // its own rows, by row, then time; none for groups, processes and threads
    // One row for all of it while collapsed: what has the same RowSource::row is united, then all is
    // averaged. Empty where there is nothing but counters, or nothing at all.
    std::vector<RowSource> summary;
    bool isSummaryOfOne = false; // it is captures of one track, one after another: their slices can be shown
    uint32_t rowCount = 1;       // while expanded
    double counterLow = 0;       // the scale of a counter lane, over all its sources
    double counterHigh = 0;
    bool startsCollapsed = false;
    bool isPlaced = true; // false: the report's clock is not placed; the label says so at its end

    bool isCollapsible() const { return !children.empty() || rowCount > 1; }
    // Folded it shows each of its ranks: see RankMap.
    bool isRankMap() const { return subject == LaneSubject::group && rankCount >= kLeastMapRanks; }
};

enum class LaneGrouping : uint8_t {
    automatic, // runs when there are several; hosts when there are many processes on several
    none,
    host,
    run,
    role
};

struct LaneOptions {
    LaneGrouping grouping = LaneGrouping::automatic;
};

// What the label of a process ends with when its clock is not placed.
inline constexpr std::string_view kNotPlacedMark = " \u00B7 clock not placed";

class LaneTree {
  public:
    const std::vector<Lane>& lanes() const { return m_lanes; } // parents before their children, top to bottom
    const Lane& lane(uint32_t index) const { return m_lanes[index]; }
    size_t size() const { return m_lanes.size(); }
    // kNoLane when there is none. O(1).
    uint32_t find(std::string_view key) const;
    // The lane that has the track among its sources; kNoLane when none has. O(1).
    uint32_t laneOf(TrackRef track) const;
    // "node0 · rank 0 · actor › GPU 0 H100 › stream 7"
    std::string pathOf(uint32_t lane) const;

  private:
    friend class LaneTreeBuilder;

    std::vector<Lane> m_lanes;
    std::unordered_map<std::string, uint32_t> m_byKey;
    ByReport<std::vector<uint32_t>> m_laneOfTrack; // by track
};

// lods: of all its reports. Tracks and counters without rows make no lanes; processes without any lane
// neither.
LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options = {});

} // namespace lockstep
