// SPDX-License-Identifier: Apache-2.0
#include "core/trace/sample_tables.h"

#include <algorithm>

namespace lockstep {

namespace {

template<class Tag>
bool isBelow(Id<Tag> id, size_t rows)
{
    return !id.isValid() || id.value < rows;
}

bool isSampleValid(const Sample& sample, size_t slices, size_t strings, size_t processes)
{
    return isBelow(sample.id, strings) && isBelow(sample.group, strings) &&
           isBelow(sample.replica, strings) && isBelow(sample.statusText, strings) &&
           isBelow(sample.slice, slices) && isBelow(sample.process, processes) &&
           sample.level < SampleLevel::count && sample.status < SampleStatus::count &&
           (!sample.isPlaced() || sample.start_ns <= sample.end_ns);
}

} // namespace

const SampleSpan* SampleTables::spanOf(SliceId slice) const
{
    const auto found = std::ranges::lower_bound(spans, slice, {}, &SampleSpan::slice);
    return found != spans.end() && found->slice == slice ? &*found : nullptr;
}

std::span<const uint32_t> SampleTables::spansOf(SampleId sample) const
{
    const auto found =
        std::ranges::equal_range(spansBySample, sample, {}, [&](uint32_t row) { return spans[row].sample; });
    return {found.begin(), found.end()};
}

bool SampleTables::holds(size_t slices, size_t strings, size_t processes) const
{
    const auto isValidSample = [&](const Sample& sample) {
        return isSampleValid(sample, slices, strings, processes);
    };
    const auto isValidSpan = [&](const SampleSpan& span) {
        return span.slice.value < slices && isBelow(span.sample, samples.size()) &&
               isBelow(span.request, strings) && span.kind < SpanKind::count && span.isDerived <= 1;
    };
    const auto isValidUpdate = [&](const WeightUpdate& update) { return update.slice.value < slices; };
    const auto isValidValue = [&](const StepValue& value) { return value.name.value < strings; };
    const auto isValidGpu = [&](const ReplicaGpu& gpu) {
        return isBelow(gpu.replica, strings) && isBelow(gpu.host, strings) && isBelow(gpu.uuid, strings);
    };
    const auto isValidRow = [&](uint32_t row) { return row < spans.size() && spans[row].sample.isValid(); };
    if (!std::ranges::all_of(samples, isValidSample) || !std::ranges::all_of(spans, isValidSpan) ||
        !std::ranges::all_of(weightUpdates, isValidUpdate) ||
        !std::ranges::all_of(stepValues, isValidValue) || !std::ranges::all_of(replicaGpus, isValidGpu) ||
        !std::ranges::all_of(spansBySample, isValidRow))
        return false;
    const auto sampleOf = [&](uint32_t row) { return spans[row].sample; };
    return std::ranges::is_sorted(spans, {}, &SampleSpan::slice) &&
           std::ranges::is_sorted(weightUpdates, {}, &WeightUpdate::slice) &&
           std::ranges::is_sorted(spansBySample, {}, sampleOf);
}

} // namespace lockstep
