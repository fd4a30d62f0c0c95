// SPDX-License-Identifier: Apache-2.0
// SequenceShift: operations that are all alike still have one displacement, found among thousands without
// looking at every pair of each.
#include "core/align/sequence_shift.h"

#include <random>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kCount = 10'000;

// One rank's view of the same operations: later by a clock's error, each end scattered by some µs.
std::vector<Collective> viewOf(int64_t clock_ns, size_t headLoss, uint64_t seed, int64_t everyLate = 0)
{
    std::mt19937_64 truth(1), own(seed);
    std::vector<Collective> list;
    int64_t now = 1'000'000'000;
    for (int64_t i = 0; i < kCount; ++i) {
        now += 200'000 + static_cast<int64_t>(truth() % 4'000'000);
        const int64_t length = 100'000 + static_cast<int64_t>(truth() % 50'000);
        Collective c;
        const auto scatter = static_cast<int64_t>(own() % 4'000);
        c.end = TraceTime{now + length + clock_ns + scatter};
        c.start = TraceTime{now + clock_ns - static_cast<int64_t>(own() % 30'000)};
        if (everyLate != 0 && i % everyLate == 0) c.end.ns += 900'000'000;
        c.signature = 7;
        c.isUsable = true;
        c.dependency = Dependency::all;
        list.push_back(c);
    }
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(headLoss));
    return list;
}

} // namespace

class SequenceShiftTest : public QObject {
    Q_OBJECT

  private slots:
    void alikeOperationsHaveOneDisplacement()
    {
        const auto first = viewOf(0, 0, 2), second = viewOf(-77'000'000'000, 41, 3);
        ShiftInput input;
        input.first = first;
        input.second = second;
        const SequenceShift found = findShift(input);
        QCOMPARE(found.verdict, ShiftVerdict::found);
        QCOMPARE(found.shift, int64_t(-41));
        QCOMPARE(found.overlap, size_t(kCount) - 41);
        // Comparing signatures at each displacement, and a sample of each: not 40 words a pair.
        QVERIFY2(found.work < uint64_t(2 * kMaxShift) * kCount * 2, std::to_string(found.work).c_str());
    }

    // One pair in a hundred and fifty is wrong: the right displacement is not lost by the sample.
    void wrongPairsDoNotHideTheRightOne()
    {
        for (uint64_t seed = 10; seed < 30; ++seed) {
            const auto first = viewOf(0, 0, seed), second = viewOf(5'000'000, 7, seed + 100, 150);
            ShiftInput input;
            input.first = first;
            input.second = second;
            QCOMPARE(findShift(input).shift, int64_t(-7));
        }
    }
};

LOCKSTEP_TEST(SequenceShiftTest, "sequence_shift_test")
#include "sequence_shift_test.moc"
