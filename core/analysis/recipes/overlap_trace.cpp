// SPDX-License-Identifier: Apache-2.0
// The nsys recipe nccl_gpu_overlap_trace (spec/nsys.md 6.3): for each kernel, the part that overlaps
// communication and computation on the same device. Lists either individual kernels or sums by kernel name.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/recipes/device_columns.h"
#include "core/analysis/training/kernel_class.h"

namespace lockstep {

namespace {

constexpr std::string_view kOverlapTraceTitle = "Kernel overlap trace";
constexpr std::array<std::string_view, 2> kOverlapModes{"union", "sum"};
constexpr AnalysisArgument kOverlapMode{
    "mode",
    "union counts overlapping kernels once; sum adds them up, as nsys does",
    ArgumentType::choice,
    "union",
    "",
    0,
    0,
    kOverlapModes};
constexpr AnalysisArgument kGrouped{"grouped", "one row per kernel name instead of per kernel"};
constexpr std::array kOverlapTraceArguments{kOverlapMode, kGrouped, kBaseArgument};

// Computes for each range its overlap with the other ranges of a class. Ranges must be passed in order of
// start.
class ClassOverlap {
  public:
    ClassOverlap(const std::vector<TimeRange>& ranges, bool isUnion) : m_isUnion(isUnion)
    {
        if (isUnion) {
            findDepths(ranges);
            return;
        }
        std::vector<TimeRange> byEnd = ranges;
        std::ranges::sort(byEnd, {}, &TimeRange::end);
        m_begins = sumsOf(ranges, &TimeRange::begin);
        m_ends = sumsOf(byEnd, &TimeRange::end);
    }

    // isOwn: true if the range itself belongs to the class.
    int64_t length_ns(TimeRange range, bool isOwn) const
    {
        if (!m_isUnion) return static_cast<int64_t>(summed(range) - (isOwn ? range.length().ns : 0));
        // The range itself is counted once, so an overlap requires two ranges at the same time.
        const auto& sets = isOwn ? m_doubles : m_singles;
        return coveredUntil(sets, range.end) - coveredUntil(sets, range.begin);
    }

  private:
    using Sum = std::pair<int64_t, __int128>; // a timestamp, and the sum of all timestamps up to and
                                              // including it

    static std::vector<Sum> sumsOf(const std::vector<TimeRange>& ranges, TraceTime TimeRange::*edge)
    {
        std::vector<Sum> out;
        for (const TimeRange& range : ranges) {
            const int64_t at = (range.*edge).ns;
            out.push_back({at, (out.empty() ? __int128(0) : out.back().second) + at});
        }
        return out;
    }
    // Returns the sum of max(0, until - timestamp) over all timestamps.
    static __int128 before(const std::vector<Sum>& sums, int64_t until)
    {
        const auto after = std::ranges::upper_bound(sums, until, {}, &Sum::first);
        if (after == sums.begin()) return 0;
        return __int128(after - sums.begin()) * until - std::prev(after)->second;
    }
    // Returns the total overlap of all ranges with one range. O(log n).
    __int128 summed(TimeRange range) const
    {
        const auto until = [&](TraceTime t) { return before(m_begins, t.ns) - before(m_ends, t.ns); };
        return until(range.end) - until(range.begin);
    }

    // Finds the times at which at least one, and at least two, ranges are running.
    void findDepths(const std::vector<TimeRange>& ranges)
    {
        std::vector<std::pair<TraceTime, int>> edges;
        for (const TimeRange& range : ranges) {
            edges.emplace_back(range.begin, 1);
            edges.emplace_back(range.end, -1);
        }
        std::ranges::sort(edges);
        int depth = 0;
        TraceTime last{0};
        for (const auto& [at, change] : edges) {
            add(m_singles, {last, at}, depth >= 1);
            add(m_doubles, {last, at}, depth >= 2);
            depth += change;
            last = at;
        }
    }
    struct Interval {
        TimeRange range;
        int64_t before_ns = 0; // total length of all preceding times
    };
    static void add(std::vector<Interval>& to, TimeRange range, bool isDeep)
    {
        if (!isDeep || range.isEmpty()) return;
        const int64_t before = to.empty() ? 0 : to.back().before_ns + to.back().range.length().ns;
        to.push_back({range, before});
    }
    static int64_t coveredUntil(const std::vector<Interval>& in, TraceTime until)
    {
        const auto after = std::ranges::lower_bound(
            in, until, {}, [](const Interval& interval) { return interval.range.begin; });
        if (after == in.begin()) return 0;
        const Interval& last = *std::prev(after);
        return last.before_ns + (std::min(last.range.end, until) - last.range.begin).ns;
    }

    const bool m_isUnion;
    std::vector<Sum> m_begins, m_ends;
    std::vector<Interval> m_singles, m_doubles;
};

struct KernelOverlap {
    int64_t total_ns = 0, communication_ns = 0, computation_ns = 0, count = 0;
    SliceId longest;
    int64_t longest_ns = -1;

    void add(SliceId slice, int64_t length_ns, int64_t comm_ns, int64_t comp_ns)
    {
        total_ns += length_ns;
        communication_ns += comm_ns;
        computation_ns += comp_ns;
        ++count;
        if (length_ns <= longest_ns) return;
        longest_ns = length_ns;
        longest = slice;
    }
};

// Calls visit(operation, overlap with communication, overlap with computation) for each kernel of a device.
template<class Visit>
Status forEachOverlap(const AnalysisRequest& request, const DeviceWork& work, const Progress& progress,
                      Visit visit)
{
    const Report& report = request.workspace.report(work.report);
    std::vector<TimeRange> communication, computation;
    std::vector<bool> isCommunication;
    for (const DeviceOperation& operation : work.operations) {
        isCommunication.push_back(kernelClassOf(report, operation.slice) == KernelClass::communication);
        (isCommunication.back() ? communication : computation).push_back(operation.range);
    }
    const bool isUnion = request.arguments.choice(kOverlapMode.name) == "union";
    const ClassOverlap comm(communication, isUnion), comp(computation, isUnion);
    for (size_t i = 0; i < work.operations.size(); ++i) {
        if (i % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        const DeviceOperation& operation = work.operations[i];
        visit(operation, comm.length_ns(operation.range, isCommunication[i]),
              comp.length_ns(operation.range, !isCommunication[i]));
    }
    return {};
}

class OverlapTable {
  public:
    OverlapTable(const AnalysisRequest& request)
        : m_request(request), m_table(std::string(request.what), std::string(kOverlapTraceTitle)),
          m_columns(request, m_table),
          m_isGrouped(request.arguments.flag("grouped")), m_names{request.arguments.flag("base")}
    {
        const bool isUnion = request.arguments.choice(kOverlapMode.name) == "union";
        m_first = m_table.addColumn({"Name", "", ColumnType::text, 0, "name of the kernel"});
        if (m_isGrouped) {
            m_table.addColumn({"Count", "", ColumnType::integer, 0, "number of kernels with the name"});
        } else {
            m_table.addColumn({"Start", "ns", ColumnType::time, 0, "start time, on the aligned axis",
                               ColumnMeaning::alignedTime});
        }
        m_table.addColumn({"Duration", "ns", ColumnType::time, 0,
                           m_isGrouped ? "sum over the kernels with the name" : "duration of the kernel"});
        m_table.markSums({"Duration"});
        if (m_isGrouped) m_table.markSums({"Count"});
        const std::string how = isUnion ? "; concurrent ones count once" : "; concurrent ones add up";
        m_table.addColumn({"Communication Overlap", "%", ColumnType::percent, 1,
                           "share of Duration that overlaps other communication" + how});
        m_table.addColumn({"Compute Overlap", "%", ColumnType::percent, 1,
                           "share of Duration that overlaps other computation" + how});
        m_columns.addReport();
    }

    Status add(const DeviceWork& work, const Progress& progress)
    {
        const Report& report = m_request.workspace.report(work.report);
        std::map<std::string, KernelOverlap> byName;
        LOCKSTEP_TRY(forEachOverlap(
            m_request, work, progress, [&](const DeviceOperation& operation, int64_t comm, int64_t comp) {
                const auto key = static_cast<uint32_t>(m_names.key(report, operation.slice));
                const std::string_view name = report.strings.at(StringId(key));
                if (m_request.scope.name && !m_request.scope.name->matches(name)) return;
                KernelOverlap one;
                KernelOverlap& sum = m_isGrouped ? byName[std::string(name)] : one;
                sum.add(operation.slice, operation.range.length().ns, comm, comp);
                if (!m_isGrouped) addRow(work, name, one);
            }));
        std::vector<std::pair<std::string, KernelOverlap>> rows(byName.begin(), byName.end());
        std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.total_ns; });
        for (const auto& [name, sum] : rows)
            addRow(work, name, sum);
        return {};
    }

    Table take()
    {
        m_table.source.rows = "kernels and whole graphs of a process on a device";
        m_table.source.rules = {
            "communication: NCCL, RCCL, HCCL, NVSHMEM, DeepEP and custom all-reduces; all other kernels compute",
            "a kernel does not overlap itself"};
        if (m_request.scope.time)
            m_table.source.rules.push_back(windowRule(m_request.scope, "kernels", ", in full"));
        return std::move(m_table);
    }

  private:
    void addRow(const DeviceWork& work, std::string_view name, const KernelOverlap& sum)
    {
        m_columns.addRow(work.report, work.process, work.group, sum.longest);
        m_columns.setDevice(work.report, work.device);
        m_table.setText(m_first, name);
        const TraceTime start = m_request.workspace.report(work.report).slices.start(sum.longest);
        m_table.setNumber(m_first + 1, m_isGrouped
                                           ? sum.count
                                           : m_request.alignment.map(work.report).alignedFromTrace(start).ns);
        m_table.setNumber(m_first + 2, sum.total_ns);
        if (sum.total_ns == 0) return;
        m_table.setNumber(m_first + 3, roundedQuotient(__int128(sum.communication_ns) * 1000, sum.total_ns));
        m_table.setNumber(m_first + 4, roundedQuotient(__int128(sum.computation_ns) * 1000, sum.total_ns));
    }

    const AnalysisRequest& m_request;
    Table m_table;
    DeviceColumns m_columns;
    const bool m_isGrouped;
    const KernelNames m_names;
    size_t m_first = 0;
};

Result<Table> overlapTraceRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto window = [&](ReportKey key) { return windowOf(request.scope, request.alignment, key); };
    const auto works = LOCKSTEP_TRY(
        deviceWorkInScope(request, rowKinds({RowKind::kernel, RowKind::graphLaunch}), window, progress));
    OverlapTable table(request);
    for (const DeviceWork& work : works)
        LOCKSTEP_TRY(table.add(work, progress));
    return table.take();
}

} // namespace

Analysis ncclGpuOverlapTrace()
{
    return {"nccl_gpu_overlap_trace", kOverlapTraceTitle, "kernels", kOverlapTraceArguments,
            overlapTraceRows};
}

} // namespace lockstep
