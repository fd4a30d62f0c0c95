// SPDX-License-Identifier: Apache-2.0
// Compares the balance of random steps with a look at every nanosecond: the parts of a step, and those of its
// weight update, add up exactly.
#include <rapidcheck.h>

#include "core/samples/balance.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kWhole_ns = 120;

IntervalSet anyIntervals()
{
    std::vector<TimeRange> ranges;
    const int count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < count; ++i) {
        const int64_t begin = *rc::gen::inRange<int64_t>(0, kWhole_ns);
        ranges.push_back({{begin}, {begin + *rc::gen::inRange<int64_t>(0, 40)}});
    }
    return IntervalSet::unionOf(std::move(ranges));
}

bool holdsAt(const IntervalSet& set, int64_t at_ns)
{
    return set.lengthWithin({{at_ns}, {at_ns + 1}}).ns == 1;
}

StepBalance countedBalance(TimeRange step, const BalanceTimes& times)
{
    StepBalance counted;
    int64_t bufferWait_ns = 0;
    for (int64_t at = step.begin.ns; at < step.end.ns; ++at) {
        ++counted.wall_ns;
        if (holdsAt(times.train, at)) {
            ++counted.train_ns;
        } else if (holdsAt(times.weightSync, at)) {
            ++counted.weightSync_ns;
            size_t part = kWeightParts;
            for (size_t i = 0; i < kWeightParts; ++i) {
                if (holdsAt(times.parts[i], at)) part = i;
            }
            ++(part < kWeightParts ? counted.parts_ns[part] : counted.unattributed_ns);
        } else if (holdsAt(times.waiting, at)) {
            ++counted.exposed_ns;
            bufferWait_ns += times.bufferWait && holdsAt(*times.bufferWait, at) ? 1 : 0;
        } else {
            ++counted.other_ns;
        }
    }
    if (times.bufferWait) counted.bufferWait_ns = bufferWait_ns;
    return counted;
}

} // namespace

class BalancePropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void partsAddUp()
    {
        QVERIFY(rc::check([] {
            BalanceTimes times;
            times.train = anyIntervals();
            times.waiting = anyIntervals();
            times.weightSync = anyIntervals();
            if (*rc::gen::arbitrary<bool>()) times.bufferWait = anyIntervals();
            for (IntervalSet& part : times.parts)
                part = anyIntervals();
            const int64_t begin = *rc::gen::inRange<int64_t>(0, kWhole_ns);
            const TimeRange step{{begin}, {begin + *rc::gen::inRange<int64_t>(0, 60)}};
            const StepBalance found = balanceWithin(step, times), counted = countedBalance(step, times);
            RC_ASSERT(found.wall_ns == counted.wall_ns);
            RC_ASSERT(found.train_ns == counted.train_ns);
            RC_ASSERT(found.exposed_ns == counted.exposed_ns);
            RC_ASSERT(found.bufferWait_ns == counted.bufferWait_ns);
            RC_ASSERT(found.weightSync_ns == counted.weightSync_ns);
            RC_ASSERT(found.parts_ns == counted.parts_ns);
            RC_ASSERT(found.unattributed_ns == counted.unattributed_ns);
            RC_ASSERT(found.other_ns == counted.other_ns);
        }));
    }
};

LOCKSTEP_TEST(BalancePropertyTest, "balance_property_test")

#include "balance_property_test.moc"
