// SPDX-License-Identifier: Apache-2.0
// Why a table has no rows, in one sentence: the same in the window and headless.
#pragma once

#include <string>

#include "core/analysis/analysis.h"

namespace lockstep {

// "No gap is longer than 500 ms (the longest is 0.8 ms). Lower the threshold (option gap)." where the
// analysis knows; else that no row matches the filters, or that the reports hold none. source: of the table
// without rows.
std::string emptyTableText(const Analysis& analysis, const TableSource& source);

// The following texts are for analyses that set TableSource::whenEmpty.
// "(option gap)": fits "gap=1ms" on a command line and the field of that name in the window alike.
std::string optionText(const AnalysisArgument& argument);
// "None of the copies in scope (34)".
std::string noneInScopeText(std::string_view rows, size_t count);
// Returns the reason for an empty table whose row limit is 0 although `found` rows exist.
std::string limitText(const AnalysisArgument& limit, size_t found);

} // namespace lockstep
