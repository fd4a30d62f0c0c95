// SPDX-License-Identifier: Apache-2.0
// Student's t distribution: quantiles for confidence intervals of means, and the confidence interval for the
// difference of two means with unequal variances (Welch). Used by step_statistics and by baseline
// comparisons. Pure. Thread: any.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep {

// Returns the 97.5% quantile, which is the factor for a two-sided 95% interval. The degrees of freedom must
// be positive, and need not be an integer. Accurate to about 12 digits.
double studentQuantile975(double freedom);

// The mean of n values with their sample standard deviation (divisor n - 1).
struct SampleMean {
    int64_t count = 0;
    double mean = 0;
    double deviation = 0;
};

struct MeanInterval {
    double low = 0, high = 0;
};

// Returns the 95% interval by Student's t: mean +- t * deviation / sqrt(n). Returns nullopt for fewer than
// two values.
std::optional<MeanInterval> confidenceOf(const SampleMean& sample);
// Returns the 95% interval of after.mean - before.mean (Welch). Returns nullopt if either has fewer than two
// values.
std::optional<MeanInterval> confidenceOfChange(const SampleMean& before, const SampleMean& after);

} // namespace lockstep
