// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_axis.h"

namespace lockstep {

MemoryMoment MemoryAxis::momentAt(TraceTime time, MemoryMoment hint) const
{
    const MemoryMoment last = device.lastMoment();
    if (isByIndex()) {
        if (time <= extent.begin || extent.isEmpty()) return 0;
        if (time >= extent.end) return last;
        const auto count = static_cast<__int128>(last) + 1;
        return static_cast<MemoryMoment>((time - extent.begin).ns * count / extent.length().ns);
    }
    return device.momentAt(snapshot, time.ns, hint);
}

TraceTime MemoryAxis::timeOf(MemoryMoment moment) const
{
    if (!isByIndex()) return {*device.timeOf(snapshot, moment)};
    const auto count = static_cast<__int128>(device.lastMoment()) + 1;
    // Rounded up so that momentAt() of the result returns this moment.
    const __int128 offset = (static_cast<__int128>(extent.length().ns) * moment + count - 1) / count;
    return extent.begin + Duration{static_cast<int64_t>(offset)};
}

} // namespace lockstep
