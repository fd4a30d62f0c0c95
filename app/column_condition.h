// SPDX-License-Identifier: Apache-2.0
// The half of --fail-on that looks at a column of a table: sums of it, or its rows one by one. Pure.
#pragma once

#include "app/fail_condition.h"

namespace lockstep {

// condition.column is one of `now`, by its name or its header in any case, with blanks or underscores.
// before: the same table of the baseline, for a change; else null. invalid: no such column, or a limit that
// it cannot be compared with.
Result<CheckedCondition> checkColumn(const FailCondition& condition, const Table& now, const Table* before);

// value OP limit.
bool compares(Comparison comparison, long double value, long double limit); // exact for int64_t too
// In percent; from 0 it is more, or less, than any.
double changeOf(double before, double after);
// "+5.00 %", "was 0".
std::string changeText(double before, double after);

} // namespace lockstep
