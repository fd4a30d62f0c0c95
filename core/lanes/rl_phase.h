// SPDX-License-Identifier: Apache-2.0
// Classifies ranges as phases of a reinforcement-learning step, by the names in the recipes of the
// frameworks. A name that no recipe lists is not a phase. Used by the phase lane and the step analyses. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/rl_phase.h"

namespace lockstep {

// Returns the range names that belong to the phase, for the documentation of the column.
std::string_view rlPhaseDoc(RlPhase phase);

// Classifies a range name, case-insensitively, in a process with this role ("" = unknown).
std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role);

} // namespace lockstep
