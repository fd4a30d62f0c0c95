// SPDX-License-Identifier: Apache-2.0
// cuda_memcpy_async, cuda_memcpy_sync, cuda_memset_sync: copies and memsets that hold the host up, as the
// rules of `nsys analyze` of these names list them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaMemcpyAsyncAnalysis();
Analysis cudaMemcpySyncAnalysis();
Analysis cudaMemsetSyncAnalysis();

} // namespace lockstep
