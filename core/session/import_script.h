// SPDX-License-Identifier: Apache-2.0
// Import of a launch script as it stands: with its variables, arrays, functions and branches, and without
// running any of it (see shell/script.h for what is followed).
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// The likeliest training command of the script becomes the session, for the framework that it is for: verl,
// VeRL-Omni, NeMo RL, torchrun, or a plain command; exported variables its environment, the folder it stands
// in its working folder, `ray job submit`, `sbatch` and #SBATCH lines its launcher, a `docker exec` in front
// its container, an nsys around it the tool. A script of variables alone becomes the environment. Every other
// line is told in a finding that begins with "line N: "; of the rule import.lost where the session does less
// than the script for it. invalid: an open quote or bracket, with line and column.
Result<ImportedSession> importScript(std::string_view text);

} // namespace lockstep
