// SPDX-License-Identifier: Apache-2.0
// `lockstep --plan`: prints the launch plan, the expected files and the findings of a saved session. Changes
// nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <span>

#include "core/session/script_launch.h"

namespace lockstep {

// Returns 0 if the plan was printed and the checks found no errors, 3 if the plan was printed and the checks
// found errors (the output includes them), 1 if there is no plan (the reason is printed to err). hostFacts is
// a file with `lockstep-agent probe` objects. isStrict turns unknown keys into errors. launches: of a dry
// run; the forecast and the checks then use the recorded command.
int planCommand(const std::filesystem::path& session, const std::optional<std::filesystem::path>& hostFacts,
                bool isStrict, std::ostream& out, std::ostream& err,
                std::span<const RecordedLaunch> launches = {});

} // namespace lockstep
