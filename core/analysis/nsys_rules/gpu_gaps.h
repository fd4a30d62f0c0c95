// SPDX-License-Identifier: Apache-2.0
// gpu_gaps: when a GPU had nothing to do for long, between the first and the last work of its process, as
// `nsys analyze -r gpu_gaps` lists it.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuGapsAnalysis();

} // namespace lockstep
