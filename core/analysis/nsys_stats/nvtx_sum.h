// SPDX-License-Identifier: Apache-2.0
// The nvtx_sum, nvtx_pushpop_sum and nvtx_startend_sum analyses: NVTX ranges grouped by "domain:name", like
// the nsys stats reports with these names. A range that was never closed ends at the latest end of any other
// NVTX range in the report.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis nvtxSum();
Analysis nvtxPushPopSum();
Analysis nvtxStartEndSum();
// nsys recipe nccl_sum: the ranges in the NCCL domain, grouped by name.
Analysis ncclSum();

} // namespace lockstep
