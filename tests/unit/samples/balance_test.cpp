// SPDX-License-Identifier: Apache-2.0
// Tests the balance of a step with an example computed by hand: 100 s, of which the trainer trains 50, waits
// 30 and updates weights 15.
#include "core/samples/balance.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kBalanceSecond = 1'000'000'000;

IntervalSet balanceSeconds(std::vector<std::pair<int64_t, int64_t>> ranges)
{
    std::vector<TimeRange> out;
    for (const auto& [begin, end] : ranges)
        out.push_back({{begin * kBalanceSecond}, {end * kBalanceSecond}});
    return IntervalSet::unionOf(std::move(out));
}

int64_t balancePart_ns(const StepBalance& balance, WeightPart part)
{
    return balance.parts_ns[static_cast<size_t>(part)] / kBalanceSecond;
}

} // namespace

class BalanceTest : public QObject {
    Q_OBJECT

  private slots:
    // Weights are sent after the training of the version before, or before the training of their own.
    void versionThatAStepTrains()
    {
        const TimeRange step{{0}, {100 * kBalanceSecond}};
        const auto trained = [&](int64_t update, std::vector<std::pair<int64_t, int64_t>> train) {
            return trainedVersion(7, {update * kBalanceSecond}, step, balanceSeconds(std::move(train)))
                .value();
        };
        QCOMPARE(trained(95, {{30, 80}}), 6);
        QCOMPARE(trained(10, {{30, 80}}), 7);
        QCOMPARE(trained(50, {{30, 40}, {60, 80}}), 6);
        QCOMPARE(trained(10, {{-20, 0}, {100, 180}}), 6); // no training in the step
    }

    void stepWithPositions()
    {
        BalanceTimes times;
        times.waiting = balanceSeconds({{0, 30}, {80, 85}}); // contains part of the weight update
        times.bufferWait = balanceSeconds({{5, 40}});
        times.train = balanceSeconds({{30, 80}, {100, 200}});
        times.weightSync = balanceSeconds({{78, 95}}); // begins before training ends
        times.parts[size_t(WeightPart::pause)] = balanceSeconds({{78, 82}});
        times.parts[size_t(WeightPart::transfer)] = balanceSeconds({{82, 93}});
        times.parts[size_t(WeightPart::gather)] = balanceSeconds({{82, 85}});
        times.parts[size_t(WeightPart::resume)] = balanceSeconds({{93, 94}});
        const StepBalance balance = balanceWithin({{0}, {100 * kBalanceSecond}}, times);
        QCOMPARE(balance.wall_ns, 100 * kBalanceSecond);
        QCOMPARE(balance.train_ns, 50 * kBalanceSecond);
        QCOMPARE(balance.exposed_ns, 30 * kBalanceSecond);
        QCOMPARE(balance.bufferWait_ns, std::optional(25 * kBalanceSecond));
        QCOMPARE(balance.weightSync_ns, 15 * kBalanceSecond);
        QCOMPARE(balancePart_ns(balance, WeightPart::pause), 2);
        QCOMPARE(balancePart_ns(balance, WeightPart::gather), 3);
        QCOMPARE(balancePart_ns(balance, WeightPart::transfer), 8);
        QCOMPARE(balancePart_ns(balance, WeightPart::resume), 1);
        QCOMPARE(balance.unattributed_ns, kBalanceSecond);
        QCOMPARE(balance.other_ns, 5 * kBalanceSecond);
        QVERIFY(balance.hasParts && balance.isConsistent());
    }

    void timersThatNest()
    {
        const std::vector<StepTimer> timers{
            {"update_actor", 50 * kBalanceSecond, BalancePart::train, false},
            {"gen", 30 * kBalanceSecond, BalancePart::exposedGeneration, false},
            {"sync", 15 * kBalanceSecond, BalancePart::weightSync, false},
            {"update_weights", 14 * kBalanceSecond, BalancePart::weightSync, false}};
        std::vector<std::string> subtracted;
        const StepBalance balance = balanceOfTimers(
            100 * kBalanceSecond, timers,
            std::vector{std::pair<std::string, std::string>{"update_weights", "sync"}, {"absent", "gen"}},
            subtracted);
        QCOMPARE(balance.weightSync_ns, 15 * kBalanceSecond);
        QCOMPARE(balance.other_ns, 5 * kBalanceSecond);
        QVERIFY(!balance.hasParts);
        QCOMPARE(subtracted, std::vector<std::string>{"update_weights from sync"});
    }

    // A trainer's wait may contain a timer that is no part of it.
    void timerThatIsOnlySubtracted()
    {
        const std::vector<StepTimer> timers{
            {"wait", 40 * kBalanceSecond, BalancePart::exposedGeneration, false},
            {"save", 10 * kBalanceSecond, std::nullopt, false}};
        std::vector<std::string> subtracted;
        const StepBalance balance =
            balanceOfTimers(100 * kBalanceSecond, timers,
                            std::vector{std::pair<std::string, std::string>{"save", "wait"}}, subtracted);
        QCOMPARE(balance.exposed_ns, 30 * kBalanceSecond);
        QCOMPARE(balance.other_ns, 70 * kBalanceSecond);
    }

    void partsThatExceedTheStep()
    {
        std::vector<std::string> subtracted;
        const auto balanceOf = [&](int64_t train_ns) {
            const StepTimer timer{"update_actor", train_ns, BalancePart::train, false};
            return balanceOfTimers(100 * kBalanceSecond, std::span(&timer, 1), {}, subtracted);
        };
        QVERIFY(balanceOf(101 * kBalanceSecond).isConsistent());
        QVERIFY(!balanceOf(101 * kBalanceSecond + kBalanceSecond / 10).isConsistent());
    }
};

LOCKSTEP_TEST(BalanceTest, "balance_test")

#include "balance_test.moc"
