// SPDX-License-Identifier: Apache-2.0
// PhaseSlices: the slices in a report whose names identify them as phases of a reinforcement-learning step.
// Found once with the other levels of detail of a report. Phase lanes show them; step analyses use the same
// names. Times are on the report's clock. Immutable. Thread: any.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/lanes/phase_timeline.h"

namespace lockstep {

// Maps the slices of one report to phases, for a process with this role ("" = unknown). Each name is
// classified only once. The report must outlive this object.
class PhaseNames {
  public:
    PhaseNames(const Report& report, std::string role) : m_report(report), m_role(std::move(role)) {}

    // Returns the phase for NVTX ranges, annotations on the host, and spans of processes that a framework
    // records; nullopt for all other slices.
    std::optional<RlPhase> of(SliceId slice);
    // Returns whether a track may contain slices that have a phase.
    static bool mayHavePhases(const Track& track);

  private:
    const Report& m_report;
    std::string m_role;
    std::unordered_map<uint32_t, std::optional<RlPhase>> m_known; // by StringId
};

struct PhaseSlices {
    std::vector<SliceId> slices; // sorted by track, then start
    TraceTime lastClosed;        // see lastClosedEnd(); set if one of the slices was left open

    size_t residentBytes() const { return slices.capacity() * sizeof(SliceId); }
};

// Finds the slices. O(slices of NVTX, annotation and other tracks).
PhaseSlices findPhaseSlices(const Report& report);

// Returns the ranges of the slices in one process with this role; closeOpenRanges() sets the ends of open
// slices.
std::vector<PhaseRange> phaseRangesOf(const Report& report, ReportKey key, const PhaseSlices& found,
                                      ProcessId process, const std::string& role);

// Returns the end of the last closed range in the report. Open ranges end at this time. O(slices).
TraceTime lastClosedEnd(const Report& report);

} // namespace lockstep
