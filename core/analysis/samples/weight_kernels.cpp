// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/samples/weight_kernels.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"

namespace lockstep {

namespace {

std::optional<WeightPart> partOfKernel(std::string_view name)
{
    const std::string lower = lowerAscii(name);
    if (!lower.starts_with("nccl") && !lower.starts_with("rccl")) return std::nullopt;
    if (lower.find("allgather") != std::string::npos) return WeightPart::gather;
    const bool moves =
        lower.find("broadcast") != std::string::npos || lower.find("sendrecv") != std::string::npos;
    return moves ? std::optional(WeightPart::transfer) : std::nullopt;
}

} // namespace

Status addWeightKernels(const Report& report, ProcessId process, const ClockMap& map,
                        const IntervalSet& updates, const Progress& progress, WeightKernels& out)
{
    std::unordered_map<uint32_t, std::optional<WeightPart>> known; // by StringId
    const SliceTable& slices = report.slices;
    for (const Track& track : report.tracks) {
        if (track.key.process != process || track.key.kind != TrackKind::gpuStream) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % 4096 == 0) LOCKSTEP_TRY(progress.check());
            std::optional<WeightPart> part;
            if (slices.kind[row] == RowKind::memcpy) part = WeightPart::reshard;
            if (slices.kind[row] == RowKind::kernel) {
                const auto [found, isNew] = known.try_emplace(slices.name[row].value);
                if (isNew) found->second = partOfKernel(report.nameOf(SliceId(row)));
                part = found->second;
            }
            if (!part) continue;
            const TimeRange range = map.alignedFromTrace(slices.range(SliceId(row)));
            if (updates.lengthWithin(range).ns == 0) continue;
            out.parts[static_cast<size_t>(*part)].push_back(range);
            if (part != WeightPart::transfer) continue;
            const auto op =
                std::ranges::lower_bound(report.collectives, SliceId(row), {}, &CollectiveOp::slice);
            const bool hasSize = op != report.collectives.end() && op->slice == SliceId(row) &&
                                 op->message_bytes != CollectiveOp::kAbsentCount;
            if (hasSize) out.messages.emplace_back(range.begin, static_cast<int64_t>(op->message_bytes));
        }
    }
    return {};
}

} // namespace lockstep
