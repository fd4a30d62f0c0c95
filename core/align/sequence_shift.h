// SPDX-License-Identifier: Apache-2.0
// SequenceShift: finds which collectives of two ranks' lists are the same if neither list has sequence
// numbers. Usually one offset fits the whole lists. If records were lost in the middle, each segment between
// losses has its own offset. Candidates come from equal signatures and the assumed accuracy of wall clocks;
// the choice depends on the implied clocks, never on position alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/align/collective.h"

namespace lockstep {

enum class ShiftVerdict : uint8_t {
    found,
    // fewer than 10 comparable collectives overlap, and the lists are not complete captures of equal length
    tooFew,
    disagrees, // no offset makes the signatures equal and lets the ends coincide
    ambiguous  // another offset fits to within a factor of three, and the clocks do not show which one is
               // right
};
std::string_view shiftVerdictName(ShiftVerdict verdict);

struct ShiftInput {
    std::span<const Collective> first; // in chronological order
    std::span<const Collective> second;
    int64_t firstToAxis_ns = 0;
    int64_t secondToAxis_ns = 0;
    std::optional<int64_t>
        clockTrust_ns; // bound on the |true - recorded| difference of the two clocks; absent if unknown
};

// Entries [begin, end) of the first list belong to [begin + shift, end + shift) of the second.
struct ShiftRun {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t shift = 0;
};

struct SequenceShift {
    ShiftVerdict verdict = ShiftVerdict::tooFew;
    std::vector<ShiftRun> runs; // in order and without overlap in either list; empty unless found
    size_t overlap = 0;         // number of pairs that the verdict is based on
    double offset_ns = 0;       // clock of the second list minus clock of the first, on the axis
    // other offsets fit as well, but only with this offset do the recorded clocks agree as synchronized
    // clocks do
    bool isByClocks = false;
    double spread_ns = 0; // robust deviation of the end differences after removing their common drift
    uint64_t work = 0;    // number of compared pairs, for callers that limit the total effort

    // Returns the index in the second list of the partner of first[i], or nullopt.
    std::optional<int64_t> partnerOf(int64_t i) const;
    // true if both lists begin with the same collective
    bool isWhole() const { return runs.size() == 1 && runs[0].shift == 0; }
};

inline constexpr int64_t kMaxShift = 2000;
inline constexpr size_t kMinAnchors = 10; // a clock fit needs at least this many anchors

// Finds the offset. O(|shifts| * n). Fences (training steps) are used if all collectives of both lists have
// one. If no single offset fits, the function assumes that records in the middle were lost: O(segments *
// |shifts| log |shifts| + n).
SequenceShift findShift(const ShiftInput& input);

} // namespace lockstep
