// SPDX-License-Identifier: Apache-2.0
// GaugeUse: the use of something that was sampled, such as a cache or a batch, weighted by time. Pure
// functions. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep {

struct GaugeUse {
    int64_t covered_ns = 0; // time with a known value
    double mean = 0;        // weighted by time
    double max = 0;         // of the samples
    double p10 = 0;         // a tenth of the covered time has at most this value
    double highShare = 0;   // share of the covered time with at least `high`, 0..1
};

// A sample holds until the next one, but at most for three times the median distance between samples; later
// time is unknown. The last sample holds until end_ns, with the same limit. times_ns are ascending, with one
// value for each. Returns nullopt without covered time. O(n log n).
std::optional<GaugeUse> gaugeUse(std::span<const int64_t> times_ns, std::span<const double> values,
                                 int64_t end_ns, double high);

} // namespace lockstep
