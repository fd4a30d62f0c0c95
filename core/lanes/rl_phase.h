// SPDX-License-Identifier: Apache-2.0
// Classifies ranges as phases of a reinforcement-learning step, by the names in the recipes of the
// frameworks. A name that no recipe lists is not a phase. Used by the phase lane and the step analyses. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/rl_phase.h"

namespace lockstep {

// Returns the range names that belong to the phase, for the documentation of the column.
std::string_view rlPhaseDoc(RlPhase phase);

// Where a name comes from. Names that are too general for traces are phases only in records.
enum class PhaseSource : uint8_t {
    trace, // NVTX, record_function
    record // files in which a framework records its phases, and timers
};

// Classifies a name, case-insensitively, in a process with this role ("" = unknown).
std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role,
                                 PhaseSource source = PhaseSource::trace);

} // namespace lockstep
