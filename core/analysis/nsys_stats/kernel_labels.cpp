// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/kernel_labels.h"

#include <array>
#include <cstdio>

#include "core/analysis/rows_by_start.h"

namespace lockstep {

Result<KernelLabels> KernelLabels::of(const AnalysisRequest& request, const Progress& progress)
{
    KernelLabels labels(request.workspace);
    labels.m_names.areBase = request.arguments.isSaid(kBaseArgument.name);
    labels.m_isMangled = request.arguments.isSaid(kMangledArgument.name);
    labels.m_hasRanges = request.arguments.isSaid(kNvtxNameArgument.name);
    if (labels.m_names.areBase && labels.m_isMangled)
        return makeError(ErrorKind::invalid,
                         "base and mangled are two ways to name a kernel; say one of them");
    if (labels.m_hasRanges) LOCKSTEP_TRY(labels.findRanges(request, progress));
    return labels;
}

Status KernelLabels::findRanges(const AnalysisRequest& request, const Progress& progress)
{
    // A range counts though it began before the time range that its kernel lies in.
    Scope whole = request.scope;
    whole.time.reset();
    whole.devices.clear();
    whole.streams.clear();
    const AnalysisRequest everywhere{request.what, request.arguments, request.scene, whole, request.inputs};
    const auto work = LOCKSTEP_TRY(launchedWork(everywhere, rowKinds({RowKind::kernel}), progress));
    std::map<std::string, uint32_t> numbers;
    for (const NvtxRanges& thread : LOCKSTEP_TRY(nvtxRangesInScope(everywhere, kNvtxStyles, progress))) {
        const auto launched = work.find({thread.report, thread.process, thread.thread});
        if (launched == work.end()) continue;
        const Report& report = request.workspace.report(thread.report);
        std::vector<uint32_t>& rangeOf = m_rangeOf[thread.report];
        if (rangeOf.empty()) rangeOf.assign(report.slices.size(), kNoRange);
        LOCKSTEP_TRY(forEachWithin(thread, report, launched->second, progress,
                                   [&](const LaunchedWork& each, std::span<const uint32_t> around) {
                                       if (around.empty()) return;
                                       const NvtxRange& range = thread.ranges[around.back()];
                                       std::string label = nvtxLabel(report, range.track, range.slice);
                                       const auto [number, isNew] =
                                           numbers.try_emplace(label, static_cast<uint32_t>(m_ranges.size()));
                                       if (isNew) m_ranges.push_back(std::move(label));
                                       rangeOf[each.work.value] = number->second;
                                   }));
    }
    return {};
}

std::string KernelLabels::label(SliceRef kernel, std::string_view mangled) const
{
    const Report& report = m_workspace->report(kernel.report);
    std::string name(mangled);
    if (name.empty())
        name = report.strings.at(StringId(static_cast<uint32_t>(m_names.key(report, kernel.slice))));
    const auto ranges = m_rangeOf.find(kernel.report);
    if (ranges == m_rangeOf.end() || ranges->second[kernel.slice.value] == kNoRange) return name;
    return m_ranges[ranges->second[kernel.slice.value]] + "/" + name;
}

std::string KernelLabels::meaning() const
{
    const std::string name = m_names.areBase ? "base name of the kernel"
                             : m_isMangled   ? "mangled name of the kernel, full where the file has none"
                                             : "full name of the kernel";
    return m_hasRanges ? "innermost NVTX range around the launch as domain:text, a slash, " + name : name;
}

std::vector<std::string> KernelLabels::rules() const
{
    if (!m_hasRanges) return {};
    return {"a range is a kernel's when it is of the launching thread and contains the call, both ends "
            "included; kernels launched in none have their name alone"};
}

std::string tripleText(std::optional<int64_t> x, std::optional<int64_t> y, std::optional<int64_t> z)
{
    if (!x || !y || !z) return {};
    std::array<char, 80> text;
    const int size = std::snprintf(text.data(), text.size(), "%4lld %4lld %4lld", static_cast<long long>(*x),
                                   static_cast<long long>(*y), static_cast<long long>(*z));
    return std::string(text.data(), static_cast<size_t>(size));
}

Result<KernelGroups> KernelGroups::of(const AnalysisRequest& request, bool hasShapes,
                                      const Progress& progress)
{
    using enum RowFact;
    const KernelLabels names = LOCKSTEP_TRY(KernelLabels::of(request, progress));
    const RowFactSet shape = rowFacts({gridX, gridY, gridZ, blockX, blockY, blockZ});
    FactPages facts(request.workspace, names.facts() | (hasShapes ? shape : 0));
    RowsByStart rows(request.scene, request.scope, rowKinds({RowKind::kernel}));
    facts.open(rows.reports());
    KernelGroups groups;
    groups.m_meaning = names.meaning();
    groups.m_rules = names.rules();
    if (const std::string missing = facts.missing(); !missing.empty()) groups.m_rules.push_back(missing);
    std::map<std::vector<std::string>, uint32_t> numbers;
    std::vector<SliceRef> page;
    for (bool isMore = true; isMore;) {
        page.clear();
        PlacedRow row;
        while (page.size() < FactPages::kPage_rows && (isMore = rows.next(row)))
            page.push_back(row.ref());
        LOCKSTEP_TRY(facts.load(page, progress));
        for (size_t i = 0; i < page.size(); ++i) {
            const Report& report = request.workspace.report(page[i].report);
            std::vector<std::string> labels;
            if (hasShapes) {
                labels.push_back(
                    tripleText(facts.number(i, gridX), facts.number(i, gridY), facts.number(i, gridZ)));
                labels.push_back(
                    tripleText(facts.number(i, blockX), facts.number(i, blockY), facts.number(i, blockZ)));
            }
            labels.push_back(names.label(page[i], facts.text(i, mangledName)));
            const auto [number, isNew] =
                numbers.try_emplace(std::move(labels), static_cast<uint32_t>(groups.m_labels.size()));
            if (isNew) groups.m_labels.push_back(number->first);
            std::vector<uint32_t>& groupOf = groups.m_groupOf[&report];
            if (groupOf.empty()) groupOf.assign(report.slices.size(), 0);
            groupOf[page[i].slice.value] = number->second;
        }
    }
    return groups;
}

SummaryRule KernelGroups::rule() const
{
    SummaryRule rule;
    rule.kinds = rowKinds({RowKind::kernel});
    rule.key = [this](const Report& report, SliceId slice) {
        return uint64_t(m_groupOf.at(&report)[slice.value]);
    };
    rule.labels = [this](const Report&, const Track&, uint64_t key) { return m_labels[key]; };
    return rule;
}

} // namespace lockstep
