// SPDX-License-Identifier: Apache-2.0
// critical_path: what each training step was waiting for from its begin to its end, by kind and name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis criticalPathAnalysis();

} // namespace lockstep
