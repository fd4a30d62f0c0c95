// SPDX-License-Identifier: Apache-2.0
// Tests SequenceShift: identical operations still have one displacement, which is found among thousands
// without a comparison of every pair.
#include "core/align/sequence_shift.h"

#include <random>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kCount = 10'000;

// The same operations seen by another rank: shifted by a clock error, each end scattered by some µs.
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
    void identicalOperationsHaveOneDisplacement()
    {
        const auto first = viewOf(0, 0, 2), second = viewOf(-77'000'000'000, 41, 3);
        ShiftInput input;
        input.first = first;
        input.second = second;
        const SequenceShift found = findShift(input);
        QCOMPARE(found.verdict, ShiftVerdict::found);
        QCOMPARE(found.runs.front().shift, int64_t(-41));
        QCOMPARE(found.overlap, size_t(kCount) - 41);
        // Compares signatures at each displacement, and a sample of each; not 40 words per pair.
        QVERIFY2(found.work < uint64_t(2 * kMaxShift) * kCount * 2, std::to_string(found.work).c_str());
    }

    // One pair in a hundred and fifty is wrong: the sample still finds the right displacement.
    void wrongPairsDoNotHideTheRightOne()
    {
        for (uint64_t seed = 10; seed < 30; ++seed) {
            const auto first = viewOf(0, 0, seed), second = viewOf(5'000'000, 7, seed + 100, 150);
            ShiftInput input;
            input.first = first;
            input.second = second;
            QCOMPARE(findShift(input).runs.front().shift, int64_t(-7));
        }
    }

    // Each rank lost some collectives in the middle: those between the losses are still paired.
    void lossesInTheMiddleAreSkipped()
    {
        auto first = viewOf(0, 0, 2), second = viewOf(5'000'000, 0, 3);
        first.resize(2000);
        second.resize(2000);
        second.erase(second.begin() + 1000, second.begin() + 1005);
        first.erase(first.begin() + 1500, first.begin() + 1502);
        ShiftInput input;
        input.first = first;
        input.second = second;
        const SequenceShift found = findShift(input);
        QCOMPARE(found.verdict, ShiftVerdict::found);
        QVERIFY(!found.isWhole());
        QCOMPARE(found.partnerOf(0), std::optional<int64_t>(0));
        QCOMPARE(found.partnerOf(999), std::optional<int64_t>(999));
        QCOMPARE(found.partnerOf(1002), std::optional<int64_t>());
        QCOMPARE(found.partnerOf(1005), std::optional<int64_t>(1000));
        QCOMPARE(found.partnerOf(1499), std::optional<int64_t>(1494));
        QCOMPARE(found.partnerOf(1500), std::optional<int64_t>(1497));
        QCOMPARE(found.partnerOf(1997), std::optional<int64_t>(1994));
    }

    // The same for a program that repeats itself at a constant pace: any displacement fits, and none is
    // chosen.
    void lossesInARepetitionAreRefused()
    {
        std::vector<Collective> first, second;
        for (int64_t i = 0; i < 200; ++i) {
            Collective c;
            c.start = TraceTime{i * 10'000'000};
            c.end = TraceTime{i * 10'000'000 + 300'000 + i % 3 * 1'000};
            c.signature = 7;
            c.dependency = Dependency::all;
            first.push_back(c);
            second.push_back(c);
        }
        second.erase(second.begin() + 100, second.begin() + 103);
        ShiftInput input;
        input.first = first;
        input.second = second;
        QCOMPARE(findShift(input).verdict, ShiftVerdict::ambiguous);
    }
};

LOCKSTEP_TEST(SequenceShiftTest, "sequence_shift_test")
#include "sequence_shift_test.moc"
