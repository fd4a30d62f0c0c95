// SPDX-License-Identifier: Apache-2.0
// Tests the tail of a step's samples with an example computed by hand: two replicas of 4 GPUs, ten samples,
// one of which calls a tool and writes a long answer.
#include "core/samples/tail.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kSecond = 1'000'000'000;

TimeRange seconds(int64_t begin, int64_t end)
{
    return {{begin * kSecond}, {end * kSecond}};
}

TimedSample sampleOf(uint32_t replica, TimeRange time, int64_t tokens, std::vector<PartSpan> spans)
{
    TimedSample sample;
    sample.time = time;
    sample.replica = replica;
    sample.tokens = tokens;
    for (const PartSpan& span : spans) {
        if (isEngineWork(span.part)) sample.engine.push_back(span.range);
    }
    sample.parts = dividedTime(time, spans);
    return sample;
}

// Prefill for one second, then decode, then a reward for one second.
TimedSample plainSample(uint32_t replica, int64_t begin, int64_t end)
{
    return sampleOf(replica, seconds(begin, end), (end - begin - 2) * 100,
                    {{seconds(begin, begin + 1), SamplePart::prefill},
                     {seconds(begin + 1, end - 1), SamplePart::decode},
                     {seconds(end - 1, end), SamplePart::reward}});
}

std::vector<TimedSample> tenSamples()
{
    return {plainSample(0, 0, 10),
            plainSample(0, 0, 12),
            plainSample(0, 0, 14),
            plainSample(0, 0, 30),
            sampleOf(0, seconds(0, 60), 3700,
                     {{seconds(0, 2), SamplePart::queue},
                      {seconds(2, 3), SamplePart::prefill},
                      {seconds(3, 20), SamplePart::decode},
                      {seconds(20, 38), SamplePart::tool},
                      {seconds(38, 58), SamplePart::decode},
                      {seconds(58, 60), SamplePart::reward}}),
            plainSample(1, 0, 11),
            plainSample(1, 0, 13),
            plainSample(1, 0, 15),
            plainSample(1, 0, 16),
            plainSample(1, 5, 20)};
}

int64_t excess(const TailReason& reason, SamplePart part)
{
    return reason.excess_ns[static_cast<size_t>(part)] / kSecond;
}

} // namespace

class TailTest : public QObject {
    Q_OBJECT

  private slots:
    void percentilesAndTheLastSample()
    {
        const auto samples = tenSamples();
        const SampleTail tail = tailOf(samples);
        QCOMPARE(tail.p50_ns, 14 * kSecond);
        QCOMPARE(tail.p90_ns, 30 * kSecond);
        QCOMPARE(tail.p99_ns, 60 * kSecond);
        QCOMPARE(tail.max_ns, 60 * kSecond);
        QCOMPARE(tail.last, size_t(4));
        QCOMPARE(tail.ended50.ns, 14 * kSecond);
        QCOMPARE(tail.ended90.ns, 30 * kSecond);
        QCOMPARE(tail.saved_ns, 30 * kSecond);
        QCOMPARE(tail.discarded, size_t(1));
    }

    void reasonOfTheLastSample()
    {
        const auto samples = tenSamples();
        const TailReason reason = tailOf(samples).reason;
        QVERIFY(reason.isKnown);
        QVERIFY(reason.largest == SamplePart::decode);
        QCOMPARE(excess(reason, SamplePart::decode), int64_t(25));
        QCOMPARE(excess(reason, SamplePart::tool), int64_t(18));
        QCOMPARE(excess(reason, SamplePart::queue), int64_t(2));
        QCOMPARE(excess(reason, SamplePart::reward), int64_t(1));
        QCOMPARE(excess(reason, SamplePart::prefill), int64_t(0));
        QCOMPARE(*reason.moreTokens_ns, 25 * kSecond);
    }

    void idleGpuTime()
    {
        auto samples = tenSamples();
        const std::vector<int64_t> gpus{4, 4};
        const SampleTail tail = tailOf(samples);
        const auto inSeconds = [](__int128 ns) { return static_cast<int64_t>(ns / kSecond); };
        const TailIdle engine = idleOf(samples, gpus, tail);
        QVERIFY(engine.isOfEngine);
        QCOMPARE(inSeconds(engine.capacity), int64_t(480));
        QCOMPARE(inSeconds(engine.busy), int64_t(272));
        QCOMPARE(inSeconds(engine.idle), int64_t(208));
        QCOMPARE(inSeconds(engine.after50), int64_t(208));
        QCOMPARE(inSeconds(engine.after90), int64_t(160));
        samples[0].engine.clear(); // one sample without engine spans: all count while they are assigned
        const TailIdle assigned = idleOf(samples, gpus, tail);
        QVERIFY(!assigned.isOfEngine);
        QCOMPARE(inSeconds(assigned.busy), int64_t(320));
        QCOMPARE(inSeconds(assigned.idle), int64_t(160));
        QCOMPARE(inSeconds(assigned.after50), int64_t(160));
        QCOMPARE(inSeconds(assigned.after90), int64_t(120));
    }

    void overlappingSpansCountOnce()
    {
        std::vector<PartSpan> spans{{seconds(0, 6), SamplePart::decode},
                                    {seconds(2, 4), SamplePart::tool},
                                    {seconds(3, 5), SamplePart::queue},
                                    {seconds(8, 20), SamplePart::reward}};
        const SamplePartTimes parts = dividedTime(seconds(1, 10), spans);
        const auto of = [&](SamplePart part) { return parts[static_cast<size_t>(part)] / kSecond; };
        QCOMPARE(of(SamplePart::decode), int64_t(3));
        QCOMPARE(of(SamplePart::tool), int64_t(2));
        QCOMPARE(of(SamplePart::queue), int64_t(0));
        QCOMPARE(of(SamplePart::reward), int64_t(2));
        QCOMPARE(of(SamplePart::other), int64_t(2));
    }

    void nearestRanks()
    {
        const std::vector<int64_t> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        QCOMPARE(nearestRank(values, 50), int64_t(6));
        QCOMPARE(nearestRank(values, 90), int64_t(10));
        QCOMPARE(nearestRank(values, 99), int64_t(11));
        QCOMPARE(nearestRank(std::vector<int64_t>{7}, 50), int64_t(7));
    }
};

LOCKSTEP_TEST(TailTest, "tail_test")
#include "tail_test.moc"
