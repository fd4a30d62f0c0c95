// SPDX-License-Identifier: Apache-2.0
// nsys recipes for sampled values. gpu_metric_util_map: mean SM Active, SM Issue and Tensor Active per GPU in
// equal time bins. network_sum: statistics of the rates of each network port counter.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuMetricUtilMap();
Analysis networkSum();

} // namespace lockstep
