// SPDX-License-Identifier: Apache-2.0
#include "core/samples/tail.h"

#include <algorithm>
#include <numeric>

namespace lockstep {

namespace {

constexpr size_t at(SamplePart part)
{
    return static_cast<size_t>(part);
}

// Returns the length of the part of a union of sorted ranges that is inside `within`.
int64_t coveredIn(std::span<const TimeRange> sorted, TimeRange within)
{
    int64_t covered = 0;
    TraceTime end = within.begin;
    for (const TimeRange& range : sorted) {
        const TraceTime from = std::max(range.begin, end);
        const TraceTime to = std::min(range.end, within.end);
        if (from < to) covered += (to - from).ns;
        end = std::max(end, to);
    }
    return covered;
}

int64_t decodeTime(const TimedSample& sample)
{
    return sample.parts[at(SamplePart::decode)] + sample.parts[at(SamplePart::generate)];
}

} // namespace

std::string_view samplePartName(SamplePart part)
{
    static constexpr std::array<std::string_view, kSampleParts> kNames{
        "tool", "reward", "prefill", "generate", "decode", "transfer", "queue", "other"};
    return kNames[at(part)];
}

std::optional<SamplePart> samplePartOf(SpanKind kind)
{
    switch (kind) {
    case SpanKind::tool:
        return SamplePart::tool;
    case SpanKind::reward:
        return SamplePart::reward;
    case SpanKind::prefill:
        return SamplePart::prefill;
    case SpanKind::generate:
        return SamplePart::generate;
    case SpanKind::decode:
        return SamplePart::decode;
    case SpanKind::kvTransfer:
        return SamplePart::transfer;
    case SpanKind::queue:
        return SamplePart::queue;
    default:
        return std::nullopt;
    }
}

TimedSample timedSample(const Report& report, SampleId id, const ClockMap& map)
{
    const Sample& sample = report.samples.samples[id.value];
    TimedSample out;
    out.time = map.alignedFromTrace(TimeRange{{sample.start_ns}, {sample.end_ns}});
    if (sample.outputTokens >= 0) out.tokens = sample.outputTokens;
    std::vector<PartSpan> spans;
    for (const uint32_t row : report.samples.spansOf(id)) {
        const SampleSpan& span = report.samples.spans[row];
        const auto part = samplePartOf(span.kind);
        if (!part || report.slices.isInstant(span.slice)) continue;
        spans.push_back({map.alignedFromTrace(report.slices.range(span.slice)), *part});
        if (isEngineWork(*part)) out.engine.push_back(spans.back().range);
    }
    out.parts = dividedTime(out.time, spans);
    return out;
}

// A sweep over the starts and ends of all spans, in order of time. Between two of them, the first part that
// has an open span gets the time, so every nanosecond is counted once.
SamplePartTimes dividedTime(TimeRange time, std::vector<PartSpan>& spans)
{
    struct Change {
        TraceTime at;
        SamplePart part;
        int open;
    };
    std::vector<Change> changes;
    for (const PartSpan& span : spans) {
        const TraceTime begin = std::max(span.range.begin, time.begin);
        const TraceTime end = std::min(span.range.end, time.end);
        if (begin >= end) continue;
        changes.push_back({begin, span.part, +1});
        changes.push_back({end, span.part, -1});
    }
    std::ranges::sort(changes, {}, &Change::at);
    SamplePartTimes out = {};
    std::array<int, kSampleParts> open = {};
    TraceTime last = time.begin;
    const auto countUpTo = [&](TraceTime until) {
        const auto first = std::ranges::find_if(open, [](int count) { return count > 0; });
        const size_t part = first == open.end() ? at(SamplePart::other) : size_t(first - open.begin());
        out[part] += (until - last).ns;
        last = until;
    };
    for (const Change& change : changes) {
        countUpTo(change.at);
        open[at(change.part)] += change.open;
    }
    countUpTo(time.end);
    return out;
}

int64_t nearestRank(std::span<const int64_t> sorted, int percent)
{
    const size_t rank = (sorted.size() * static_cast<size_t>(percent) + 99) / 100;
    return sorted[std::max<size_t>(rank, 1) - 1];
}

TailMedians mediansOf(std::span<const TimedSample> samples)
{
    TailMedians medians;
    std::vector<int64_t> values(samples.size());
    const auto median = [&] {
        std::ranges::sort(values);
        return nearestRank(values, 50);
    };
    for (size_t part = 0; part < kSampleParts; ++part) {
        std::ranges::transform(samples, values.begin(), [&](const TimedSample& s) { return s.parts[part]; });
        medians.parts_ns[part] = median();
    }
    const auto hasTokens = [](const TimedSample& sample) { return sample.tokens && *sample.tokens > 0; };
    if (!std::ranges::all_of(samples, hasTokens)) return medians;
    std::ranges::transform(samples, values.begin(), [](const TimedSample& s) { return *s.tokens; });
    medians.tokens = median();
    constexpr int64_t kPerNs = 1'000;
    std::ranges::transform(samples, values.begin(), [](const TimedSample& s) {
        return static_cast<int64_t>(__int128(decodeTime(s)) * kPerNs / *s.tokens);
    });
    medians.perToken_ps = median();
    return medians;
}

TailReason reasonOf(const TimedSample& sample, const TailMedians& medians)
{
    TailReason reason;
    for (size_t part = 0; part < kSampleParts; ++part)
        reason.excess_ns[part] = sample.parts[part] - medians.parts_ns[part];
    const auto largest = std::ranges::max_element(reason.excess_ns);
    reason.largest = static_cast<SamplePart>(largest - reason.excess_ns.begin());
    const int64_t length = sample.time.length().ns;
    reason.isKnown = __int128(length - sample.parts[at(SamplePart::other)]) * 10 >= __int128(length) * 8;
    if (medians.tokens && sample.tokens) {
        constexpr int64_t kPerNs = 1'000;
        reason.moreTokens_ns =
            static_cast<int64_t>(__int128(*sample.tokens - *medians.tokens) * *medians.perToken_ps / kPerNs);
    }
    return reason;
}

SampleTail tailOf(std::span<const TimedSample> samples)
{
    SampleTail tail;
    tail.count = samples.size();
    std::vector<int64_t> durations, ends;
    tail.window = samples.front().time;
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeRange& time = samples[i].time;
        durations.push_back(time.length().ns);
        ends.push_back(time.end.ns);
        tail.window.begin = std::min(tail.window.begin, time.begin);
        tail.window.end = std::max(tail.window.end, time.end);
        if (time.end > samples[tail.last].time.end) tail.last = i;
    }
    std::ranges::sort(durations);
    std::ranges::sort(ends);
    tail.p50_ns = nearestRank(durations, 50);
    tail.p90_ns = nearestRank(durations, 90);
    tail.p99_ns = nearestRank(durations, 99);
    tail.max_ns = durations.back();
    tail.ended50.ns = nearestRank(ends, 50);
    tail.ended90.ns = nearestRank(ends, 90);
    tail.reason = reasonOf(samples[tail.last], mediansOf(samples));
    tail.saved_ns = (tail.window.end - tail.ended90).ns;
    tail.discarded = static_cast<size_t>(ends.end() - std::ranges::upper_bound(ends, tail.ended90.ns));
    return tail;
}

TailIdle idleOf(std::span<const TimedSample> samples, std::span<const int64_t> gpus, const SampleTail& tail)
{
    TailIdle out;
    out.isOfEngine =
        std::ranges::none_of(samples, [](const TimedSample& sample) { return sample.engine.empty(); });
    std::vector<std::vector<TimeRange>> busy(gpus.size());
    for (const TimedSample& sample : samples) {
        std::vector<TimeRange>& of = busy[sample.replica];
        if (out.isOfEngine) {
            of.insert(of.end(), sample.engine.begin(), sample.engine.end());
        } else {
            of.push_back(sample.time);
        }
    }
    const TimeRange after50{tail.ended50, tail.window.end}, after90{tail.ended90, tail.window.end};
    for (size_t replica = 0; replica < gpus.size(); ++replica) {
        std::ranges::sort(busy[replica], {}, [](const TimeRange& range) { return range.begin; });
        const auto idleIn = [&](TimeRange within) {
            return __int128(gpus[replica]) * (within.length().ns - coveredIn(busy[replica], within));
        };
        const __int128 capacity = __int128(gpus[replica]) * tail.window.length().ns;
        out.capacity += capacity;
        out.idle += idleIn(tail.window);
        out.after50 += idleIn(after50);
        out.after90 += idleIn(after90);
    }
    out.busy = out.capacity - out.idle;
    return out;
}

} // namespace lockstep
