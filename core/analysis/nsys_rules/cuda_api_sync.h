// SPDX-License-Identifier: Apache-2.0
// cuda_api_sync: calls that hold the host up until its GPU is done, as `nsys analyze -r cuda_api_sync` lists
// them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiSyncAnalysis();

} // namespace lockstep
