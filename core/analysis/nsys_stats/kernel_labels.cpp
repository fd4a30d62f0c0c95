// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/kernel_labels.h"

#include <array>
#include <cstdio>
#include <limits>
#include <tuple>

#include "core/analysis/recorded_facts.h"
#include "core/analysis/rows_by_start.h"

namespace lockstep {

Result<KernelLabels> KernelLabels::of(const AnalysisRequest& request, const Progress& progress)
{
    KernelLabels labels(request.workspace);
    labels.m_names.areBase = request.arguments.isGiven(kBaseArgument.name);
    labels.m_isMangled = request.arguments.isGiven(kMangledArgument.name);
    labels.m_hasRanges = request.arguments.isGiven(kNvtxNameArgument.name);
    if (labels.m_names.areBase && labels.m_isMangled)
        return makeError(ErrorKind::invalid,
                         "conflicting kernel names 'base' and 'mangled'; give only one of them");
    if (labels.m_hasRanges) LOCKSTEP_TRY(labels.findRanges(request, progress));
    return labels;
}

Status KernelLabels::findRanges(const AnalysisRequest& request, const Progress& progress)
{
    // An NVTX range is used even if it began before the scope's time range, as long as its kernel is inside.
    Scope whole = request.scope;
    whole.time.reset();
    whole.devices.clear();
    whole.streams.clear();
    const AnalysisRequest wholeRequest{request.what, request.arguments, request.scene, whole, request.inputs};
    std::map<std::string, uint32_t> numbers;
    for (const ReportKey key : request.workspace.keys()) {
        const auto threads = LOCKSTEP_TRY(nvtxRangesOf(wholeRequest, key, kNvtxStyles, progress));
        if (threads.empty()) continue;
        const auto work =
            LOCKSTEP_TRY(launchedWork(wholeRequest, key, rowKinds({RowKind::kernel}), progress));
        const Report& report = request.workspace.report(key);
        std::vector<uint32_t>& rangeOf = m_rangeOf[key];
        rangeOf.assign(report.slices.size(), kNoRange);
        for (const NvtxRanges& thread : threads) {
            const auto launched = work.find({thread.process, thread.thread});
            if (launched == work.end()) continue;
            RangesAround each(thread, report, launched->second);
            while (LOCKSTEP_TRY(each.next(progress))) {
                if (each.around().empty()) continue;
                const NvtxRange& range = thread.ranges[each.around().back()];
                std::string label = nvtxLabel(report, range.track, range.slice);
                const auto [number, isNew] =
                    numbers.try_emplace(label, static_cast<uint32_t>(m_ranges.size()));
                if (isNew) m_ranges.push_back(std::move(label));
                rangeOf[each.work().work.value] = number->second;
            }
        }
    }
    return {};
}

std::string KernelLabels::label(SliceRef kernel, const RowFacts& facts) const
{
    const Report& report = m_workspace->report(kernel.report);
    std::string name(mangled(facts));
    if (name.empty())
        name = report.strings.at(StringId(static_cast<uint32_t>(m_names.key(report, kernel.slice))));
    const auto ranges = m_rangeOf.find(kernel.report);
    if (ranges == m_rangeOf.end() || ranges->second[kernel.slice.value] == kNoRange) return name;
    return m_ranges[ranges->second[kernel.slice.value]] + "/" + name;
}

std::pair<uint64_t, uint32_t> KernelLabels::key(SliceRef kernel) const
{
    const auto ranges = m_rangeOf.find(kernel.report);
    return {m_names.key(m_workspace->report(kernel.report), kernel.slice),
            ranges == m_rangeOf.end() ? kNoRange : ranges->second[kernel.slice.value]};
}

std::string KernelLabels::meaning() const
{
    const std::string name = m_names.areBase ? "base name of the kernel"
                             : m_isMangled   ? "mangled name of the kernel, or its full name if the file "
                                               "has none"
                                             : "full name of the kernel";
    return m_hasRanges ? "innermost NVTX range around the launch as domain:text, then a slash and the " + name
                       : name;
}

std::vector<std::string> KernelLabels::rules() const
{
    if (!m_hasRanges) return {};
    return {"a kernel belongs to a range of the launching thread that contains the call, both "
            "ends included; kernels outside of all ranges have no prefix"};
}

std::string tripleText(std::optional<int64_t> x, std::optional<int64_t> y, std::optional<int64_t> z)
{
    if (!x || !y || !z) return {};
    std::array<char, 80> text;
    const int size = std::snprintf(text.data(), text.size(), "%4lld %4lld %4lld", static_cast<long long>(*x),
                                   static_cast<long long>(*y), static_cast<long long>(*z));
    return std::string(text.data(), static_cast<size_t>(size));
}

// The state of one pass over kernels. Kernels with equal label numbers share a label.
struct KernelGroups::Reading {
    using Shape = std::array<int64_t, 6>;
    using Key = std::tuple<ReportKey, std::pair<uint64_t, uint32_t>, StringId, Shape>;

    static constexpr std::array<RowFact, 6> kShape{RowFact::gridX,  RowFact::gridY,  RowFact::gridZ,
                                                   RowFact::blockX, RowFact::blockY, RowFact::blockZ};

    const KernelLabels& names;
    const bool hasShapes;
    std::map<Key, uint32_t> known = {};
    StringPool mangled = {};

    Key keyOf(SliceRef kernel, const RowFacts& facts)
    {
        Shape shape{};
        for (size_t n = 0; hasShapes && n < shape.size(); ++n)
            shape[n] = facts.number(kShape[n]).value_or(std::numeric_limits<int64_t>::min());
        return {kernel.report, names.key(kernel), mangled.intern(names.mangled(facts)), shape};
    }
    std::vector<std::string> labelsOf(SliceRef kernel, const RowFacts& facts) const
    {
        const auto triple = [&](size_t n) {
            return tripleText(facts.number(kShape[n]), facts.number(kShape[n + 1]),
                              facts.number(kShape[n + 2]));
        };
        std::vector<std::string> labels;
        if (hasShapes) labels = {triple(0), triple(3)};
        labels.push_back(names.label(kernel, facts));
        return labels;
    }
};

uint32_t KernelGroups::numberOf(std::vector<std::string>&& labels)
{
    const auto [number, isNew] =
        m_numbers.try_emplace(std::move(labels), static_cast<uint32_t>(m_labels.size()));
    if (isNew) m_labels.push_back(number->first);
    return number->second;
}

Result<KernelGroups> KernelGroups::of(const AnalysisRequest& request, bool hasShapes,
                                      const Progress& progress)
{
    const KernelLabels names = LOCKSTEP_TRY(KernelLabels::of(request, progress));
    RowsByStart rows(request.scene, request.scope, rowKinds({RowKind::kernel}));
    KernelGroups groups;
    groups.m_meaning = names.meaning();
    groups.m_rules = names.rules();
    if (const std::string missing = missingFacts(request.workspace, rows.reports()); !missing.empty())
        groups.m_rules.push_back(missing);
    Reading reading{names, hasShapes};
    uint32_t looked = 0;
    for (PlacedRow row; rows.next(row);) {
        if (++looked % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        const SliceRef kernel = row.ref();
        const Report& report = request.workspace.report(kernel.report);
        const RowFacts facts = report.factsOf(kernel.slice);
        const auto [number, isNew] = reading.known.try_emplace(reading.keyOf(kernel, facts), 0);
        if (isNew) number->second = groups.numberOf(reading.labelsOf(kernel, facts));
        std::vector<uint32_t>& groupOf = groups.m_groupOf[&report];
        if (groupOf.empty()) groupOf.assign(report.slices.size(), 0);
        groupOf[kernel.slice.value] = number->second;
    }
    return groups;
}

SummaryRule KernelGroups::rule() const
{
    SummaryRule rule;
    rule.pick = [this](ReportKey, const Report& report, uint32_t first, uint32_t last,
                       std::vector<SummaryPick>& out) {
        const auto groups = m_groupOf.find(&report);
        if (groups == m_groupOf.end()) return; // the report has no kernels
        for (uint32_t row = first; row < last; ++row) {
            if (report.slices.kind[row] == RowKind::kernel)
                out.push_back({row, groups->second[row], report.slices.range(SliceId(row))});
        }
    };
    rule.labels = [this](const Report&, const Track&, uint64_t key) { return m_labels[key]; };
    return rule;
}

} // namespace lockstep
