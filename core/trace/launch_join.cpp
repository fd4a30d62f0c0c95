// SPDX-License-Identifier: Apache-2.0
#include "core/trace/launch_join.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kMostCauses = 64;

} // namespace

uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file)
{
    uint64_t crowded = 0;
    const auto end = causes.end();
    auto hint = causes.begin(); // GPU rows mostly come in the order of their calls
    effects.forEach([&](const CorrelatedSlice& effect) {
        for (int step = 0; step < 8 && hint != end && hint->correlation < effect.correlation; ++step)
            ++hint;
        const bool isFirst = hint != end && hint->correlation == effect.correlation &&
                             (hint == causes.begin() || std::prev(hint)->correlation != effect.correlation);
        if (!isFirst)
            hint = std::ranges::lower_bound(causes, effect.correlation, {}, &CorrelatedSlice::correlation);
        auto cause = hint;
        for (size_t n = 0; cause != end && cause->correlation == effect.correlation; ++cause, ++n) {
            if (n == kMostCauses) {
                ++crowded;
                break;
            }
            links.add({cause->slice, effect.slice, LinkKind::launch}, file);
        }
    });
    return crowded;
}

} // namespace lockstep
