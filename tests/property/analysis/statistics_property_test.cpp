// SPDX-License-Identifier: Apache-2.0
// Compares statistics of random groups with the plain formulas.
#include <algorithm>
#include <cmath>

#include <rapidcheck.h>

#include "core/analysis/duration_statistics.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class StatisticsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void equalThePlainFormulas()
    {
        QVERIFY(rc::check("statistics = brute force", [] {
            auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
                rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 4'000'000'000), rc::gen::inRange<int64_t>(0, 20),
                               rc::gen::inRange<int64_t>(-50, 1'000'000'000'000))));
            std::vector<int64_t> sorted;
            // Values repeat in several places as often as possible: repeated values are counted, not sorted.
            const auto times = *rc::gen::element<size_t>(1, 2, 1'000);
            const std::vector<std::span<const int64_t>> parts(times, values);
            sorted.clear();
            for (size_t i = 0; i < times; ++i)
                sorted.insert(sorted.end(), values.begin(), values.end());
            std::ranges::sort(sorted);
            const auto n = static_cast<long double>(sorted.size());
            long double total = 0, squares = 0;
            for (const int64_t value : sorted)
                total += static_cast<long double>(value);
            for (const int64_t value : sorted)
                squares += std::pow(static_cast<long double>(value) - total / n, 2.0L);
            const DurationStatistics got = durationStatistics(parts);
            RC_ASSERT(got.total == static_cast<int64_t>(total));
            RC_ASSERT(got.minimum == sorted.front());
            RC_ASSERT(got.maximum == sorted.back());
            RC_ASSERT(got.doubledMedian == sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
            const long double deviation = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
            RC_ASSERT(std::abs(got.deviation - deviation) <= 1e-9L * (1 + deviation));
        }));
    }
};

LOCKSTEP_TEST(StatisticsPropertyTest, "statistics_property_test")
#include "statistics_property_test.moc"
