// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_kern_exec_trace.h"

#include <algorithm>
#include <array>

#include "core/analysis/nsys_stats/kernel_labels.h"
#include "core/analysis/nsys_stats/trace_stream.h"

namespace lockstep {

namespace {

constexpr std::string_view kExecTraceTitle = "CUDA kernel launch and execution time trace";
constexpr std::array kExecTraceArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};
constexpr RowFactSet kShapeFacts = rowFacts(
    {RowFact::gridX, RowFact::gridY, RowFact::gridZ, RowFact::blockX, RowFact::blockY, RowFact::blockZ});

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
                      rowKinds({RowKind::kernel}), kShapeFacts | labels.facts()),
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

    bool isListed(const TraceRow& line, size_t i) override
    {
        m_name = m_labels.label(line.row, facts().text(i, RowFact::mangledName));
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, size_t i) override
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
        const auto fact = [&](RowFact which) { return facts().number(i, which); };
        page.setText(first + 11,
                     tripleText(fact(RowFact::gridX), fact(RowFact::gridY), fact(RowFact::gridZ)));
        page.setText(first + 12,
                     tripleText(fact(RowFact::blockX), fact(RowFact::blockY), fact(RowFact::blockZ)));
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
