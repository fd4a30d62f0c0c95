// SPDX-License-Identifier: Apache-2.0
#include "core/trace/launch_join.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kMaxCauses = 64;

// Returns the first cause at or after `from` with a correlation ID of at least `correlation`; all causes
// before `from` must have smaller IDs. O(log distance).
std::span<const CorrelatedSlice>::iterator firstFrom(std::span<const CorrelatedSlice> causes, size_t from,
                                                     uint32_t correlation)
{
    size_t step = 1;
    while (from + step <= causes.size() && causes[from + step - 1].correlation < correlation) {
        from += step;
        step *= 2;
    }
    const auto reach = causes.subspan(from, std::min(step, causes.size() - from));
    const auto found = std::ranges::lower_bound(reach, correlation, {}, &CorrelatedSlice::correlation);
    return causes.begin() + static_cast<ptrdiff_t>(from) + (found - reach.begin());
}

} // namespace

uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file)
{
    uint64_t crowded = 0;
    const auto end = causes.end();
    auto hint = causes.begin(); // most GPU rows are in the order of their calls
    effects.forEach([&](const CorrelatedSlice& effect) {
        // true if the search can start at the hint
        const bool isBehind = hint == causes.begin() || std::prev(hint)->correlation < effect.correlation;
        hint =
            firstFrom(causes, isBehind ? static_cast<size_t>(hint - causes.begin()) : 0, effect.correlation);
        auto cause = hint;
        for (size_t n = 0; cause != end && cause->correlation == effect.correlation; ++cause, ++n) {
            if (n == kMaxCauses) {
                ++crowded;
                break;
            }
            links.add({cause->slice, effect.slice, LinkKind::launch}, file);
        }
    });
    return crowded;
}

} // namespace lockstep
