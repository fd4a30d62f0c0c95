// SPDX-License-Identifier: Apache-2.0
// SlicePairs: how each slice in one step or run differs in another: earlier, later, longer, shorter, missing
// or new. Computed off the UI thread for the sides and images of a comparison. Value types; pure. Thread:
// any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/compare/coupling.h"
#include "core/compare/side.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SlicePair {
    SliceRef a, b;     // invalid if the slice is missing on that side
    TraceTime at;      // on A's aligned axis; for new slices: the corresponding time in A
    Duration later{};  // delay of B's start, with both starts counted from the start of the step; 0 unless
                       // both slices exist
    Duration longer{}; // how much longer the slice in B is; 0 unless both slices exist
    bool isByCollective = false;
    bool isByPosition = false; // its name has different counts in A and B

    bool isBoth() const { return a.isValid() && b.isValid(); }
    bool isMissing() const { return !b.isValid(); } // the slice is missing in B
    bool isNew() const { return !a.isValid(); }     // the slice exists only in B
};

// A step in A and its counterpart in B.
struct StepPair {
    int64_t a = 0, b = 0;
    TimeRange rangeA, rangeB; // aligned range over all processes in the step
};

struct PairedLane {
    std::string label;
    size_t first = 0, count = 0;          // range in SlicePairs::pairs
    std::vector<TrackRef> a = {}, b = {}; // tracks that form the lane on each side
};

struct SlicePairs {
    std::vector<SlicePair> pairs; // pairs by lane, each list sorted by `at`
    std::vector<PairedLane> lanes;
    std::vector<StepPair> steps; // sorted by A's start
    uint64_t both = 0, missing = 0, added = 0;
    uint64_t changed = 0;           // number of pairs in `both` that differ in start or duration
    std::vector<std::string> notes; // descriptions of items that were not paired

    // Couples the sides by the starts of steps. Without common steps, couples them by the start of the first
    // common slice. Without common slices, there is no shift.
    Coupling byStep() const { return Coupling(stepKnots); }
    // Couples the sides by the starts of common collectives. If there are none, the result is the same as
    // that of byStep().
    Coupling byCollective() const;
    // Returns the pair of a slice in A's scene (or in B's scene); nullptr if the slice was not compared.
    // O(pairs in its lane).
    const SlicePair* ofA(const Scene& a, SliceRef slice) const;
    const SlicePair* ofB(const Scene& b, SliceRef slice) const;

    std::vector<CouplingKnot> stepKnots, collectiveKnots;
};

// Pairs slices by the occurrence of their name in the step, in lanes paired by pairLanes(). If the counts
// of a name differ, its slices are paired by position: in order and with the nearest slice. Their position is
// determined relative to slices whose names have equal counts. Collectives are paired by the occurrence of
// their operation and group size, or, if both sides record it, by the sequence number in their group. Slices
// outside steps form one unit, as do all slices in a lane if one side has no steps. GPU work belongs to the
// step in which it was launched. The result does not depend on the order of reports. Errors: `notFound` if a
// side does not have the step; `canceled`.
Result<SlicePairs> pairSlices(const ComparedSide& a, const ComparedSide& b, const Progress& progress);

// Returns "6,184 of 7,506 slices in both, changed: 5,012; 402 missing in B; 920 new in B".
std::string slicePairsText(const SlicePairs& pairs);
// Returns "1.609 ms later, 260 µs longer", "missing in B" or "no change".
std::string changeText(const SlicePair& pair);
// Returns the pairing rule: "by position: A and B have different counts of this name".
std::string pairRuleText(const SlicePair& pair);

} // namespace lockstep
