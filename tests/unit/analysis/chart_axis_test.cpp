// SPDX-License-Identifier: Apache-2.0
// Tests ChartAxis: positions and ticks on linear, whole and logarithmic axes, also for empty, negative and
// extreme ranges.
#include "core/analysis/chart_axis.h"

#include <limits>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Texts = std::vector<std::string>;

Texts textsOf(const ChartAxis& axis, size_t count = 5)
{
    Texts texts;
    for (const AxisTick& tick : axis.ticks(count))
        texts.push_back(tick.text);
    return texts;
}

ChartAxis logarithmic(double from_ns, double to_ns)
{
    return {from_ns, to_ns, {}, AxisScale::logarithmic};
}

} // namespace

class ChartAxisTest : public QObject {
    Q_OBJECT

  private slots:
    void ticksAreRound()
    {
        QCOMPARE(textsOf({0, 10}), (Texts{"0", "2", "4", "6", "8", "10"}));
        QCOMPARE(textsOf({0.1, 0.2}), (Texts{"0.10", "0.12", "0.14", "0.16", "0.18", "0.20"}));
        QCOMPARE(textsOf({-7, 7}, 3), (Texts{"\u22125", "0", "5"}));
        QCOMPARE(textsOf({-0.25, 0.05}, 3), (Texts{"\u22120.2", "\u22120.1", "0.0"}));
        QCOMPARE(textsOf({0, 30'000}, 3), (Texts{"0", "10,000", "20,000", "30,000"}));
    }

    void labelsHaveTheUnitOfTheAxis()
    {
        const ChartAxis axis{0, 3'000'000, timeUnitOf(3'000'000)};
        QCOMPARE(axis.unit.name, std::string("ms"));
        QCOMPARE(textsOf(axis, 3), (Texts{"0", "1", "2", "3"}));
        QCOMPARE(axis.ticks(3)[2].value, 2'000'000.0);
        QCOMPARE(axis.shareOf(1'500'000), 0.5);
        QCOMPARE(timeUnitOf(999).name, std::string("ns"));
        QCOMPARE(timeUnitOf(1e9).size, 1e9);
        const TableColumn bytes{"size", "B", ColumnType::integer, 0, ""};
        QCOMPARE(axisUnitOf(bytes, 1e12).name, std::string("B"));
    }

    void stepsAndCountsAreWhole()
    {
        QCOMPARE(textsOf({0, 3, {}, AxisScale::whole}, 6), (Texts{"0", "1", "2", "3"}));
        QCOMPARE(textsOf({0.5, 1.5, {}, AxisScale::whole}, 6), (Texts{"1"}));
        QCOMPARE(textsOf({0, 3}, 6).size(), size_t(7));
    }

    void logarithmicTicksArePowersOfTen()
    {
        QCOMPARE(textsOf(logarithmic(400, 5'000'000)),
                 (Texts{"1 \u00B5s", "10 \u00B5s", "100 \u00B5s", "1 ms"}));
        QCOMPARE(textsOf(logarithmic(1, 1e18), 5).size(), size_t(5)); // every fourth power
        // A range shorter than a power of ten has ticks at its ends.
        QCOMPARE(textsOf(logarithmic(2'000, 4'000)), (Texts{"2 \u00B5s", "4 \u00B5s"}));
        QCOMPARE(textsOf(logarithmic(8'000, 20'000)), (Texts{"8 \u00B5s", "10 \u00B5s", "20 \u00B5s"}));
        QCOMPARE(textsOf(logarithmic(10'000, 12'115)), (Texts{"10 \u00B5s", "12.1 \u00B5s"}));
        const ChartAxis axis = logarithmic(10, 1'000);
        QCOMPARE(axis.shareOf(100), 0.5);
        QVERIFY(axis.shareOf(1) < 0 && axis.shareOf(10'000) > 1);
        QCOMPARE(axis.shareOf(0), 0.0); // no power of ten
        QVERIFY(textsOf(logarithmic(0, 10)).empty() && textsOf(logarithmic(-5, 10)).empty());
    }

    void emptyRangesHaveOneTick()
    {
        QCOMPARE(textsOf({5, 5}), (Texts{"5"}));
        QCOMPARE(textsOf({0.25, 0.25}), (Texts{"0.250"}));
        QCOMPARE(textsOf(logarithmic(100, 100)), (Texts{"100 ns"}));
        QCOMPARE((ChartAxis{5, 5}.shareOf(5)), 0.5);
    }

    void impossibleRangesHaveNoTicks()
    {
        QVERIFY(textsOf({2, 1}).empty() && textsOf({0, 1}, 0).empty());
        QVERIFY(textsOf({0, std::numeric_limits<double>::quiet_NaN()}).empty());
        QVERIFY(textsOf({0, kInfinity}).empty() && textsOf({-kInfinity, 0}).empty());
        QVERIFY(textsOf({-1.7e308, 1.7e308}).empty()); // the length is not finite
    }

    // Ticks ascend, are within the range and not too many, whatever the magnitude.
    void extremeRanges()
    {
        for (const auto& [from, to] : std::initializer_list<std::pair<double, double>>{
                 {0, 1e300}, {1e18, 1e18 + 256}, {1e18, 1e18 + 1e6}, {-1e-300, 1e-300}, {9e15, 9.1e15}}) {
            for (const AxisScale scale : {AxisScale::linear, AxisScale::whole}) {
                const ChartAxis axis{from, to, {}, scale};
                const std::vector<AxisTick> ticks = axis.ticks(5);
                QVERIFY(ticks.size() <= 12);
                for (size_t i = 0; i < ticks.size(); ++i) {
                    QVERIFY(axis.shareOf(ticks[i].value) > -0.01 && axis.shareOf(ticks[i].value) < 1.01);
                    QVERIFY(i == 0 || ticks[i - 1].value < ticks[i].value);
                }
            }
        }
    }
};

LOCKSTEP_TEST(ChartAxisTest, "chart_axis_test")
#include "chart_axis_test.moc"
