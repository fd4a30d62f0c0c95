// SPDX-License-Identifier: Apache-2.0
// role_breakdown: what each role's processes spent their steps on, and how long its devices stood idle while
// another role worked.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis roleBreakdownAnalysis();

} // namespace lockstep
