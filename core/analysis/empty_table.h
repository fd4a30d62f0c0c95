// SPDX-License-Identifier: Apache-2.0
// Why a table has no rows, in one sentence: the same in the window and headless.
#pragma once

#include <string>

#include "core/analysis/analysis.h"

namespace lockstep {

// "No gap is longer than 500 ms (the longest is 0.8 ms). Lower the threshold with gap=." where the analysis
// knows; else that no row matches the filters, or that the reports hold none. source: of the table without
// rows.
std::string emptyTableText(const Analysis& analysis, const TableSource& source);

} // namespace lockstep
