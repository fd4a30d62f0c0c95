// SPDX-License-Identifier: Apache-2.0
// The nvtx_pushpop_trace and nvtx_gpu_proj_trace analyses, like the nsys stats reports with these names. Both
// list individual NVTX ranges: the first as a tree, the second projected onto the GPU work that was launched
// in them.
#include "core/analysis/registry.h"

#include <algorithm>

#include "core/analysis/gpu_projection.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kPushPopTraceTitle = "NVTX push/pop range trace";
constexpr std::string_view kProjTraceTitle = "NVTX GPU projection trace";

int64_t idOf(const Report& report, SliceId range)
{
    return static_cast<int64_t>(report.slices.source[range.value].row());
}

// Maximum depth that is written, because a program that never ends its ranges nests them without bound.
constexpr uint32_t kMaxLevels = 256;
constexpr const char* kMaxLevelsRule = "only the innermost 256 levels of deeper nested ranges are listed";

// Returns ":1:5:9", i.e. the rows from the outermost range to this one. rangeAt(i) returns a range in the
// same tree.
template<class RangeAt>
std::string stackOf(const Report& report, const NvtxRange& range, const RangeAt& rangeAt)
{
    std::vector<int64_t> ids{idOf(report, range.slice)};
    for (uint32_t at = range.parent; at != kNoRange && ids.size() < kMaxLevels; at = rangeAt(at).parent)
        ids.push_back(idOf(report, rangeAt(at).slice));
    std::string text = range.level >= kMaxLevels ? ":..." : "";
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
        text += ":" + std::to_string(*id);
    return text;
}

// The columns common to both tables that give a range's position in its tree.
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
        if (!m_areSeveral) return;
        m_table.addColumn({"Report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
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
    // Fills Lvl, NumChild, RangeId, ParentId, RangeStack.
    template<class RangeAt>
    void setPlace(const Report& report, const NvtxRange& range, const RangeAt& rangeAt, size_t column)
    {
        m_table.setNumber(column, range.level);
        m_table.setNumber(column + 1, range.children);
        m_table.setNumber(column + 2, idOf(report, range.slice));
        if (range.parent != kNoRange)
            m_table.setNumber(column + 3, idOf(report, rangeAt(range.parent).slice));
        m_table.setText(column + 4, stackOf(report, range, rangeAt));
    }
    void addPlaceColumns()
    {
        addCount("Lvl", "number of ranges that enclose the range; 0: none");
        addCount("NumChild", "number of ranges directly inside the range");
        addCount("RangeId", "row number in the file");
        addCount("ParentId", "row number of the parent range");
        addText("RangeStack", "row numbers from the outermost range to this range");
    }

    Table take() { return std::move(m_table); }

    size_t first = 0;

  private:
    const AnalysisRequest& m_request;
    Table m_table;
    bool m_areSeveral;
};

// Returns whether a name passes the name filter.
bool isNamed(const AnalysisRequest& request, std::string_view name)
{
    return !request.scope.name || request.scope.name->matches(name);
}

Result<Table> pushPopTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto threads = LOCKSTEP_TRY(nvtxRangesInScope(request, rowKinds({RowKind::nvtxPushPop}), progress));
    RangeTraceTable out(request, kPushPopTraceTitle);
    out.addTime("Start", "start time, on the report's own clock");
    out.addTime("End", "end time, on the report's own clock");
    out.addTime("Duration", "duration of the range");
    out.addTime("DurChild", "sum of the durations of the ranges directly inside the range");
    out.addTime("DurNonChild", "Duration - DurChild");
    out.addText("Name", "domain:text; nothing before the colon for the default domain");
    out.addCount("PID", "process ID on its host");
    out.addCount("TID", "thread ID on its host");
    out.addPlaceColumns();
    out.addText("NameTree", "Name, indented by Lvl");
    out.addReport();
    struct Line {
        const NvtxRanges* thread;
        size_t range;
    };
    std::vector<Line> lines;
    for (const NvtxRanges& thread : threads) {
        for (size_t i = 0; i < thread.ranges.size(); ++i)
            lines.push_back({&thread, i});
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
        out.setPlace(
            report, range, [&](uint32_t i) -> const NvtxRange& { return thread.ranges[i]; }, column + 2);
        table.setText(column + 7, std::string(2 * size_t(std::min(range.level, kMaxLevels)), '-') + name);
    }
    Table table = out.take();
    table.source.rows = "slices of kind nvtx_pushpop";
    table.source.rules = {
        "a range's parent is the shortest range of its thread that contains it, regardless of domain",
        "a range left open ends with the last closed range of the report", kMaxLevelsRule};
    return table;
}

Result<Table> gpuProjTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto projections = LOCKSTEP_TRY(projectRanges(request, progress));
    RangeTraceTable out(request, kProjTraceTitle);
    out.addText("Name", "domain:text; nothing before the colon for the default domain");
    out.addTime("Projected Start", "start of the first work launched in the range, on the report's own "
                                   "clock");
    out.addTime("Projected Duration", "time to the end of the last work launched in the range");
    out.addTime("Orig Start", "start of the range, on the report's own clock");
    out.addTime("Orig Duration", "duration of the range");
    out.addText("Style", "PushPop or StartEnd");
    out.addCount("PID", "process ID on its host");
    out.addCount("TID", "thread ID on its host");
    out.addCount("NumGPUOps", "number of calls in the range that launched work");
    out.addPlaceColumns();
    out.addReport();
    struct Line {
        const GpuProjection* projection;
        size_t range;
    };
    std::vector<Line> lines;
    for (const GpuProjection& projection : projections) {
        for (size_t i = 0; i < projection.ranges.size(); ++i)
            lines.push_back({&projection, i});
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
        out.setPlace(
            report, range, [&](uint32_t i) -> const NvtxRange& { return projection.ranges[i].range; },
            column + 3);
    }
    Table table = out.take();
    table.source.rows = "NVTX ranges in which a call of their thread launched kernels, copies or memsets";
    table.source.rules = {"a call is in a range that contains it, both ends included", kMaxLevelsRule};
    if (projections.empty()) table.source.whenEmpty = kNoProjections;
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
