// SPDX-License-Identifier: Apache-2.0
// Shared rows: captures of one thing that lie one after another on one row of a lane, each as a DisplayRow of
// its own. Pure.
#pragma once

#include <vector>

#include "core/timeline/display_list.h"

namespace lockstep {

// Where the last pixel of one capture is the first of the next, gives every slice a place that is seen and
// can be clicked: wide slices give way by a pixel, narrow ones and samples become one column, that of the
// earlier capture. rows: those of one place may stand anywhere in the list; of one place, in time.
void partSharedRows(std::vector<DisplayRow>& rows);

} // namespace lockstep
