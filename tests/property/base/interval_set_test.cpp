// SPDX-License-Identifier: Apache-2.0
// Compares sets of intervals with a plain bit per ns.
#include <bitset>

#include <rapidcheck.h>

#include "core/base/interval_set.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

using Bits = std::bitset<200>;

std::vector<TimeRange> randomRanges()
{
    const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 150), rc::gen::inRange(0, 40)));
    std::vector<TimeRange> ranges;
    for (const auto& [begin, length] : pairs)
        ranges.push_back({{begin}, {begin + length}});
    return ranges;
}

Bits bitsOf(std::span<const TimeRange> ranges)
{
    Bits bits;
    for (const TimeRange& range : ranges) {
        for (int64_t t = range.begin.ns; t < range.end.ns; ++t)
            bits.set(size_t(t));
    }
    return bits;
}

// The intervals are sorted, disjoint and not empty.
void checkShape(const IntervalSet& set)
{
    const auto ranges = set.ranges();
    for (size_t i = 0; i < ranges.size(); ++i) {
        RC_ASSERT(!ranges[i].isEmpty());
        if (i > 0) RC_ASSERT(ranges[i - 1].end < ranges[i].begin);
    }
    RC_ASSERT(set.length().ns == int64_t(bitsOf(ranges).count()));
}

} // namespace

class IntervalSetTest : public QObject {
    Q_OBJECT

  private slots:
    void setsEqualTheirBits()
    {
        QVERIFY(rc::check("any two sets", [] {
            const auto one = randomRanges(), other = randomRanges();
            const IntervalSet a = IntervalSet::unionOf(one), b = IntervalSet::unionOf(other);
            const Bits x = bitsOf(one), y = bitsOf(other);
            for (const IntervalSet& set : {a, b, a.intersectedWith(b), a.without(b), a.gaps()})
                checkShape(set);
            RC_ASSERT(bitsOf(a.ranges()) == x);
            RC_ASSERT(bitsOf(a.intersectedWith(b).ranges()) == (x & y));
            RC_ASSERT(bitsOf(a.without(b).ranges()) == (x & ~y));
            const TimeRange extent = a.extent();
            RC_ASSERT(bitsOf(a.gaps().ranges()) == (bitsOf({&extent, 1}) & ~x));
            // The parts of a split set add up to it.
            RC_ASSERT(a.intersectedWith(b).length() + a.without(b).length() == a.length());
        }));
    }
};

LOCKSTEP_TEST(IntervalSetTest, "interval_set_test")
#include "interval_set_test.moc"
