// SPDX-License-Identifier: Apache-2.0
#include "core/samples/gauge.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep {

namespace {

// Returns the longest time for which a sample holds.
int64_t longestHold(std::span<const int64_t> times_ns)
{
    std::vector<int64_t> distances;
    for (size_t i = 1; i < times_ns.size(); ++i) {
        if (times_ns[i] > times_ns[i - 1]) distances.push_back(times_ns[i] - times_ns[i - 1]);
    }
    if (distances.empty()) return INT64_MAX;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
    std::ranges::nth_element(distances, middle);
    return *middle > INT64_MAX / 3 ? INT64_MAX : 3 * *middle;
}

} // namespace

std::optional<GaugeUse> gaugeUse(std::span<const int64_t> times_ns, std::span<const double> values,
                                 int64_t end_ns, double high)
{
    const int64_t longest = longestHold(times_ns);
    std::vector<std::pair<double, int64_t>> held; // value, and for how long
    GaugeUse use;
    long double sum = 0, highTime = 0;
    for (size_t i = 0; i < times_ns.size(); ++i) {
        const int64_t until = i + 1 < times_ns.size() ? times_ns[i + 1] : std::max(end_ns, times_ns[i]);
        const int64_t length = std::min(until - times_ns[i], longest);
        if (!std::isfinite(values[i])) continue;
        use.max = held.empty() ? values[i] : std::max(use.max, values[i]);
        held.emplace_back(values[i], length);
        use.covered_ns += length;
        sum += static_cast<long double>(values[i]) * static_cast<long double>(length);
        if (values[i] >= high) highTime += static_cast<long double>(length);
    }
    if (use.covered_ns == 0) return std::nullopt;
    const auto covered = static_cast<long double>(use.covered_ns);
    use.mean = static_cast<double>(sum / covered);
    use.highShare = static_cast<double>(highTime / covered);
    std::ranges::sort(held);
    int64_t passed_ns = 0;
    for (const auto& [value, length] : held) {
        passed_ns += length;
        use.p10 = value;
        if (passed_ns >= use.covered_ns / 10 && passed_ns > 0) break;
    }
    return use;
}

} // namespace lockstep
