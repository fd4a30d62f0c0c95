// SPDX-License-Identifier: Apache-2.0
// The `nsys analyze` rules that list calls, copies and memsets that block the host.
#pragma once

#include "core/analysis/nsys_rules/rule_table.h"

namespace lockstep {

// The cuda_memcpy_async, cuda_memcpy_sync and cuda_memset_sync analyses: copies and memsets that block the
// host, as listed by the `nsys analyze` rules with these names.

// One copy or memset; `longest` is its slice.
struct BlockingRow : RuleRow {
    MemoryKind from = MemoryKind::unknown, to = MemoryKind::unknown; // for a memset: `to` is its memory
    int64_t size_kB = 0;                                             // in 10^3 bytes, rounded
    int64_t stream = 0;
    std::string_view call; // the call that started it

    std::string_view fromName() const { return memoryKindName(from); }
    std::string_view toName() const { return memoryKindName(to); }
};

using BlockingRows = AnalysisRows<BlockingRow>;

// The only possible error is `canceled`.
Result<BlockingRows> cudaMemcpyAsync(const AnalysisRequest& request, const Progress& progress);
Result<BlockingRows> cudaMemcpySync(const AnalysisRequest& request, const Progress& progress);
Result<BlockingRows> cudaMemsetSync(const AnalysisRequest& request, const Progress& progress);

// The cuda_api_sync analysis: calls that block the host until the GPU has finished, as listed by `nsys
// analyze -r cuda_api_sync`.

// One call; `longest` is the call.
struct SynchronizationRow : RuleRow {
    std::optional<int64_t> thread; // thread ID on its host
    std::string_view call;
};

// The only possible error is `canceled`.
Result<AnalysisRows<SynchronizationRow>> cudaApiSync(const AnalysisRequest& request,
                                                     const Progress& progress);

} // namespace lockstep
