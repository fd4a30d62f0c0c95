// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report.h"

#include <algorithm>
#include <array>

#include "core/trace/identity.h"
#include "core/trace/report_columns.h"

namespace lockstep {

bool isPlausibleRound(const ClockRound& round)
{
    // differences between two values up to this one cannot overflow
    constexpr int64_t kMax_ns = int64_t(1) << 61;
    constexpr uint32_t kMaxUncertainty_ns = 1'000'000'000;
    constexpr int64_t kLongest_ns = 60'000'000'000;
    const std::array readings{round.sent_ns, round.peerReceived_ns, round.peerSent_ns, round.received_ns};
    const auto isClock = [](int64_t ns) { return ns >= 0 && ns < kMax_ns; };
    const auto isWall = [](int64_t ns) { return ns > -kMax_ns && ns < kMax_ns; };
    if (!std::ranges::all_of(readings, isClock) || !isWall(round.wall_ns) || !isWall(round.peerWall_ns))
        return false;
    if (round.uncertainty_ns > kMaxUncertainty_ns || round.peerUncertainty_ns > kMaxUncertainty_ns ||
        round.isOverLink > 1)
        return false;
    if (round.isReading()) return round.boot.isValid();
    return round.boot.isValid() && round.peerBoot.isValid() && round.received_ns >= round.sent_ns &&
           round.least_ns() <= round.greatest_ns() && round.greatest_ns() - round.least_ns() < kLongest_ns;
}

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
