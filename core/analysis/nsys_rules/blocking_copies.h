// SPDX-License-Identifier: Apache-2.0
// The cuda_memcpy_async, cuda_memcpy_sync and cuda_memset_sync analyses: copies and memsets that block the
// host, as listed by the `nsys analyze` rules with these names.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaMemcpyAsyncAnalysis();
Analysis cudaMemcpySyncAnalysis();
Analysis cudaMemsetSyncAnalysis();

} // namespace lockstep
