// SPDX-License-Identifier: Apache-2.0
// ProcessLanes: the lanes of one process, from the process down to its streams and counters, with zero-based
// numbers. Consecutive trees of a scene share them while their content is unchanged, so a new report costs
// only its own lanes. Immutable.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/align/clock_map.h"
#include "core/lanes/lane.h"
#include "core/lanes/report_lod.h"
#include "core/lanes/sample_lanes.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The duration of the work of GPUs, and the total duration of their captures; both are 0 if unknown.
struct GpuTime {
    int64_t busy_ns = 0;
    int64_t span_ns = 0;

    void add(GpuTime other)
    {
        busy_ns += other.busy_ns;
        span_ns += other.span_ns;
    }
    // Returns the utilization, 0..1; nullopt if unknown.
    std::optional<double> busy() const
    {
        if (span_ns <= 0) return std::nullopt;
        return static_cast<double>(busy_ns) / static_cast<double>(span_ns);
    }
};

struct GpuLaneData {
    GpuTime time;
};

struct ProcessLaneData {
    std::string host;        // the identity that the parts of the process share
    std::optional<int> rank; // in the job
    std::vector<std::pair<ReportKey, ProcessId>> members;
    GpuTime time;         // sum over the GPUs
    bool isPlaced = true; // false if the clock of a report is not aligned
};

// Returns the rank of a process in the job; nullopt for other lanes.
std::optional<int> rankOf(const Lane& lane);

// All inputs for the lanes of a process; equal sources give equal lanes.
struct ProcessLaneSource {
    struct Member {
        ReportKey key;
        ProcessId process; // invalid if the process represents the whole machine
        std::shared_ptr<const Report> report;
        std::shared_ptr<const ReportLod> lod;
        ClockMap map;
        bool showsLoss = false; // true if this process, and no other, shows the data loss of its report

        friend bool operator==(const Member&, const Member&) = default;
    };

    std::string key; // key of the process lane, unique
    std::string label;
    std::string role;
    std::string host;
    std::optional<int> rank;
    bool isProcess = true; // false if it represents a machine
    std::vector<Member> members;
    bool startsCollapsed = false;
    bool foldsThreads = false;
    // Aligned range over which memory histories without timestamps are spread, if the process itself has no
    // timestamps, and up to which the last values of growing counters apply. Empty for processes without such
    // histories and counters.
    TimeRange axis;
    SampleLaneChoice samples = {}; // default for processes without samples

    friend bool operator==(const ProcessLaneSource&, const ProcessLaneSource&) = default;
};

class ProcessLanes {
  public:
    explicit ProcessLanes(ProcessLaneSource source) : m_source(std::move(source)) {}

    const ProcessLaneSource& source() const { return m_source; }
    // Returns the lanes, parents before their children, top to bottom; the first is the process.
    const std::vector<Lane>& lanes() const { return m_lanes; }
    // Returns the parent of a lane; kNoLane for the process.
    uint32_t parentOf(uint32_t lane) const { return m_parents[lane]; }
    const std::vector<uint32_t>& childrenOf(uint32_t lane) const { return m_children[lane]; }
    // Returns the depth of a lane; 0 for the process.
    uint16_t levelOf(uint32_t lane) const { return m_levels[lane]; }
    // Returns the lane with this key, or kNoLane.
    uint32_t find(std::string_view key) const;
    uint32_t laneOf(TrackRef track) const; // returns the lane that has this track among its sources

  private:
    friend class ProcessLanesBuilder;

    ProcessLaneSource m_source;
    std::vector<Lane> m_lanes;
    std::vector<uint32_t> m_parents; // by lane, like the members below
    std::vector<std::vector<uint32_t>> m_children;
    std::vector<uint16_t> m_levels;
    std::map<std::string, uint32_t, std::less<>> m_byKey;
    std::map<TrackRef, uint32_t> m_laneOf;
};

std::shared_ptr<const ProcessLanes> buildProcessLanes(ProcessLaneSource source);

} // namespace lockstep
