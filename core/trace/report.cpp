// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report.h"

#include <algorithm>

#include "core/trace/identity_parts.h"
#include "core/trace/report_columns.h"

namespace lockstep {

namespace {

template<class T>
size_t bytesOf(const std::vector<T>& column)
{
    return column.capacity() * sizeof(T);
}

} // namespace

std::string_view Report::shortNameOf(SliceId id) const
{
    const StringId full = slices.name[id.value];
    const auto found = std::ranges::lower_bound(shortNames, full, {}, &std::pair<StringId, StringId>::first);
    return strings.at(found != shortNames.end() && found->first == full ? found->second : full);
}

TrackId Report::trackOf(SliceId id) const
{
    // Tracks without slices have the same firstSlice as the next track. The slice belongs to the last track
    // that starts at or before `id` and has slices.
    const auto after = std::ranges::upper_bound(tracks, id, {}, &Track::firstSlice);
    return TrackId(static_cast<size_t>(after - tracks.begin()) - 1);
}

const MemoryOp* Report::memoryOpOf(SliceId id) const
{
    const auto found = std::ranges::lower_bound(memoryOps, id, {}, &MemoryOp::slice);
    return found != memoryOps.end() && found->slice == id ? &*found : nullptr;
}

size_t Report::residentBytes() const
{
    size_t columns = 0;
    ReportColumns::visit(*this,
                         [&](const ColumnFacts&, const auto& column) { columns += column.residentBytes(); });
    return columns + strings.residentBytes() + bytesOf(processes) + bytesOf(threads) + bytesOf(devices) +
           bytesOf(tracks) + bytesOf(counterTracks) + bytesOf(shortNames) + bytesOf(colors) +
           (memory ? memory->residentBytes() : 0) + (packedIndex ? packedIndex->residentBytes() : 0);
}

size_t Report::mappedBytes() const
{
    size_t bytes = 0;
    ReportColumns::visit(*this, [&](const ColumnFacts&, const auto& column) {
        if (column.residentBytes() == 0) bytes += column.size() * sizeof(column[0]);
    });
    return bytes;
}

Identity identityOf(const Report& report, ProcessId process)
{
    if (!process.isValid()) return report.identity;
    Identity out = report.processes[process.value].identity;
    inheritParts(out, report.identity);
    return out;
}

} // namespace lockstep
