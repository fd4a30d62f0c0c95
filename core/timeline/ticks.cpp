// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/ticks.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t floorTo(int64_t value, int64_t step)
{
    const int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

// Returns the smallest of 1, 2, 5 times a power of ten that is at least `least`.
int64_t roundStep(int64_t least)
{
    int64_t power = 1;
    while (power <= least / 10)
        power *= 10;
    for (const int64_t times : {1, 2, 5, 10}) {
        if (power * times >= least) return power * times;
    }
    return power * 10;
}

int64_t clockStep(int64_t least)
{
    static constexpr std::array<int64_t, 13> kSeconds{60,    120,    300,    600,    900,    1'800,  3'600,
                                                      7'200, 10'800, 21'600, 43'200, 86'400, 172'800};
    for (const int64_t seconds : kSeconds) {
        if (seconds * kSecond >= least) return seconds * kSecond;
    }
    return roundStep(least / (86'400 * kSecond) + 1) * 86'400 * kSecond;
}

int64_t minorParts(int64_t step)
{
    while (step % 10 == 0)
        step /= 10;
    return step == 2 ? 4 : 5;
}

std::string timeOfDay(int64_t epoch_ns, int64_t step_ns)
{
    const std::string text = utcTimeText(epoch_ns);
    return text.substr(0, step_ns % (60 * kSecond) == 0 ? 5 : 8);
}

// Drops trailing groups of zeros: "12:04:31.010".
std::string shortTimeOfDay(int64_t epoch_ns)
{
    constexpr std::string_view kNoMore = "\u2009000", kWhole = ".000";
    std::string text = utcTimeText(epoch_ns);
    while (text.ends_with(kNoMore))
        text.erase(text.size() - kNoMore.size());
    if (text.ends_with(kWhole)) text.erase(text.size() - kWhole.size());
    return text;
}

TickScale ticksOf(TimeRange visible, int64_t least, std::optional<int64_t> utcAtZero_ns)
{
    TickScale scale;
    int64_t step = roundStep(std::max<int64_t>(1, least));
    if (utcAtZero_ns && step > 30 * kSecond) step = clockStep(step);
    scale.step = {step};

    // Labels are relative to a base time if absolute times would need more than about four digits.
    const int64_t zero = utcAtZero_ns.value_or(0);
    const int64_t begin = visible.begin.ns + zero;
    const bool isClock = utcAtZero_ns && step >= kSecond;
    int64_t group = 1; // a power of ten that is a multiple of the step and may be longer than the visible
                       // range
    while (group < std::max(visible.length().ns, step))
        group *= 10;
    const bool isWhole =
        !utcAtZero_ns && std::max(std::abs(visible.begin.ns), std::abs(visible.end.ns)) / step < 10'000;
    const int64_t base = isWhole ? 0 : floorTo(begin, group);
    scale.base = {base - zero};
    if (isClock) {
        scale.baseLabel = utcDateText(begin) + " UTC";
    } else if (utcAtZero_ns) {
        scale.baseLabel = shortTimeOfDay(base) + " UTC";
    } else if (!isWhole) {
        scale.baseLabel = durationText({base}, 9);
    }

    const int64_t minor = step % minorParts(step) == 0 ? step / minorParts(step) : step;
    for (int64_t at = floorTo(begin - 1, minor) + minor; at < visible.end.ns + zero; at += minor) {
        Tick tick{{at - zero}, (at - (isClock ? 0 : base)) % step == 0, {}};
        if (tick.isMajor && isClock) tick.label = timeOfDay(at, step);
        if (tick.isMajor && !isClock) {
            tick.label = (isWhole ? "" : "+") + durationText({at - base}, 3);
            if (at == base) tick.label = isWhole ? "0 s" : "+0";
        }
        scale.ticks.push_back(std::move(tick));
    }
    return scale;
}

} // namespace

TickScale ticksFor(TimeRange visible, int width, int minSpacing, std::optional<int64_t> utcAtZero_ns)
{
    if (visible.isEmpty() || width <= 0) return {};
    const auto least =
        static_cast<int64_t>((__int128(visible.length().ns) * std::max(1, minSpacing) + width - 1) / width);
    return ticksOf(visible, least, utcAtZero_ns);
}

std::vector<TickScale> ticksFor(const PixelScale& scale, int minSpacing, std::optional<int64_t> utcAtZero_ns)
{
    if (scale.isEven()) return {ticksFor(scale.range(), scale.width(), minSpacing, utcAtZero_ns)};
    const Duration least = scale.durationOf(std::max(1, minSpacing));
    std::vector<TickScale> out;
    for (const ScalePart& part : scale.parts()) {
        if (!part.isFolded()) out.push_back(ticksOf(part.range, least.ns, utcAtZero_ns));
    }
    return out;
}

} // namespace lockstep
