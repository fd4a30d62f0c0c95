// SPDX-License-Identifier: Apache-2.0
// SequenceShift: how far one rank's list of collectives is displaced against another's when neither states a
// sequence number. Candidates come from equal signatures and the trust put in wall clocks; the choice among
// them is made by what collectives imply for clocks, never by position alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/align/collective.h"

namespace lockstep {

enum class ShiftVerdict : uint8_t {
    found,
    tooFew,    // fewer than 10 comparable collectives overlap, and they are not two equal whole captures
    disagrees, // no displacement makes the signatures equal and the ends coincide
    ambiguous  // another displacement fits within a factor of three as well
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

struct SequenceShift {
    ShiftVerdict verdict = ShiftVerdict::tooFew;
    int64_t shift = 0;    // second[i + shift] belongs to first[i]; meaningful when found
    size_t overlap = 0;   // pairs at that displacement
    double spread_ns = 0; // robust deviation of the end differences, their common drift removed
    uint64_t work = 0;    // pairs of collectives that were looked at, for those who must bound it
};

inline constexpr int64_t kMaxShift = 2000;
inline constexpr size_t kFewestAnchors = 10; // below this a fit of clocks is refused

// O(|shifts| * n). Fences (training steps) take part when all collectives of both lists have one.
SequenceShift findShift(const ShiftInput& input);

} // namespace lockstep
