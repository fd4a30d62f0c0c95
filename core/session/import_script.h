// SPDX-License-Identifier: Apache-2.0
// Imports a launch script with variables, arrays, functions and branches without running any part of it. See
// shell/script.h for the supported syntax.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Converts the most likely training command in the script to a session for its framework: verl, VeRL-Omni,
// NeMo RL, torchrun, or a plain command. Exported variables become the environment, and the current folder
// becomes the working folder. `ray job submit`, `sbatch` and #SBATCH lines become the launcher, a preceding
// `docker exec` becomes the container, and an enclosing nsys becomes the tool. If a script contains only
// variables, they become the environment. Every other line gets a finding that begins with "line N: ". The
// finding's rule is import.lost if the session does less than the script. Errors: invalid for an unclosed
// quote or bracket, with line and column.
Result<ImportedSession> importScript(std::string_view text);

} // namespace lockstep
