// SPDX-License-Identifier: Apache-2.0
// Tests values that are weighted by time, with numbers computed by hand.
#include "core/samples/gauge.h"

#include <vector>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kOneSecond = 1'000'000'000;

} // namespace

class GaugeTest : public QObject {
    Q_OBJECT

  private slots:
    void weightsByTime()
    {
        // 0.40 for 10 s, 0.95 for 10 s, 0.60 for 20 s
        const std::vector<int64_t> times{0, 10 * kOneSecond, 20 * kOneSecond};
        const std::vector<double> values{0.40, 0.95, 0.60};
        const auto use = gaugeUse(times, values, 40 * kOneSecond, 0.9);
        QVERIFY(use);
        QCOMPARE(use->mean, 0.6375);
        QCOMPARE(use->max, 0.95);
        QCOMPARE(use->highShare, 0.25);
        QCOMPARE(use->p10, 0.40);
        QCOMPARE(use->covered_ns, 40 * kOneSecond);
    }

    void aGapIsUnknown()
    {
        // A sample every second, then none for 97 seconds: 3 of them are known.
        const std::vector<int64_t> times{0, kOneSecond, 2 * kOneSecond, 3 * kOneSecond, 100 * kOneSecond};
        const std::vector<double> values{1, 1, 1, 5, 1};
        const auto use = gaugeUse(times, values, 101 * kOneSecond, 2);
        QCOMPARE(use->covered_ns, 7 * kOneSecond);
        QCOMPARE(use->mean, (3 * 1.0 + 3 * 5.0 + 1.0) / 7);
        QCOMPARE(use->highShare, 3.0 / 7);
    }

    void withoutTime()
    {
        QVERIFY(!gaugeUse({}, {}, 0, 0));
        const std::vector<int64_t> times{5};
        const std::vector<double> values{1};
        QVERIFY(!gaugeUse(times, values, 5, 0));
        QCOMPARE(gaugeUse(times, values, 8, 0)->covered_ns, int64_t(3));
        const std::vector<double> noNumber{std::nan("")};
        QVERIFY(!gaugeUse(times, noNumber, 8, 0));
    }
};

LOCKSTEP_TEST(GaugeTest, "gauge_test")
#include "gauge_test.moc"
