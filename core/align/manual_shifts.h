// SPDX-License-Identifier: Apache-2.0
// Manual offsets as text: one report per line with its file name or path and its offset ("rank3.json
// -12.5us"). Lines may be empty or begin with '#'. Read from the user's file and written when manual offsets
// are saved.
#pragma once

#include <string>
#include <string_view>

#include "core/align/alignment.h"

namespace lockstep {

// Parses manual offsets. If a report has several lines, the last one wins. Returns invalid with the line
// number if a time is invalid, or if a name matches no report or several reports.
Result<ManualShifts> parseManualShifts(std::string_view text, const Workspace& workspace);

} // namespace lockstep
