// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/gap_cause.h"

#include <algorithm>
#include <array>

#include "core/analysis/api_calls.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

std::string namedCause(GapCause cause)
{
    return "Cause: " + std::string(gapCauseName(cause)) + ". ";
}

} // namespace

WaitFor waitForOf(TimeRange gap, TraceTime launched, Duration maxKernelWait)
{
    if (launched > gap.begin) return WaitFor::host;
    return gap.length() < maxKernelWait ? WaitFor::kernel : WaitFor::other;
}

std::string_view gapCauseName(GapCause cause)
{
    constexpr std::array<std::string_view, static_cast<size_t>(GapCause::count)> kNames{
        "", "host late to launch", "synchronization", "copy", "kernel wait", "other"};
    return kNames[static_cast<size_t>(cause)];
}

ExplainedGap GapCauses::of(TimeRange gap, SliceId next)
{
    const SliceId call = launchOf(m_report, next);
    if (!call.isValid())
        return {GapCause::unknown, "Cause unknown: no launch call is recorded for the work after the gap."};
    const WaitFor waitFor = waitForOf(gap, m_report.slices.start(call), kMaxKernelWait);
    return waitFor == WaitFor::host ? lateOf(gap, call) : queuedOf(gap, call, next);
}

// The calls of other threads are not considered, because they do not delay the launch.
ExplainedGap GapCauses::lateOf(TimeRange gap, SliceId call)
{
    const std::string name(apiNameWithoutVersion(m_report.nameOf(call)));
    const TraceTime launched = m_report.slices.start(call);
    const TimeRange late{gap.begin, std::min(launched, gap.end)};
    const HostWaits& waits = waitsOf(m_report.trackOf(call));
    const Duration synchronizing = waits.synchronizations.lengthWithin(late),
                   copying = waits.copies.lengthWithin(late);
    const Duration rest = late.length() - synchronizing - copying;
    if (std::max(synchronizing, copying) < rest)
        return {GapCause::hostLate, namedCause(GapCause::hostLate) + name + " started " +
                                        durationText(launched - gap.begin) + " after the GPU became idle."};
    const bool isCopy = copying > synchronizing;
    const GapCause cause = isCopy ? GapCause::copy : GapCause::synchronization;
    return {cause, namedCause(cause) + "The launching thread spent " +
                       durationText(isCopy ? copying : synchronizing) + " of the " +
                       durationText(late.length()) + " before " + name + " in " +
                       (isCopy ? "copy" : "synchronization") + " calls."};
}

ExplainedGap GapCauses::queuedOf(TimeRange gap, SliceId call, SliceId next)
{
    const auto isMost = [&](Duration part) { return part.ns >= gap.length().ns - part.ns; };
    const TimeRange inCall = m_report.slices.range(call).clippedTo(gap);
    if (isCopyCall(m_report.nameOf(call)) && !inCall.isEmpty() && isMost(inCall.length()))
        return {GapCause::copy, namedCause(GapCause::copy) +
                                    std::string(apiNameWithoutVersion(m_report.nameOf(call))) +
                                    ", which launched the work after the gap, ran for " +
                                    durationText(inCall.length()) + " of the gap."};
    const TrackKey& track = m_report.track(m_report.trackOf(next)).key;
    const Duration copying = copiesOn(track.process, track.device).lengthWithin(gap);
    if (isMost(copying))
        return {GapCause::copy, namedCause(GapCause::copy) + "Copies on other streams of the GPU took " +
                                    durationText(copying) + " of the gap."};
    if (gap.length() < kMaxKernelWait)
        return {GapCause::kernelWait,
                namedCause(GapCause::kernelWait) +
                    "The work after the gap was launched before the gap began, and started within " +
                    durationText(kMaxKernelWait) + "."};
    return {GapCause::other, namedCause(GapCause::other) + "The work after the gap was launched " +
                                 durationText(gap.begin - m_report.slices.start(call)) +
                                 " before the gap began. What it waited for is not recorded."};
}

const GapCauses::HostWaits& GapCauses::waitsOf(TrackId track)
{
    const auto [entry, isNew] = m_waits.try_emplace(track);
    if (!isNew) return entry->second;
    std::vector<TimeRange> synchronizations, copies;
    const Track& calls = m_report.track(track);
    for (uint32_t row = calls.firstSlice.value; row < calls.firstSlice.value + calls.sliceCount; ++row) {
        const std::string_view name = m_report.nameOf(SliceId(row));
        if (isSynchronizationCall(name)) synchronizations.push_back(m_report.slices.range(SliceId(row)));
        if (isCopyCall(name)) copies.push_back(m_report.slices.range(SliceId(row)));
    }
    entry->second.copies = IntervalSet::unionOf(std::move(copies));
    entry->second.synchronizations =
        IntervalSet::unionOf(std::move(synchronizations)).without(entry->second.copies);
    return entry->second;
}

const IntervalSet& GapCauses::copiesOn(ProcessId process, DeviceId device)
{
    const auto [entry, isNew] = m_copies.try_emplace({process, device});
    if (!isNew) return entry->second;
    std::vector<TimeRange> copies;
    for (const Track& track : m_report.tracks) {
        if (track.key.kind != TrackKind::gpuStream || track.key.process != process ||
            track.key.device != device)
            continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row)
            if (m_report.slices.kind[row] == RowKind::memcpy)
                copies.push_back(m_report.slices.range(SliceId(row)));
    }
    entry->second = IntervalSet::unionOf(std::move(copies));
    return entry->second;
}

} // namespace lockstep
