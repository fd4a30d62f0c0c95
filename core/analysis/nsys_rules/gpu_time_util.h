// SPDX-License-Identifier: Apache-2.0
// gpu_time_util: when a GPU was used little of the time, as `nsys analyze -r gpu_time_util` lists it.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuTimeUtilAnalysis();

} // namespace lockstep
