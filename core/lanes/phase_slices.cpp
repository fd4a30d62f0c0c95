// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/phase_slices.h"

#include <algorithm>

#include "core/align/step_markers.h"

namespace lockstep {

namespace {

bool isPhaseKind(RowKind kind)
{
    return kind == RowKind::userAnnotation || kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd ||
           kind == RowKind::span;
}

bool isOpenEnd(const Report& report, SliceId slice)
{
    return (report.slices.flags[slice.value] & sliceFlag::kOpenEnd) != 0;
}

std::vector<TimeRange> stepRangesOf(const Report& report, ProcessId process)
{
    HostSteps steps = findHostSteps(report, process);
    if (steps.rule == StepRule::none) steps = findHostSteps(report, {});
    std::vector<TimeRange> ranges;
    for (const StepMark& mark : steps.marks)
        ranges.push_back(mark.range);
    std::ranges::sort(ranges, {}, &TimeRange::begin);
    return ranges;
}

} // namespace

std::optional<RlPhase> PhaseNames::of(SliceId slice)
{
    if (!isPhaseKind(m_report.slices.kind[slice.value])) return std::nullopt;
    const StringId name = m_report.slices.name[slice.value];
    const auto [known, isNew] = m_known.try_emplace(name.value);
    if (isNew) {
        const bool isRecord = !m_report.samples.spans.empty();
        known->second =
            rlPhaseOf(m_report.strings.at(name), m_role, isRecord ? PhaseSource::record : PhaseSource::trace);
    }
    if (known->second && m_report.slices.kind[slice.value] == RowKind::span) {
        // A generation of a sample that is not in the file: its name may be that of a phase.
        const SampleSpan* const span = m_report.samples.spanOf(slice);
        if (span != nullptr && span->kind == SpanKind::generate) return std::nullopt;
    }
    return known->second;
}

bool PhaseNames::mayHavePhases(const Track& track)
{
    return track.key.kind == TrackKind::nvtx || track.key.kind == TrackKind::ops ||
           track.key.kind == TrackKind::other;
}

PhaseSlices findPhaseSlices(const Report& report)
{
    PhaseSlices found;
    // Without a role: a name that denotes a phase does so in every role, although the phase may differ.
    PhaseNames names(report, {});
    bool hasOpen = false;
    for (const Track& track : report.tracks) {
        if (!PhaseNames::mayHavePhases(track)) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (!names.of(SliceId(row))) continue;
            found.slices.push_back(SliceId(row));
            hasOpen = hasOpen || isOpenEnd(report, SliceId(row));
        }
    }
    found.slices.shrink_to_fit();
    if (hasOpen) found.lastClosed = lastClosedEnd(report);
    return found;
}

std::vector<PhaseRange> phaseRangesOf(const Report& report, ReportKey key, const PhaseSlices& found,
                                      ProcessId process, const std::string& role)
{
    std::vector<PhaseRange> ranges;
    PhaseNames names(report, role);
    bool hasOpen = false;
    for (const SliceId slice : found.slices) {
        if (report.track(report.trackOf(slice)).key.process != process) continue;
        const bool isOpen = isOpenEnd(report, slice);
        hasOpen = hasOpen || isOpen;
        ranges.push_back({report.slices.range(slice), *names.of(slice), isOpen, {key, slice}});
    }
    if (hasOpen) closeOpenRanges(ranges, stepRangesOf(report, process), found.lastClosed);
    return ranges;
}

TraceTime lastClosedEnd(const Report& report)
{
    TraceTime last = kAllTime.begin;
    const SliceTable& slices = report.slices;
    for (uint32_t row = 0; row < slices.size(); ++row) {
        const bool isRange =
            slices.kind[row] == RowKind::nvtxPushPop || slices.kind[row] == RowKind::nvtxStartEnd;
        if (isRange && !isOpenEnd(report, SliceId(row))) last = std::max(last, slices.end(SliceId(row)));
    }
    return last;
}

} // namespace lockstep
