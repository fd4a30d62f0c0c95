// SPDX-License-Identifier: Apache-2.0
// The `async_balance` analysis: what the trainer of each reinforcement-learning step did, how stale its
// samples were, and whether the rollout or the training side lacks GPUs. See core/samples/balance.h.
#pragma once

#include <set>

#include "core/analysis/table_columns.h"
#include "core/samples/balance.h"

namespace lockstep {

// One step of the process that trains. Values that cannot be computed are unset, and `abstained` says why.
struct BalanceRow {
    std::optional<int64_t> step;
    bool isTrainingStep = false; // `step` is a number of the training run, not of the profiler or a count
    std::string from;
    StepBalance balance;
    std::set<BalancePart> recorded; // parts of which the source records anything
    bool isUsable = true;           // false if the parts exceed the step
    std::array<std::optional<int64_t>, kWeightParts> parts_ns;
    std::optional<int64_t> size_bytes, perSecond_bytes;
    std::optional<int64_t> generation_ns;
    std::optional<int64_t> overlap; // in hundredths of a percent
    bool isAsync = false;           // a timer shows that generation and training overlap
    std::optional<int64_t> trained;
    std::optional<int64_t> samples;                                           // with a weight version
    std::optional<int64_t> staleMean, stale50, stale90, staleMax, newestMean; // means: times 100
    std::string shortOf;
    std::string abstained;
    std::optional<TimeRange> shown; // on the clock of the report; nullopt if the source records no times
    TimeRange time;                 // the same on the aligned axis; empty if unknown
    SliceRef longest;

    void abstain(const std::string& why) { abstained += (abstained.empty() ? "" : "; ") + why; }
    std::optional<int64_t> usable(int64_t value) const
    {
        return isUsable ? std::optional(value) : std::nullopt;
    }
    std::optional<int64_t> usable(BalancePart part, int64_t value) const
    {
        return recorded.contains(part) ? usable(value) : std::nullopt;
    }
};

// Returns the steps from ranges and recorded phases, then those from logs with one value per step. Errors:
// invalid (arguments), canceled.
Result<AnalysisRows<BalanceRow>> asyncBalance(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
