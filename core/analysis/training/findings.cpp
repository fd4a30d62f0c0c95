// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/findings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "core/analysis/nsys_rules/blocking_rules.h"
#include "core/analysis/nsys_rules/idle_rules.h"
#include "core/analysis/samples/sample_findings.h"
#include "core/analysis/straggler_table.h"
#include "core/analysis/training/step_parts.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

using Advice = std::vector<std::string>;

// Recommendations from the profiling guides, in our own words.
struct BottleneckWords {
    std::string_view rule, caption;
    Advice advice;
};

const std::array<BottleneckWords, 3>& bottleneckWords()
{
    static const std::array<BottleneckWords, 3> kWords{{
        {"low_gpu_utilization",
         "GPU busy (%)",
         {"Find out what the GPU waited for: idle_breakdown separates host waits from kernel waits",
          "Host waits: batch small kernels in a CUDA graph, move data "
          "loading to workers, avoid .item() and print()",
          "Waits between phases: start the next phase as soon as its inputs arrive"}},
        {"high_communication_overhead",
         "Communication (% of GPU time)",
         {"Overlap communication with computation: "
          "comm_comp_overlap shows how much is exposed on which "
          "rank",
          "Send fewer and larger messages: larger buckets, gradient accumulation",
          "Check for stragglers: waiting for a late rank is not a network problem"}},
        {"slow_kernels",
         "Slow kernels, total (ms)",
         {"Check the kernel's shapes and data types: a library or fused kernel may be faster",
          "Profile the kernel with Nsight Compute to see what limits it"}},
    }};
    return kWords;
}

// Rules whose rows are blocking times.
struct BlockingWords {
    std::string_view table, one, many;
    Advice advice;
};

enum BlockingKind : size_t { asyncCopies, syncCopies, syncMemsets, synchronizations, longGaps };

const BlockingWords& blockingWords(BlockingKind kind)
{
    static const std::array<BlockingWords, 5> kWords{{
        {"cuda_memcpy_async",
         "blocking asynchronous copy of pageable memory",
         "blocking asynchronous copies of pageable memory",
         {"Use pinned memory for these copies: pin_memory=True in the data loader, then non_blocking=True"}},
        {"cuda_memcpy_sync",
         "blocking copy",
         "blocking copies",
         {"Use non_blocking=True and pinned memory for these copies",
          "Keep values on the GPU: .item() and .cpu() block"}},
        {"cuda_memset_sync",
         "blocking memset",
         "blocking memsets",
         {"Use the asynchronous memset call for host-visible memory"}},
        {"cuda_api_sync",
         "blocking synchronization call",
         "blocking synchronization calls",
         {"Synchronize on an event instead of the whole stream or device",
          "Look for hidden synchronization: .item(), .nonzero(), printing a tensor"}},
        {"gpu_gaps",
         "gap of more than half a second without GPU work",
         "gaps of more than half a second without GPU work",
         {"Open the gap in the timeline: the thread's lanes show what the program did during it"}},
    }};
    return kWords[kind];
}

std::string rankLabel(const Scene& scene, ReportKey key)
{
    const Identity& identity = scene.shown.identity(key);
    if (identity.rank.value) return "rank " + std::to_string(*identity.rank.value);
    return scene.shown.report(key).provenance.path.filename().string();
}

std::string numberText(double value, const std::string& unit)
{
    const int64_t tenths = static_cast<int64_t>(value * 10 + (value < 0 ? -0.5 : 0.5));
    return fixedPointText(tenths, 1) + (unit.empty() ? "" : " " + unit);
}

std::string countText(size_t count, const char* word)
{
    return groupedText(static_cast<int64_t>(count)) + " " + word + (count == 1 ? "" : "s");
}

class FindingSearch {
  public:
    FindingSearch(const Scene& scene, const Scope& scope, const Progress& progress)
        : m_scene(scene), m_rowScope(scope), m_scope(scope), m_progress(progress)
    {
        m_scope.by = GroupBy::total;
        m_all.reports = scene.shown.keys().size();
    }

    Result<RunFindings> run()
    {
        LOCKSTEP_TRY(countSteps());
        LOCKSTEP_TRY(addBottlenecks());
        addExposedCopies();
        LOCKSTEP_TRY(addStragglers());
        LOCKSTEP_TRY(addBlocking(asyncCopies, cudaMemcpyAsync));
        LOCKSTEP_TRY(addBlocking(syncCopies, cudaMemcpySync));
        LOCKSTEP_TRY(addBlocking(syncMemsets, cudaMemsetSync));
        LOCKSTEP_TRY(addBlocking(synchronizations, cudaApiSync));
        LOCKSTEP_TRY(addBlocking(longGaps, gpuGaps));
        LOCKSTEP_TRY(addSamples());
        addUp();
        return std::move(m_all);
    }

  private:
    template<class Row>
    using FindRows = Result<AnalysisRows<Row>>(const AnalysisRequest& request, const Progress& progress);

    // what: the analysis and its arguments.
    template<class Row>
    Result<AnalysisRows<Row>> rowsFrom(const std::string& what, FindRows<Row>& find)
    {
        LOCKSTEP_TRY(m_progress.check());
        m_all.ran.push_back(what);
        return rowsOf(what, find, m_scene, m_rowScope, m_progress);
    }

    // Counts the steps, and collects the activity of each process for computing lost times.
    Status countSteps()
    {
        const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis("step_breakdown"));
        const AnalysisRequest request{"step_breakdown", resolved.arguments, m_scene, m_scope, {}};
        m_parts = LOCKSTEP_TRY(stepPartsInScope(request, m_progress));
        std::set<std::pair<StepNaming, int64_t>> steps;
        for (const StepPart& part : m_parts.parts)
            if (part.naming != StepNaming::unknown) steps.insert({part.naming, part.number});
        m_all.steps = static_cast<int64_t>(steps.size());
        return {};
    }

    IntervalSet aligned(ReportKey key, const IntervalSet& set) const
    {
        std::vector<TimeRange> ranges;
        for (const TimeRange& range : set.ranges())
            ranges.push_back(m_scene.alignment.map(key).alignedFromTrace(range));
        return IntervalSet::unionOf(std::move(ranges));
    }

    IntervalSet lostTo(std::string_view rule, const std::map<ReportKey, double>& reports) const
    {
        std::vector<TimeRange> lost;
        for (const ProcessTrace& trace : m_parts.traces) {
            if (!reports.contains(trace.report)) continue;
            const IntervalSet set = rule == "low_gpu_utilization" ? trace.busy.gaps()
                                    : rule == "high_communication_overhead"
                                        ? trace.communication.without(trace.computation)
                                        : IntervalSet();
            const IntervalSet onAxis = aligned(trace.report, set);
            lost.insert(lost.end(), onAxis.ranges().begin(), onAxis.ranges().end());
        }
        if (m_scope.time)
            for (TimeRange& range : lost)
                range = range.clippedTo(*m_scope.time);
        return IntervalSet::unionOf(std::move(lost));
    }

    // Only for runs that record samples, or a trainer that waits for them.
    Status addSamples()
    {
        const auto add = [&](std::vector<RunFinding> found) {
            std::ranges::move(found, std::back_inserter(m_all.found));
        };
        const bool hasSamples = std::ranges::any_of(
            m_scene.shown.keys(), [&](ReportKey key) { return !m_scene.shown.report(key).samples.empty(); });
        const bool waits = std::ranges::any_of(m_parts.traces, [](const ProcessTrace& trace) {
            return trace.phaseNames.contains(RlPhase::waiting);
        });
        if (hasSamples || waits)
            add(balanceFindings(LOCKSTEP_TRY(rowsFrom("async_balance", asyncBalance)).rows));
        if (!hasSamples) return {};
        add(tailFindings(LOCKSTEP_TRY(rowsFrom("rollout_tail", rolloutTail)).rows));
        add(servingFindings(LOCKSTEP_TRY(rowsFrom("serving", serving)).rows));
        return {};
    }

    Status addBottlenecks()
    {
        const auto made = LOCKSTEP_TRY(rowsFrom("bottlenecks", bottlenecks));
        for (const BottleneckWords& words : bottleneckWords())
            addBottleneck(made, words);
        return {};
    }

    // Merges all rows for one rule into one finding, represented by the most expensive row.
    void addBottleneck(const AnalysisRows<BottleneckRow>& made, const BottleneckWords& words)
    {
        const bool isSlow = words.rule == "slow_kernels";
        const BottleneckRow* worst = nullptr;
        std::map<ReportKey, double> measured;
        std::map<ReportKey, int64_t> costs;
        size_t rows = 0;
        std::set<std::string_view> kernels; // the same kernel name may be slow on many ranks
        for (const BottleneckRow& row : made.rows) {
            if (row.rule != words.rule) continue;
            ++rows;
            const ReportKey key = row.longest.report;
            const Report& report = m_scene.shown.report(key);
            if (isSlow) kernels.insert(report.strings.at(report.slices.name[row.longest.slice.value]));
            if (worst == nullptr || row.cost_ns > worst->cost_ns) worst = &row;
            costs[key] += row.cost_ns;
            measured[key] = isSlow ? static_cast<double>(costs[key]) / 1e6 : row.value();
        }
        if (worst == nullptr) return;
        const ReportKey key = worst->longest.report;
        RunFinding found;
        found.rule = words.rule;
        found.severity = worst->severity;
        found.unit = worst->unit;
        if (!isSlow) found.threshold = worst->threshold();
        for (const auto& [report, each] : costs)
            found.cost_ns = std::max(found.cost_ns, isSlow ? 0 : each); // a slow kernel keeps the GPU busy
        found.sentence = bottleneckSentence(*worst, isSlow ? kernels.size() : rows);
        setCommon(found, words.advice, words.caption, measured);
        for (FindingBar& bar : found.bars)
            bar.isFlagged = bar.label == rankLabel(m_scene, key);
        found.show = worst->longest;
        found.reasons = {{"rule", std::string(words.rule) + ", from the bottlenecks table"},
                         {"evidence", worst->evidence},
                         {"seen on", countText(measured.size(), "report")}};
        if (found.threshold) {
            found.reasons.insert(found.reasons.begin() + 1,
                                 {"threshold", numberText(*found.threshold, found.unit) + "; measured " +
                                                   numberText(worst->value(), found.unit)});
        }
        if (isSlow)
            found.reasons.emplace_back("cost",
                                       "no GPU time is lost; the savings of a faster kernel are unknown");
        for (const std::string& text : made.source.rules)
            if (text.starts_with(words.rule)) found.reasons.emplace_back("method", text);
        found.lost = lostTo(words.rule, measured);
        m_all.found.push_back(std::move(found));
    }

    std::string bottleneckSentence(const BottleneckRow& row, size_t rows) const
    {
        const std::string worst = " on " + rankLabel(m_scene, row.longest.report) +
                                  (rows > 1 ? " (worst of " + std::to_string(rows) + ")" : "");
        if (row.rule == "low_gpu_utilization")
            return "GPU idle " + numberText(100 - row.value(), "%") + " of the time" + worst;
        if (row.rule == "high_communication_overhead")
            return "Communication takes " + numberText(row.value(), "%") + " of GPU time" + worst;
        return countText(rows, "kernel name") + " slower than " + numberText(row.threshold(), "ms") +
               " on average: " + row.evidence;
    }

    // Finds copies during which no kernel was computing, i.e. the GPU was waiting for data. Copies are
    // clipped to the scope's time range.
    void addExposedCopies()
    {
        struct Exposed {
            const ProcessTrace* trace = nullptr;
            IntervalSet copies;
        };
        std::map<ReportKey, double> shares;
        std::map<ReportKey, Exposed> exposed;
        for (const ProcessTrace& trace : m_parts.traces) {
            IntervalSet copies = exposedOf(trace, trace.copies);
            const double share = shareOf(trace, copies);
            if (share < kMediumLoss) continue;
            if (const auto known = shares.find(trace.report); known != shares.end() && share <= known->second)
                continue;
            shares[trace.report] = share;
            exposed[trace.report] = {&trace, std::move(copies)};
        }
        if (shares.empty()) return;
        const auto worst = std::ranges::max_element(shares, {}, [](const auto& each) { return each.second; });
        RunFinding found;
        found.rule = "exposed_copies";
        found.severity = worst->second >= kHighLoss ? FindingSeverity::high : FindingSeverity::medium;
        found.unit = "%";
        found.threshold = kMediumLoss;
        std::vector<TimeRange> lost;
        for (const auto& [key, each] : exposed) {
            found.cost_ns = std::max(found.cost_ns, each.copies.length().ns);
            const IntervalSet onAxis = aligned(key, each.copies);
            lost.insert(lost.end(), onAxis.ranges().begin(), onAxis.ranges().end());
        }
        found.lost = IntervalSet::unionOf(std::move(lost));
        found.sentence = "Copies that do not overlap computation take " + numberText(worst->second, "%") +
                         " of the time on " + rankLabel(m_scene, worst->first) +
                         (shares.size() > 1 ? " (worst of " + std::to_string(shares.size()) + ")" : "") +
                         mainKindText(*exposed[worst->first].trace);
        setCommon(
            found,
            {"Copy less data: keep data on the GPU between steps, or copy it in a smaller type",
             "Overlap copies with computation: use pinned memory, non_blocking=True and a separate stream"},
            "Exposed copies (%)", shares);
        found.show = firstCopy(worst->first);
        found.reasons = {{"rule", "time of copies and memsets during which no kernel computes, as a "
                                  "share of the time from a GPU's first work to its last"},
                         {"threshold", "10 %; high from 30 %"},
                         {"seen on", countText(shares.size(), "report")}};
        m_all.found.push_back(std::move(found));
    }

    // Returns the part of a process's times inside the scope's time range.
    IntervalSet inScope(const ProcessTrace& trace, const IntervalSet& set) const
    {
        const auto window = windowOf(m_scope, m_scene.alignment, trace.report);
        return window ? set.intersectedWith(IntervalSet::unionOf({*window})) : set;
    }

    // Returns the part of these copies during which the process's GPUs were not computing.
    IntervalSet exposedOf(const ProcessTrace& trace, const IntervalSet& copies) const
    {
        return inScope(trace, copies.without(trace.computation));
    }

    // Returns the length of `set` in percent of the time from the process's first to its last GPU work; 0 if
    // there is no work.
    double shareOf(const ProcessTrace& trace, const IntervalSet& set) const
    {
        const int64_t extent_ns = inScope(trace, trace.busy).extent().length().ns;
        return extent_ns > 0 ? 100 * double(set.length().ns) / double(extent_ns) : 0;
    }

    // Describes the kind of copy with the longest exposed time, as in "; host-to-device copies alone take
    // 95.0 %". Returns "" if no direction is recorded. O(copies in the report).
    std::string mainKindText(const ProcessTrace& trace) const
    {
        const Report& report = m_scene.shown.report(trace.report);
        std::map<CopyKind, std::vector<TimeRange>> ranges;
        for (const MemoryOp& op : report.memoryOps) {
            const Track& track = report.tracks[report.trackOf(op.slice).value];
            if (op.kind != CopyKind::unknown && track.key.process == trace.process)
                ranges[op.kind].push_back(report.slices.range(op.slice));
        }
        double largest = 0;
        CopyKind main = CopyKind::unknown;
        for (auto& [kind, each] : ranges) {
            const double share = shareOf(trace, exposedOf(trace, IntervalSet::unionOf(std::move(each))));
            if (share <= largest) continue;
            largest = share;
            main = kind;
        }
        if (main == CopyKind::unknown) return {};
        std::string name(copyKindName(main)); // "[CUDA memcpy Host-to-Device]"
        const size_t begin = name.rfind(' ') + 1;
        name = name.substr(begin, name.size() - begin - 1);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        return "; " + name + (main == CopyKind::memset ? "s" : " copies") + " alone take " +
               numberText(largest, "%");
    }

    // Returns the longest copy of a report.
    SliceRef firstCopy(ReportKey key) const
    {
        const SliceTable& slices = m_scene.shown.report(key).slices;
        SliceRef longest;
        for (size_t i = 0; i < slices.size(); ++i) {
            if (slices.kind[i] != RowKind::memcpy) continue;
            if (!longest.isValid() || slices.duration_ns[i] > slices.duration_ns[longest.slice.value])
                longest = {key, SliceId(i)};
        }
        return longest;
    }

    // Returns the times during which a report's GPUs had work. With isKernelsOnly, returns the times during
    // which they ran kernels.
    IntervalSet workOf(ReportKey key, bool isKernelsOnly) const
    {
        std::vector<TimeRange> work;
        for (const ProcessTrace& trace : m_parts.traces) {
            if (trace.report != key) continue;
            for (const IntervalSet* const set : {&trace.computation, &trace.communication, &trace.copies}) {
                if (isKernelsOnly && set == &trace.copies) continue;
                work.insert(work.end(), set->ranges().begin(), set->ranges().end());
            }
        }
        return IntervalSet::unionOf(std::move(work));
    }

    // Finds a rank that arrived last in at least half of its collectives and in at least four collectives.
    Status addStragglers()
    {
        const auto made = LOCKSTEP_TRY(rowsFrom("stragglers", stragglers));
        std::map<ReportKey, double> waits;
        const StragglerRow* worst = nullptr;
        for (const StragglerRow& row : made.rows) {
            if (!row.causedWait_ns) continue;
            waits[row.longest.report] = static_cast<double>(*row.causedWait_ns) / 1e6;
            const bool isLate = *row.lastShare_permille >= kLateShare_permille &&
                                row.collectives >= kMinCollectives && *row.causedWait_ns > 0;
            if (isLate && (worst == nullptr || *row.causedWait_ns > *worst->causedWait_ns)) worst = &row;
        }
        if (worst == nullptr) return {};
        const ReportKey key = worst->longest.report;
        RunFinding found;
        found.rule = "stragglers";
        found.unit = "ms";
        found.cost_ns = *worst->causedWait_ns;
        int64_t extent_ns = 1;
        for (const ProcessTrace& trace : m_parts.traces)
            extent_ns = std::max(extent_ns, inScope(trace, trace.busy).extent().length().ns);
        const double loss = 100 * double(found.cost_ns) / double(extent_ns);
        found.severity = loss >= kHighLoss  ? FindingSeverity::high
                         : loss >= kLowLoss ? FindingSeverity::medium
                                            : FindingSeverity::low;
        found.sentence = rankLabel(m_scene, key) + " arrives last in " +
                         numberText(static_cast<double>(*worst->lastShare_permille) / 10, "%") +
                         " of its collectives";
        found.sentence[0] = static_cast<char>(std::toupper(found.sentence[0]));
        setCommon(found,
                  {"Compare this rank's kernels and clocks with another rank's: "
                   "is its GPU slower, or does it have more work?",
                   "Check what the rank did before it arrived: see the doing column of the stragglers table"},
                  "Wait caused (ms)", waits);
        for (FindingBar& bar : found.bars)
            bar.isFlagged = bar.label == rankLabel(m_scene, key);
        found.show = worst->longest;
        found.reasons = {
            {"rule", "last to arrive in at least half of its collectives, and in at least four collectives"},
            {"seen in", std::to_string(*worst->timesLast) + " of " + std::to_string(worst->collectives) +
                            " collectives"},
            {"cost", "sum of the longest wait over the collectives in which the rank arrived last"},
            {"severity",
             "medium at 1 %, high at 30 % or more of the time from a GPU's first work to its last; at "
             "least the severity of the idle time or communication that the rank causes"},
            {"clock", "durations determine the last rank, not clocks"},
            {"disputed", std::to_string(*worst->disputed) +
                             " of these collectives have another rank as the last by start"}};
        m_all.found.push_back(std::move(found));
        return {};
    }

    // Handles rules whose rows are times on the report's own clock.
    template<class Row>
    Status addBlocking(BlockingKind kind, FindRows<Row>& find)
    {
        const BlockingWords& words = blockingWords(kind);
        const auto made = LOCKSTEP_TRY(rowsFrom(std::string(words.table) + ":rows=-1", find));
        if (made.rows.empty()) return {};
        const auto longest = std::ranges::max_element(made.rows, {}, &RuleRow::duration_ns);
        std::map<ReportKey, std::vector<TimeRange>> ranges;
        for (const RuleRow& row : made.rows) {
            const ReportKey key = row.longest.report;
            const auto window = windowOf(m_scope, m_scene.alignment, key);
            ranges[key].push_back(window ? row.range.clippedTo(*window) : row.range);
        }
        const bool isCopy = words.table.starts_with("cuda_mem");
        RunFinding found;
        found.rule = words.table;
        found.unit = "ms";
        std::map<ReportKey, double> times;
        std::vector<TimeRange> lost;
        for (auto& [key, each] : ranges) {
            const IntervalSet set = IntervalSet::unionOf(std::move(each));
            times[key] = static_cast<double>(set.length().ns) / 1e6;
            // A thread that waits for a busy GPU costs nothing, whereas a blocking copy makes the GPU wait.
            const IntervalSet idle = set.without(workOf(key, isCopy));
            found.cost_ns = std::max(found.cost_ns, idle.length().ns);
            const IntervalSet onAxis = aligned(key, idle);
            lost.insert(lost.end(), onAxis.ranges().begin(), onAxis.ranges().end());
        }
        found.lost = IntervalSet::unionOf(std::move(lost));
        found.severity = kind == longGaps ? FindingSeverity::high : FindingSeverity::low;
        const int64_t extent_ns = (m_scope.time ? *m_scope.time : m_scene.extent()).length().ns;
        if (found.cost_ns * 100 >= extent_ns)
            found.severity = std::min(found.severity, FindingSeverity::medium);
        found.sentence = groupedText(static_cast<int64_t>(made.rows.size())) + " " +
                         std::string(made.rows.size() == 1 ? words.one : words.many);
        setCommon(found, words.advice, "Time (ms)", times);
        found.show = longest->longest;
        found.reasons = {
            {"rule", std::string(words.table) + ", as defined by nsys analyze: " + made.source.rows},
            {"seen on", countText(ranges.size(), "report")},
            {"cost",
             isCopy ? "the part of these times without a running kernel, on the report with most of it"
                    : "the part of these times in which the GPU was idle, on the report with most of it"},
            {"clock", "each report's own clock; sums over reports use aligned times"},
            {"severity", "medium at 1 % of the range or more"}};
        if constexpr (std::is_same_v<Row, GapRow>)
            found.reasons.insert(found.reasons.begin() + 1, {"main cause", mainCauseText(made.rows)});
        m_all.found.push_back(std::move(found));
        return {};
    }

    // Returns the cause with the longest total time. gaps: at least one.
    static std::string mainCauseText(const std::vector<GapRow>& gaps)
    {
        std::map<std::string_view, std::pair<double, int64_t>> causes; // total time and number of gaps
        double all_ns = 0;
        for (const GapRow& gap : gaps) {
            auto& [time_ns, count] = causes[gapCauseName(gap.cause)];
            time_ns += static_cast<double>(gap.duration_ns());
            all_ns += static_cast<double>(gap.duration_ns());
            ++count;
        }
        const auto main =
            std::ranges::max_element(causes, {}, [](const auto& each) { return each.second.first; });
        return std::string(main->first.empty() ? "unknown" : main->first) + ": " +
               groupedText(main->second.second) + " of " + countText(gaps.size(), "gap") + ", " +
               numberText(100 * main->second.first / all_ns, "%") + " of their time";
    }

    void setCommon(RunFinding& found, const Advice& advice, std::string_view caption,
                   const std::map<ReportKey, double>& measured) const
    {
        found.advice = advice;
        found.fix = advice.front();
        found.caption = caption;
        double largest = 0;
        for (const ReportKey key : m_scene.shown.keys()) { // in display order
            const auto value = measured.find(key);
            if (value == measured.end()) continue;
            found.bars.push_back({rankLabel(m_scene, key), value->second, false});
            largest = std::max(largest, value->second);
        }
        for (FindingBar& bar : found.bars)
            bar.isFlagged = bar.value == largest;
    }

    void addUp()
    {
        std::ranges::stable_sort(m_all.found, [](const RunFinding& a, const RunFinding& b) {
            return a.severity != b.severity ? a.severity < b.severity : a.cost_ns > b.cost_ns;
        });
        putStragglersFirst();
        std::vector<TimeRange> lost;
        for (const RunFinding& found : m_all.found) {
            m_all.untimedFindings += found.lost.isEmpty();
            lost.insert(lost.end(), found.lost.ranges().begin(), found.lost.ranges().end());
        }
        m_all.lost_ns = IntervalSet::unionOf(std::move(lost)).length().ns;
    }

    // Waiting for a late rank appears as communication on all other ranks, and an idle GPU may be what makes
    // a rank late. If the wait of the other ranks is at least half of the cost of such a finding, the late
    // rank is considered the cause. The late rank's finding then comes first and gets at least the same
    // severity.
    void putStragglersFirst()
    {
        const auto at = [&](std::string_view rule) {
            return std::ranges::find(m_all.found, rule, &RunFinding::rule);
        };
        for (const std::string_view rule : {"low_gpu_utilization", "high_communication_overhead"}) {
            const auto late = at("stragglers"), other = at(rule);
            if (late == m_all.found.end() || other == m_all.found.end() || late < other) continue;
            const bool isOfOther = rule == "low_gpu_utilization" && other->show.report != late->show.report;
            if (isOfOther || late->cost_ns * 2 < other->cost_ns) continue;
            late->severity = std::min(late->severity, other->severity);
            std::rotate(other, late, late + 1);
        }
    }

    static constexpr double kLowLoss = 1, kMediumLoss = 10, kHighLoss = 30; // in percent of the time
    static constexpr int64_t kLateShare_permille = 500;
    static constexpr int64_t kMinCollectives = 4;

    const Scene& m_scene;
    const Scope& m_rowScope; // as requested
    Scope m_scope;           // the same without grouping
    const Progress& m_progress;
    StepParts m_parts;
    RunFindings m_all;
};

} // namespace

Result<RunFindings> findingsOf(const Scene& scene, const Scope& scope, const Progress& progress)
{
    return FindingSearch(scene, scope, progress).run();
}

} // namespace lockstep
