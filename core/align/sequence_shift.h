// SPDX-License-Identifier: Apache-2.0
// SequenceShift: which collectives of two ranks' lists are the same when neither list states sequence
// numbers. Usually one displacement fits the whole lists. Where records were lost in the middle, each stretch
// between losses has its own. Candidates come from equal signatures and the trust put in wall clocks; the
// choice among them is made by what collectives imply for clocks, never by position alone.
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
    tooFew,    // fewer than 10 comparable collectives overlap, and they are not two equal whole captures
    disagrees, // no displacement makes the signatures equal and the ends coincide
    ambiguous  // another displacement fits within a factor of three as well, and clocks do not tell which is
               // right
};
std::string_view shiftVerdictName(ShiftVerdict verdict);

struct ShiftInput {
    std::span<const Collective> first; // in time order
    std::span<const Collective> second;
    int64_t firstToAxis_ns = 0;
    int64_t secondToAxis_ns = 0;
    std::optional<int64_t>
        clockTrust_ns; // |true - stated| difference of the two clocks; absent: nothing is known
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
    size_t overlap = 0;         // pairs that the verdict rests on
    double offset_ns = 0;       // second's clock minus first's, on the axis
    bool isByClocks =
        false; // others fit as well; at this one alone the stated clocks agree as well-kept ones do
    double spread_ns = 0; // robust deviation of the end differences, their common drift removed
    uint64_t work = 0;    // pairs of collectives that were looked at, for those who must bound it

    // The index in the second list of what belongs to first[i]; absent: nothing does.
    std::optional<int64_t> partnerOf(int64_t i) const;
    bool isWhole() const { return runs.size() == 1 && runs[0].shift == 0; } // both lists begin together
};

inline constexpr int64_t kMaxShift = 2000;
inline constexpr size_t kFewestAnchors = 10; // below this a fit of clocks is refused

// O(|shifts| * n). Fences (training steps) take part when all collectives of both lists have one. Where no
// single displacement fits, records lost in the middle are allowed for: O(pieces * |shifts| log |shifts| +
// n).
SequenceShift findShift(const ShiftInput& input);

} // namespace lockstep
