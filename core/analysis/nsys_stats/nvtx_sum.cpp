// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/nvtx_sum.h"

#include <algorithm>

#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/summary.h"
#include "core/lanes/phase_slices.h"

namespace lockstep {

namespace {

constexpr uint64_t kStartEndBit = uint64_t(1) << 32; // bit above the name's StringId

// Returns for each report the latest end of its closed NVTX ranges.
ByReport<TraceTime> lastEnds(const Workspace& workspace)
{
    ByReport<TraceTime> ends(workspace.slotCount());
    for (const ReportKey key : workspace.keys())
        ends[key] = lastClosedEnd(workspace.report(key));
    return ends;
}

template<class Counts = EverySlice>
SummaryRule nvtxRule(RowKinds kinds, bool namesStyle, const Workspace& workspace, Counts counts = {})
{
    SummaryRule rule;
    const auto keyOf = [](const Report& report, SliceId slice) {
        const bool isStartEnd = report.slices.kind[slice.value] == RowKind::nvtxStartEnd;
        return (isStartEnd ? kStartEndBit : 0) | report.slices.name[slice.value].value;
    };
    rule.pick = [ranges = pickSlices(kinds, keyOf, counts),
                 ends = lastEnds(workspace)](ReportKey key, const Report& report, uint32_t first,
                                             uint32_t last, std::vector<SummaryPick>& out) {
        size_t at = out.size();
        ranges(key, report, first, last, out);
        for (; at < out.size(); ++at) {
            if ((report.slices.flags[out[at].row] & sliceFlag::kOpenEnd) != 0)
                out[at].range.end = std::min(out[at].range.end, std::max(out[at].range.begin, ends[key]));
        }
    };
    rule.labels = [namesStyle](const Report& report, const Track& track, uint64_t key) {
        std::vector<std::string> labels;
        if (namesStyle) labels.emplace_back((key & kStartEndBit) != 0 ? "StartEnd" : "PushPop");
        labels.push_back(nvtxDomain(report, track) + ":" +
                         std::string(report.strings.at(StringId(static_cast<uint32_t>(key)))));
        return labels;
    };
    return rule;
}

Result<Table> runStyles(RowKinds kinds, bool namesStyle, std::string_view title,
                        const AnalysisRequest& request, const Progress& progress)
{
    std::vector<TableColumn> labels;
    if (namesStyle) labels.push_back({"Style", "", ColumnType::text, 0, "PushPop or StartEnd"});
    labels.push_back(
        {"Range", "", ColumnType::text, 0, "domain:text; nothing before the colon for the default domain"});
    Table table = LOCKSTEP_TRY(timeSummaryTable(nvtxRule(kinds, namesStyle, request.workspace), request,
                                                title, "Instances", labels, progress));
    table.source.rows = "slices of kind nvtx_pushpop and nvtx_startend that the table covers";
    table.source.rules.push_back("a range left open ends with the last closed range of the report");
    return table;
}

constexpr std::string_view kBothTitle = "NVTX range summary";
constexpr std::string_view kPushPopTitle = "NVTX push/pop range summary";
constexpr std::string_view kStartEndTitle = "NVTX start/end range summary";
constexpr std::string_view kNcclTitle = "NCCL call summary";

Result<Table> runBoth(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(kNvtxStyles, true, kBothTitle, request, progress);
}

Result<Table> runPushPop(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(rowKinds({RowKind::nvtxPushPop}), false, kPushPopTitle, request, progress);
}

Result<Table> runStartEnd(const AnalysisRequest& request, const Progress& progress)
{
    return runStyles(rowKinds({RowKind::nvtxStartEnd}), false, kStartEndTitle, request, progress);
}

// NCCL's own ranges around its calls: CPU thread time, not GPU time.
Result<Table> runNccl(const AnalysisRequest& request, const Progress& progress)
{
    const auto isOfNccl = [](const Report& report, SliceId slice) {
        return nvtxDomain(report, report.tracks[report.trackOf(slice).value]) == "NCCL";
    };
    SummaryRule rule = nvtxRule(kNvtxStyles, false, request.workspace, isOfNccl);
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector{std::string(report.strings.at(StringId(static_cast<uint32_t>(key))))};
    };
    const std::vector<TableColumn> labels{{"Name", "", ColumnType::text, 0, "text of the range"}};
    Table table = LOCKSTEP_TRY(timeSummaryTable(rule, request, kNcclTitle, "Count", labels, progress));
    table.source.rows = "NVTX ranges of the domain NCCL";
    table.source.rules.push_back(
        "time of the calling threads; a range left open ends with the last closed range of the report");
    return table;
}

} // namespace

Analysis ncclSum()
{
    return {"nccl_sum", kNcclTitle, "NVTX ranges of NCCL", {}, runNccl};
}

Analysis nvtxSum()
{
    return {"nvtx_sum", kBothTitle, "NVTX ranges", {}, runBoth};
}

Analysis nvtxPushPopSum()
{
    return {"nvtx_pushpop_sum", kPushPopTitle, "NVTX push/pop ranges", {}, runPushPop};
}

Analysis nvtxStartEndSum()
{
    return {"nvtx_startend_sum", kStartEndTitle, "NVTX start/end ranges", {}, runStartEnd};
}

} // namespace lockstep
