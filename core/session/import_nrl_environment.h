// SPDX-License-Identifier: Apache-2.0
// Import of a NeMo RL launch: NRL_NSYS_* variables, other variables, and the command behind them, as one
// pastes them.
#pragma once

#include <optional>

#include "core/session/imported_session.h"

namespace lockstep {

// invalid: an open quote, or a variable whose value NeMo RL itself would refuse (range, JSON), with the
// variable's name.
Result<ImportedSession> importNrlEnvironment(std::string_view text);

// The same of a command whose words and environment are known. A variable that NeMo RL would refuse is kept,
// with a finding.
ImportedSession importNrlLaunch(const TextPairs& environment, std::vector<std::string> words);

// Variables alone: NeMo RL's where one of them begins with NRL_, else a plain command's.
ImportedSession importEnvironment(TextPairs environment);

// NRL_NSYS_PROFILE_STEP_RANGE is half-open and counts from 1: "3:5" records steps 3 and 4.
Result<std::vector<int64_t>> stepsOfNrlRange(std::string_view range);
// "3:5" for steps 3 and 4; empty when the steps are not one unbroken run.
std::optional<std::string> nrlRangeOfSteps(const std::vector<int64_t>& steps);
// "3, 4"; beyond twelve steps "3, 4, ..., 90 (88 steps)".
std::string stepListText(const std::vector<int64_t>& steps);

// NRL_NSYS_EXTRA_OPTIONS, a JSON object of texts; and back.
Result<NsightOptions> optionsOfNrlJson(std::string_view json);
std::string nrlJsonOfOptions(const NsightOptions& options);

} // namespace lockstep
