// SPDX-License-Identifier: Apache-2.0
// Tests statistics by the rules of nsys stats, to the last shown digit.
#include "core/analysis/duration_statistics.h"

#include <limits>
#include <vector>

#include "core/base/time.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

DurationStatistics of(std::vector<int64_t> values)
{
    return durationStatistics(values);
}

} // namespace

class DurationStatisticsTest : public QObject {
    Q_OBJECT

  private slots:
    void oneValueHasNoDeviation()
    {
        const DurationStatistics one = of({7});
        QCOMPARE(one.count, int64_t(1));
        QCOMPARE(one.total, int64_t(7));
        QCOMPARE(one.average(10), int64_t(70));
        QCOMPARE(one.median(10), int64_t(70));
        QCOMPARE(one.standardDeviation(10), int64_t(0));
    }

    void noValues()
    {
        const DurationStatistics none = of({});
        QCOMPARE(none.count, int64_t(0));
        QCOMPARE(none.average(10), int64_t(0));
    }

    void evenCountsTakeTheMiddlePair()
    {
        const DurationStatistics even = of({10, 1, 4, 3});
        QCOMPARE(even.median(10), int64_t(35));
        QCOMPARE(even.average(10), int64_t(45));
        QCOMPARE(even.minimum, int64_t(1));
        QCOMPARE(even.maximum, int64_t(10));
        QCOMPARE(even.standardDeviation(10), int64_t(39)); // sqrt(45 / 3) = 3.873
    }

    void oddCountsTakeTheMiddleOne() { QCOMPARE(of({5, 100, 1}).median(10), int64_t(50)); }

    void longRunsKeepTheirDigits()
    {
        // Around 2^60 the squares exceed 64 bits and the digits of a double; the standard deviation is still
        // exact.
        const int64_t base = int64_t(1) << 60;
        const DurationStatistics far = of({base, base + 1, base + 2});
        QCOMPARE(far.standardDeviation(10), int64_t(10));
        QCOMPARE(far.total, 3 * base + 3);
        QCOMPARE(far.average(1), base + 1);
        const DurationStatistics wide = of(std::vector<int64_t>(5, kAllTime.end.ns));
        QCOMPARE(wide.total, std::numeric_limits<int64_t>::max()); // the sum does not fit into 64 bits
        QCOMPARE(of({0, kAllTime.end.ns}).minimum, int64_t(0));
    }

    void roundsHalfAwayFromZero()
    {
        QCOMPARE(roundedQuotient(5, 2), int64_t(3));
        QCOMPARE(roundedQuotient(-5, 2), int64_t(-3));
        QCOMPARE(roundedQuotient(4, 3), int64_t(1));
        QCOMPARE(roundedQuotient(1, 0), int64_t(0));
        QCOMPARE(roundedQuotient(__int128(std::numeric_limits<int64_t>::max()) * 4, 1),
                 std::numeric_limits<int64_t>::max());
    }

    void otherUnits()
    {
        const DurationStatistics sizes = of({1'499, 1'501});
        QCOMPARE(sizes.average(1, 1000), int64_t(2)); // 1500 bytes are 0.0015 MB: 2 thousandths
        QCOMPARE(sizes.median(1, 1000), int64_t(2));
        QCOMPARE(sizes.standardDeviation(1000, 1000), int64_t(1));
    }
};

LOCKSTEP_TEST(DurationStatisticsTest, "duration_statistics_test")
#include "duration_statistics_test.moc"
