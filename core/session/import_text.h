// SPDX-License-Identifier: Apache-2.0
// Imports any supported text: a session, a verl or NeMo RL configuration, a list of overrides, variables, or
// a launch script. importText() detects the kind from the text. Pure. Thread: any.
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

// Imports a verl configuration file from any release: ppo_trainer.yaml, or the part of that file that
// contains the profiler's keys. Converts known profiler settings to fields and unknown profiler settings to
// overrides. Everything else is kept in importedYaml. Interpolations (${...}) count as not set and are kept.
// Errors: same as for readYaml().
Result<ImportedSession> importVerlYaml(std::string_view text);

// Imports a NeMo RL configuration file (examples/configs/*.yaml). Reads the length of the run from the
// algorithm's max_num_steps and keeps the complete file in importedYaml. Errors: same as for readYaml().
Result<ImportedSession> importNemoYaml(std::string_view text);

// Imports a pasted verl command line, or a list of Hydra overrides, with shell quoting and line
// continuations. Arguments before the first override become the command, and assignments before the command
// become the environment. Known profiler settings become fields; all other overrides are kept as written.
// The config layout is inferred from the keys. Findings report overrides that Hydra would have rejected or
// ignored. Errors: invalid for an unclosed quote, with line and column.
Result<ImportedSession> importOverrideList(std::string_view text);

// Imports a verl command from its arguments and environment.
ImportedSession importVerlLaunch(TextPairs environment, std::vector<std::string> words);

} // namespace lockstep
