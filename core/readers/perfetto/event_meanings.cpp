// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/event_meanings.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/readers/perfetto/event_arguments.h"

namespace lockstep {

namespace {

constexpr uint64_t kNoSize = ~uint64_t(0); // beyond all sizes that tables take for one
constexpr int64_t kMostDevices = 1'000'000;

// Copies: what the name and the argument "bytes" say; empty where they say nothing.
std::optional<MemoryOp> memoryOpOf(std::string_view name, std::optional<int64_t> size_bytes)
{
    MemoryOp op = memoryOpOfName(name);
    if (!size_bytes && op.kind == CopyKind::unknown) return std::nullopt;
    op.size_bytes = size_bytes ? static_cast<uint64_t>(*size_bytes) : kNoSize;
    return op;
}

} // namespace

EventMeaning EventMeanings::read(const TrackEventPacket& packet, StringId name, std::optional<MemoryOp>& copy)
{
    Place place;
    EventMeaning out;
    std::optional<int64_t> size_bytes;
    for (const auto& [path, value] : eventArguments(packet)) {
        const std::string_view key = std::string_view(path).substr(path.rfind('.') + 1);
        if (key == "category" && !place.what.isKineto) place.what = classOfCategory(value);
        const auto number = parseInt(value);
        if (!number) continue;
        if (key == "device") place.device = *number;
        if (key == "stream") place.stream = *number;
        if (key == "context") place.context = *number;
        if (key == "bytes" && *number >= 0) size_bytes = *number;
        if (key == "correlation" && *number > 0 && *number < int64_t(kNoCorrelation))
            out.correlation = static_cast<uint32_t>(*number);
    }
    if (!place.what.isKineto) return {};
    if (!place.what.isOnGpu()) place = {place.what};
    out.kind = place.what.kind;
    out.category = place.what.category;
    const std::string_view text = m_builder.report().strings.at(name);
    if (out.kind == RowKind::kernel) out.category = kernelCategory(text);
    if (out.kind == RowKind::memcpy || out.kind == RowKind::memset) copy = memoryOpOf(text, size_bytes);
    if (out.kind == RowKind::memcpy) out.category = copyCategory(memoryOpOfName(text).kind);
    const auto [known, isNew] = m_numbers.try_emplace(place, static_cast<uint32_t>(m_places.size()));
    if (isNew) m_places.push_back(place);
    out.number = known->second;
    return out;
}

TrackId EventMeanings::trackOf(uint64_t track, const EventMeaning& meaning)
{
    const Place& place = m_places[meaning.number];
    const auto [process, thread] = m_tracks.actorsOf(track);
    if (meaning.number != 0 && place.what.isOnGpu() && place.device >= 0 && process.isValid()) {
        const DeviceId device =
            m_builder.device(process, static_cast<int>(std::min(place.device, kMostDevices)));
        return m_builder.track({place.what.track, process, {}, device, place.stream, place.context});
    }
    if (meaning.number != 0 && !place.what.isOnGpu() && thread.isValid())
        return m_builder.track({place.what.track, process, thread, {}, 0, 0});
    return m_tracks.sliceTrack(track);
}

} // namespace lockstep
