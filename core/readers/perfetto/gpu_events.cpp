// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/gpu_events.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

namespace {

std::string textOf(const PacketSequence::Texts& texts, uint64_t iid)
{
    const auto found = texts.find(iid);
    return found == texts.end() ? std::string() : found->second;
}

// Used for both ExtraData and Dim3: fields 1, 2 and 3 of a message.
struct SmallMessage {
    std::string_view first, second;
    uint64_t numbers[3] = {0, 0, 0};
    bool isBroken = false;
};

SmallMessage readSmall(std::string_view message)
{
    SmallMessage out;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) out.first = field.bytes;
        if (field.id == 2) out.second = field.bytes;
        if (field.id >= 1 && field.id <= 3) out.numbers[field.id - 1] = field.number;
    }
    out.isBroken = scan.isBroken();
    return out;
}

// ComputeKernelLaunch: grid_size = 1, workgroup_size = 2.
void readLaunch(std::string_view message, GpuStage& out)
{
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id != 1 && field.id != 2) continue;
        const SmallMessage size = readSmall(field.bytes);
        out.arguments.emplace_back(field.id == 1 ? "grid" : "block",
                                   "[" + std::to_string(size.numbers[0]) + ", " +
                                       std::to_string(size.numbers[1]) + ", " +
                                       std::to_string(size.numbers[2]) + "]");
        out.isBroken |= size.isBroken;
    }
    out.isBroken |= scan.isBroken();
}

// Returns the number at the end of a queue name such as "stream 20".
std::optional<int64_t> numberAtEnd(std::string_view text)
{
    const size_t last = text.find_last_not_of("0123456789");
    return last == std::string_view::npos || last + 1 == text.size() ? std::nullopt
                                                                     : parseInt(text.substr(last + 1));
}

} // namespace

std::string_view GpuStage::argument(std::string_view wanted) const
{
    const auto found = std::ranges::find(
        arguments, wanted, [](const auto& argument) { return std::string_view(argument.first); });
    return found == arguments.end() ? std::string_view() : std::string_view(found->second);
}

GpuStage readGpuStage(const TrackEventPacket& packet)
{
    const PacketSequence& sequence = *packet.sequence;
    GpuStage out;
    uint64_t queue = 0, kernel = 0, nameIid = 0;
    std::string_view name;
    ProtoScan scan(packet.message);
    for (ProtoField field; scan.next(field);) {
        switch (field.id) {
        case 2:
            out.duration_ns = std::clamp<int64_t>(field.asSigned(), 0, kAllTime.end.ns);
            break;
        case 5:
            out.context = field.asSigned();
            break;
        case 6: {
            const SmallMessage extra = readSmall(field.bytes);
            out.arguments.emplace_back(repairedUtf8(extra.first), repairedUtf8(extra.second));
            out.isBroken |= extra.isBroken;
            break;
        }
        case 11:
            out.gpu = field.asSigned();
            break;
        case 13:
            queue = field.number;
            break;
        case 14:
            out.stage = repairedUtf8(textOf(sequence.gpuStages, field.number));
            break;
        case 17:
            name = field.bytes;
            break;
        case 19:
            kernel = field.number;
            break;
        case 20:
            nameIid = field.number;
            break;
        case 21:
            readLaunch(field.bytes, out);
            break;
        default:
            break;
        }
    }
    out.isBroken |= scan.isBroken();
    out.name = name.empty() ? textOf(sequence.names, nameIid) : std::string(name);
    if (out.name.empty()) out.name = textOf(sequence.kernels, kernel);
    out.name = out.name.empty() ? out.stage : repairedUtf8(out.name);
    const auto context = sequence.graphicsContexts.find(static_cast<uint64_t>(out.context));
    const int64_t contextPid = context == sequence.graphicsContexts.end() ? 0 : context->second;
    out.pid = parseInt(out.argument("process_id")).value_or(contextPid);
    out.context = parseInt(out.argument("context id")).value_or(out.context);
    const auto ofQueue = numberAtEnd(textOf(sequence.gpuStages, queue));
    out.stream = parseInt(out.argument("stream id")).value_or(ofQueue.value_or(static_cast<int64_t>(queue)));
    return out;
}

GpuCounterValues readGpuCounters(const TrackEventPacket& packet)
{
    GpuCounterValues out;
    GpuCounterSpec own;
    const GpuCounterSpec* spec = nullptr;
    std::vector<std::pair<uint64_t, double>> values;
    std::optional<int64_t> gpu;
    ProtoScan scan(packet.message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) out.isBroken |= !readGpuCounterNames(field.bytes, own.names);
        if (field.id == 3) gpu = field.asSigned();
        if (field.id == 4) {
            const auto known = packet.sequence->gpuCounters.find(field.number);
            if (known != packet.sequence->gpuCounters.end()) spec = &known->second;
        }
        if (field.id != 2) continue;
        uint64_t id = 0;
        double value = 0;
        ProtoScan inner(field.bytes);
        for (ProtoField part; inner.next(part);) {
            if (part.id == 1) id = part.number;
            if (part.id == 2) value = static_cast<double>(part.asSigned());
            if (part.id == 3) value = part.asDouble();
        }
        out.isBroken |= inner.isBroken();
        values.emplace_back(id, value);
    }
    out.isBroken |= scan.isBroken();
    out.gpu = gpu.value_or(spec != nullptr ? spec->gpu : 0);
    for (const auto& [id, value] : values) {
        const auto& names = spec != nullptr ? spec->names : own.names;
        const auto name = names.find(id);
        out.values.emplace_back(
            name == names.end() ? "GPU counter " + std::to_string(id) : repairedUtf8(name->second), value);
    }
    return out;
}

} // namespace lockstep
