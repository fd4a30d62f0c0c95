// SPDX-License-Identifier: Apache-2.0
// Import of a pasted verl command line or list of Hydra overrides, with its shell quoting and line
// continuations.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Words before the first override become the entry command, assignments before it the environment; known
// profiler settings become fields, every other override is kept as written. The layout is told from the keys.
// Findings say which overrides Hydra would have refused or ignored. invalid: an open quote, with line and
// column.
Result<ImportedSession> importOverrideList(std::string_view text);

// The same of a command whose words and environment are known.
ImportedSession importVerlLaunch(TextPairs environment, std::vector<std::string> words);

} // namespace lockstep
