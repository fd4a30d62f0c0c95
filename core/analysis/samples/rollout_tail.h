// SPDX-License-Identifier: Apache-2.0
// The `rollout_tail` analysis: how long the samples of a step or of a weight version took, which came last
// and why, and what the GPUs of the rollout engines lost by waiting for it. See core/samples/tail.h.
#pragma once

#include "core/analysis/table_columns.h"

namespace lockstep {

// Values that cannot be computed are unset, and `abstained` says why. Times of GPUs are in GPU ms.
struct TailRow {
    GroupKey group;
    std::string unit; // "step 12", "version 3" or "all samples"
    int64_t count = 0;
    int64_t withoutTimes = 0; // not in count: no start, end or aligned clock
    std::optional<int64_t> p50_ns, p90_ns, p99_ns, max_ns;
    std::string last, prompt, replica, status, reason;
    std::optional<int64_t> excess_ns;
    std::optional<int64_t> window_ns;
    std::optional<int64_t> gpus;
    std::string basis;
    std::optional<int64_t> busy_ms, idle_ms, after50_ms, after90_ms;
    std::optional<int64_t> saved_ns, discarded;
    std::string abstained;
    SliceRef longest;

    void abstain(const std::string& why) { abstained += (abstained.empty() ? "" : "; ") + why; }
};

// Returns the rows by group, then by unit. The only possible error is `canceled`.
Result<AnalysisRows<TailRow>> rolloutTail(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
