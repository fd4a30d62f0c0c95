// SPDX-License-Identifier: Apache-2.0
// Recipes of nsys over sampled values. gpu_metric_util_map: mean SM Active, SM Issue and Tensor Active of a
// GPU in each of equal bins of time. network_sum: the rates of each counter of a network port, by statistics.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis gpuMetricUtilMap();
Analysis networkSum();

} // namespace lockstep
