// SPDX-License-Identifier: Apache-2.0
// cuda_api_sum: CUDA runtime and driver calls grouped by name, as the report of that name of nsys stats.
// Every row of CUPTI_ACTIVITY_KIND_RUNTIME counts, whatever its eventClass, as in the versions of nsys stats
// that could be looked into: 2021, 2022.4 and 2023.4. So a call recorded with its backtrace (eventClass 67)
// is there twice; the second row has "[backtrace]" behind its name here, and the table's rules say so.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiSum();

} // namespace lockstep
