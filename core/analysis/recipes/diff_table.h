// SPDX-License-Identifier: Apache-2.0
// diff of nsys recipe: one table of sums made of two reports, ranks, steps, roles, hosts or processes, and
// what changed between them, row by row.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis diffAnalysis();

} // namespace lockstep
