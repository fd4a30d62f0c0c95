// SPDX-License-Identifier: Apache-2.0
// The `critical_path` analysis: what each training step waited for from start to end, by kind and name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis criticalPathAnalysis();

} // namespace lockstep
