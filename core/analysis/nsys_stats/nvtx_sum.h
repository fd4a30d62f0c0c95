// SPDX-License-Identifier: Apache-2.0
// nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum: NVTX ranges grouped by "domain:text", as the reports of
// these names of nsys stats. A range that was never closed ends at the largest end of the report's other NVTX
// ranges.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxSum();
Analysis nvtxPushPopSum();
Analysis nvtxStartEndSum();
// nccl_sum of nsys recipe: those of the domain NCCL by text.
Analysis ncclSum();

} // namespace lockstep
