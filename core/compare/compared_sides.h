// SPDX-License-Identifier: Apache-2.0
// ComparedSides: two steps or runs prepared for side-by-side display: the scene of each side, the compared
// range in it, the paired slices, and the lanes. Computed off the UI thread by compareSides(). Immutable.
// Thread: any.
#pragma once

#include <array>
#include <string>

#include "core/compare/lane_pairs.h"
#include "core/compare/slice_pairs.h"

namespace lockstep {

// Defines the content of one side.
struct SideRequest {
    ScenePtr scene;
    std::vector<ReportKey> reports; // only these reports; empty: all visible reports
    std::optional<int64_t> step;
    std::string name; // "baseline": name of the run, folder or file
};

enum class CouplingRule : uint8_t { step, collective, time };

struct ComparedSides {
    std::array<ComparedSide, 2> sides; // sides A and B
    SlicePairs pairs;
    PairedLaneKeys lanes;

    // Returns a mapping with a single shift for the whole axis, derived from the starts of the compared
    // parts.
    Coupling couplingBy(CouplingRule rule) const;
    // Returns true if both sides have the same open reports, so that a time has the same meaning in both.
    bool isOneAxis() const { return sides[0].scene->open.hasSameReports(sides[1].scene->open); }
    // Returns the initial range on the axis of A or B: the side's own part, extended to cover the other
    // side's part.
    TimeRange whole(const Coupling& coupling, int side = 0) const;
    // Returns the displayable range of a side: its own data plus the data on the other side at the
    // corresponding times, with a margin.
    TimeRange reach(const Coupling& coupling, int side) const;
    // Returns the key of the corresponding lane on the other side; "" if there is none.
    std::string pairedLane(int side, const std::string& key) const;
    // Returns the state of the lanes on the other side; see PairedLaneKeys.
    LaneState pairedLaneState(int side, const LaneState& state, const LaneState& other) const;
    // Returns, for each side, the time from which a pair's start is counted: the start of the pair's step, or
    // of the compared part if there is no step.
    CouplingKnot zeroOf(const SlicePair& pair) const;

  private:
    bool isOneTree() const { return sides[0].scene->tree == sides[1].scene->tree; }
};

// Errors: those of pairSlices(); `invalid` if a side shows no reports.
Result<std::shared_ptr<const ComparedSides>> compareSides(const SideRequest& a, const SideRequest& b,
                                                          const Progress& progress);

// Returns the recorded GPUs and drivers, without duplicates; "" if the files record none.
std::string sideFactsText(const Workspace& shown);

} // namespace lockstep
