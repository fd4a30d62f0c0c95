// SPDX-License-Identifier: Apache-2.0
// SlicePairs: what became of each slice of one step or run in another: earlier, later, longer, shorter,
// missing, new. Made off the UI thread for the halves of a comparison and its pictures. Values; pure, any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/timeline/coupling.h"

namespace lockstep {

// A half of a comparison. Its scene's shown reports are compared.
struct ComparedSide {
    ScenePtr scene;
    std::optional<int64_t> step; // only this one; absent: all, by equal numbers, else in order
};

struct SlicePair {
    SliceRef a, b;     // invalid: there is none
    TraceTime at;      // on A's aligned axis; of what is new: where it stands under A
    Duration later{};  // how much later B begins, each counted from its step's start; 0 unless both are
    Duration longer{}; // how much longer B is; the same
    bool isByCollective = false;
    bool isByPlace = false; // its name is not as often in both

    bool isBoth() const { return a.isValid() && b.isValid(); }
    bool isMissing() const { return !b.isValid(); } // in B
    bool isNew() const { return !a.isValid(); }     // in B
};

// A step of A with the step of B that it is held against.
struct StepPair {
    int64_t a = 0, b = 0;
    TimeRange rangeA, rangeB; // of all its processes, aligned
};

struct PairedLane {
    std::string label;
    size_t first = 0, count = 0;          // of pairs
    std::vector<TrackRef> a = {}, b = {}; // that it is of in the halves
};

struct SlicePairs {
    std::vector<SlicePair> pairs; // lane by lane, each by `at`
    std::vector<PairedLane> lanes;
    std::vector<StepPair> steps; // by A's begin
    uint64_t both = 0, missing = 0, added = 0;
    uint64_t changed = 0;           // of `both`: not at the same time or not of the same length
    std::vector<std::string> notes; // what could not be held against each other, in words

    // By the starts of steps, else of the first slice that both have, else by nothing.
    Coupling byStep() const { return Coupling(stepKnots); }
    // By the starts of collectives that both have; as byStep() where there is none.
    Coupling byCollective() const;
    // The pair of a slice of A's scene, or B's; nullptr: it was not compared. O(pairs of its lane).
    const SlicePair* ofA(const Scene& a, SliceRef slice) const;
    const SlicePair* ofB(const Scene& b, SliceRef slice) const;

    std::vector<CouplingKnot> stepKnots, collectiveKnots;
};

// Slices are the same as the n-th of their name in the step, on lanes that compareLanes() pairs; where a name
// is not as often in both, by place: in their order, nearest to each other between the slices that both have
// as often. Collectives
// as the n-th of their operation and group size, or by their place in the group's sequence where both halves
// state it. Slices of no step belong together, as do all slices of a lane where one half knows no steps. Work
// of a GPU is of the step in which it was launched. The answer does not depend on the order of reports.
// notFound: a half has no such step. canceled.
Result<SlicePairs> pairSlices(const ComparedSide& a, const ComparedSide& b, const Progress& progress);

// "6 184 of 7 506 slices in both, 5 012 of them changed; 402 missing in B, 920 new in B"
std::string slicePairsText(const SlicePairs& pairs);
// "1.609 ms later, 260 µs longer"; "missing in B"; "no change".
std::string changeText(const SlicePair& pair);
// By which rule it is a pair: "by its place: the name is not as often in both".
std::string pairRuleText(const SlicePair& pair);

} // namespace lockstep
