// SPDX-License-Identifier: Apache-2.0
// The `comm_comp_overlap` analysis: the share of each rank's communication that overlaps computation, as
// defined by HTA's get_comm_comp_overlap, and the exposed share.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis commCompOverlapAnalysis();

} // namespace lockstep
