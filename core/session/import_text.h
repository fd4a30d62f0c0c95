// SPDX-License-Identifier: Apache-2.0
// Imports any supported text: a session, a verl or NeMo RL configuration, a list of overrides, variables, or
// a launch script. The kind is detected from the text.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/session/finding.h"
#include "core/session/session_config.h"

namespace lockstep {

// ImportedSession is a session imported from text, together with the findings from the import. Unknown
// settings are kept in otherOverrides, environment or importedYaml.
struct ImportedSession {
    SessionConfig config;
    Findings findings;
};

// Errors: invalid if the text is none of the supported kinds, or if it is malformed (with line and column).
Result<ImportedSession> importText(std::string_view text);

// Returns true for the YAML configuration of verl or NeMo RL, which is imported. Any other YAML is a session.
bool isConfigurationText(std::string_view text);

// Returns true if parts of the text are missing from the session or were changed, according to the findings.
bool isImportPartial(const Findings& findings);

} // namespace lockstep
