// SPDX-License-Identifier: Apache-2.0
// Import of a NeMo RL configuration file (examples/configs/*.yaml).
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// The run's length is read from the algorithm's max_num_steps; everything is kept in importedYaml. Errors as
// readYaml().
Result<ImportedSession> importNemoYaml(std::string_view text);

} // namespace lockstep
