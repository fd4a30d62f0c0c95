// SPDX-License-Identifier: Apache-2.0
#include "core/trace/slice_context.h"

#include <array>

#include "core/trace/enclosing_ranges.h"

namespace lockstep {

namespace {

constexpr std::array kEnclosingKinds{TrackKind::nvtx, TrackKind::ops, TrackKind::python};

bool isInside(const SliceTable& slices, SliceId slice, SliceId outer)
{
    for (SliceId at = slices.parent[slice.value]; at.isValid(); at = slices.parent[at.value]) {
        if (at == outer) return true;
    }
    return false;
}

} // namespace

SliceContext contextOf(const Report& report, SliceId slice)
{
    SliceContext context;
    const SliceTable& slices = report.slices;
    for (size_t n = 0; const Link* const link = report.links.to(slice, n); ++n) {
        if (link->kind != LinkKind::launch) continue;
        context.launch = link->cause;
        const int64_t start_ns = slices.start_ns[slice.value];
        const int64_t call_ns = slices.start_ns[link->cause.value];
        context.sinceLaunch_ns = start_ns - call_ns;
        context.sinceLaunchEnd_ns = start_ns - call_ns - slices.duration_ns[link->cause.value];
        break;
    }
    const SliceId inner = context.launch.isValid() ? context.launch : slice;
    const ThreadId thread = report.track(report.trackOf(inner)).key.thread;
    if (!thread.isValid()) return context;
    EnclosingRanges ranges(report, kEnclosingKinds);
    for (const SliceId range : ranges.at(thread, slices.start(inner).ns)) {
        const bool contains = slices.end(range) >= slices.end(inner);
        if (range != inner && contains && !isInside(slices, range, inner)) context.enclosing.push_back(range);
    }
    return context;
}

std::optional<double> throughputOf(const Report& report, SliceId slice)
{
    const MemoryOp* const op = report.memoryOpOf(slice);
    const int64_t duration_ns = report.slices.duration_ns[slice.value];
    if (op == nullptr || duration_ns <= 0) return {};
    return static_cast<double>(op->size_bytes) * 1e9 / static_cast<double>(duration_ns);
}

} // namespace lockstep
