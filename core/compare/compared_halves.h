// SPDX-License-Identifier: Apache-2.0
// ComparedHalves: two steps or runs prepared for side-by-side display: the scene of each pane, the compared
// range in it, the paired slices, and the lanes. Computed off the UI thread by compareHalves(). Immutable.
// Thread: any.
#pragma once

#include <array>
#include <string>

#include "core/compare/opposite_lanes.h"
#include "core/compare/slice_pairs.h"

namespace lockstep {

// Defines the content of one pane.
struct HalfRequest {
    ScenePtr scene;
    std::vector<ReportKey> reports; // only these reports; empty: all visible reports
    std::optional<int64_t> step;
    std::string name; // "baseline": name of the run, folder or file
};

struct ComparedHalf {
    ScenePtr scene; // scene with only the pane's own reports
    std::optional<int64_t> step;
    std::string title; // "step 2 · baseline"
    std::string facts; // "NVIDIA H100 · driver 550.54": as the files record them
    TimeRange range;   // on the aligned axis: the range of the step, or of the whole scene if no step is
                       // chosen
};

enum class CouplingRule : uint8_t { step, collective, time };

struct ComparedHalves {
    std::array<ComparedHalf, 2> halves; // panes A and B
    SlicePairs pairs;
    OppositeLanes lanes;

    // Returns a mapping with a single shift for the whole axis, derived from the starts of the compared
    // parts.
    Coupling couplingBy(CouplingRule rule) const;
    // Returns true if both panes have the same open reports, so that a time has the same meaning in both.
    bool isOneAxis() const { return halves[0].scene->open.hasSameReports(halves[1].scene->open); }
    // Returns the initial range on the axis of A or B: the pane's own part, extended to cover the other
    // pane's part.
    TimeRange whole(const Coupling& coupling, int half = 0) const;
    // Returns the displayable range of a pane: its own data plus the data in the other pane at the
    // corresponding times, with a margin.
    TimeRange reach(const Coupling& coupling, int half) const;
    // Returns the key of the corresponding lane in the other pane; "" if there is none.
    std::string laneOpposite(int half, const std::string& key) const;
    // Returns the state of the lanes in the other pane; see OppositeLanes.
    LaneState stateOpposite(int half, const LaneState& state, const LaneState& other) const;
    // Returns, for each pane, the time from which a pair's start is counted: the start of the pair's step, or
    // of the compared part if there is no step.
    CouplingKnot zeroOf(const SlicePair& pair) const;

  private:
    bool isOneTree() const { return halves[0].scene->tree == halves[1].scene->tree; }
};

// Errors: those of pairSlices(); `invalid` if a pane shows no reports.
Result<std::shared_ptr<const ComparedHalves>> compareHalves(const HalfRequest& a, const HalfRequest& b,
                                                            const Progress& progress);

// Returns the recorded GPUs and drivers, without duplicates; "" if the files record none.
std::string sideFactsText(const Workspace& shown);

} // namespace lockstep
