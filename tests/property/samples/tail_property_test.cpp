// SPDX-License-Identifier: Apache-2.0
// Compares the tail of random runs with brute force, nanosecond by nanosecond: every part of a sample, and
// the busy and idle GPU time of a step, add up exactly.
#include <numeric>

#include <rapidcheck.h>

#include "core/samples/tail.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kSpan_ns = 200;

TimeRange anyRange()
{
    const int64_t begin = *rc::gen::inRange<int64_t>(0, kSpan_ns);
    return {{begin}, {begin + *rc::gen::inRange<int64_t>(0, 60)}};
}

std::vector<PartSpan> anySpans()
{
    std::vector<PartSpan> spans;
    const int count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i)
        spans.push_back({anyRange(), static_cast<SamplePart>(*rc::gen::inRange(0, int(SamplePart::other)))});
    return spans;
}

std::vector<TimedSample> anySamples(uint32_t replicas)
{
    std::vector<TimedSample> samples;
    const int count = *rc::gen::inRange(1, 12);
    for (int i = 0; i < count; ++i) {
        TimedSample sample;
        sample.time = anyRange();
        sample.replica = *rc::gen::inRange<uint32_t>(0, replicas);
        sample.tokens = *rc::gen::inRange<int64_t>(0, 100);
        std::vector<PartSpan> spans = anySpans();
        for (const PartSpan& span : spans) {
            if (isEngineWork(span.part)) sample.engine.push_back(span.range);
        }
        sample.parts = dividedTime(sample.time, spans);
        samples.push_back(sample);
    }
    return samples;
}

bool isBusyAt(const std::vector<TimedSample>& samples, uint32_t replica, bool isOfEngine, TraceTime at)
{
    return std::ranges::any_of(samples, [&](const TimedSample& sample) {
        if (sample.replica != replica) return false;
        if (!isOfEngine) return sample.time.contains(at);
        return std::ranges::any_of(sample.engine, [&](TimeRange range) { return range.contains(at); });
    });
}

} // namespace

class TailPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    // Of each property; RapidCheck reads this at the first check.
    void initTestCase()
    {
        if (!qEnvironmentVariableIsSet("RC_PARAMS")) qputenv("RC_PARAMS", "max_success=1000");
    }

    void partsAddUp()
    {
        QVERIFY(rc::check("the parts of a sample", [] {
            std::vector<PartSpan> spans = anySpans();
            const TimeRange time = anyRange();
            const SamplePartTimes parts = dividedTime(time, spans);
            SamplePartTimes expected = {};
            for (TraceTime at = time.begin; at < time.end; ++at.ns) {
                auto first = SamplePart::other;
                for (const PartSpan& span : spans) {
                    if (span.range.contains(at)) first = std::min(first, span.part);
                }
                ++expected[static_cast<size_t>(first)];
            }
            RC_ASSERT(parts == expected);
        }));
    }

    void busyAndIdleAddUp()
    {
        QVERIFY(rc::check("the GPU time of a step", [] {
            const auto replicas = *rc::gen::inRange<uint32_t>(1, 4);
            const std::vector<TimedSample> samples = anySamples(replicas);
            std::vector<int64_t> gpus;
            for (uint32_t i = 0; i < replicas; ++i)
                gpus.push_back(*rc::gen::inRange<int64_t>(1, 9));
            const SampleTail tail = tailOf(samples);
            const TailIdle idle = idleOf(samples, gpus, tail);
            __int128 busy = 0, after50 = 0, after90 = 0;
            for (uint32_t replica = 0; replica < replicas; ++replica) {
                for (TraceTime at = tail.window.begin; at < tail.window.end; ++at.ns) {
                    const bool isBusy = isBusyAt(samples, replica, idle.isOfEngine, at);
                    busy += isBusy ? gpus[replica] : 0;
                    after50 += !isBusy && at >= tail.ended50 ? gpus[replica] : 0;
                    after90 += !isBusy && at >= tail.ended90 ? gpus[replica] : 0;
                }
            }
            const int64_t all = std::accumulate(gpus.begin(), gpus.end(), int64_t(0));
            RC_ASSERT(idle.capacity == __int128(all) * tail.window.length().ns);
            RC_ASSERT(idle.busy == busy && idle.idle == idle.capacity - busy);
            RC_ASSERT(idle.after50 == after50 && idle.after90 == after90);
        }));
    }

    void excessAddsUp()
    {
        QVERIFY(rc::check("the excess of a sample", [] {
            const std::vector<TimedSample> samples = anySamples(1);
            const TailMedians medians = mediansOf(samples);
            const int64_t typical =
                std::accumulate(medians.parts_ns.begin(), medians.parts_ns.end(), int64_t(0));
            for (const TimedSample& sample : samples) {
                const TailReason reason = reasonOf(sample, medians);
                const int64_t excess =
                    std::accumulate(reason.excess_ns.begin(), reason.excess_ns.end(), int64_t(0));
                RC_ASSERT(excess == sample.time.length().ns - typical);
            }
        }));
    }

    void counts()
    {
        QVERIFY(rc::check("ranks and counts", [] {
            const std::vector<TimedSample> samples = anySamples(1);
            const SampleTail tail = tailOf(samples);
            const auto endedBy = [&](TraceTime at) {
                return std::ranges::count_if(samples, [&](const TimedSample& s) { return s.time.end <= at; });
            };
            RC_ASSERT(size_t(endedBy(tail.ended90)) + tail.discarded == samples.size());
            RC_ASSERT(size_t(endedBy(tail.ended90)) * 10 >= samples.size() * 9);
            RC_ASSERT(size_t(endedBy(tail.ended50)) * 2 >= samples.size());
            RC_ASSERT(samples[tail.last].time.end == tail.window.end);
        }));
    }
};

LOCKSTEP_TEST(TailPropertyTest, "tail_property_test")
#include "tail_property_test.moc"
