// SPDX-License-Identifier: Apache-2.0
// The pace of a run, measured by a marker that occurs once per iteration (a kernel or an NVTX range). Lists
// the duration of each iteration, its start, and its deviation from the mean over all ranks. Corresponds to
// the nsys recipes cuda_gpu_kern_pace and nvtx_pace (spec/nsys.md 6.3).
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <unordered_map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/recipes/device_columns.h"

namespace lockstep {

namespace {

constexpr std::string_view kKernelPaceTitle = "Kernel pace";
constexpr std::string_view kNvtxPaceTitle = "NVTX range pace";
constexpr AnalysisArgument kMarkerName{
    "name",
    "the kernel or range that occurs once per iteration; default: the repeating one with "
    "the most total time",
    ArgumentType::text};
constexpr std::array kKernelPaceArguments{kMarkerName, kBaseArgument};
constexpr std::array kNvtxPaceArguments{kMarkerName};

// A row that is the marker.
struct PaceMark {
    TimeRange range; // aligned
    SliceId slice;
};

// The markers in one process on one device, or in one thread.
struct Runner {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    DeviceId device;
    std::vector<PaceMark> marks; // sorted by start
};

// A row that may be the marker, with the name of the row.
struct NamedRow {
    StringId name;
    TimeRange range; // on the report's clock
    SliceId slice;
};

// Totals for one name. Names are sorted by preference.
struct MarkerTotal {
    bool isRepeated = false;
    int64_t total_ns = 0;

    friend auto operator<=>(const MarkerTotal&, const MarkerTotal&) = default;
};

// Returns the name with the largest total time among the names that repeat within one work list, otherwise
// among all names. Ties: the first in alphabetical order. The result is empty if there are no rows.
// rowAt(work, i) is row i of countOf(work).
template<class Works, class CountOf, class RowAt>
std::string longestName(const Workspace& workspace, const Works& works, CountOf countOf, RowAt rowAt)
{
    std::map<std::string, MarkerTotal> totals;
    for (const auto& work : works) {
        std::unordered_map<uint32_t, MarkerTotal> own; // by StringId of the name in this report
        for (size_t i = 0; i < countOf(work); ++i) {
            const NamedRow row = rowAt(work, i);
            const auto [entry, isFirst] = own.try_emplace(row.name.value);
            entry->second.isRepeated = !isFirst;
            entry->second.total_ns += row.range.length().ns;
        }
        for (const auto& [name, total] : own) {
            MarkerTotal& all = totals[std::string(workspace.report(work.report).strings.at(StringId(name)))];
            all.isRepeated |= total.isRepeated;
            all.total_ns += total.total_ns;
        }
    }
    const auto most = std::ranges::max_element(totals, {}, [](const auto& entry) { return entry.second; });
    return most == totals.end() ? std::string() : most->first;
}

// Means over all runners for each iteration, by iteration number.
struct PaceMean {
    __int128 length_ns = 0, reached_ns = 0;
    int64_t runners = 0;
};

class PaceTable {
  public:
    PaceTable(const AnalysisRequest& request, std::string_view title, std::string marker)
        : m_request(request), m_table(std::string(request.what), std::string(title)),
          m_columns(request, m_table), m_marker(std::move(marker))
    {
        m_first =
            m_table.addColumn({"Iteration", "", ColumnType::integer, 0, "iteration number (zero-based)"});
        const auto time = [&](const char* name, const char* doc) {
            m_table.addColumn({name, "ns", ColumnType::time, 0, doc});
        };
        m_table.addColumn({"Start", "ns", ColumnType::time, 0, "start of the marker, on the aligned axis",
                           ColumnMeaning::alignedTime});
        time("Duration", "time to the next marker's start; empty for the last");
        time("Accumulated", "time from the runner's first marker's start");
        time("Delta", "Duration minus the mean Duration of this iteration over all runners");
        time("Accumulated Delta", "Accumulated minus its mean over all runners: how far the runner is "
                                  "behind");
        time("Marker", "duration of the marker itself");
        m_columns.addReport();
    }

    void add(std::span<const Runner> runners)
    {
        std::vector<PaceMean> means;
        for (const Runner& runner : runners) {
            for (size_t i = 0; i + 1 < runner.marks.size(); ++i) {
                if (means.size() <= i) means.resize(i + 1);
                means[i].length_ns += length_ns(runner, i);
                means[i].reached_ns += reached_ns(runner, i);
                ++means[i].runners;
            }
        }
        for (const Runner& runner : runners) {
            for (size_t i = 0; i < runner.marks.size(); ++i)
                addRow(runner, i, i + 1 < runner.marks.size() ? &means[i] : nullptr);
        }
    }

    Table take()
    {
        m_table.source.rows = "rows named \"" + m_marker + "\"";
        m_table.source.rules = {
            "an iteration lasts from a marker's start to the next marker's start; the last has no end",
            "means cover the runners that have the iteration with this number: a runner that "
            "misses one is compared with the next iteration of the others"};
        if (!m_request.arguments.isGiven(kMarkerName.name))
            m_table.source.rules.push_back(
                "the marker is the repeating name with the most total time: use name= to choose another");
        return std::move(m_table);
    }

  private:
    static int64_t length_ns(const Runner& runner, size_t i)
    {
        return (runner.marks[i + 1].range.begin - runner.marks[i].range.begin).ns;
    }
    static int64_t reached_ns(const Runner& runner, size_t i)
    {
        return (runner.marks[i].range.begin - runner.marks.front().range.begin).ns;
    }

    void addRow(const Runner& runner, size_t i, const PaceMean* mean)
    {
        const PaceMark& mark = runner.marks[i];
        m_columns.addRow(runner.report, runner.process, runner.group, mark.slice);
        m_columns.setDevice(runner.report, runner.device);
        m_table.setNumber(m_first, static_cast<int64_t>(i));
        m_table.setNumber(m_first + 1, mark.range.begin.ns);
        m_table.setNumber(m_first + 3, reached_ns(runner, i));
        m_table.setNumber(m_first + 6, mark.range.length().ns);
        if (mean == nullptr) return;
        m_table.setNumber(m_first + 2, length_ns(runner, i));
        const auto less = [&](int64_t value, __int128 sum) {
            return roundedQuotient(__int128(value) * mean->runners - sum, mean->runners);
        };
        m_table.setNumber(m_first + 4, less(length_ns(runner, i), mean->length_ns));
        m_table.setNumber(m_first + 5, less(reached_ns(runner, i), mean->reached_ns));
    }

    const AnalysisRequest& m_request;
    Table m_table;
    DeviceColumns m_columns;
    const std::string m_marker;
    size_t m_first = 0;
};

template<class Works, class CountOf, class RowAt>
Result<Table> paceRows(const AnalysisRequest& request, std::string_view title, const Works& works,
                       CountOf countOf, RowAt rowAt, const Progress& progress)
{
    std::string marker(request.arguments.text(kMarkerName.name));
    if (marker.empty()) marker = longestName(request.workspace, works, countOf, rowAt);
    std::vector<Runner> runners;
    for (const auto& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        const ClockMap& map = request.alignment.map(work.report);
        Runner runner{work.group, work.report, work.process, {}, {}};
        if constexpr (requires { work.device; }) runner.device = work.device;
        for (size_t i = 0; i < countOf(work); ++i) {
            const NamedRow row = rowAt(work, i);
            if (report.strings.at(row.name) == marker)
                runner.marks.push_back({map.alignedFromTrace(row.range), row.slice});
        }
        std::ranges::stable_sort(runner.marks, {}, [](const PaceMark& mark) { return mark.range.begin; });
        if (!runner.marks.empty()) runners.push_back(std::move(runner));
    }
    PaceTable pace(request, title, marker);
    pace.add(runners);
    Table table = pace.take();
    if (runners.empty() && !works.empty()) {
        table.source.whenEmpty =
            "No row in scope is named exactly '" + marker + "' " + optionText(kMarkerName) + ".";
    }
    return table;
}

Result<Table> kernelPaceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto window = [&](ReportKey key) { return windowOf(request.scope, request.alignment, key); };
    const auto works =
        LOCKSTEP_TRY(deviceWorkInScope(request, rowKinds({RowKind::kernel}), window, progress));
    const KernelNames names{request.arguments.flag("base")};
    return paceRows(
        request, kKernelPaceTitle, works, [](const DeviceWork& work) { return work.operations.size(); },
        [&](const DeviceWork& work, size_t i) {
            const DeviceOperation& row = work.operations[i];
            const uint64_t key = names.key(request.workspace.report(work.report), row.slice);
            return NamedRow{StringId(static_cast<uint32_t>(key)), row.range, row.slice};
        },
        progress);
}

Result<Table> nvtxPaceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto threads = LOCKSTEP_TRY(nvtxRangesInScope(request, kNvtxStyles, progress));
    return paceRows(
        request, kNvtxPaceTitle, threads, [](const NvtxRanges& thread) { return thread.ranges.size(); },
        [&](const NvtxRanges& thread, size_t i) {
            const NvtxRange& row = thread.ranges[i];
            const Report& report = request.workspace.report(thread.report);
            return NamedRow{report.slices.name[row.slice.value], row.range, row.slice};
        },
        progress);
}

} // namespace

Analysis cudaGpuKernPace()
{
    return {"cuda_gpu_kern_pace", kKernelPaceTitle, "kernels", kKernelPaceArguments, kernelPaceRows};
}

Analysis nvtxPace()
{
    return {"nvtx_pace", kNvtxPaceTitle, "NVTX ranges", kNvtxPaceArguments, nvtxPaceRows};
}

} // namespace lockstep
