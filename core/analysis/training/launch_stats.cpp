// SPDX-License-Identifier: Apache-2.0
// The `launch_stats` analysis: the duration of launch calls and the delay between launch and execution, as in
// HTA's get_cuda_kernel_launch_stats.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/api_calls.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kLaunchTitle = "Launch statistics and latency";
constexpr AnalysisArgument kLaunchTrace{"trace", "one row per launch, sorted by start"};
constexpr AnalysisArgument kRuntimeCutoff{
    "runtime", "calls longer than this are outliers", ArgumentType::duration, "50us", "us", 0, 4.6e18};
constexpr AnalysisArgument kDelayCutoff{
    "delay", "work that waits longer than this is an outlier", ArgumentType::duration, "100us", "us", 0,
    4.6e18};
constexpr std::array kLaunchArguments{kLaunchTrace, kRuntimeCutoff, kDelayCutoff, kHtaArgument,
                                      kAllStepsArgument};

struct Launch {
    SliceId call;
    SliceId work;
    TraceTime at;
    int64_t cpu_ns = 0;
    int64_t gpu_ns = 0;
    int64_t delay_ns = 0; // from the end of the call to the start of the work; 0 if the work started before
                          // the call ended
};

std::vector<Launch> launchesOf(const RankWork& work, const Report& report, bool isHta)
{
    std::vector<Launch> launches;
    for (const WorkRow& row : work.rows) {
        if (!row.call.isValid() || !isLaunchCall(report.nameOf(row.call))) continue;
        TimeRange call = report.slices.range(row.call);
        if (isHta) call = roundedByHta(call);
        launches.push_back({row.call, row.slice, call.begin, call.length().ns, row.range.length().ns,
                            std::max<int64_t>(0, (row.range.begin - call.end).ns)});
    }
    std::ranges::sort(launches, {}, [](const Launch& launch) { return std::pair(launch.at, launch.work); });
    return launches;
}

class LaunchTable {
  public:
    explicit LaunchTable(const AnalysisRequest& request)
        : m_request(request), m_table(std::string(request.what), std::string(kLaunchTitle)),
          m_columns(request, m_table), m_first(m_table.columnCount()),
          m_isTrace(request.arguments.flag(kLaunchTrace.name))
    {
        if (m_isTrace) {
            addTraceColumns();
        } else {
            addSumColumns();
        }
        m_columns.addReport();
    }

    void add(const RankWork& work)
    {
        const Report& report = m_request.workspace.report(work.report);
        const auto launches = launchesOf(work, report, m_request.arguments.flag(kHtaArgument.name));
        if (m_isTrace) return addTrace(work, report, launches);
        std::map<std::string_view, std::vector<Launch>> byCall;
        for (const Launch& launch : launches)
            byCall[apiNameWithoutVersion(report.nameOf(launch.call))].push_back(launch);
        for (const auto& [call, some] : byCall)
            addSums(work, call, some);
    }

    Table take(std::span<const RankWork> works)
    {
        size_t rows = 0;
        for (const RankWork& work : works)
            rows += work.rows.size();
        if (rows > 0) m_table.source.whenEmpty = noLaunchCallText(rows);
        describeWork(m_request, works, m_table.source);
        m_table.source.rules.push_back("pairs of " + std::string(kLaunchCallsDoc) +
                                       " and their work, joined by correlation ID within their process");
        return std::move(m_table);
    }

  private:
    void addTime(const char* name, const char* doc)
    {
        m_table.addColumn({name, "ns", ColumnType::time, 0, doc});
    }
    void addCount(const char* name, const char* doc)
    {
        m_table.addColumn({name, "", ColumnType::integer, 0, doc});
    }

    void addTraceColumns()
    {
        addTime("start", "start of the call, on the report's own clock");
        addTime("cpu_duration", "duration of the call");
        addTime("gpu_duration", "duration of the work");
        addTime("launch_delay",
                "time from the end of the call to the start of the work; 0 if the work started earlier");
        m_table.addColumn({"call", "", ColumnType::text, 0, "name of the call, as recorded"});
        m_table.addColumn({"name", "", ColumnType::text, 0, "name of the work"});
    }

    void addSumColumns()
    {
        m_table.addColumn({"call", "", ColumnType::text, 0, "name of the call without its version suffix"});
        addCount("count", "number of launches");
        addTime("cpu_avg", "mean duration of the call");
        addTime("cpu_max", "longest call");
        addTime("gpu_avg", "mean duration of the work");
        addTime("delay_avg", "mean time from the end of the call to the start of the work");
        addTime("delay_med", "median time from the end of the call to the start of the work");
        addTime("delay_max", "maximum time from the end of the call to the start of the work");
        addCount("short_kernels", "work shorter than its call, for calls that are not outliers");
        addCount("runtime_outliers", "calls longer than `runtime`");
        addCount("delay_outliers", "work that waited longer than `delay`");
        m_table.markSums({"count", "short_kernels", "runtime_outliers", "delay_outliers"});
    }

    void addTrace(const RankWork& work, const Report& report, std::span<const Launch> launches)
    {
        for (const Launch& launch : launches) {
            m_columns.addRow(work, launch.work);
            m_table.setNumber(m_first, launch.at.ns);
            m_table.setNumber(m_first + 1, launch.cpu_ns);
            m_table.setNumber(m_first + 2, launch.gpu_ns);
            m_table.setNumber(m_first + 3, launch.delay_ns);
            m_table.setText(m_first + 4, report.nameOf(launch.call));
            m_table.setText(m_first + 5, report.nameOf(launch.work));
        }
    }

    void addSums(const RankWork& work, std::string_view call, std::span<const Launch> launches)
    {
        const Duration runtime = m_request.arguments.duration(kRuntimeCutoff.name);
        const Duration delay = m_request.arguments.duration(kDelayCutoff.name);
        std::vector<int64_t> cpu, gpu, delays;
        int64_t shortKernels = 0, slow = 0, late = 0;
        for (const Launch& launch : launches) {
            cpu.push_back(launch.cpu_ns);
            gpu.push_back(launch.gpu_ns);
            delays.push_back(launch.delay_ns);
            shortKernels += launch.cpu_ns <= runtime.ns && launch.gpu_ns < launch.cpu_ns ? 1 : 0;
            slow += launch.cpu_ns > runtime.ns ? 1 : 0;
            late += launch.delay_ns > delay.ns ? 1 : 0;
        }
        const DurationStatistics calls = durationStatistics(cpu), works = durationStatistics(gpu),
                                 waits = durationStatistics(delays);
        const auto last = std::ranges::max_element(launches, {}, &Launch::delay_ns);
        m_columns.addRow(work, last->work);
        m_table.setText(m_first, call);
        size_t column = m_first + 1;
        for (const int64_t number :
             {calls.count, calls.average(1), calls.maximum, works.average(1), waits.average(1),
              waits.median(1), waits.maximum, shortKernels, slow, late})
            m_table.setNumber(column++, number);
    }

    const AnalysisRequest& m_request;
    Table m_table;
    RankColumns m_columns;
    size_t m_first;
    bool m_isTrace;
};

Result<Table> launchRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    LaunchTable table(request);
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        table.add(work);
    }
    return table.take(works);
}

} // namespace

Analysis launchStatsAnalysis()
{
    return {"launch_stats", kLaunchTitle, "launches of GPU work", kLaunchArguments, launchRows};
}

} // namespace lockstep
