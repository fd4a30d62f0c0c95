// SPDX-License-Identifier: Apache-2.0
#include "core/memory/leaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kGigabyte = 1e9;

} // namespace

MemoryTrend memoryTrend(std::span<const int64_t> samples_bytes, const TrendRule& rule)
{
    MemoryTrend out;
    out.samples = samples_bytes.size();
    out.hasEnoughSamples = out.samples >= rule.fewestSamples && out.samples >= 2;
    if (out.samples < 2) return out;
    const auto n = static_cast<double>(out.samples);
    const double middle = (n - 1) / 2;
    double mean = 0;
    for (const int64_t sample : samples_bytes)
        mean += static_cast<double>(sample) / n;
    double both = 0, squares = 0;
    for (size_t i = 0; i < out.samples; ++i) {
        const double step = static_cast<double>(i) - middle;
        both += step * (static_cast<double>(samples_bytes[i]) - mean);
        squares += step * step;
    }
    const double slope = both / squares;
    double residue = 0;
    for (size_t i = 0; i < out.samples; ++i) {
        const double line = mean + slope * (static_cast<double>(i) - middle);
        const double off = static_cast<double>(samples_bytes[i]) - line;
        residue += off * off;
    }
    out.slope_gbPerStep = slope / kGigabyte;
    if (out.samples > 2) out.slopeError_gbPerStep = std::sqrt(residue / (n - 2) / squares) / kGigabyte;
    out.isLeak = out.hasEnoughSamples && out.slope_gbPerStep > rule.threshold_gbPerStep;
    return out;
}

LeakSeverity leakSeverity(int64_t leaked_bytes)
{
    constexpr int64_t kMegabyte = 1'000'000;
    if (leaked_bytes <= 0) return LeakSeverity::none;
    if (leaked_bytes > 100 * kMegabyte) return LeakSeverity::high;
    return leaked_bytes > 10 * kMegabyte ? LeakSeverity::medium : LeakSeverity::low;
}

std::string_view leakSeverityName(LeakSeverity severity)
{
    constexpr std::array<std::string_view, 4> kNames{"none", "low", "medium", "high"};
    return kNames[static_cast<size_t>(severity)];
}

namespace {

// A block that is live from moments[begin] to moments[end - 1].
struct StepSpan {
    MemoryStackId stack;
    uint32_t begin, end;
    int64_t size_bytes;
};

std::vector<StepSpan> stepSpans(const BlockLifeTable& blocks, std::span<const MemoryMoment> moments)
{
    const auto place = [&](MemoryMoment moment) {
        return static_cast<uint32_t>(std::ranges::lower_bound(moments, moment) - moments.begin());
    };
    std::vector<StepSpan> spans;
    for (size_t life = 0; life < blocks.size(); ++life) {
        const StepSpan span{blocks.stack[life], place(blocks.allocated[life]), place(blocks.freed[life]),
                            static_cast<int64_t>(blocks.size_bytes[life])};
        if (span.begin < span.end) spans.push_back(span);
    }
    std::ranges::stable_sort(spans, {}, &StepSpan::stack);
    return spans;
}

// Computes the growth from the spans of one stack. level_bytes has one element per moment.
GrowingStack growthOf(std::span<const StepSpan> spans, std::vector<int64_t>& level_bytes)
{
    GrowingStack out;
    std::ranges::fill(level_bytes, 0);
    for (const StepSpan& span : spans) {
        level_bytes[span.begin] += span.size_bytes;
        if (span.end < level_bytes.size()) level_bytes[span.end] -= span.size_bytes;
    }
    for (size_t i = 1; i < level_bytes.size(); ++i) {
        out.rises += level_bytes[i] > 0;
        out.falls += level_bytes[i] < 0;
        level_bytes[i] += level_bytes[i - 1];
    }
    out.stack = spans[0].stack;
    out.growth_bytes = level_bytes.back() - level_bytes.front();
    return out;
}

} // namespace

std::vector<GrowingStack> growingStacks(const DeviceReplay& device, std::span<const MemoryMoment> moments,
                                        int64_t leastGrowth_bytes, const TrendRule& rule, size_t most)
{
    if (moments.size() < 2) return {};
    if (moments.size() > kMaxLeakSteps) moments = moments.last(kMaxLeakSteps);
    const std::vector<StepSpan> spans = stepSpans(device.blocks, moments);
    std::vector<int64_t> level_bytes(moments.size());
    std::vector<GrowingStack> out;
    const auto isMore = [](const GrowingStack& a, const GrowingStack& b) {
        return std::tuple(b.growth_bytes, a.stack) < std::tuple(a.growth_bytes, b.stack);
    };
    for (size_t first = 0; first < spans.size();) {
        size_t last = first;
        while (last < spans.size() && spans[last].stack == spans[first].stack)
            ++last;
        GrowingStack grown = growthOf(std::span(spans).subspan(first, last - first), level_bytes);
        first = last;
        if (grown.growth_bytes <= leastGrowth_bytes || grown.rises <= grown.falls) continue;
        if (out.size() == most && (most == 0 || !isMore(grown, out.front()))) continue;
        grown.trend = memoryTrend(level_bytes, rule);
        grown.level_bytes = level_bytes;
        out.push_back(std::move(grown));
        std::ranges::push_heap(out, isMore); // so that the smallest of the largest is on top
        if (out.size() <= most) continue;
        std::ranges::pop_heap(out, isMore);
        out.pop_back();
    }
    std::ranges::sort(out, isMore);
    return out;
}

std::vector<UnfreedStack> unfreedStacks(const DeviceReplay& device,
                                        std::pair<MemoryMoment, MemoryMoment> allocatedIn)
{
    const BlockLifeTable& blocks = device.blocks;
    std::map<uint32_t, UnfreedStack> byStack;
    const MemoryMoment first = std::max<MemoryMoment>(allocatedIn.first, 1);
    auto life =
        static_cast<size_t>(std::ranges::lower_bound(blocks.allocated, first) - blocks.allocated.begin());
    for (; life < blocks.size() && blocks.allocated[life] < allocatedIn.second; ++life) {
        if (!blocks.isNeverFreed(life) || blocks.freeRequested[life] != kNeverFreed) continue;
        UnfreedStack& stack = byStack[blocks.stack[life].value];
        if (stack.blocks++ == 0) stack.firstAllocated = blocks.allocated[life];
        stack.stack = blocks.stack[life];
        stack.lastAllocated = blocks.allocated[life];
        stack.size_bytes += static_cast<int64_t>(blocks.size_bytes[life]);
    }
    std::vector<UnfreedStack> out;
    for (const auto& [id, stack] : byStack)
        out.push_back(stack);
    std::ranges::stable_sort(out, std::greater<>(), &UnfreedStack::size_bytes);
    return out;
}

std::vector<StepEnd> stepEnds(const Report& report, const DeviceReplay& device, std::string_view word)
{
    if (!report.memory || report.memory->entries.time_ns.empty()) return {};
    const std::string wanted = lowerAscii(word);
    std::vector<StepEnd> out, ofProfiler; // ProfilerStep ranges, which contain others such as Optimizer.step
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.slices.kind[row] != RowKind::userAnnotation) continue;
        const std::string_view name = report.nameOf(SliceId(row));
        if (lowerAscii(name).find(wanted) == std::string::npos) continue;
        const int64_t end_ns = report.slices.start_ns[row] + report.slices.duration_ns[row];
        (name.starts_with("ProfilerStep#") ? ofProfiler : out)
            .push_back({device.momentAt(*report.memory, end_ns), report.slices.name[row]});
    }
    if (!ofProfiler.empty()) out = std::move(ofProfiler);
    std::ranges::stable_sort(out, {}, &StepEnd::moment);
    return out;
}

std::vector<MemoryMoment> stepMoments(const Report& report, const DeviceReplay& device, std::string_view word)
{
    std::vector<MemoryMoment> out;
    for (const StepEnd& end : stepEnds(report, device, word)) {
        if (out.empty() || end.moment != out.back()) out.push_back(end.moment);
    }
    return out;
}

} // namespace lockstep
