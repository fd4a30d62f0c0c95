// SPDX-License-Identifier: Apache-2.0
// Imports environment variables as session settings: those of a pasted NeMo RL launch (NRL_NSYS_*), of any
// command, and of Lockstep capture. Pure. Thread: any.
#pragma once

#include <optional>

#include "core/session/import_text.h"

namespace lockstep {

// Imports a pasted NeMo RL launch: NRL_NSYS_* variables, other variables, and the command that follows them.
// Errors: invalid for an unclosed quote, or for a variable whose value NeMo RL itself
// would reject (range, JSON); the message contains the variable's name.
Result<ImportedSession> importNrlEnvironment(std::string_view text);

// Imports a NeMo RL command from its arguments and environment. A
// variable that NeMo RL would reject is kept, with a finding.
ImportedSession importNrlLaunch(const TextPairs& environment, std::vector<std::string> words);

// Imports variables without a command. They become a NeMo RL session if one of them begins with NRL_,
// otherwise a session for a plain command.
ImportedSession importEnvironment(TextPairs environment);

// Parses NRL_NSYS_PROFILE_STEP_RANGE, which is one-based and half-open: "3:5" records steps 3 and 4.
Result<std::vector<int64_t>> stepsOfNrlRange(std::string_view range);
// Returns "3:5" for steps 3 and 4, or nullopt if the steps are not contiguous.
std::optional<std::string> nrlRangeOfSteps(const std::vector<int64_t>& steps);
// Returns "3, 4". For more than twelve steps, returns "3, 4, ..., 90 (88 steps)".
std::string stepListText(const std::vector<int64_t>& steps);

// Returns the value of NRL_NSYS_EXTRA_OPTIONS, a JSON object of strings.
std::string nrlJsonOfOptions(const NsightOptions& options);

// Imports the Lockstep capture variables that a script exports. Reads the environment, and the variables that
// overrides pass to Ray's workers. Changes nothing unless an injection variable contains
// liblockstep_capture.so. If a different tool is found, only adds a finding.
void importCaptureEnvironment(ImportedSession& made);

} // namespace lockstep
