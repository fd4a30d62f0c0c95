// SPDX-License-Identifier: Apache-2.0
// Student's t: quantiles for confidence intervals of means, and the interval of a difference of two means
// with unequal spreads (Welch). Read by step_statistics and by comparisons with a baseline. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep {

// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and 0 <= x <= 1: the share of a beta
// distribution below x, to some 15 digits.
double regularisedBeta(double a, double b, double x);

// The share of Student's distribution with `freedom` degrees of freedom (> 0, whole or not) below t.
double studentShare(double t, double freedom);

// The t that 97.5 % lie below: what a two-sided 95 % interval is wide by. Exact to some 12 digits; freedom >
// 0.
double studentQuantile975(double freedom);

// A mean of n values with their sample standard deviation (divisor n - 1).
struct SampleMean {
    int64_t count = 0;
    double mean = 0;
    double deviation = 0;
};

struct MeanInterval {
    double low = 0, high = 0;
};

// 95 % by Student's t: mean +- t * deviation / sqrt(n). Absent for fewer than two values.
std::optional<MeanInterval> confidenceOf(const SampleMean& sample);
// 95 % of after.mean - before.mean by Welch. Absent where either has fewer than two values.
std::optional<MeanInterval> confidenceOfChange(const SampleMean& before, const SampleMean& after);

} // namespace lockstep
