// SPDX-License-Identifier: Apache-2.0
// The gpu_time_util analysis: periods of low GPU utilization, as listed by `nsys analyze -r gpu_time_util`.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuTimeUtilAnalysis();

} // namespace lockstep
