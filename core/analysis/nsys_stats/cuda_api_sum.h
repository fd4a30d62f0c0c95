// cuda_api_sum: CUDA runtime and driver calls grouped by name, as the report of that name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiSum();

} // namespace lockstep
