// SPDX-License-Identifier: Apache-2.0
// The nsys recipe diff: compares one summary table between two reports, ranks, steps, roles, hosts or
// processes, row by row.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis diffAnalysis();

} // namespace lockstep
