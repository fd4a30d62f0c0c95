// SPDX-License-Identifier: Apache-2.0
// Import of whatever text a set-up is in: a session, a configuration of verl or NeMo RL, a list of overrides,
// variables, or a launch script. Told from the text itself.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// invalid: none of these, or broken, with line and column.
Result<ImportedSession> importText(std::string_view text);

// Something of the text is not in the session, or not as it was written: the findings say what.
bool isImportPartial(const Findings& findings);

} // namespace lockstep
