// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_samples.h"

#include <algorithm>
#include <unordered_map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/row_kinds.h"
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

} // namespace lockstep
