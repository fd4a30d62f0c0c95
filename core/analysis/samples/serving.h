// SPDX-License-Identifier: Apache-2.0
// The `serving` analysis: how the inference servers of a rollout were used: cache, batches, queue, latencies.
#pragma once

#include "core/analysis/table_columns.h"

namespace lockstep {

// One server. What its reports do not record is unset.
struct ServingRow {
    GroupKey group;
    std::string replica;
    int64_t requests = 0;
    std::optional<int64_t> cacheMean, cacheMax, cacheHigh;                       // in hundredths of a percent
    std::optional<int64_t> prefixHits;                                           // in hundredths of a percent
    std::optional<int64_t> preemptions, preemptionsPer100;                       // the latter in tenths
    std::optional<int64_t> queue50_ns, queue90_ns, waiting, running, runningLow; // waiting: in hundredths
    std::optional<int64_t> firstToken_ns, perToken_ns, tokensPerSecond;          // medians; tenths
    SliceRef longest;
};

// Returns the rows by group, then by server. The only possible error is `canceled`.
Result<AnalysisRows<ServingRow>> serving(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
