// SPDX-License-Identifier: Apache-2.0
// The `role_breakdown` analysis: how the processes of each role spent their steps, and how long their devices
// were idle while another role was working.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis roleBreakdownAnalysis();

} // namespace lockstep
