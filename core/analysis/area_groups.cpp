// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/area_groups.h"

#include <atomic>

#include "core/analysis/row_kinds.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

namespace {

constexpr uint32_t kNamesAtOnce = 1 << 17; // rows per worker task

} // namespace

std::string_view areaGroupName(AreaGroup by)
{
    constexpr std::array<std::string_view, kAreaGroups> kNames{"name", "category", "lane", "rank", "phase"};
    return kNames[static_cast<size_t>(by)];
}

AreaGroups::AreaGroups(const Scene& scene, const AreaRows& rows, AreaGroup by, const Progress& progress)
    : m_scene(scene), m_rows(rows), m_by(by), m_byName(scene.shown.slotCount())
{
    switch (by) {
    case AreaGroup::name:
        groupNames(progress);
        break;
    case AreaGroup::category:
        groupCategories();
        break;
    case AreaGroup::phase:
        groupPhases(progress);
        break;
    case AreaGroup::lane:
    case AreaGroup::rank:
        for (const AreaRun& run : rows.runs())
            of(run); // registers the label
    }
}

uint32_t AreaGroups::groupNamed(const std::string& label)
{
    const auto [known, isNew] = m_groupOf.try_emplace(label, count());
    if (isNew) m_labels.push_back(label);
    return known->second;
}

// Workers find the names that occur; the groups are then numbered in a fixed order.
void AreaGroups::groupNames(const Progress& progress)
{
    struct Chunk {
        const AreaRun* run;
        uint32_t first, last;
    };
    std::vector<Chunk> chunks;
    for (const AreaRun& run : m_rows.runs()) {
        std::vector<uint32_t>& groups = m_byName[run.report];
        if (groups.empty()) groups.resize(m_scene.shown.report(run.report).strings.size(), 0);
        for (uint32_t at = 0; at < run.count; at += kNamesAtOnce)
            chunks.push_back({&run, at, std::min(run.count, at + kNamesAtOnce)});
    }
    progress.workers().run(chunks.size(), [&](size_t i, size_t) {
        if (progress.isCanceled()) return;
        const AreaRun& run = *chunks[i].run;
        const StringId* const names = m_scene.shown.report(run.report).slices.name.data();
        uint32_t* const groups = m_byName[run.report].data();
        for (uint32_t at = chunks[i].first; at < chunks[i].last; ++at) {
            const std::atomic_ref<uint32_t> group(groups[names[run.row(at)].value]);
            if (group.load(std::memory_order_relaxed) == 0) group.store(1, std::memory_order_relaxed);
        }
    });
    for (const ReportKey key : m_scene.shown.keys()) {
        if (!m_byName.has(key)) continue;
        const StringPool& strings = m_scene.shown.report(key).strings;
        std::vector<uint32_t>& groups = m_byName[key];
        for (uint32_t id = 0; id < groups.size(); ++id) {
            if (groups[id] != 0) groups[id] = groupNamed(std::string(strings.at(StringId(id))));
        }
    }
}

void AreaGroups::groupCategories()
{
    for (size_t i = 0; i < static_cast<size_t>(SliceCategory::count); ++i)
        m_fixed.push_back(groupNamed(std::string(sliceCategoryName(static_cast<SliceCategory>(i)))));
}

void AreaGroups::groupPhases(const Progress& progress)
{
    for (size_t i = 0; i < kRlPhases; ++i)
        m_fixed.push_back(groupNamed(std::string(rlPhaseName(static_cast<RlPhase>(i)))));
    m_fixed.push_back(groupNamed("")); // the slice does not belong to any group
    const auto byUsualRule = ArgumentValues::parse({&kStepsArgument, 1}, {});
    const Scope everything;
    auto parts = stepPartsInScope({"", *byUsualRule, m_scene, everything, {}}, progress);
    if (!parts) return; // canceled
    for (ProcessTrace& trace : parts->traces)
        m_phases.emplace(std::pair(trace.report, trace.process), std::move(trace.phases));
    for (const AreaRun& run : m_rows.runs()) {
        const ProcessId process = m_scene.shown.report(run.report).track(run.track).key.process;
        m_phases.try_emplace({run.report, process}); // the process has no phases
    }
}

size_t AreaGroups::OfRun::phaseAt(uint32_t row) const
{
    const auto phase = m_phases->at({m_starts[row]});
    return phase ? static_cast<size_t>(*phase) : kRlPhases;
}

AreaGroups::OfRun AreaGroups::of(const AreaRun& run)
{
    OfRun out;
    const Report& report = m_scene.shown.report(run.report);
    const ProcessId process = report.track(run.track).key.process;
    switch (m_by) {
    case AreaGroup::name:
        out.m_byName = m_byName[run.report].data();
        out.m_names = report.slices.name.data();
        break;
    case AreaGroup::category:
        out.m_byCategory = m_fixed.data();
        out.m_categories = report.slices.category.data();
        break;
    case AreaGroup::phase:
        out.m_byPhase = m_fixed.data();
        out.m_phases = &m_phases.at({run.report, process});
        out.m_starts = report.slices.start_ns.data();
        break;
    case AreaGroup::lane:
        out.m_all = groupNamed(run.lane == kNoLane ? std::string() : m_scene.tree->pathOf(run.lane));
        break;
    case AreaGroup::rank: {
        const auto& rank = m_scene.shown.identity(run.report, process).rank.value;
        out.m_all = groupNamed(rank ? std::to_string(*rank) : std::string());
        break;
    }
    }
    return out;
}

} // namespace lockstep
