// SPDX-License-Identifier: Apache-2.0
// Access to the parts of an Identity by name, for everything that users read and write: `--identity` files,
// the grid in the window, the inventory. User edits are themselves an Identity that contains only the edited
// parts, each confirmed and with its source. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/identity.h"

namespace lockstep {

// Returns the parts that a user can edit, in column order of the grid: run, host, role, rank, local_rank,
// step, stage.
std::span<const std::string_view> editableParts();

// Sets one part of `stated` from text; empty text removes it. `source` describes where the user entered it:
// "ranks.csv line 3", "edited". Returns invalid and changes nothing if the part does not exist, or if the
// text is not a number although the part requires one.
Status editPart(Identity& stated, std::string_view part, std::string_view text, std::string source);

// Returns the value of a part as a string, or "" if the value is unknown or the part does not exist.
std::string partText(const Identity& identity, std::string_view part);
// Returns the source of the value, or "" if unknown.
std::string_view partSource(const Identity& identity, std::string_view part);
Confidence partConfidence(const Identity& identity, std::string_view part);
// Returns the name of a confidence, such as "stated", for tables and tooltips.
std::string_view confidenceName(Confidence confidence);

// Replaces every part of `identity` that `stated` contains.
void overlayParts(Identity& identity, const Identity& stated);
// Copies every part that `from` knows with a higher confidence than `identity` does.
void learnParts(Identity& identity, const Identity& from);
// Fills every part that is unknown in `identity` and known in `from`, except the pid.
void inheritParts(Identity& identity, const Identity& from);

} // namespace lockstep
