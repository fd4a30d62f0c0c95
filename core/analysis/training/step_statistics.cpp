// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"
#include "core/analysis/row_kinds.h"
#include "core/analysis/student_t.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/step_columns.h"
#include "core/trace/kernel_name.h"

namespace lockstep {

namespace {

// A sum over parts, and the number of parts.
struct MetricSum {
    __int128 sum = 0;
    int64_t parts = 0;

    void add(int64_t value)
    {
        sum += value;
        ++parts;
    }
    std::optional<int64_t> mean() const
    {
        return parts > 0 ? std::optional(roundedQuotient(sum, parts)) : std::nullopt;
    }
};

// Time of each kernel name in each part of one trace.
using KernelTimes = std::map<std::string, std::vector<int64_t>>;

// Parts in one trace, sorted by start. Parts may overlap.
class PartSearch {
  public:
    explicit PartSearch(std::span<const StepPart> parts)
    {
        for (uint32_t i = 0; i < parts.size(); ++i)
            m_parts.emplace_back(parts[i].range, i);
        std::ranges::sort(m_parts, {},
                          [](const auto& part) { return std::pair(part.first.begin, part.second); });
        TraceTime latest = kAllTime.begin;
        for (const auto& [range, index] : m_parts)
            m_latestEnds.push_back(latest = std::max(latest, range.end));
    }
    // Calls visit(index of the part, time of `range` inside it) for each part that overlaps `range`.
    template<class Visit>
    void forEach(TimeRange range, const Visit& visit) const
    {
        const auto first = std::ranges::upper_bound(m_latestEnds, range.begin);
        for (auto i = static_cast<size_t>(first - m_latestEnds.begin()); i < m_parts.size(); ++i) {
            if (m_parts[i].first.begin >= range.end) return;
            const int64_t inside_ns = range.clippedTo(m_parts[i].first).length().ns;
            if (inside_ns > 0) visit(m_parts[i].second, inside_ns);
        }
    }

  private:
    std::vector<std::pair<TimeRange, uint32_t>> m_parts;
    std::vector<TraceTime> m_latestEnds; // for each part, the latest end of this part and all earlier ones
};

KernelTimes kernelTimesOf(const AnalysisRequest& request, const ProcessTrace& trace,
                          std::span<const StepPart> parts, const Progress& progress)
{
    const Report& report = request.workspace.report(trace.report);
    Scope scope = request.scope;
    scope.steps.clear();
    const PartSearch search(parts);
    std::unordered_map<uint32_t, std::vector<int64_t>*> byName; // results by stored name, to avoid repeated
                                                                // lookups
    KernelTimes times;
    for (const Track& track : report.tracks) {
        if (track.key.process != trace.process || track.key.kind != TrackKind::gpuStream) continue;
        if (!isInScope(scope, request.workspace, trace.report, track)) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % kRowsBetweenChecks == 0 && progress.isCanceled()) return times;
            if (report.slices.kind[row] != RowKind::kernel) continue;
            const auto [known, isNew] = byName.try_emplace(report.slices.name[row].value);
            if (isNew) {
                known->second = &times[std::string(kernelBaseName(report.shortNameOf(SliceId(row))))];
                known->second->resize(parts.size());
            }
            search.forEach(report.slices.range(SliceId(row)),
                           [&](uint32_t part, int64_t inside_ns) { (*known->second)[part] += inside_ns; });
        }
    }
    return times;
}

// Sums for one step, in the order of the metrics in stepMetrics().
void addTimes(const StepTimes& times, std::vector<MetricSum>& sums)
{
    for (size_t i = 0; i < sums.size(); ++i)
        if (const auto value = stepMetrics()[i].value(times)) sums[i].add(*value);
}

struct StepSums {
    std::vector<MetricSum> metrics;
    int64_t parts = 0, deviceParts = 0;
    std::map<std::string, __int128> kernels;
};

struct SeriesSums {
    std::set<std::string> rules;
    std::map<int64_t, StepSums> steps;
};

StepSeries seriesOf(const SeriesSums& sums, size_t kernels)
{
    StepSeries series;
    series.rules = sums.rules;
    series.metrics = stepMetrics();
    const size_t known = series.metrics.size();
    std::map<std::string, __int128> totals;
    for (const auto& [number, step] : sums.steps) {
        for (const auto& [name, sum] : step.kernels)
            totals[name] += sum;
    }
    std::vector<std::pair<__int128, std::string>> most;
    for (const auto& [name, total] : totals)
        most.emplace_back(-total, name);
    std::ranges::sort(most);
    most.resize(std::min(most.size(), kernels));
    for (const auto& [total, name] : most)
        series.metrics.push_back({"kernel", name, "sum of its durations within the step", {}});
    series.values.resize(series.metrics.size());
    for (const auto& [number, step] : sums.steps) {
        series.numbers.push_back(number);
        series.parts.push_back(step.parts);
        for (size_t i = 0; i < known; ++i)
            series.values[i].push_back(step.metrics[i].mean());
        for (size_t i = 0; i < most.size(); ++i) {
            const auto found = step.kernels.find(most[i].second);
            const __int128 sum = found == step.kernels.end() ? 0 : found->second;
            auto& values = series.values[known + i];
            values.push_back(step.deviceParts > 0 ? std::optional(roundedQuotient(sum, step.deviceParts))
                                                  : std::nullopt);
        }
    }
    return series;
}

} // namespace

const std::vector<StepMetric>& stepMetrics()
{
    static const std::vector<StepMetric> kMetrics = [] {
        std::vector<StepMetric> metrics{
            {"step", "wall", "duration of the step", &StepTimes::wall_ns},
            {"step", "outside", "part of wall outside of all phase ranges", &StepTimes::outside_ns}};
        for (size_t i = 0; i < kRlPhases; ++i) {
            const auto phase = static_cast<RlPhase>(i);
            metrics.push_back({"phase", std::string(rlPhaseName(phase)),
                               "part of wall in ranges named " + std::string(rlPhaseDoc(phase)),
                               [i](const StepTimes& times) { return times.phase_ns[i]; }});
        }
        const auto ofDevice = [&](const char* name, const char* doc, auto value) {
            metrics.push_back({"device", name, doc, [value](const StepTimes& times) {
                                   return times.hasDevice ? std::optional(std::invoke(value, times))
                                                          : std::nullopt;
                               }});
        };
        ofDevice("busy", "union of all work on the process's devices", &StepTimes::busy_ns);
        ofDevice("compute", "union of computation", &StepTimes::compute_ns);
        ofDevice("exposed_communication", "communication that does not overlap computation",
                 &StepTimes::exposedCommunication_ns);
        ofDevice("exposed_copies", "copies and memsets that overlap nothing else",
                 &StepTimes::exposedCopies_ns);
        ofDevice("bubble", "the devices were idle", &StepTimes::bubble_ns);
        ofDevice("communication", "union of communication", &StepTimes::communication_ns);
        ofDevice("copies", "union of copies and memsets", &StepTimes::copies_ns);
        return metrics;
    }();
    return kMetrics;
}

Result<std::vector<StepSeries>> stepSamples(const AnalysisRequest& request, const StepParts& steps,
                                            size_t kernels, const Progress& progress)
{
    std::vector<size_t> firstOf(steps.traces.size() + 1, steps.parts.size());
    for (size_t i = steps.parts.size(); i-- > 0;)
        firstOf[steps.parts[i].trace] = i;
    for (size_t t = steps.traces.size(); t-- > 0;)
        firstOf[t] = std::min(firstOf[t], firstOf[t + 1]);
    std::vector<KernelTimes> times(steps.traces.size());
    progress.workers().run(times.size(), [&](size_t t, size_t) {
        const std::span parts(steps.parts.data() + firstOf[t], firstOf[t + 1] - firstOf[t]);
        if (kernels > 0 && !parts.empty() && !progress.isCanceled())
            times[t] = kernelTimesOf(request, steps.traces[t], parts, progress);
    });
    LOCKSTEP_TRY(progress.check());
    std::map<std::pair<GroupKey, StepNaming>, SeriesSums> bySeries;
    const GroupBy by = request.scope.by == GroupBy::step ? GroupBy::total : request.scope.by;
    for (size_t p = 0; p < steps.parts.size(); ++p) {
        const StepPart& part = steps.parts[p];
        const ProcessTrace& trace = steps.traceOf(part);
        SeriesSums& series =
            bySeries[{groupKeyOf(by, request.workspace, trace.report, trace.process), part.naming}];
        series.rules.insert(part.from);
        StepSums& step = series.steps[part.number];
        step.metrics.resize(stepMetrics().size());
        addTimes(part.times, step.metrics);
        ++step.parts;
        step.deviceParts += part.times.hasDevice ? 1 : 0;
        for (const auto& [name, sums] : times[part.trace])
            step.kernels[name] += sums[p - firstOf[part.trace]];
    }
    std::vector<StepSeries> out;
    for (const auto& [key, sums] : bySeries) {
        out.push_back(seriesOf(sums, kernels));
        std::tie(out.back().group, out.back().naming) = key;
    }
    return out;
}

namespace {

constexpr std::string_view kStatisticsTitle = "Step statistics";
constexpr std::string_view kStepByStepTitle = "Step series";
constexpr AnalysisArgument kSkipArgument{
    "skip",
    "number of initial steps to exclude as warm-up; none is excluded if fewer than two would remain",
    ArgumentType::whole,
    "1",
    "steps",
    0,
    1e6};
constexpr AnalysisArgument kOutlierArgument{
    "outliers",
    "an outlier differs from the median by more than this many times 1.4826 times the median "
    "distance from it, and by more than 1 % of the median; needs four or more steps",
    ArgumentType::number,
    "3.5",
    "",
    0.1,
    1e6};
constexpr AnalysisArgument kKernelsArgument{
    "kernels", "number of kernel names, by the sum of their durations", ArgumentType::whole, "10", "names", 0,
    1e5};
constexpr AnalysisArgument kSeriesArgument{"series", "one row per step, as used for charts"};
constexpr std::array kStatisticsArguments{kStepsArgument, kSkipArgument, kOutlierArgument, kKernelsArgument,
                                          kSeriesArgument};

constexpr size_t kMinForOutliers = 4;

GroupBy groupsOf(const AnalysisRequest& request)
{
    return request.scope.by == GroupBy::step ? GroupBy::total : request.scope.by;
}

// Returns the number of warm-up steps in a series.
size_t skippedOf(const AnalysisRequest& request, const StepSeries& series)
{
    const auto requested = static_cast<size_t>(request.arguments.whole("skip"));
    return series.numbers.size() >= requested + 2 ? requested : 0;
}

// The values of a metric that are counted, with their step numbers.
struct MetricSamples {
    std::vector<int64_t> values, steps;
};

MetricSamples samplesOf(const StepSeries& series, size_t metric, size_t skipped)
{
    MetricSamples samples;
    for (size_t step = skipped; step < series.numbers.size(); ++step) {
        if (!series.values[metric][step]) continue;
        samples.values.push_back(*series.values[metric][step]);
        samples.steps.push_back(series.numbers[step]);
    }
    return samples;
}

// Returns the steps whose values are far from those of the other steps, see kOutlierArgument.
std::vector<int64_t> outliersOf(const MetricSamples& samples, double times)
{
    constexpr double kNormal = 1.4826, kMinShare = 0.01;
    if (samples.values.size() < kMinForOutliers) return {};
    std::vector<int64_t> values = samples.values;
    const int64_t doubledMedian = durationStatistics(values).doubledMedian;
    std::vector<int64_t> distances;
    for (const int64_t value : samples.values)
        distances.push_back(std::abs(2 * value - doubledMedian));
    std::vector<int64_t> sorted = distances;
    const double typical = static_cast<double>(durationStatistics(sorted).doubledMedian) / 2;
    const double limit =
        std::max(times * kNormal * typical, kMinShare * std::abs(static_cast<double>(doubledMedian)));
    std::vector<int64_t> out;
    for (size_t i = 0; i < distances.size(); ++i) {
        if (static_cast<double>(distances[i]) > limit) out.push_back(samples.steps[i]);
    }
    return out;
}

std::string numbersText(std::span<const int64_t> numbers)
{
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

class StatisticsColumns {
  public:
    StatisticsColumns(const AnalysisRequest& request, Table& table) : m_request(request), m_table(table)
    {
        table.headerStyle = HeaderStyle::identifier;
        addGroupColumn(table, groupsOf(request));
        m_kind = text("kind", "step, phase, device or kernel");
        m_metric = text("metric", "measured quantity: see rules");
        m_n = addStepCount(table, "n", "number of steps counted");
        m_skipped = addStepCount(table, "skipped", "number of initial steps excluded as warm-up");
        m_mean = tenths("mean",
                        "mean over steps; the value of a step is the mean over the processes that have it");
        m_median = tenths("median", "median over steps; the mean of the two middle values for an even count");
        m_deviation =
            tenths("stddev", "sample standard deviation over steps (divisor n - 1); empty for one step");
        m_min = addStepTime(table, "min", "value of the shortest step");
        m_max = addStepTime(table, "max", "value of the longest step");
        m_low = tenths("ci95_low",
                       "mean minus t(0.975, n - 1) * stddev / sqrt(n): lower end of the 95 % interval of "
                       "the mean (Student's t), assuming independent steps; empty for one step");
        m_high = tenths("ci95_high", "upper end of this interval");
        m_cv = table.addColumn({"cv_pctg", "", ColumnType::percent, 2,
                                "stddev as a share of mean: coefficient of variation; may exceed 100"});
        m_share = table.addColumn(
            {"wall_pctg", "", ColumnType::percent, 2,
             "mean as a share of the mean of wall; kernels on several streams may exceed 100"});
        m_outliers = addStepCount(table, "outliers",
                                  "number of steps far from the median, see rules; they are still counted");
        m_outlierSteps = text("outlier_steps", "step numbers of the outliers");
        m_from = text("step_from", "rule that defines the steps");
    }

    void add(const StepSeries& series, size_t metric, size_t skipped)
    {
        MetricSamples samples = samplesOf(series, metric, skipped);
        if (samples.values.empty()) return;
        const auto outliers = outliersOf(samples, m_request.arguments.number("outliers"));
        const DurationStatistics all = durationStatistics(samples.values);
        m_table.addRow();
        setGroup(m_table, groupsOf(m_request), series.group);
        m_table.setText(m_kind, series.metrics[metric].kind);
        m_table.setText(m_metric, series.metrics[metric].name);
        m_table.setNumber(m_n, all.count);
        m_table.setNumber(m_skipped, static_cast<int64_t>(skipped));
        m_table.setNumber(m_mean, all.average(10));
        m_table.setNumber(m_median, all.median(10));
        m_table.setNumber(m_min, all.minimum);
        m_table.setNumber(m_max, all.maximum);
        setSpread(all);
        setShare(series, all, skipped);
        m_table.setNumber(m_outliers, static_cast<int64_t>(outliers.size()));
        m_table.setText(m_outlierSteps, numbersText(outliers));
        std::string rules;
        for (const std::string& rule : series.rules)
            rules += (rules.empty() ? "" : "; ") + rule;
        m_table.setText(m_from, rules);
    }

  private:
    void setSpread(const DurationStatistics& all)
    {
        const double mean = static_cast<double>(all.total) / static_cast<double>(all.count);
        const auto interval = confidenceOf({all.count, mean, static_cast<double>(all.deviation)});
        if (!interval) return;
        m_table.setNumber(m_deviation, all.standardDeviation(10));
        m_table.setNumber(m_low, std::llround(interval->low * 10));
        m_table.setNumber(m_high, std::llround(interval->high * 10));
        if (mean > 0)
            m_table.setNumber(m_cv, std::llround(static_cast<double>(all.deviation) / mean * 10'000));
    }

    void setShare(const StepSeries& series, const DurationStatistics& all, size_t skipped)
    {
        MetricSamples wall = samplesOf(series, 0, skipped);
        const DurationStatistics whole = durationStatistics(wall.values);
        if (whole.total > 0)
            m_table.setNumber(m_share, roundedQuotient(__int128(all.total) * 10'000 * whole.count,
                                                       __int128(whole.total) * all.count));
    }

    size_t text(const char* name, const char* doc)
    {
        return m_table.addColumn({name, "", ColumnType::text, 0, doc});
    }
    size_t tenths(const char* name, const char* doc)
    {
        return m_table.addColumn({name, "ns", ColumnType::time, 1, doc});
    }

    const AnalysisRequest& m_request;
    Table& m_table;
    size_t m_kind = 0, m_metric = 0, m_n = 0, m_skipped = 0, m_mean = 0, m_median = 0, m_deviation = 0,
           m_min = 0;
    size_t m_max = 0, m_low = 0, m_high = 0, m_cv = 0, m_share = 0, m_outliers = 0, m_outlierSteps = 0,
           m_from = 0;
};

// Adds one row per step, with means over the processes that have the quantity.
void addSeriesRows(const AnalysisRequest& request, std::span<const StepSeries> all, Table& table)
{
    table.headerStyle = HeaderStyle::identifier;
    addGroupColumn(table, groupsOf(request));
    const size_t step =
        addStepCount(table, "step", "step number, by the rule in step_from; empty if unknown");
    const size_t parts =
        addStepCount(table, "parts", "number of processes in the means, counted once per report");
    const size_t use = table.addColumn({"counts", "", ColumnType::text, 0,
                                        "yes; warm-up: excluded from the statistics; outlier: its "
                                        "wall is far from the median, but it counts"});
    const size_t first = table.columnCount();
    const std::vector<StepMetric> metrics = stepMetrics();
    for (const StepMetric& metric : metrics)
        addStepTime(table, metric.name.c_str(),
                    metric.doc + "; mean over the processes that have it, empty if none has");
    const size_t from =
        table.addColumn({"step_from", "", ColumnType::text, 0, "rule that defines the steps"});
    for (const StepSeries& series : all) {
        const size_t skipped = skippedOf(request, series);
        const auto outliers = outliersOf(samplesOf(series, 0, skipped), request.arguments.number("outliers"));
        for (size_t i = 0; i < series.numbers.size(); ++i) {
            table.addRow();
            setGroup(table, groupsOf(request), series.group);
            if (series.naming != StepNaming::unknown) table.setNumber(step, series.numbers[i]);
            table.setNumber(parts, series.parts[i]);
            const bool isOutlier = std::ranges::find(outliers, series.numbers[i]) != outliers.end();
            table.setText(use, i < skipped ? "warm-up" : isOutlier ? "outlier" : "yes");
            for (size_t m = 0; m < metrics.size(); ++m) {
                if (series.values[m][i]) table.setNumber(first + m, *series.values[m][i]);
            }
            std::string rules;
            for (const std::string& rule : series.rules)
                rules += (rules.empty() ? "" : "; ") + rule;
            table.setText(from, rules);
        }
    }
}

void describeStatistics(const AnalysisRequest& request, std::span<const StepSeries> all, Table& table)
{
    auto& rules = table.source.rules;
    rules.push_back("each step is one sample, the mean of its processes; "
                    "ranks of one step are not independent");
    for (const StepSeries& series : all) {
        const size_t skipped = skippedOf(request, series);
        if (skipped == 0 && request.arguments.whole("skip") > 0)
            rules.push_back("none of the " + std::to_string(series.numbers.size()) +
                            " steps is excluded as warm-up: too few would remain");
        if (series.naming == StepNaming::unknown)
            rules.push_back("steps of reports without a step number count as one");
    }
    rules.push_back(
        std::string("outlier: ") + std::string(kOutlierArgument.doc) + "; outliers=" +
        std::string(fixedPointText(std::llround(request.arguments.number("outliers") * 1000), 3)));
    for (const StepMetric& metric : stepMetrics())
        rules.push_back(metric.kind + " " + metric.name + ": " + metric.doc);
    rules.push_back(
        "kernel NAME: sum of the durations of kernels with this base name within the step, for the " +
        std::to_string(request.arguments.whole("kernels")) + " names with the largest sums");
    if (request.scope.by == GroupBy::step)
        rules.push_back("not split by step: each series consists of steps");
}

Result<Table> statisticsTable(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const bool isSeries = request.arguments.flag("series");
    const auto kernels = isSeries ? size_t(0) : static_cast<size_t>(request.arguments.whole("kernels"));
    const auto all = LOCKSTEP_TRY(stepSamples(request, steps, kernels, progress));
    Table table{std::string(request.what), std::string(isSeries ? kStepByStepTitle : kStatisticsTitle)};
    if (isSeries) {
        addSeriesRows(request, all, table);
    } else {
        StatisticsColumns columns(request, table);
        for (const StepSeries& series : all) {
            const size_t skipped = skippedOf(request, series);
            for (size_t metric = 0; metric < series.metrics.size(); ++metric)
                columns.add(series, metric, skipped);
        }
    }
    describeSteps(request, steps, table.source);
    describeStatistics(request, all, table);
    return table;
}

} // namespace

Analysis stepStatisticsAnalysis()
{
    const ChartRule series{ChartKind::series, {"rank", "role", "host", "report"}, {"wall"}, "step"};
    ChartRule means{ChartKind::bars, {"kind", "metric"}, {"mean"}};
    means.low = "ci95_low";
    means.high = "ci95_high";
    means.needsAllLabels = true;
    return withCharts(
        {"step_statistics", kStatisticsTitle, "training steps", kStatisticsArguments, statisticsTable},
        {series, means});
}

} // namespace lockstep
