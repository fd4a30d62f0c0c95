// SPDX-License-Identifier: Apache-2.0
// The cuda_api_sync analysis: calls that block the host until the GPU has finished, as listed by `nsys
// analyze -r cuda_api_sync`.
#pragma once

#include "core/analysis/nsys_rules/rule_table.h"

namespace lockstep {

// One call; `longest` is the call.
struct SynchronizationRow : RuleRow {
    std::optional<int64_t> thread; // thread ID on its host
    std::string_view call;
};

// The only possible error is `canceled`.
Result<AnalysisRows<SynchronizationRow>> cudaApiSync(const AnalysisRequest& request,
                                                     const Progress& progress);

Analysis cudaApiSyncAnalysis();

} // namespace lockstep
