// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/student_t.h"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace lockstep {

double studentQuantile975(double freedom)
{
    return boost::math::quantile(boost::math::students_t(freedom), 0.975);
}

std::optional<MeanInterval> confidenceOf(const SampleMean& sample)
{
    if (sample.count < 2) return std::nullopt;
    const auto n = static_cast<double>(sample.count);
    const double half = studentQuantile975(n - 1) * sample.deviation / std::sqrt(n);
    return MeanInterval{sample.mean - half, sample.mean + half};
}

std::optional<MeanInterval> confidenceOfChange(const SampleMean& before, const SampleMean& after)
{
    if (before.count < 2 || after.count < 2) return std::nullopt;
    const auto nb = static_cast<double>(before.count), na = static_cast<double>(after.count);
    const double change = after.mean - before.mean;
    const double b = before.deviation * before.deviation / nb, a = after.deviation * after.deviation / na;
    if (a + b <= 0) return MeanInterval{change, change};
    const double freedom = (a + b) * (a + b) / (a * a / (na - 1) + b * b / (nb - 1));
    const double half = studentQuantile975(freedom) * std::sqrt(a + b);
    return MeanInterval{change - half, change + half};
}

} // namespace lockstep
