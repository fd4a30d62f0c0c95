// SPDX-License-Identifier: Apache-2.0
// Explains in one sentence why a table has no rows. The window and the command line show the same sentence.
#pragma once

#include <string>

#include "core/analysis/analysis.h"

namespace lockstep {

// Returns why the table is empty. If the analysis gives its own reason, that reason is returned, e.g. "No gap
// is longer than 500 ms (the longest is 0.8 ms). Lower the threshold (option gap)." Otherwise the message
// states that no row matches the filters, or that the reports contain no such rows. source: the source of the
// empty table.
std::string emptyTableText(const Analysis& analysis, const TableSource& source);

// The following strings are for analyses that set TableSource::whenEmpty. Returns "(option gap)", which
// refers both to "gap=1ms" on a command line and to the field "gap" in the window.
std::string optionText(const AnalysisArgument& argument);
// Returns "None of the copies in scope (34)".
std::string noneInScopeText(std::string_view rows, size_t count);
// Returns the reason for an empty table whose row limit is 0 although `found` rows exist.
std::string limitText(const AnalysisArgument& limit, size_t found);

} // namespace lockstep
