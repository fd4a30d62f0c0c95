// SPDX-License-Identifier: Apache-2.0
// Checks a report from a workspace file. Such a file may be corrupt or created by someone else, and the rest
// of the program relies on valid IDs and on the order of rows.
#pragma once

#include "core/base/result.h"
#include "core/base/workers.h"
#include "core/trace/report.h"

namespace lockstep {

// Returns corrupt with the first problem: columns of unequal length, IDs beyond the end of their table, a
// parent at or after its child, tracks that overlap or are not sorted, timestamps outside kAllTime. O(rows).
Status checkReport(const Report& report, const Workers& workers);

} // namespace lockstep
