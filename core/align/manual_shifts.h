// SPDX-License-Identifier: Apache-2.0
// Manual shifts as text: one report a line, its file name or path, then the time it is moved by ("rank3.json
// -12.5us"). Lines may be empty or begin with '#'. Read from the user's file, written when shifts made by
// hand are kept.
#pragma once

#include <string>
#include <string_view>

#include "core/align/alignment.h"

namespace lockstep {

// The last line of one report counts. invalid names the line: a time that cannot be read, or a name that fits
// no report or several.
Result<ManualShifts> parseManualShifts(std::string_view text, const Workspace& workspace);
// The inverse, by full path, in ns; sorted by report.
std::string manualShiftsText(const ManualShifts& shifts, const Workspace& workspace);

} // namespace lockstep
