// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/critical_path.h"

#include <algorithm>
#include <tuple>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/training/step_path.h"

namespace lockstep {

namespace {

constexpr std::array kPathArguments{kStepsArgument};

void addPathRows(const AnalysisRequest& request, const PathKey& key, const StepPart& part,
                 const CriticalPath& path, std::vector<PathRow>& out)
{
    int64_t wall_ns = 0;
    std::map<std::tuple<std::string, PathKind, std::string>, PathRow> rows;
    for (const PathSegment& piece : path.pieces) {
        wall_ns += piece.length_ns;
        const std::string member = stepMemberOf(request, piece.slice.report, piece.process);
        PathRow& row = rows[{member, piece.kind, piece.name}];
        row.time_ns += piece.length_ns;
        ++row.count;
        if (piece.length_ns <= row.longest_ns) continue;
        row.longest_ns = piece.length_ns;
        row.longest = piece.slice.isValid() ? piece.slice : SliceRef();
    }
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (auto& [own, row] : rows) {
        std::tie(row.member, row.kind, row.name) = own;
        row.group = key.group;
        if (key.naming != StepNaming::unknown) row.step = key.number;
        row.wall_ns = wall_ns;
        row.from = part.from;
        out.push_back(std::move(row));
    }
    std::ranges::stable_sort(out.begin() + first, out.end(), std::ranges::greater{}, &PathRow::time_ns);
}

TableColumns<PathRow> pathColumns(const AnalysisRequest& request)
{
    const GroupBy by = request.scope.by;
    TableColumns<PathRow> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::step)
        columns.count(&PathRow::step, "step", "step number, by the rule in step_from; empty if unknown");
    columns
        .text(&PathRow::member, "member",
              "role and rank of this segment of the path, or the process if ranks are unknown")
        .text(&PathRow::kindName, "kind",
              "compute, communication, copy, launch, gap, sync, cuda_api, host or unrecorded: see rules")
        .text(&PathRow::name, "name", "name of the kernel, call, operator or range")
        .time(&PathRow::time_ns, "time", "time on the path; all rows of a step add up to wall")
        .add([](const PathRow& row) { return roundedQuotient(__int128(row.time_ns) * 10'000, row.wall_ns); },
             {"time_pctg", "", ColumnType::percent, 2, "time as a share of wall"})
        .count(&PathRow::count, "count", "number of segments of the path")
        .time(&PathRow::wall_ns, "wall", "duration of the step on the rank where the path ends")
        .text(&PathRow::from, "step_from", "rule that defines the step");
    return columns;
}

TableSource pathSource(const AnalysisRequest& request, const StepParts& steps, int64_t recorded,
                       int64_t inferred)
{
    TableSource source;
    describeSteps(request, steps, source);
    auto& rules = source.rules;
    rules.push_back("the path is followed from the end of a step back to its start: from a waiting "
                    "call to the work that ended last during it, from work to what delayed it, "
                    "from a collective to the last rank to arrive; it starts on the thread that "
                    "marks the step, on the rank whose device work ended last");
    rules.push_back(std::to_string(recorded) +
                    " dependencies are recorded: a call launched the work, or "
                    "the work followed other work on its stream; " +
                    std::to_string(inferred) +
                    " are inferred from times: the work that a call waited for, work on another "
                    "stream that ended after the launch, the last rank of a collective");
    rules.push_back("waits of one thread for another are not followed: a backward pass on "
                    "autograd's thread counts as the range that waits for it");
    for (size_t i = 0; i < static_cast<size_t>(PathKind::count); ++i) {
        const auto kind = static_cast<PathKind>(i);
        rules.push_back(std::string(pathKindName(kind)) + ": " + std::string(pathKindDoc(kind)));
    }
    return source;
}

} // namespace

Result<AnalysisRows<PathRow>> criticalPath(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const LastArrivals arrivals = lastArrivals(request, progress);
    LOCKSTEP_TRY(progress.check());
    const std::vector<std::pair<PathKey, const StepPart*>> starts = pathStarts(request, steps);
    std::vector<CriticalPath> paths(starts.size());
    progress.workers().run(starts.size(), [&](size_t i, size_t) {
        const StepPart& part = *starts[i].second;
        const ProcessTrace& trace = steps.traceOf(part);
        paths[i] =
            findCriticalPath(request, trace.report, trace.process, part.range, part.mark, arrivals, progress);
    });
    LOCKSTEP_TRY(progress.check());
    AnalysisRows<PathRow> made;
    int64_t recorded = 0, inferred = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
        addPathRows(request, starts[i].first, *starts[i].second, paths[i], made.rows);
        recorded += paths[i].recorded;
        inferred += paths[i].inferred;
    }
    made.source = pathSource(request, steps, recorded, inferred);
    return made;
}

Analysis criticalPathAnalysis()
{
    return {"critical_path", "Critical path of training steps", "training steps", kPathArguments,
            makeTable<criticalPath, pathColumns>};
}

} // namespace lockstep
