// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/nvtx_trace_tables.h"

#include <algorithm>

#include "core/analysis/gpu_projection.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kPushPopTraceTitle = "NVTX push/pop range trace";
constexpr std::string_view kProjTraceTitle = "NVTX GPU projection trace";

// What the rows of both tables say of where a range stands in its tree.
class RangeTraceTable {
  public:
    RangeTraceTable(const AnalysisRequest& request, std::string_view title)
        : m_request(request), m_table(std::string(request.what), std::string(title)),
          m_areSeveral(request.workspace.keys().size() > 1)
    {
        addGroupColumn(m_table, request.scope.by);
        first = m_table.columnCount();
    }

    void addTime(const char* name, const char* doc)
    {
        m_table.addColumn({name, "ns", ColumnType::time, 0, doc});
    }
    void addCount(const char* name, const char* doc)
    {
        m_table.addColumn({name, "", ColumnType::integer, 0, doc});
    }
    void addText(const char* name, const char* doc)
    {
        m_table.addColumn({name, "", ColumnType::text, 0, doc});
    }
    void addReport()
    {
        if (m_areSeveral) addText("Report", "path of the report");
    }

    Table& addRow(ReportKey report, const GroupKey& group, SliceId slice)
    {
        m_table.addRow({report, slice});
        setGroup(m_table, m_request.scope.by, group);
        if (m_areSeveral)
            m_table.setText(m_table.columnCount() - 1,
                            m_request.workspace.report(report).provenance.path.string());
        return m_table;
    }
    void setThread(const Report& report, ProcessId process, ThreadId thread, size_t column)
    {
        if (process.isValid()) m_table.setNumber(column, report.processes[process.value].pid);
        if (thread.isValid()) m_table.setNumber(column + 1, report.threads[thread.value].tid);
    }
    // Lvl, NumChild, RangeId, ParentId, RangeStack.
    void setPlace(const NvtxRange& range, int64_t id, std::optional<int64_t> parent, std::string_view stack,
                  size_t column)
    {
        m_table.setNumber(column, range.level);
        m_table.setNumber(column + 1, range.children);
        m_table.setNumber(column + 2, id);
        if (parent) m_table.setNumber(column + 3, *parent);
        m_table.setText(column + 4, stack);
    }
    void addPlaceColumns()
    {
        addCount("Lvl", "ranges above it; 0: none");
        addCount("NumChild", "ranges right below it");
        addCount("RangeId", "its row in the file");
        addCount("ParentId", "row of the range right above it");
        addText("RangeStack", "rows of the ranges down to it");
    }

    Table take() { return std::move(m_table); }

    size_t first = 0;

  private:
    const AnalysisRequest& m_request;
    Table m_table;
    bool m_areSeveral;
};

int64_t idOf(const Report& report, SliceId range)
{
    return static_cast<int64_t>(report.slices.source[range.value].row());
}

// Of ranges whose parents come before them.
class RangeStacks {
  public:
    void add(const Report& report, const NvtxRange& range)
    {
        const std::string own = ":" + std::to_string(idOf(report, range.slice));
        m_stacks.push_back(range.parent == kNoRange ? own : m_stacks[range.parent] + own);
    }
    const std::string& last() const { return m_stacks.back(); }

  private:
    std::vector<std::string> m_stacks;
};

// Whether the rows of a name are asked for.
bool isNamed(const AnalysisRequest& request, std::string_view name)
{
    return !request.scope.name || request.scope.name->matches(name);
}

Result<Table> pushPopTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto threads = LOCKSTEP_TRY(nvtxRangesInScope(request, rowKinds({RowKind::nvtxPushPop}), progress));
    RangeTraceTable out(request, kPushPopTraceTitle);
    out.addTime("Start", "on the report's own clock");
    out.addTime("End", "on the report's own clock");
    out.addTime("Duration", "of the range");
    out.addTime("DurChild", "sum of the durations of the ranges right below it");
    out.addTime("DurNonChild", "Duration - DurChild");
    out.addText("Name", "domain:text; nothing before the colon for the default domain");
    out.addCount("PID", "process, as its host numbers it");
    out.addCount("TID", "thread, as its host numbers it");
    out.addPlaceColumns();
    out.addText("NameTree", "Name, indented by Lvl");
    out.addReport();
    struct Line {
        const NvtxRanges* thread;
        size_t range;
        std::string stack;
    };
    std::vector<Line> lines;
    for (const NvtxRanges& thread : threads) {
        RangeStacks stacks;
        for (size_t i = 0; i < thread.ranges.size(); ++i) {
            stacks.add(request.workspace.report(thread.report), thread.ranges[i]);
            lines.push_back({&thread, i, stacks.last()});
        }
    }
    std::ranges::stable_sort(lines, {}, [](const Line& line) {
        const TimeRange range = line.thread->ranges[line.range].range;
        return std::tuple(line.thread->group, range.begin, range.length());
    });
    for (const Line& line : lines) {
        const NvtxRanges& thread = *line.thread;
        const Report& report = request.workspace.report(thread.report);
        const NvtxRange& range = thread.ranges[line.range];
        const std::string name = nvtxLabel(report, range.track, range.slice);
        if (!isNamed(request, name)) continue;
        Table& table = out.addRow(thread.report, thread.group, range.slice);
        const int64_t length_ns = range.range.length().ns;
        size_t column = out.first;
        for (const int64_t ns : {range.range.begin.ns, range.range.end.ns, length_ns, range.inChildren_ns,
                                 length_ns - range.inChildren_ns})
            table.setNumber(column++, ns);
        table.setText(column++, name);
        out.setThread(report, thread.process, thread.thread, column);
        const auto parent = range.parent == kNoRange
                                ? std::nullopt
                                : std::optional(idOf(report, thread.ranges[range.parent].slice));
        out.setPlace(range, idOf(report, range.slice), parent, line.stack, column + 2);
        table.setText(column + 7, std::string(2 * size_t(range.level), '-') + name);
    }
    Table table = out.take();
    table.source.rows = "slices of kind nvtx_pushpop";
    table.source.rules = {
        "a range is below the one of its thread that contains it with the least to spare, whatever "
        "their domains",
        "a range left open ends at the largest end of the report's closed ranges"};
    return table;
}

Result<Table> gpuProjTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto projections = LOCKSTEP_TRY(projectRanges(request, progress));
    RangeTraceTable out(request, kProjTraceTitle);
    out.addText("Name", "domain:text; nothing before the colon for the default domain");
    out.addTime("Projected Start", "of the first work launched in the range, on the report's own clock");
    out.addTime("Projected Duration", "to the end of the last of it");
    out.addTime("Orig Start", "of the range, on the report's own clock");
    out.addTime("Orig Duration", "of the range");
    out.addText("Style", "PushPop or StartEnd");
    out.addCount("PID", "process, as its host numbers it");
    out.addCount("TID", "thread, as its host numbers it");
    out.addCount("NumGPUOps", "calls in the range that launched work");
    out.addPlaceColumns();
    out.addReport();
    struct Line {
        const GpuProjection* projection;
        size_t range;
        std::string stack;
    };
    std::vector<Line> lines;
    for (const GpuProjection& projection : projections) {
        RangeStacks stacks;
        for (size_t i = 0; i < projection.ranges.size(); ++i) {
            stacks.add(request.workspace.report(projection.report), projection.ranges[i].range);
            lines.push_back({&projection, i, stacks.last()});
        }
    }
    std::ranges::stable_sort(lines, {}, [](const Line& line) {
        const ProjectedRange& range = line.projection->ranges[line.range];
        return std::tuple(line.projection->group, range.projected.begin, -range.projected.length().ns);
    });
    for (const Line& line : lines) {
        const GpuProjection& projection = *line.projection;
        const Report& report = request.workspace.report(projection.report);
        const ProjectedRange& projected = projection.ranges[line.range];
        const NvtxRange& range = projected.range;
        const std::string name = nvtxLabel(report, range.track, range.slice);
        if (!isNamed(request, name)) continue;
        Table& table = out.addRow(projection.report, projection.group, projected.first);
        size_t column = out.first;
        table.setText(column++, name);
        for (const int64_t ns : {projected.projected.begin.ns, projected.projected.length().ns,
                                 range.range.begin.ns, range.range.length().ns})
            table.setNumber(column++, ns);
        table.setText(column++, nvtxStyle(report, range.slice));
        out.setThread(report, projection.process, projection.thread, column);
        table.setNumber(column + 2, projected.operations);
        const auto parent = range.parent == kNoRange
                                ? std::nullopt
                                : std::optional(idOf(report, projection.ranges[range.parent].range.slice));
        out.setPlace(range, idOf(report, range.slice), parent, line.stack, column + 3);
    }
    Table table = out.take();
    table.source.rows = "NVTX ranges in which a call of their thread launched kernels, copies or memsets";
    table.source.rules = {"a call is in a range that contains it, both ends included"};
    return table;
}

} // namespace

Analysis nvtxPushPopTrace()
{
    return {"nvtx_pushpop_trace", kPushPopTraceTitle, "NVTX push/pop ranges", {}, pushPopTraceRows};
}

Analysis nvtxGpuProjTrace()
{
    return {"nvtx_gpu_proj_trace", kProjTraceTitle, "NVTX ranges with GPU work", {}, gpuProjTraceRows};
}

} // namespace lockstep
