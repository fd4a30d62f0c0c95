// SPDX-License-Identifier: Apache-2.0
// Imports a pasted verl command line, or a list of Hydra overrides, with shell quoting and line
// continuations.
#pragma once

#include "core/session/import_text.h"

namespace lockstep {

// Imports pasted text. Arguments before the first override become the command, and assignments before the
// command become the environment. Known profiler settings become fields; all other overrides are kept as
// written. The config layout is inferred from the keys. Findings report overrides that Hydra would have
// rejected or ignored. Errors: invalid for an unclosed quote, with line and column.
Result<ImportedSession> importOverrideList(std::string_view text);

// Imports a command from its arguments and environment.
ImportedSession importVerlLaunch(TextPairs environment, std::vector<std::string> words);

} // namespace lockstep
