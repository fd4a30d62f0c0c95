// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/student_t.h"

#include <algorithm>
#include <cmath>

#include <math.h>

namespace lockstep {

namespace {

// std::lgamma writes a global sign, which would be a data race between threads. This function does not.
double logGamma(double x)
{
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

// Evaluates the continued fraction for the incomplete beta function by Lentz's method, which converges fast
// for x below the distribution's mean.
double betaFraction(double a, double b, double x)
{
    constexpr double kTiny = 1e-300;
    const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
    double c = 1;
    double d = 1 / away(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m <= 10'000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away(1 + even * d);
        c = away(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away(1 + odd * d);
        c = away(1 + odd / c);
        const double step = d * c;
        fraction *= step;
        if (std::abs(step - 1) < 1e-16) break;
    }
    return fraction;
}

double studentDensity(double t, double freedom)
{
    const double log = logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - 0.5 * std::log(freedom * M_PI) -
                       (freedom + 1) / 2 * std::log1p(t * t / freedom);
    return std::exp(log);
}

} // namespace

double regularisedBeta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front =
        std::exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * betaFraction(a, b, x) / a;
    return 1 - front * betaFraction(b, a, 1 - x) / b;
}

double studentShare(double t, double freedom)
{
    const double tail = 0.5 * regularisedBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
    return t > 0 ? 1 - tail : tail;
}

double studentQuantile975(double freedom)
{
    constexpr double kShare = 0.975;
    double low = 1.9, high = 13;
    while (studentShare(high, freedom) < kShare && high < 1e300)
        high *= 2;
    double t = std::min(high, 2 + 11 / freedom);
    for (int i = 0; i < 400; ++i) { // uses Newton's step if it remains inside the interval, otherwise
                                    // bisection
        const double error = studentShare(t, freedom) - kShare;
        (error < 0 ? low : high) = t;
        double next = t - error / studentDensity(t, freedom);
        if (!(low < next && next < high)) next = low + (high - low) / 2;
        if (std::abs(next - t) <= 1e-14 * std::abs(t)) return next;
        t = next;
    }
    return t;
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
