// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/critical_path.h"

#include <algorithm>
#include <tuple>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/step_columns.h"
#include "core/analysis/training/step_path.h"

namespace lockstep {

namespace {

constexpr std::string_view kPathTitle = "Critical path of training steps";
constexpr std::array kPathArguments{kStepsArgument};

// One row of the table: all segments with the same kind and name on one rank.
struct PathRow {
    std::string member, name;
    PathKind kind = PathKind::unrecorded;
    int64_t time_ns = 0, count = 0, longest_ns = -1;
    SliceRef longest;
};

std::vector<PathRow> rowsOfPath(const AnalysisRequest& request, const CriticalPath& path)
{
    std::map<std::tuple<std::string, PathKind, std::string>, PathRow> rows;
    for (const PathSegment& piece : path.pieces) {
        const std::string member = stepMemberOf(request, piece.slice.report, piece.process);
        PathRow& row = rows[{member, piece.kind, piece.name}];
        row.member = member;
        row.name = piece.name;
        row.kind = piece.kind;
        row.time_ns += piece.length_ns;
        ++row.count;
        if (piece.length_ns <= row.longest_ns) continue;
        row.longest_ns = piece.length_ns;
        row.longest = piece.slice.isValid() ? piece.slice : SliceRef();
    }
    std::vector<PathRow> out;
    for (auto& [key, row] : rows)
        out.push_back(std::move(row));
    std::ranges::stable_sort(out, std::ranges::greater{}, &PathRow::time_ns);
    return out;
}

class PathTable {
  public:
    explicit PathTable(const AnalysisRequest& request)
        : m_request(request), m_table(std::string(request.what), std::string(kPathTitle))
    {
        m_table.headerStyle = HeaderStyle::identifier;
        addGroupColumn(m_table, request.scope.by);
        if (request.scope.by != GroupBy::step)
            m_step = addStepCount(m_table, "step", "step number, by the rule in step_from; empty if unknown");
        m_member =
            text("member", "role and rank of this segment of the path, or the process if ranks are unknown");
        m_kind =
            text("kind",
                 "compute, communication, copy, launch, gap, sync, cuda_api, host or unrecorded: see rules");
        m_name = text("name", "name of the kernel, call, operator or range");
        m_time = addStepTime(m_table, "time", "time on the path; all rows of a step add up to wall");
        m_share = m_table.addColumn({"time_pctg", "", ColumnType::percent, 2, "time as a share of wall"});
        m_count = addStepCount(m_table, "count", "number of segments of the path");
        m_wall = addStepTime(m_table, "wall", "duration of the step on the rank where the path ends");
        m_from = text("step_from", "rule that defines the step");
    }

    void add(const PathKey& key, const StepPart& part, const CriticalPath& path)
    {
        int64_t wall_ns = 0;
        for (const PathSegment& piece : path.pieces)
            wall_ns += piece.length_ns;
        for (const PathRow& row : rowsOfPath(m_request, path)) {
            m_table.addRow(row.longest);
            setGroup(m_table, m_request.scope.by, key.group);
            if (m_request.scope.by != GroupBy::step && key.naming != StepNaming::unknown)
                m_table.setNumber(m_step, key.number);
            m_table.setText(m_member, row.member);
            m_table.setText(m_kind, pathKindName(row.kind));
            m_table.setText(m_name, row.name);
            m_table.setNumber(m_time, row.time_ns);
            m_table.setNumber(m_share, roundedQuotient(__int128(row.time_ns) * 10'000, wall_ns));
            m_table.setNumber(m_count, row.count);
            m_table.setNumber(m_wall, wall_ns);
            m_table.setText(m_from, part.from);
        }
        m_recorded += path.recorded;
        m_inferred += path.inferred;
    }

    Table finished(const StepParts& steps)
    {
        describeSteps(m_request, steps, m_table);
        auto& rules = m_table.source.rules;
        rules.push_back("the path is followed from the end of a step back to its start: from a waiting "
                        "call to the work that ended last during it, from work to what delayed it, "
                        "from a collective to the last rank to arrive; it starts on the thread that "
                        "marks the step, on the rank whose device work ended last");
        rules.push_back(std::to_string(m_recorded) +
                        " dependencies are recorded: a call launched the work, or "
                        "the work followed other work on its stream; " +
                        std::to_string(m_inferred) +
                        " are inferred from times: the work that a call waited for, work on another "
                        "stream that ended after the launch, the last rank of a collective");
        rules.push_back("waits of one thread for another are not followed: a backward pass on "
                        "autograd's thread counts as the range that waits for it");
        for (size_t i = 0; i < static_cast<size_t>(PathKind::count); ++i) {
            const auto kind = static_cast<PathKind>(i);
            rules.push_back(std::string(pathKindName(kind)) + ": " + std::string(pathKindDoc(kind)));
        }
        return std::move(m_table);
    }

  private:
    size_t text(const char* name, const char* doc)
    {
        return m_table.addColumn({name, "", ColumnType::text, 0, doc});
    }

    const AnalysisRequest& m_request;
    Table m_table;
    size_t m_step = 0, m_member = 0, m_kind = 0, m_name = 0, m_time = 0, m_share = 0, m_count = 0, m_wall = 0,
           m_from = 0;
    int64_t m_recorded = 0, m_inferred = 0;
};

Result<Table> criticalPathTable(const AnalysisRequest& request, const Progress& progress)
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
    PathTable table(request);
    for (size_t i = 0; i < starts.size(); ++i)
        table.add(starts[i].first, *starts[i].second, paths[i]);
    return table.finished(steps);
}

} // namespace

Analysis criticalPathAnalysis()
{
    return {"critical_path", kPathTitle, "training steps", kPathArguments, criticalPathTable};
}

} // namespace lockstep
