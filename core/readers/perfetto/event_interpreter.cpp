// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/event_interpreter.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/readers/perfetto/event_arguments.h"

namespace lockstep {

namespace {

constexpr uint64_t kNoSize = ~uint64_t(0); // larger than any size that tables accept
constexpr int64_t kMaxDevices = 1'000'000;

// Returns the copy described by the name and by the argument "bytes"; nullopt if they do not describe a copy.
std::optional<MemoryOp> memoryOpOf(std::string_view name, std::optional<int64_t> size_bytes)
{
    MemoryOp op = memoryOpOfName(name);
    if (!size_bytes && op.kind == CopyKind::unknown) return std::nullopt;
    op.size_bytes = size_bytes ? static_cast<uint64_t>(*size_bytes) : kNoSize;
    return op;
}

// Returns Kineto's category for GPU work with this name or stage.
std::string_view gpuCategoryOf(std::string_view name)
{
    const std::string text = lowerAscii(name);
    if (text.starts_with("memcpy") || text == "copy") return "gpu_memcpy";
    if (text.starts_with("memset")) return "gpu_memset";
    return text == "annotation" ? "gpu_user_annotation" : "kernel";
}

} // namespace

EventInterpretation EventInterpreter::read(const TrackEventPacket& packet, StringId name,
                                           std::optional<MemoryOp>& copy)
{
    Place place;
    EventInterpretation out;
    std::optional<int64_t> size_bytes;
    bool hasStream = false, isCall = false, isOp = false;
    for (const auto& [path, value] : eventArguments(packet)) {
        const std::string_view key = std::string_view(path).substr(path.rfind('.') + 1);
        if (key == "category" && !place.what.isKineto) place.what = classOfCategory(value);
        isCall |= key == "cbid";
        isOp |= key == "External id";
        const auto number = parseInt(value);
        if (!number) continue;
        hasStream |= key == "stream";
        if (key == "device") place.device = *number;
        if (key == "stream") place.stream = *number;
        if (key == "context") place.context = *number;
        if (key == "bytes" && *number >= 0) size_bytes = *number;
        if (key == "correlation" && *number > 0 && *number < int64_t(kNoCorrelation))
            out.correlation = static_cast<uint32_t>(*number);
    }
    const std::string_view text = m_builder.report().strings.at(name);
    // If an event has no category, Kineto's arguments classify it.
    if (!place.what.isKineto) {
        const bool isGpuWork = place.device >= 0 && hasStream && out.correlation != kNoCorrelation;
        const std::string_view category = isGpuWork                           ? gpuCategoryOf(text)
                                          : isCall                            ? "cuda_runtime"
                                          : text.starts_with("ProfilerStep#") ? "user_annotation"
                                          : isOp                              ? "cpu_op"
                                                                              : "";
        if (!category.empty()) place.what = classOfCategory(category);
    }
    if (!place.what.isKineto) return {};
    if (!place.what.isOnGpu()) place = Place{place.what};
    out.kind = place.what.kind;
    out.category = place.what.category;
    if (out.kind == RowKind::kernel) out.category = kernelCategory(text);
    if (out.kind == RowKind::memcpy || out.kind == RowKind::memset) copy = memoryOpOf(text, size_bytes);
    if (out.kind == RowKind::memcpy) out.category = copyCategory(memoryOpOfName(text).kind);
    return numbered(out, place);
}

EventInterpretation EventInterpreter::numbered(EventInterpretation interpretation, const Place& place)
{
    const auto [known, isNew] = m_numbers.try_emplace(place, static_cast<uint32_t>(m_places.size()));
    if (isNew) m_places.push_back(place);
    interpretation.number = known->second;
    return interpretation;
}

EventInterpretation EventInterpreter::ofStage(const GpuStage& stage, std::optional<MemoryOp>& copy)
{
    Place place;
    place.what = classOfCategory(gpuCategoryOf(stage.stage));
    place.pid = stage.pid;
    place.device = std::clamp<int64_t>(stage.gpu, 0, kMaxDevices);
    place.stream = stage.stream;
    place.context = stage.context;
    EventInterpretation out;
    out.kind = place.what.kind;
    out.category = out.kind == RowKind::kernel ? kernelCategory(stage.name) : place.what.category;
    const auto correlation = parseInt(stage.argument("correlation"));
    if (correlation && *correlation > 0 && *correlation < int64_t(kNoCorrelation))
        out.correlation = static_cast<uint32_t>(*correlation);
    const auto size_bytes = parseInt(stage.argument("bytes"));
    if (out.kind == RowKind::memcpy || out.kind == RowKind::memset)
        copy = memoryOpOf(stage.name, size_bytes && *size_bytes >= 0 ? size_bytes : std::nullopt);
    if (out.kind == RowKind::memcpy) out.category = copyCategory(memoryOpOfName(stage.name).kind);
    return numbered(out, place);
}

TrackId EventInterpreter::trackOf(uint64_t track, const EventInterpretation& interpretation)
{
    const Place& place = m_places[interpretation.number];
    const auto [ofTrack, thread] = m_tracks.actorsOf(track);
    const ProcessId process =
        place.pid > 0 ? m_builder.process(static_cast<uint64_t>(place.pid), place.pid) : ofTrack;
    if (interpretation.number != 0 && place.what.isOnGpu() && place.device >= 0 && process.isValid()) {
        const DeviceId device =
            m_builder.device(process, static_cast<int>(std::min(place.device, kMaxDevices)));
        return m_builder.track({place.what.track, process, {}, device, place.stream, place.context});
    }
    if (interpretation.number != 0 && !place.what.isOnGpu() && thread.isValid())
        return m_builder.track({place.what.track, process, thread, {}, 0, 0});
    return m_tracks.sliceTrack(track);
}

} // namespace lockstep
