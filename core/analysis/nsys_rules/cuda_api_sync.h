// SPDX-License-Identifier: Apache-2.0
// The cuda_api_sync analysis: calls that block the host until the GPU has finished, as listed by `nsys
// analyze -r cuda_api_sync`.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiSyncAnalysis();

} // namespace lockstep
