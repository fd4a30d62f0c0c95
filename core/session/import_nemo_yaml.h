// SPDX-License-Identifier: Apache-2.0
// Imports a NeMo RL configuration file (examples/configs/*.yaml).
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Reads the length of the run from the algorithm's max_num_steps and keeps the complete file in importedYaml.
// Errors: same as for readYaml().
Result<ImportedSession> importNemoYaml(std::string_view text);

} // namespace lockstep
