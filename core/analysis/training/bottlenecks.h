// SPDX-License-Identifier: Apache-2.0
// The `bottlenecks` analysis: reasons why a rank's GPUs are idle, by the rules and thresholds in the NeMo RL
// profiling guide (spec/rl_profilers.md 6.1, row 12). Each reason is listed with evidence, cost and suggested
// fix.
#pragma once

#include "core/analysis/training/rank_work.h"

namespace lockstep {

enum class FindingSeverity : uint8_t { high, medium, low };

// Returns "high", "medium" or "low".
std::string_view findingSeverityName(FindingSeverity severity);

// `longest` is always valid.
struct BottleneckRow : RankRow {
    FindingSeverity severity = FindingSeverity::medium;
    std::string_view rule; // "low_gpu_utilization", "high_communication_overhead" or "slow_kernels"
    int64_t value_hundredths = 0, threshold_hundredths = 0; // hundredths of `unit`
    std::string_view unit;                                  // "%" or "ms"
    int64_t cost_ns = 0; // idle time, communication not hidden by computation, or the kernel's total time
    std::string evidence;
    std::string_view fix;

    double value() const { return static_cast<double>(value_hundredths) / 100; }
    double threshold() const { return static_cast<double>(threshold_hundredths) / 100; }
};

// Returns the bottlenecks by group, then severity, then cost. The only possible error is `canceled`.
Result<AnalysisRows<BottleneckRow>> bottlenecks(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
