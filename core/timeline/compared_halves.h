// SPDX-License-Identifier: Apache-2.0
// ComparedHalves: two steps or runs ready to be shown side by side: the scene of each half, where in it the
// compared part lies, its slices held against each other, and its lanes. Made off the UI thread by
// compareHalves(); immutable, any thread.
#pragma once

#include <array>
#include <string>

#include "core/timeline/opposite_lanes.h"
#include "core/timeline/slice_pairs.h"

namespace lockstep {

// What one half is to be.
struct HalfRequest {
    ScenePtr scene;
    std::vector<ReportKey> reports; // of these alone; empty: of all that it shows
    std::optional<int64_t> step;
    std::string name; // "baseline": of the run, folder or file
};

struct ComparedHalf {
    ScenePtr scene; // of its reports alone
    std::optional<int64_t> step;
    std::string title; // "step 2 · baseline"
    std::string facts; // "NVIDIA H100 · driver 550.54": as the files state them
    TimeRange range;   // aligned: the step, else all of it
};

enum class CouplingRule : uint8_t { step, collective, time };

struct ComparedHalves {
    std::array<ComparedHalf, 2> halves; // A, B
    SlicePairs pairs;
    OppositeLanes lanes;

    // time: one shift for all of it, by where the compared parts begin.
    Coupling couplingBy(CouplingRule rule) const;
    // Both are of the same open reports: a time means the same in both.
    bool isOneAxis() const { return halves[0].scene->open.hasSameReports(halves[1].scene->open); }
    // What is looked at first, on A's axis or B's: its own part and, over it, the other's.
    TimeRange whole(const Coupling& coupling, int half = 0) const;
    // What a half can show: all of its own, and what the other half shows over it, with a margin.
    TimeRange reach(const Coupling& coupling, int half) const;
    // By key, in the other half; "": none stands opposite.
    std::string laneOpposite(int half, const std::string& key) const;
    // How lanes of the other half are to look; see OppositeLanes.
    LaneState stateOpposite(int half, const LaneState& state, const LaneState& other) const;
    // Where a pair's start is counted from in each half: its step, else the compared part.
    CouplingKnot zeroOf(const SlicePair& pair) const;

  private:
    bool isOneTree() const { return halves[0].scene->tree == halves[1].scene->tree; }
};

// As pairSlices(); invalid: a half shows nothing.
Result<std::shared_ptr<const ComparedHalves>> compareHalves(const HalfRequest& a, const HalfRequest& b,
                                                            const Progress& progress);

// GPUs and drivers as the files state them, each once; "" where they state none.
std::string sideFactsText(const Workspace& shown);

} // namespace lockstep
