// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_columns.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace lockstep {

namespace {

#define LOCKSTEP_FIELD(Row, member, name, unit, meaning)                                                     \
    RowField                                                                                                 \
    {                                                                                                        \
        name, valueType<decltype(Row::member)>(), unit, meaning, offsetof(Row, member), sizeof(Row::member)  \
    }

constexpr std::array kLinkFields{
    LOCKSTEP_FIELD(Link, cause, "cause", "", "a slice"),
    LOCKSTEP_FIELD(Link, effect, "effect", "", "a slice"),
    LOCKSTEP_FIELD(Link, kind, "kind", "", "LinkKind: 0 launch, 1 flow, 2 event record and wait"),
};

constexpr std::array kMemoryOpFields{
    LOCKSTEP_FIELD(MemoryOp, slice, "slice", "", "slice of the copy or memset"),
    LOCKSTEP_FIELD(MemoryOp, kind, "kind", "", "CopyKind, as ENUM_CUDA_MEMCPY_OPER"),
    LOCKSTEP_FIELD(MemoryOp, source, "source", "", "MemoryKind, as ENUM_CUDA_MEM_KIND"),
    LOCKSTEP_FIELD(MemoryOp, destination, "destination", "", "MemoryKind"),
    LOCKSTEP_FIELD(MemoryOp, size_bytes, "size", "bytes", "bytes copied or set"),
};

constexpr std::array kCollectiveFields{
    LOCKSTEP_FIELD(CollectiveOp, slice, "slice", "", "the kernel, or the range on the host"),
    LOCKSTEP_FIELD(CollectiveOp, collective, "name", "", "a string, as in the file"),
    LOCKSTEP_FIELD(CollectiveOp, group, "group", "", "a string, equal on all ranks of the group"),
    LOCKSTEP_FIELD(CollectiveOp, groupRanks, "groupRanks", "", "a string, as listed in the file"),
    LOCKSTEP_FIELD(CollectiveOp, dataType, "dataType", "", "a string"),
    LOCKSTEP_FIELD(CollectiveOp, groupSize, "groupSize", "", "ranks"),
    LOCKSTEP_FIELD(CollectiveOp, rankInGroup, "rankInGroup", "", ""),
    LOCKSTEP_FIELD(CollectiveOp, rankStart, "rankStart", "", "first global rank"),
    LOCKSTEP_FIELD(CollectiveOp, rankStride, "rankStride", "", "distance between global ranks"),
    LOCKSTEP_FIELD(CollectiveOp, peer, "peer", "", "global rank of the peer, or of the root"),
    LOCKSTEP_FIELD(CollectiveOp, inElements, "inElements", "", "input elements"),
    LOCKSTEP_FIELD(CollectiveOp, outElements, "outElements", "", "output elements"),
    LOCKSTEP_FIELD(CollectiveOp, message_bytes, "message", "bytes", ""),
    LOCKSTEP_FIELD(CollectiveOp, sequence, "sequence", "", "sequence number of the operation in its group"),
    LOCKSTEP_FIELD(CollectiveOp, commsId, "commsId", "", "identifier of one operation"),
    LOCKSTEP_FIELD(CollectiveOp, isPointToPoint, "isPointToPoint", "", "1: a send or receive"),
};

constexpr std::array kFactRowFields{
    LOCKSTEP_FIELD(FactRow, slice, "slice", "", "GPU work, a CUDA call or a page fault"),
    LOCKSTEP_FIELD(FactRow, correlation, "correlation", "", "CUPTI correlation ID"),
    LOCKSTEP_FIELD(FactRow, firstValue, "firstValue", "", "first row of fact.value; all bits set if none"),
};

constexpr std::array kFactValueFields{
    LOCKSTEP_FIELD(FactValue, value, "value", "",
                   "a number, or a string for mangledName, batch, forwardMode and threadHost"),
    LOCKSTEP_FIELD(FactValue, fact, "fact", "", "RowFact"),
    LOCKSTEP_FIELD(FactValue, isLast, "isLast", "", "1: the last value of its set"),
};

constexpr std::array kClockRoundFields{
    LOCKSTEP_FIELD(ClockRound, peer, "peer", "",
                   "a string: the other host; empty for a reading of the host's own clocks"),
    LOCKSTEP_FIELD(ClockRound, boot, "boot", "", "a string: boot id of the host"),
    LOCKSTEP_FIELD(ClockRound, peerBoot, "peerBoot", "", "a string"),
    LOCKSTEP_FIELD(ClockRound, uncertainty_ns, "doubt", "ns", "uncertainty of wall"),
    LOCKSTEP_FIELD(ClockRound, peerUncertainty_ns, "peerDoubt", "ns", "uncertainty of peerWall"),
    LOCKSTEP_FIELD(ClockRound, isOverLink, "isOverLink", "", "1: measured by the launcher"),
    LOCKSTEP_FIELD(ClockRound, sent_ns, "sent", "ns", "CLOCK_MONOTONIC_RAW of this host"),
    LOCKSTEP_FIELD(ClockRound, peerReceived_ns, "peerReceived", "ns", "of the peer"),
    LOCKSTEP_FIELD(ClockRound, peerSent_ns, "peerSent", "ns", "of the peer"),
    LOCKSTEP_FIELD(ClockRound, received_ns, "received", "ns", "of this host"),
    LOCKSTEP_FIELD(ClockRound, wall_ns, "wall", "ns", "CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW"),
    LOCKSTEP_FIELD(ClockRound, peerWall_ns, "peerWall", "ns", "of the peer"),
};

constexpr std::array kSampleFields{
    LOCKSTEP_FIELD(Sample, id, "id", "", "a string, unique in the report"),
    LOCKSTEP_FIELD(Sample, group, "group", "", "a string: the samples of one prompt"),
    LOCKSTEP_FIELD(Sample, replica, "replica", "", "a string: the rollout engine"),
    LOCKSTEP_FIELD(Sample, statusText, "statusText", "", "a string: the status in the file"),
    LOCKSTEP_FIELD(Sample, slice, "slice", "", "all bits set if the file records no times"),
    LOCKSTEP_FIELD(Sample, process, "process", "", "a process"),
    LOCKSTEP_FIELD(Sample, start_ns, "start", "ns", "on the report's clock; the smallest number if absent"),
    LOCKSTEP_FIELD(Sample, end_ns, "end", "ns", "the smallest number if absent, like all numbers below"),
    LOCKSTEP_FIELD(Sample, step, "step", "", "training step"),
    LOCKSTEP_FIELD(Sample, firstVersion, "firstVersion", "", "weight version of the first generation"),
    LOCKSTEP_FIELD(Sample, lastVersion, "lastVersion", "", "weight version of the last generation"),
    LOCKSTEP_FIELD(Sample, promptTokens, "promptTokens", "", ""),
    LOCKSTEP_FIELD(Sample, outputTokens, "outputTokens", "", ""),
    LOCKSTEP_FIELD(Sample, cachedTokens, "cachedTokens", "", "tokens of the prompt found in a cache"),
    LOCKSTEP_FIELD(Sample, preemptions, "preemptions", "", "how often the engine discarded its work"),
    LOCKSTEP_FIELD(Sample, reward, "reward", "", "not a number if absent"),
    LOCKSTEP_FIELD(Sample, attempts, "attempts", "", "1 or more"),
    LOCKSTEP_FIELD(Sample, level, "level", "", "SampleLevel: 0 sample, 1 request"),
    LOCKSTEP_FIELD(Sample, status, "status", "", "SampleStatus"),
    LOCKSTEP_FIELD(Sample, flags, "flags", "", "sampleFlag: 1 end of the group, 2 partial, 4 evaluation"),
};

constexpr std::array kSampleSpanFields{
    LOCKSTEP_FIELD(SampleSpan, slice, "slice", "", "a slice"),
    LOCKSTEP_FIELD(SampleSpan, sample, "sample", "", "a sample; all bits set for spans of a process"),
    LOCKSTEP_FIELD(SampleSpan, request, "request", "", "a string: the request of an inference server"),
    LOCKSTEP_FIELD(SampleSpan, turn, "turn", "", "zero-based; -1 if unknown"),
    LOCKSTEP_FIELD(SampleSpan, attempt, "attempt", "", "zero-based"),
    LOCKSTEP_FIELD(SampleSpan, kind, "kind", "", "SpanKind"),
    LOCKSTEP_FIELD(SampleSpan, isDerived, "isDerived", "", "1: position computed from durations"),
};

constexpr std::array kWeightUpdateFields{
    LOCKSTEP_FIELD(WeightUpdate, slice, "slice", "", "a slice"),
    LOCKSTEP_FIELD(WeightUpdate, version, "version", "", "weight version afterwards"),
    LOCKSTEP_FIELD(WeightUpdate, size_bytes, "size", "bytes", "bytes moved"),
};

constexpr std::array kStepValueFields{
    LOCKSTEP_FIELD(StepValue, name, "name", "", "a string, as in the file"),
    LOCKSTEP_FIELD(StepValue, step, "step", "", "training step"),
    LOCKSTEP_FIELD(StepValue, value, "value", "", ""),
};

constexpr std::array kReplicaGpuFields{
    LOCKSTEP_FIELD(ReplicaGpu, validFrom_ns, "validFrom", "ns", "until a later row for the replica"),
    LOCKSTEP_FIELD(ReplicaGpu, replica, "replica", "", "a string"),
    LOCKSTEP_FIELD(ReplicaGpu, host, "host", "", "a string"),
    LOCKSTEP_FIELD(ReplicaGpu, uuid, "uuid", "", "a string"),
    LOCKSTEP_FIELD(ReplicaGpu, gpu, "gpu", "", "ordinal on the host; -1 if unknown"),
};

#undef LOCKSTEP_FIELD

} // namespace

std::span<const RowField> fieldsOf(const Link*)
{
    return kLinkFields;
}

std::span<const RowField> fieldsOf(const MemoryOp*)
{
    return kMemoryOpFields;
}

std::span<const RowField> fieldsOf(const CollectiveOp*)
{
    return kCollectiveFields;
}

std::span<const RowField> fieldsOf(const FactRow*)
{
    return kFactRowFields;
}

std::span<const RowField> fieldsOf(const FactValue*)
{
    return kFactValueFields;
}

std::span<const RowField> fieldsOf(const ClockRound*)
{
    return kClockRoundFields;
}

std::span<const RowField> fieldsOf(const Sample*)
{
    return kSampleFields;
}

std::span<const RowField> fieldsOf(const SampleSpan*)
{
    return kSampleSpanFields;
}

std::span<const RowField> fieldsOf(const WeightUpdate*)
{
    return kWeightUpdateFields;
}

std::span<const RowField> fieldsOf(const StepValue*)
{
    return kStepValueFields;
}

std::span<const RowField> fieldsOf(const ReplicaGpu*)
{
    return kReplicaGpuFields;
}

std::span<const RowField> fieldsOf(const void*)
{
    return {};
}

void clearPadding(std::span<const RowField> fields, size_t row_bytes, std::span<std::byte> rows)
{
    size_t at = 0; // offset in the row up to which bytes are covered
    const auto clear = [&](size_t end) {
        for (size_t row = 0; at < end && row + row_bytes <= rows.size(); row += row_bytes)
            std::memset(rows.data() + row + at, 0, end - at);
    };
    for (const RowField& field : fields) {
        clear(field.offset_bytes);
        at = field.offset_bytes + field.size_bytes;
    }
    clear(row_bytes);
}

std::string rowType(std::span<const RowField> fields, size_t row_bytes)
{
    std::string out = std::to_string(row_bytes) + " bytes:";
    for (const RowField& field : fields) {
        if (&field != &fields.front()) out += ",";
        out += " " + std::string(field.name) + " " + std::string(field.type) + " at " +
               std::to_string(field.offset_bytes);
    }
    return out;
}

size_t rowBytesOf(std::string_view type)
{
    constexpr size_t kMax = 4096;
    size_t number = 0;
    const bool isValue = !type.empty() && std::string_view("iuf").find(type[0]) != std::string_view::npos;
    const char* const begin = type.data() + (isValue ? 1 : 0);
    const auto [end, failure] = std::from_chars(begin, type.data() + type.size(), number);
    const std::string_view rest = type.substr(static_cast<size_t>(end - type.data()));
    if (failure != std::errc() || number > kMax) return 0;
    if (isValue) return rest.empty() ? number / 8 : rest == "[2]" ? number / 4 : 0;
    return rest.starts_with(" bytes:") ? number : 0;
}

} // namespace lockstep
