// SPDX-License-Identifier: Apache-2.0
// Checks of a report that came from a file of our own: such a file may be damaged or made by someone else,
// and the rest of the program trusts ids and order.
#pragma once

#include "core/base/result.h"
#include "core/base/workers.h"
#include "core/trace/report.h"

namespace lockstep {

// corrupt with the first thing found: columns of unequal length, ids beyond their table, a parent at or
// behind its child, tracks that overlap or are not sorted, stamps outside kAllTime. O(rows).
Status checkReport(const Report& report, const Workers& workers);

} // namespace lockstep
