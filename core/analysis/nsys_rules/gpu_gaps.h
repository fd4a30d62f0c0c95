// SPDX-License-Identifier: Apache-2.0
// The gpu_gaps analysis: long idle periods on a GPU between the first and the last work of its process, as
// listed by `nsys analyze -r gpu_gaps`. An additional column after those of nsys states the cause of each
// gap.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuGapsAnalysis();

} // namespace lockstep
