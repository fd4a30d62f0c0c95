// SPDX-License-Identifier: Apache-2.0
// PhaseSlices: which slices of a report are phases of a reinforcement-learning step by their names, found
// once with the rest of a report's LOD, immutable. The lane of phases is made of them, and the step analyses
// go by the same names. Any thread; times are on the report's clock.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/lanes/phase_timeline.h"

namespace lockstep {

// Which phase the slices of one report are, in a process of this role ("" = unknown): each name is looked at
// once. The report outlives it.
class PhaseNames {
  public:
    PhaseNames(const Report& report, std::string role) : m_report(report), m_role(std::move(role)) {}

    // Of NVTX ranges and annotations on the host; absent for all else.
    std::optional<RlPhase> of(SliceId slice);
    // Whether a track may have such slices.
    static bool mayStandOn(const Track& track);

  private:
    const Report& m_report;
    std::string m_role;
    std::unordered_map<uint32_t, std::optional<RlPhase>> m_known; // by StringId
};

struct PhaseSlices {
    std::vector<SliceId> slices; // by track, then start
    TraceTime lastClosed;        // see lastClosedEnd(); known where one of them was left open

    size_t residentBytes() const { return slices.capacity() * sizeof(SliceId); }
};

// O(slices of NVTX and annotation tracks).
PhaseSlices findPhaseSlices(const Report& report);

// Those of one process, which has this role; what was left open is ended as closeOpenRanges() says.
std::vector<PhaseRange> phaseRangesOf(const Report& report, ReportKey key, const PhaseSlices& found,
                                      ProcessId process, const std::string& role);

// When the last range of a report that was closed ended: where those left open do. O(slices).
TraceTime lastClosedEnd(const Report& report);

} // namespace lockstep
