// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_api_trace.h"

#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nsys_stats/trace_stream.h"

namespace lockstep {

namespace {

constexpr std::string_view kApiTraceTitle = "CUDA API trace";

class ApiTrace : public TraceStream {
  public:
    explicit ApiTrace(const AnalysisRequest& request)
        : TraceStream(request, kApiTraceTitle, request.scope, kCudaApiKinds, kCudaApiKinds,
                      rowFacts({RowFact::correlation, RowFact::result, RowFact::priority}))
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

    bool isListed(const TraceRow& line, size_t) override
    {
        const Report& of = report(line.row.report);
        m_name = apiNameWithoutVersion(of.nameOf(line.row.slice));
        if (of.slices.kind[line.row.slice.value] == RowKind::span) m_name += " [backtrace]";
        return isNamed(m_name);
    }

    void fill(Table& page, size_t first, const TraceRow& line, size_t i) override
    {
        const Report& of = report(line.row.report);
        page.setNumber(first, of.slices.start_ns[line.row.slice.value]);
        page.setNumber(first + 1, of.slices.duration_ns[line.row.slice.value]);
        page.setText(first + 2, m_name);
        setFact(page, first + 3, i, RowFact::result);
        setFact(page, first + 4, i, RowFact::correlation);
        const TrackKey& key = trackOf(line.row).key;
        if (key.process.isValid()) page.setNumber(first + 5, of.processes[key.process.value].pid);
        if (key.thread.isValid()) {
            const Thread& thread = of.threads[key.thread.value];
            page.setNumber(first + 6, thread.tid);
            page.setText(first + 8, of.strings.at(thread.name));
        }
        setFact(page, first + 7, i, RowFact::priority);
    }

  private:
    std::string m_name; // values of the current line
};

Result<std::unique_ptr<RowStream>> apiTraceRows(const AnalysisRequest& request, const Progress&)
{
    return std::make_unique<ApiTrace>(request);
}

} // namespace

Analysis cudaApiTrace()
{
    return {.name = "cuda_api_trace",
            .title = kApiTraceTitle,
            .rows = "CUDA API calls",
            .arguments = {},
            .run = nullptr,
            .stream = apiTraceRows};
}

} // namespace lockstep
