// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that list individual CUDA rows, sorted by start.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/nsys_stats/kernel_labels.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/recorded_facts.h"
#include "core/analysis/rows_by_start.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

// TraceStream: the part common to tables that list individual rows: the sorted rows, page by page, and the
// columns that identify rows. Each table derives from TraceStream and adds its own cells. Created by an
// analysis. Thread: one at a time.

// A row in a trace: a slice, and the related slice that is listed in the same row.
struct TraceRow {
    SliceRef row;
    SliceId with; // the call that launched the kernel; invalid for other rows
    const GroupKey* group = nullptr;
};

class TraceStream : public RowStream {
  public:
    // The request's scene and scope must outlive the stream. order: the kinds of the rows that are visited in
    // order of start. expand() converts each visited row to lines, which are rows of the kinds `listed`.
    TraceStream(const AnalysisRequest& request, std::string_view title, const Scope& order, RowKinds kinds,
                RowKinds listed);

    const Table& head() const override { return m_page; }
    Result<const Table*> next(const Progress& progress) override;
    void restart() override { m_rows.restart(); }

  protected:
    // Adds the lines for a row: none, the row itself, or several.
    virtual void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const = 0;
    // Returns whether a line is listed. facts: the details of line.row.
    virtual bool isListed(const TraceRow& line, const RowFacts& facts) = 0;
    // Adds the cells of a line to the last row of the page, starting at column `first`; called right after
    // isListed().
    virtual void fill(Table& page, size_t first, const TraceRow& line, const RowFacts& facts) = 0;

    // For constructors: add the columns in order, then call finishColumns().
    void addTime(const char* name, const char* doc);
    void addCount(const char* name, const char* doc);
    void addText(const char* name, const char* doc);
    void addAmount(const char* name, const char* unit, const char* doc);
    void finishColumns(std::string rows, std::vector<std::string> rules);
    // Call after finishColumns(); see TableSource.
    void setWhenEmpty(std::string sentence) { m_page.source.whenEmpty = std::move(sentence); }

    const Report& report(ReportKey key) const { return m_scene.shown.report(key); }
    const Track& trackOf(SliceRef row) const;
    bool isNamed(std::string_view name) const { return !m_scope.name || m_scope.name->matches(name); }
    static void setNumber(Table& page, size_t column, std::optional<int64_t> number)
    {
        if (number) page.setNumber(column, *number);
    }
    // Sets a cell to a byte count in millions (MB), with three decimals.
    void setMillions(Table& page, size_t column, std::optional<int64_t> bytes) const;

    const Scene& m_scene;
    const Scope& m_scope;

  private:
    Status gather(const Progress& progress);
    void setPlace(const TraceRow& line);

    Table m_page;
    size_t m_first = 0; // first column after the group column
    std::optional<size_t> m_axis, m_report;
    RowsByStart m_rows;
    std::vector<ReportKey> m_reports; // the reports that have rows of the kinds listed
    std::vector<TraceRow> m_lines;
};

TraceStream::TraceStream(const AnalysisRequest& request, std::string_view title, const Scope& order,
                         RowKinds kinds, RowKinds listed)
    : m_scene(request.scene), m_scope(request.scope), m_page(std::string(request.what), std::string(title)),
      m_rows(request.scene, order, kinds),
      m_reports(kinds == listed ? m_rows.reports() : RowsByStart(m_scene, order, listed).reports())
{
    addGroupColumn(m_page, m_scope.by);
    m_first = m_page.columnCount();
}

void TraceStream::addTime(const char* name, const char* doc)
{
    m_page.addColumn({name, "ns", ColumnType::time, 0, doc});
}

void TraceStream::addCount(const char* name, const char* doc)
{
    m_page.addColumn({name, "", ColumnType::integer, 0, doc});
}

void TraceStream::addText(const char* name, const char* doc)
{
    m_page.addColumn({name, "", ColumnType::text, 0, doc});
}

void TraceStream::addAmount(const char* name, const char* unit, const char* doc)
{
    m_page.addColumn({name, unit, ColumnType::bytes, 3, doc});
}

void TraceStream::finishColumns(std::string rows, std::vector<std::string> rules)
{
    m_page.source = {std::move(rows), std::move(rules), m_scope.description()};
    if (const std::string missing = missingFacts(m_scene.shown, m_reports); !missing.empty())
        m_page.source.rules.push_back(missing);
    if (m_scope.time) m_page.source.rules.push_back("rows that overlap the time range are listed, in full");
    if (m_scene.shown.size() < 2) return;
    m_axis = m_page.addColumn({"Aligned Start", "ns", ColumnType::time, 0,
                               "start of the row, on the aligned axis shared by all reports; rows are in "
                               "this order",
                               ColumnMeaning::alignedTime});
    m_report =
        m_page.addColumn({"Report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
}

// Collects the next lines. Collects nothing after the last line.
Status TraceStream::gather(const Progress& progress)
{
    m_lines.clear();
    PlacedRow row;
    uint32_t visited = 0;
    while (m_lines.size() < kTracePage_rows && m_rows.next(row)) {
        if (++visited % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        expand(row, m_lines);
    }
    return {};
}

// Sets the report and the aligned start of a line if there are several reports.
void TraceStream::setPlace(const TraceRow& line)
{
    if (!m_report) return;
    const Report& of = report(line.row.report);
    const SliceId placed = line.with.isValid() ? line.with : line.row.slice;
    const ClockMap& map = m_scene.alignment.map(line.row.report);
    m_page.setNumber(*m_axis, map.alignedFromTrace(of.slices.start(placed)).ns);
    m_page.setText(*m_report, of.provenance.path.string());
}

Result<const Table*> TraceStream::next(const Progress& progress)
{
    m_page.clearRows();
    while (m_page.rowCount() == 0) {
        LOCKSTEP_TRY(gather(progress));
        if (m_lines.empty()) return nullptr;
        for (size_t i = 0; i < m_lines.size(); ++i) {
            if (i % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            const TraceRow& line = m_lines[i];
            const RowFacts facts = report(line.row.report).factsOf(line.row.slice);
            if (!isListed(line, facts)) continue;
            m_page.addRow(line.row);
            setGroup(m_page, m_scope.by, *line.group);
            fill(m_page, m_first, line, facts);
            setPlace(line);
        }
    }
    return &m_page;
}

const Track& TraceStream::trackOf(SliceRef row) const
{
    const Report& of = report(row.report);
    return of.track(of.trackOf(row.slice));
}

void TraceStream::setMillions(Table& page, size_t column, std::optional<int64_t> bytes) const
{
    if (bytes) page.setNumber(column, roundedQuotient(*bytes, 1000));
}

constexpr std::string_view kGpuTraceTitle = "CUDA GPU trace";
constexpr std::array kGpuTraceArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};
constexpr RowKinds kTracedWork = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});

class GpuTrace : public TraceStream {
  public:
    GpuTrace(const AnalysisRequest& request, KernelLabels&& labels)
        : TraceStream(request, kGpuTraceTitle, request.scope, kTracedWork, kTracedWork),
          m_labels(std::move(labels))
    {
        addTime("Start", "start time, on the report's own clock");
        addTime("Duration", "duration of the row");
        addCount("CorrId", "links the work to the call that launched it, within its process");
        for (const char* const name : {"GrdX", "GrdY", "GrdZ"})
            addCount(name, "blocks per grid in this direction");
        for (const char* const name : {"BlkX", "BlkY", "BlkZ"})
            addCount(name, "threads per block in this direction");
        addCount("Reg/Trd", "registers per thread");
        addAmount("StcSMem", "MB", "static shared memory per block, in 10^6 bytes");
        addAmount("DymSMem", "MB", "dynamic shared memory per block, in 10^6 bytes");
        addAmount("Bytes", "MB", "bytes copied or set, in 10^6 bytes");
        addAmount("Throughput", "MB/s", "Bytes / Duration; empty for a duration of 0");
        addText("SrcMemKd", "kind of source memory, or of the memory that was set");
        addText("DstMemKd", "kind of destination memory");
        addText("Device", "device name, and its CUDA ordinal in the process");
        addCount("Ctx", "CUDA context");
        addCount("Strm", "stream");
        addText("Name", "");
        finishColumns("slices of kind kernel, memcpy and memset", m_labels.rules());
    }

  protected:
    void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const override
    {
        lines.push_back({row.ref(), {}, row.group});
    }

    bool isListed(const TraceRow& line, const RowFacts& facts) override
    {
        const Report& of = report(line.row.report);
        const bool isKernel = of.slices.kind[line.row.slice.value] == RowKind::kernel;
        m_name = isKernel ? m_labels.label(line.row, facts)
                          : std::string(copyKindName(copyKindOf(of, line.row.slice)));
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, const RowFacts& facts) override
    {
        const Report& of = report(line.row.report);
        const SliceId slice = line.row.slice;
        page.setNumber(first, of.slices.start_ns[slice.value]);
        page.setNumber(first + 1, of.slices.duration_ns[slice.value]);
        setNumber(page, first + 2, facts.number(RowFact::correlation));
        if (of.slices.kind[slice.value] == RowKind::kernel) {
            for (size_t n = 0; n < 7; ++n) // columns GrdX to Reg/Trd
                setNumber(page, first + 3 + n,
                          facts.number(static_cast<RowFact>(size_t(RowFact::gridX) + n)));
            setMillions(page, first + 10, facts.number(RowFact::staticShared));
            setMillions(page, first + 11, facts.number(RowFact::dynamicShared));
        } else {
            fillMoved(page, first + 12, line, facts);
        }
        fillPlace(page, first + 16, line, facts);
        page.setText(first + 19, m_name);
    }

  private:
    // Fills Bytes, Throughput, SrcMemKd, DstMemKd.
    void fillMoved(Table& page, size_t column, const TraceRow& line, const RowFacts& facts) const
    {
        const Report& of = report(line.row.report);
        const MemoryOp* const op = of.memoryOpOf(line.row.slice);
        std::optional<int64_t> size;
        if (op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns))
            size = static_cast<int64_t>(op->size_bytes);
        const int64_t length_ns = of.slices.duration_ns[line.row.slice.value];
        setMillions(page, column, size);
        if (size && length_ns > 0)
            page.setNumber(column + 1, roundedQuotient(__int128(*size) * 1'000'000, length_ns));
        const bool isCopy = of.slices.kind[line.row.slice.value] == RowKind::memcpy;
        const MemoryKind source = op == nullptr ? MemoryKind::unknown : isCopy ? op->source : op->destination;
        setKind(page, column + 2, facts.number(RowFact::sourceKind), source);
        if (isCopy)
            setKind(page, column + 3, facts.number(RowFact::destinationKind),
                    op == nullptr ? MemoryKind::unknown : op->destination);
    }

    // Uses the recorded value if there is one, even if it is "Unknown"; otherwise uses the kind that is
    // stored in the report, unless that kind is unknown.
    static void setKind(Table& page, size_t column, std::optional<int64_t> recorded, MemoryKind stored)
    {
        const bool isKind = recorded && *recorded >= 0 && *recorded <= int64_t(MemoryKind::unknown);
        if (isKind)
            page.setText(column, memoryKindName(static_cast<MemoryKind>(*recorded)));
        else if (stored != MemoryKind::unknown)
            page.setText(column, memoryKindName(stored));
    }

    // Fills Device, Ctx, Strm.
    void fillPlace(Table& page, size_t column, const TraceRow& line, const RowFacts& facts) const
    {
        const Report& of = report(line.row.report);
        const TrackKey& key = trackOf(line.row).key;
        if (key.device.isValid()) {
            const Device& device = of.devices[key.device.value];
            const std::string_view name = of.strings.at(device.name);
            page.setText(column, std::string(name) + (name.empty() ? "(" : " (") +
                                     std::to_string(device.ordinal) + ")");
        }
        const auto context = facts.number(RowFact::context);
        if (context)
            page.setNumber(column + 1, *context);
        else if (key.context != 0)
            page.setNumber(column + 1, key.context);
        if (key.lane >= 0) page.setNumber(column + 2, key.lane);
    }

    const KernelLabels m_labels;
    std::string m_name; // values of the current line
};

Result<std::unique_ptr<RowStream>> gpuTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    KernelLabels labels = LOCKSTEP_TRY(KernelLabels::of(request, progress));
    return std::make_unique<GpuTrace>(request, std::move(labels));
}

} // namespace

// The cuda_gpu_trace analysis: individual kernels, copies and memsets sorted by start, with launch
// configuration or bytes moved, like the nsys stats report with this name. Throughput is exact. nsys first
// divides 10^9 by the duration in integer arithmetic, so its values for long copies are too low.
Analysis cudaGpuTrace()
{
    return {.name = "cuda_gpu_trace",
            .title = kGpuTraceTitle,
            .rows = "kernels, copies or memsets",
            .arguments = kGpuTraceArguments,
            .run = nullptr,
            .stream = gpuTraceRows};
}

namespace {

constexpr std::string_view kApiTraceTitle = "CUDA API trace";

class ApiTrace : public TraceStream {
  public:
    explicit ApiTrace(const AnalysisRequest& request)
        : TraceStream(request, kApiTraceTitle, request.scope, kCudaApiKinds, kCudaApiKinds)
    {
        addTime("Start", "start time, on the report's own clock");
        addTime("Duration", "duration of the call");
        addText("Name", "name of the call without its version suffix; [backtrace]: recorded a second "
                        "time with a backtrace, which nsys stats lists again under its plain name");
        addCount("Result", "return value; 0: success");
        addCount("CorrID", "links the call to the work it launched, within its process");
        addCount("Pid", "process ID on its host");
        addCount("Tid", "thread ID on its host");
        addCount("T-Pri", "priority of the thread");
        addText("Thread Name", "name set by the thread, or derived from its activity");
        finishColumns("slices of kind runtime_api and driver_api, and other kinds in their tables", {});
    }

  protected:
    void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const override
    {
        if (ApiCallOrNoSpan()(report(row.report), row.slice)) lines.push_back({row.ref(), {}, row.group});
    }

    bool isListed(const TraceRow& line, const RowFacts&) override
    {
        const Report& of = report(line.row.report);
        m_name = apiNameWithoutVersion(of.nameOf(line.row.slice));
        if (of.slices.kind[line.row.slice.value] == RowKind::span) m_name += " [backtrace]";
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, const RowFacts& facts) override
    {
        const Report& of = report(line.row.report);
        page.setNumber(first, of.slices.start_ns[line.row.slice.value]);
        page.setNumber(first + 1, of.slices.duration_ns[line.row.slice.value]);
        page.setText(first + 2, m_name);
        setNumber(page, first + 3, facts.number(RowFact::result));
        setNumber(page, first + 4, facts.number(RowFact::correlation));
        const TrackKey& key = trackOf(line.row).key;
        if (key.process.isValid()) page.setNumber(first + 5, of.processes[key.process.value].pid);
        if (key.thread.isValid()) {
            const Thread& thread = of.threads[key.thread.value];
            page.setNumber(first + 6, thread.tid);
            page.setText(first + 8, of.strings.at(thread.name));
        }
        setNumber(page, first + 7, facts.number(RowFact::priority));
    }

  private:
    std::string m_name; // values of the current line
};

Result<std::unique_ptr<RowStream>> apiTraceRows(const AnalysisRequest& request, const Progress&)
{
    return std::make_unique<ApiTrace>(request);
}

} // namespace

// The cuda_api_trace analysis: individual CUDA calls sorted by start, with their return values, like the nsys
// stats report with this name. Rows that were recorded a second time with a backtrace are listed in the same
// way as cuda_api_sum counts them.
Analysis cudaApiTrace()
{
    return {.name = "cuda_api_trace",
            .title = kApiTraceTitle,
            .rows = "CUDA API calls",
            .arguments = {},
            .run = nullptr,
            .stream = apiTraceRows};
}

namespace {

constexpr std::string_view kExecTraceTitle = "CUDA kernel launch and execution time trace";
constexpr std::array kExecTraceArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

// Visits all calls, because the filters apply to the kernels that they launch, not to the calls.
Scope scopeOfCalls(const Scope& scope)
{
    Scope calls = scope;
    calls.time.reset();
    calls.devices.clear();
    calls.streams.clear();
    return calls;
}

// Returns whether a report has kernels, and whether any of them has a recorded call.
bool hasKernels(const Report& report)
{
    return std::ranges::find(report.slices.kind, RowKind::kernel) != report.slices.kind.end();
}

bool hasCalledKernels(const Report& report)
{
    return std::ranges::any_of(report.links.all(), [&](const Link& link) {
        return link.kind == LinkKind::launch && report.slices.kind[link.effect.value] == RowKind::kernel;
    });
}

class ExecTrace : public TraceStream {
  public:
    ExecTrace(const AnalysisRequest& request, KernelLabels&& labels)
        : TraceStream(request, kExecTraceTitle, scopeOfCalls(request.scope), kAnyCall,
                      rowKinds({RowKind::kernel})),
          m_labels(std::move(labels))
    {
        addTime("API Start", "start of the call, on the report's own clock");
        addTime("API Dur", "duration of the call");
        addTime("Queue Start", "end of the call; empty if the kernel started before it");
        addTime("Queue Dur", "time from the end of the call to the start of the kernel");
        addTime("Kernel Start", "start of the kernel, on the report's own clock");
        addTime("Kernel Dur", "duration of the kernel");
        addTime("Total Dur", "time from the start of the call to its end or the kernel's end, whichever "
                             "is later");
        addCount("PID", "process ID on its host");
        addCount("TID", "thread of the call");
        addCount("DevId", "CUDA device ordinal in the process");
        addText("API Function", "name of the call without its version suffix");
        addText("GridXYZ", "blocks per grid");
        addText("BlockXYZ", "threads per block");
        addText("Kernel Name", "");
        finishColumns("kernels and the calls that launched them, joined by correlation ID within their "
                      "process",
                      m_labels.rules());
        bool haveKernels = false, haveCalls = false;
        for (const ReportKey key : m_scene.shown.keys()) {
            haveCalls = haveCalls || hasCalledKernels(report(key));
            haveKernels = haveKernels || hasKernels(report(key));
        }
        if (haveKernels && !haveCalls)
            setWhenEmpty("No kernel has a recorded launch call. cuda_gpu_trace lists kernels without their "
                         "calls.");
    }

  protected:
    void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const override
    {
        const Report& of = report(row.report);
        const auto window = windowOf(m_scope, m_scene.alignment, row.report);
        for (const Link& link : of.links.from(row.slice)) {
            if (link.kind != LinkKind::launch || of.slices.kind[link.effect.value] != RowKind::kernel)
                continue;
            const SliceRef kernel{row.report, link.effect};
            if (window && !of.slices.range(link.effect).overlaps(*window)) continue;
            if (isInScope(m_scope, m_scene.shown, row.report, trackOf(kernel)))
                lines.push_back({kernel, row.slice, row.group});
        }
    }

    bool isListed(const TraceRow& line, const RowFacts& facts) override
    {
        m_name = m_labels.label(line.row, facts);
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, const RowFacts& facts) override
    {
        const Report& of = report(line.row.report);
        const TimeRange ran = of.slices.range(line.row.slice), called = of.slices.range(line.with);
        page.setNumber(first, called.begin.ns);
        page.setNumber(first + 1, called.length().ns);
        if (ran.begin >= called.end) {
            page.setNumber(first + 2, called.end.ns);
            page.setNumber(first + 3, (ran.begin - called.end).ns);
        }
        page.setNumber(first + 4, ran.begin.ns);
        page.setNumber(first + 5, ran.length().ns);
        page.setNumber(first + 6, (std::max(called.end, ran.end) - called.begin).ns);
        const TrackKey& caller = trackOf({line.row.report, line.with}).key;
        if (caller.process.isValid()) page.setNumber(first + 7, of.processes[caller.process.value].pid);
        if (caller.thread.isValid()) page.setNumber(first + 8, of.threads[caller.thread.value].tid);
        const DeviceId device = trackOf(line.row).key.device;
        if (device.isValid()) page.setNumber(first + 9, of.devices[device.value].ordinal);
        page.setText(first + 10, apiNameWithoutVersion(of.nameOf(line.with)));
        page.setText(first + 11, tripleText(facts.number(RowFact::gridX), facts.number(RowFact::gridY),
                                            facts.number(RowFact::gridZ)));
        page.setText(first + 12, tripleText(facts.number(RowFact::blockX), facts.number(RowFact::blockY),
                                            facts.number(RowFact::blockZ)));
        page.setText(first + 13, m_name);
    }

  private:
    // Most files record a call as the launcher of a kernel; some record an operator or another slice.
    static constexpr RowKinds kAnyCall = ~RowKinds(0);

    const KernelLabels m_labels;
    std::string m_name; // values of the current line
};

Result<std::unique_ptr<RowStream>> execTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    KernelLabels labels = LOCKSTEP_TRY(KernelLabels::of(request, progress));
    return std::make_unique<ExecTrace>(request, std::move(labels));
}

} // namespace

// The cuda_kern_exec_trace analysis: kernels with the call that launched each, sorted by the start of the
// call, like the nsys stats report with this name. nsys lists a kernel twice if its call was also recorded
// with a backtrace.
Analysis cudaKernExecTrace()
{
    return {.name = "cuda_kern_exec_trace",
            .title = kExecTraceTitle,
            .rows = "kernels and the calls that launched them",
            .arguments = kExecTraceArguments,
            .run = nullptr,
            .stream = execTraceRows};
}

} // namespace lockstep
