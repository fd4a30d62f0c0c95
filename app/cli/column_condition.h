// SPDX-License-Identifier: Apache-2.0
// Evaluation of --fail-on for a table column: as a sum, or row by row. Pure.
#pragma once

#include "app/cli/fail_condition.h"

namespace lockstep {

// Evaluates the condition on a column of `now`. The column is looked up by name or header, ignoring case;
// spaces and underscores are equivalent. before: the same table for the baseline if the condition checks a
// change, otherwise null. Error: invalid (the column does not exist, or the limit in the condition has the
// wrong type).
Result<CheckedCondition> checkColumn(const FailCondition& condition, const Table& now, const Table* before);

// Returns the result of `value OP limit`. The comparison is exact for every int64_t.
bool compares(Comparison comparison, long double value, long double limit);
// Returns the change in percent. A change from 0 is plus or minus infinity.
double changeOf(double before, double after);
// Returns the change as text, such as "+5.00 %"; "was 0" if `before` is 0.
std::string changeText(double before, double after);

} // namespace lockstep
