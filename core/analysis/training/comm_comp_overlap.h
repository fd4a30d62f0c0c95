// SPDX-License-Identifier: Apache-2.0
// comm_comp_overlap: how much of the time of each rank's communication its GPUs computed as well, as HTA's
// get_comm_comp_overlap defines it, and how much stood alone.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis commCompOverlapAnalysis();

} // namespace lockstep
