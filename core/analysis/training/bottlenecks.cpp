// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/bottlenecks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/registry.h"
#include "core/base/interval_set.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr AnalysisArgument kMinUse{
    "gpu_util", "GPU utilization below this is reported", ArgumentType::number, "80", "%", 0, 100};
constexpr AnalysisArgument kBadUse{
    "gpu_util_high", "GPU utilization below this has high severity", ArgumentType::number, "50", "%", 0, 100};
constexpr AnalysisArgument kMaxCommunication{
    "comm", "communication above this share of GPU time is reported", ArgumentType::number, "20", "%", 0,
    100};
constexpr AnalysisArgument kSlowKernel{"slow", "kernels that take longer than this on average are reported",
                                       ArgumentType::duration, "1ms"};
constexpr AnalysisArgument kMaxKernels{
    "kernels", "maximum number of slow kernels per rank", ArgumentType::whole, "10", "", 0, 10'000};
constexpr std::array kBottleneckArguments{kMinUse,     kBadUse,      kMaxCommunication, kSlowKernel,
                                          kMaxKernels, kHtaArgument, kAllStepsArgument};

int64_t hundredths(double value)
{
    return static_cast<int64_t>(std::llround(value * 100));
}

std::string percentText(__int128 part, __int128 whole)
{
    return fixedPointText(roundedQuotient(part * 1000, whole), 1) + " %";
}

double percentOf(int64_t part_ns, int64_t whole_ns)
{
    return 100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

// Returns the ranges of a class, or of all work, as one interval set.
IntervalSet setOf(const RankWork& work, std::optional<KernelClass> of)
{
    std::vector<TimeRange> ranges;
    for (const WorkRow& row : work.rows)
        if (!of || row.of == *of) ranges.push_back(row.range);
    return IntervalSet::unionOf(std::move(ranges));
}

// Returns the work after the longest gap, the target of a click on the finding.
SliceId afterLongestGap(const RankWork& work, const IntervalSet& busy)
{
    const IntervalSet gaps = busy.gaps();
    const auto longest =
        std::ranges::max_element(gaps.ranges(), {}, [](const TimeRange& gap) { return gap.length().ns; });
    if (longest == gaps.ranges().end()) return work.rows.front().slice;
    const auto row = std::ranges::lower_bound(work.rows, longest->end, {},
                                              [](const WorkRow& each) { return each.range.begin; });
    return row == work.rows.end() ? work.rows.front().slice : row->slice;
}

class BottleneckSearch {
  public:
    explicit BottleneckSearch(const AnalysisRequest& request) : m_request(request) {}

    void examine(const RankWork& work)
    {
        if (work.rows.empty()) return;
        const IntervalSet busy = setOf(work, {});
        if (busy.isEmpty()) return;
        lookForIdleness(work, busy);
        lookForCommunication(work, busy);
        lookForSlowKernels(work);
    }

    std::vector<BottleneckRow> take()
    {
        std::ranges::stable_sort(m_found, [](const BottleneckRow& a, const BottleneckRow& b) {
            if (a.group != b.group) return a.group < b.group;
            return a.severity != b.severity ? a.severity < b.severity : a.cost_ns > b.cost_ns;
        });
        return std::move(m_found);
    }

    // Returns the values that came closest to the thresholds, or "" if no GPU work was examined.
    std::string emptyReason() const
    {
        if (!m_leastUse) return {};
        return "No bottleneck: the lowest GPU utilization is " +
               fixedPointText(std::llround(*m_leastUse * 10), 1) + " % " + optionText(kMinUse) +
               ", the highest share of communication is " +
               fixedPointText(std::llround(m_mostCommunication * 10), 1) + " % " +
               optionText(kMaxCommunication) + ", the slowest kernel takes " + durationText({m_slowest_ns}) +
               " on average " + optionText(kSlowKernel) + ".";
    }

  private:
    void lookForIdleness(const RankWork& work, const IntervalSet& busy)
    {
        const int64_t window_ns = busy.extent().length().ns, idle_ns = window_ns - busy.length().ns;
        const double use = percentOf(busy.length().ns, window_ns);
        const double least = m_request.arguments.number(kMinUse.name);
        m_leastUse = std::min(use, m_leastUse.value_or(use));
        if (use >= least) return;
        const bool isBad = use < m_request.arguments.number(kBadUse.name);
        m_found.push_back({rankRowOf(m_request, work, afterLongestGap(work, busy)),
                           isBad ? FindingSeverity::high : FindingSeverity::medium, "low_gpu_utilization",
                           hundredths(use), hundredths(least), "%", idle_ns,
                           "GPU idle for " + durationText({idle_ns}) + " of " + durationText({window_ns}) +
                               " in " + groupedText(static_cast<int64_t>(busy.gaps().ranges().size())) +
                               " gaps",
                           "idle_breakdown shows what the GPU waited for: slow data loading, "
                           "blocking copies and synchronization, Python code between launches"});
    }

    // The guide's threshold applies to summed times; the cost is the part that is not hidden by other work.
    void lookForCommunication(const RankWork& work, const IntervalSet& busy)
    {
        int64_t communication_ns = 0, all_ns = 0, longest_ns = -1;
        SliceId longest;
        for (const WorkRow& row : work.rows) {
            all_ns += row.range.length().ns;
            if (row.of != KernelClass::communication) continue;
            communication_ns += row.range.length().ns;
            if (row.range.length().ns <= longest_ns) continue;
            longest_ns = row.range.length().ns;
            longest = row.slice;
        }
        const double most = m_request.arguments.number(kMaxCommunication.name);
        if (all_ns > 0)
            m_mostCommunication = std::max(m_mostCommunication, percentOf(communication_ns, all_ns));
        if (all_ns <= 0 || percentOf(communication_ns, all_ns) <= most) return;
        const int64_t exposed_ns = setOf(work, KernelClass::communication)
                                       .without(setOf(work, KernelClass::computation))
                                       .length()
                                       .ns;
        const int64_t window_ns = busy.extent().length().ns;
        const bool isHidden = percentOf(exposed_ns, window_ns) < 1;
        m_found.push_back({rankRowOf(m_request, work, longest),
                           isHidden ? FindingSeverity::low : FindingSeverity::medium,
                           "high_communication_overhead", hundredths(percentOf(communication_ns, all_ns)),
                           hundredths(most), "%", exposed_ns,
                           "total communication " + durationText({communication_ns}) + ", " +
                               durationText({exposed_ns}) + " of it (" + percentText(exposed_ns, window_ns) +
                               " of the time) not overlapped by computation",
                           isHidden ? "most of it is hidden by computation: little to gain"
                                    : "overlap it with computation, use larger messages; stragglers "
                                      "shows how much of it is waiting for other ranks"});
    }

    void lookForSlowKernels(const RankWork& work)
    {
        struct Kernels {
            int64_t total_ns = 0, count = 0, longest_ns = -1;
            SliceId longest;
        };
        const Report& report = m_request.workspace.report(work.report);
        std::map<std::string_view, Kernels> byName;
        for (const WorkRow& row : work.rows) {
            if (row.of == KernelClass::communication || row.of == KernelClass::memory) continue;
            const auto name = static_cast<uint32_t>(KernelNames{true}.key(report, row.slice));
            Kernels& kernels = byName[report.strings.at(StringId(name))];
            const int64_t length_ns = row.range.length().ns;
            kernels.total_ns += length_ns;
            ++kernels.count;
            if (length_ns <= kernels.longest_ns) continue;
            kernels.longest_ns = length_ns;
            kernels.longest = row.slice;
        }
        const int64_t slow_ns = m_request.arguments.duration(kSlowKernel.name).ns;
        std::vector<std::pair<std::string_view, Kernels>> slow;
        for (const auto& each : byName) {
            m_slowest_ns = std::max(m_slowest_ns, each.second.total_ns / each.second.count);
            if (each.second.total_ns > slow_ns * each.second.count) slow.push_back(each);
        }
        std::ranges::stable_sort(slow, std::greater(), [](const auto& each) { return each.second.total_ns; });
        const auto most = static_cast<size_t>(m_request.arguments.whole(kMaxKernels.name));
        for (size_t i = 0; i < std::min(most, slow.size()); ++i) {
            const auto& [name, kernels] = slow[i];
            m_found.push_back(
                {rankRowOf(m_request, work, kernels.longest), FindingSeverity::medium, "slow_kernels",
                 hundredths(static_cast<double>(kernels.total_ns) / static_cast<double>(kernels.count) / 1e6),
                 hundredths(static_cast<double>(slow_ns) / 1e6), "ms", kernels.total_ns,
                 groupedText(kernels.count) + " of " + std::string(name) +
                     (i + 1 == most && slow.size() > most
                          ? "; " + groupedText(static_cast<int64_t>(slow.size() - most)) + " more are as slow"
                          : ""),
                 "check its shapes and data types; a fused or library kernel may be faster"});
        }
    }

    const AnalysisRequest& m_request;
    std::vector<BottleneckRow> m_found;
    std::optional<double> m_leastUse; // in percent
    double m_mostCommunication = 0;   // in percent
    int64_t m_slowest_ns = 0;         // maximum mean duration of a kernel
};

TableColumns<BottleneckRow> bottleneckColumns(const AnalysisRequest& request)
{
    using Row = BottleneckRow;
    const auto severity = [](const Row& row) { return findingSeverityName(row.severity); };
    const GroupBy by = request.scope.by;
    TableColumns<Row> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::rank)
        columns.count(&Row::rank, "rank", "rank in the job; empty if no file records it");
    columns.text(severity, "severity", "severity: high, medium or low")
        .means(ColumnMeaning::severity)
        .text(&Row::rule, "rule", "rule that found it")
        .add(&Row::value_hundredths,
             {"value", "", ColumnType::real, 2, "measured value, in the unit given by the unit column"})
        .text(&Row::unit, "unit", "unit of value and threshold")
        .add(&Row::threshold_hundredths,
             {"threshold", "", ColumnType::real, 2, "threshold of the rule; an argument"})
        .time(&Row::cost_ns, "cost",
              "idle time, communication not hidden by computation, or the total time of the kernel")
        .text(&Row::evidence, "evidence", "evidence for the bottleneck")
        .text(&Row::fix, "fix", "suggested fix");
    if (by != GroupBy::report) columns.report(&Row::report, "report", "path of the report");
    return columns;
}

} // namespace

std::string_view findingSeverityName(FindingSeverity severity)
{
    constexpr std::array<std::string_view, 3> kNames{"high", "medium", "low"};
    return kNames[static_cast<size_t>(severity)];
}

Result<AnalysisRows<BottleneckRow>> bottlenecks(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    BottleneckSearch search(request);
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        search.examine(work);
    }
    AnalysisRows<BottleneckRow> made{search.take(), {}};
    made.source.whenEmpty = search.emptyReason();
    describeWork(request, works, made.source);
    auto& rules = made.source.rules;
    rules.push_back(
        "low_gpu_utilization: union of GPU work divided by the time from its first start to its last end");
    rules.push_back("high_communication_overhead: total communication divided by the total of all GPU "
                    "work; slow_kernels: mean duration, without communication and copies");
    rules.push_back("memory_leaks reports memory leaks");
    return made;
}

Analysis bottlenecksAnalysis()
{
    return {"bottlenecks", "Bottlenecks, worst first", "bottlenecks above the thresholds",
            kBottleneckArguments, makeTable<bottlenecks, bottleneckColumns>};
}

} // namespace lockstep
