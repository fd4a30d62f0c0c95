// SPDX-License-Identifier: Apache-2.0
// ProcessLanes: the lanes of one process, from itself down to its streams and counters, numbered from 0.
// Immutable once made; the trees of one scene after another share them while nothing that they show has
// changed, so that a report that comes costs no more than what it adds to.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/align/clock_map.h"
#include "core/lanes/lane.h"
#include "core/lanes/report_lod.h"
#include "core/trace/workspace.h"

namespace lockstep {

// All that the lanes of a process are made of: equal sources give equal lanes.
struct ProcessLaneSource {
    struct Member {
        ReportKey key;
        ProcessId process; // invalid: of the whole machine
        std::shared_ptr<const Report> report;
        std::shared_ptr<const ReportLod> lod;
        ClockMap map;
        bool tellsLoss = false; // what its report lost is said here, not with another process

        friend bool operator==(const Member&, const Member&) = default;
    };

    std::string key; // of the process' lane, unique among all
    std::string label;
    std::string role;
    std::string host;
    std::optional<int> rank;
    bool isProcess = true; // false: of machines
    std::vector<Member> members;
    bool startsCollapsed = false;
    bool foldsThreads = false;
    // Aligned: what histories without times are spread over where nothing of the process has any. Empty for
    // processes without such.
    TimeRange axis;

    friend bool operator==(const ProcessLaneSource&, const ProcessLaneSource&) = default;
};

class ProcessLanes {
  public:
    explicit ProcessLanes(ProcessLaneSource source) : m_source(std::move(source)) {}

    const ProcessLaneSource& source() const { return m_source; }
    // Parents before their children, top to bottom; the first is the process.
    const std::vector<Lane>& lanes() const { return m_lanes; }
    // kNoLane of the process.
    uint32_t parentOf(uint32_t lane) const { return m_parents[lane]; }
    const std::vector<uint32_t>& childrenOf(uint32_t lane) const { return m_children[lane]; }
    uint16_t levelOf(uint32_t lane) const { return m_levels[lane]; } // 0 for the process
    // kNoLane where there is none.
    uint32_t find(std::string_view key) const;
    uint32_t laneOf(TrackRef track) const; // that has it among its sources

  private:
    friend class ProcessLanesBuilder;

    ProcessLaneSource m_source;
    std::vector<Lane> m_lanes;
    std::vector<uint32_t> m_parents; // by lane, as the next ones
    std::vector<std::vector<uint32_t>> m_children;
    std::vector<uint16_t> m_levels;
    std::map<std::string, uint32_t, std::less<>> m_byKey;
    std::map<TrackRef, uint32_t> m_laneOf;
};

std::shared_ptr<const ProcessLanes> buildProcessLanes(ProcessLaneSource source);

} // namespace lockstep
