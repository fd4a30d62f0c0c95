// SPDX-License-Identifier: Apache-2.0
// Shared rows: consecutive captures of the same track on one row of a lane, each as its own DisplayRow.
// Pure.
#pragma once

#include <vector>

#include "core/timeline/display_list.h"

namespace lockstep {

// If the last pixel of one capture is the first pixel of the next, makes every slice visible and clickable:
// wide slices are shortened by a pixel; narrow slices and samples are merged into the earlier capture's
// column. rows: rows at the same place may be anywhere in the list, but must be in chronological order.
void separateSharedRows(std::vector<DisplayRow>& rows);

} // namespace lockstep
