// SPDX-License-Identifier: Apache-2.0
#include "core/compare/side_steps.h"

namespace lockstep {

SideSteps::SideSteps(const Scene& scene) : m_scene(scene)
{
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        const ClockMap& clock = scene.alignment.map(key);
        for (const Track& track : report.tracks) {
            const auto [at, isNew] = m_of.try_emplace({key, track.key.process});
            if (!isNew) continue;
            Of& of = at->second;
            of.marked = ProcessSteps(report, track.key.process);
            for (const StepMark& mark : of.marked.marks()) {
                TimeRange& range = m_ranges[mark.number];
                range = range.unitedWith(clock.alignedFromTrace(mark.range));
            }
            const auto& stated = scene.shown.identity(key, track.key.process).step.value;
            if (!of.marked.marks().empty() || !stated || report.extent.isEmpty()) continue;
            of.stated = *stated;
            TimeRange& range = m_ranges[*stated];
            range = range.unitedWith(clock.alignedFromTrace(report.extent));
        }
    }
}

const SideSteps::Of& SideSteps::of(TrackRef track) const
{
    return m_of.at({track.report, m_scene.shown.report(track.report).track(track.track).key.process});
}

bool SideSteps::isStepped(TrackRef track) const
{
    const Of& at = of(track);
    return at.stated || !at.marked.marks().empty();
}

std::optional<int64_t> SideSteps::stepOf(TrackRef track, SliceId slice) const
{
    const Of& at = of(track);
    if (at.marked.marks().empty()) return at.stated;
    const int step = at.marked.at(stepReferenceTime(m_scene.shown.report(track.report), slice));
    if (step < 0) return std::nullopt;
    return at.marked.marks()[static_cast<size_t>(step)].number;
}

bool SideSteps::isNamedAsStep(TrackRef track, SliceId slice) const
{
    const Of& at = of(track);
    if (at.marked.marks().empty()) return false;
    const Report& report = m_scene.shown.report(track.report);
    const int step = at.marked.at(stepReferenceTime(report, slice));
    if (step < 0) return false;
    const SliceId mark = at.marked.marks()[static_cast<size_t>(step)].slice;
    return mark.isValid() && report.slices.name[mark.value] == report.slices.name[slice.value];
}

} // namespace lockstep
