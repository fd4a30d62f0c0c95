// SPDX-License-Identifier: Apache-2.0
// The parts of an Identity by their words, for whatever a user reads and writes: `--identity` files, the grid
// in the window, the inventory. What a user states is itself an Identity, of the stated parts only, each
// confirmed and with its source. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/identity.h"

namespace lockstep {

// What a user can state, in the order of the grid's columns: run, host, role, rank, local_rank, step, stage.
std::span<const std::string_view> statableParts();

// Sets one part of `stated` from a text; an empty text takes the statement back. source tells where the user
// said so: "ranks.csv line 3", "set by hand". invalid: no such part, or no number where one is needed; then
// nothing changes.
Status statePart(Identity& stated, std::string_view part, std::string_view text, std::string source);

// The value as text, "" where unknown or where there is no such part.
std::string partText(const Identity& identity, std::string_view part);
// Where the value was learnt, "" where unknown.
std::string_view partSource(const Identity& identity, std::string_view part);
Confidence partConfidence(const Identity& identity, std::string_view part);
// "stated": for tables and tooltips.
std::string_view confidenceName(Confidence confidence);

// Replaces in `identity` every part that is known in `stated`.
void overlayParts(Identity& identity, const Identity& stated);
// Takes every part that `from` knows for surer than `identity` does.
void learnParts(Identity& identity, const Identity& from);
// Fills in every part that is unknown in `identity` and known in `from`, but for the pid.
void inheritParts(Identity& identity, const Identity& from);

} // namespace lockstep
