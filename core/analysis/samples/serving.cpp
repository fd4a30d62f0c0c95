// SPDX-License-Identifier: Apache-2.0
// The `serving` analysis: how the inference servers of a rollout were used: cache, batches, queue, latencies.
#include "core/analysis/samples/serving.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"
#include "core/analysis/samples/sample_groups.h"
#include "core/samples/gauge.h"
#include "core/samples/tail.h"

namespace lockstep {

namespace {

// Gauges by the last part of their names, without labels: SGLang's metrics as miles records them, and vLLM's
// SchedulerStats.
enum class Gauge { cache, running, waiting };
constexpr std::array<std::pair<std::string_view, Gauge>, 6> kGauges{
    {{"token_usage", Gauge::cache},
     {"kv_cache_usage", Gauge::cache},
     {"num_running_reqs", Gauge::running},
     {"num_queue_reqs", Gauge::waiting},
     {"num_waiting_reqs", Gauge::waiting},
     {"num_requests_waiting", Gauge::waiting}}};

std::optional<Gauge> gaugeOf(std::string_view counter)
{
    const std::string_view name = counter.substr(0, counter.find(' '));
    for (const auto& [suffix, gauge] : kGauges) {
        if (name.ends_with(suffix)) return gauge;
    }
    return std::nullopt;
}

// Everything that the reports record about one server.
struct Server {
    std::vector<int64_t> queue_ns, firstToken_ns, perToken_ns;
    int64_t requests = 0, promptTokens = 0, cachedTokens = 0, outputTokens = 0, preemptions = 0;
    bool hasCached = false, hasPreemptions = false;
    TimeRange time; // from the first start to the last end
    SliceRef longest;
    int64_t longest_ns = -1;
    std::map<Gauge, std::vector<GaugeUse>> gauges; // one for each counter
};

class ServingRows {
  public:
    ServingRows(const AnalysisRequest& request, const Progress& progress)
        : m_request(request), m_progress(progress)
    {
    }

    Result<AnalysisRows<ServingRow>> run();

  private:
    void addRequest(ReportKey key, const Report& report, SampleId id, const Sample& sample);
    void addTimes(Server& server, const TimedSample& timed, const Sample& sample);
    void addGauges(const Report& report, ReportKey key);
    using Key = std::pair<GroupKey, std::string>; // and the name of the server
    static ServingRow rowOf(const Key& key, Server& server);

    const AnalysisRequest& m_request;
    const Progress& m_progress;
    std::map<Key, Server> m_servers;
};

void ServingRows::addRequest(ReportKey key, const Report& report, SampleId id, const Sample& sample)
{
    std::string name;
    if (sample.replica.isValid()) name = report.strings.at(sample.replica);
    if (name.empty() && sample.process.isValid())
        name = report.strings.at(report.processes[sample.process.value].name);
    const GroupBy by = m_request.scope.by;
    const GroupKey group =
        by == GroupBy::total ? GroupKey() : sampleGroupOf(by, m_request.workspace, key, sample, name);
    Server& server = m_servers[{group, name}];
    ++server.requests;
    if (sample.outputTokens > 0) server.outputTokens += sample.outputTokens;
    // A request whose cached tokens are not recorded does not count for the share of hits.
    if (sample.cachedTokens >= 0 && sample.promptTokens >= 0) {
        server.hasCached = true;
        server.cachedTokens += sample.cachedTokens;
        server.promptTokens += sample.promptTokens;
    }
    if (sample.preemptions >= 0) {
        server.hasPreemptions = true;
        server.preemptions += sample.preemptions;
    }
    if (!sample.isPlaced()) return;
    const TimedSample timed = timedSample(report, id, m_request.alignment.map(key));
    server.time = server.time.unitedWith(timed.time);
    if (timed.time.length().ns > server.longest_ns) {
        server.longest_ns = timed.time.length().ns;
        server.longest = {key, sample.slice};
    }
    addTimes(server, timed, sample);
    const auto part = [&](SamplePart of) { return timed.parts[static_cast<size_t>(of)]; };
    if (part(SamplePart::queue) + part(SamplePart::prefill) > 0)
        server.queue_ns.push_back(part(SamplePart::queue));
}

// The first token is there at the end of the first prefill; decode makes the others.
void ServingRows::addTimes(Server& server, const TimedSample& timed, const Sample& sample)
{
    const auto part = [&](SamplePart of) { return timed.parts[static_cast<size_t>(of)]; };
    const bool hasPrefill = part(SamplePart::prefill) > 0;
    if (hasPrefill && !timed.engine.empty()) {
        const auto first = std::ranges::min_element(timed.engine, {}, &TimeRange::begin);
        server.firstToken_ns.push_back((first->end - timed.time.begin).ns);
    }
    if (part(SamplePart::decode) > 0 && sample.outputTokens > 1)
        server.perToken_ns.push_back(roundedQuotient(part(SamplePart::decode), sample.outputTokens - 1));
}

void ServingRows::addGauges(const Report& report, ReportKey key)
{
    constexpr double kHigh = 0.9;
    for (const CounterTrack& track : report.counterTracks) {
        const auto gauge = gaugeOf(report.strings.at(track.name));
        if (!gauge || track.sampleCount == 0 || !track.process.isValid()) continue;
        if (!isInScope(m_request.scope, m_request.workspace, key, track.process)) continue;
        const auto times =
            std::span<const int64_t>(report.counters.time_ns).subspan(track.firstSample, track.sampleCount);
        const auto values =
            std::span<const double>(report.counters.value).subspan(track.firstSample, track.sampleCount);
        const auto use = gaugeUse(times, values, report.extent.end.ns, kHigh);
        if (!use) continue;
        const std::string name(report.strings.at(report.processes[track.process.value].name));
        const GroupBy by = m_request.scope.by;
        const GroupKey group = by == GroupBy::replica
                                   ? GroupKey{false, 0, name}
                                   : groupKeyOf(by, m_request.workspace, key, track.process);
        m_servers[{group, name}].gauges[*gauge].push_back(*use);
    }
}

// Returns the mean of a value over counters, weighted by their time, times 10^decimals.
template<class Value>
std::optional<int64_t> meanOf(const std::vector<GaugeUse>& gauges, double scale, const Value& value)
{
    long double sum = 0, time = 0;
    for (const GaugeUse& use : gauges) {
        sum += static_cast<long double>(std::invoke(value, use)) * static_cast<long double>(use.covered_ns);
        time += static_cast<long double>(use.covered_ns);
    }
    if (time <= 0) return std::nullopt;
    return std::llround(sum / time * static_cast<long double>(scale));
}

std::optional<int64_t> rankOf(std::vector<int64_t>& values, int percent)
{
    if (values.empty()) return std::nullopt;
    std::ranges::sort(values);
    return nearestRank(values, percent);
}

ServingRow ServingRows::rowOf(const Key& key, Server& server)
{
    constexpr double kHundredthsOfPercent = 10'000;
    ServingRow row;
    row.group = key.first;
    row.replica = key.second;
    row.requests = server.requests;
    row.longest = server.longest;
    const std::vector<GaugeUse>& cache = server.gauges[Gauge::cache];
    row.cacheMean = meanOf(cache, kHundredthsOfPercent, &GaugeUse::mean);
    row.cacheHigh = meanOf(cache, kHundredthsOfPercent, &GaugeUse::highShare);
    for (const GaugeUse& use : cache)
        row.cacheMax =
            std::max(row.cacheMax.value_or(0), int64_t(std::llround(use.max * kHundredthsOfPercent)));
    if (server.hasCached && server.promptTokens > 0)
        row.prefixHits = roundedQuotient(__int128(server.cachedTokens) * 10'000, server.promptTokens);
    if (server.hasPreemptions) {
        row.preemptions = server.preemptions;
        row.preemptionsPer100 = roundedQuotient(__int128(server.preemptions) * 1'000, server.requests);
    }
    row.queue50_ns = rankOf(server.queue_ns, 50);
    row.queue90_ns = rankOf(server.queue_ns, 90);
    row.waiting = meanOf(server.gauges[Gauge::waiting], 100, &GaugeUse::mean);
    row.running = meanOf(server.gauges[Gauge::running], 100, &GaugeUse::mean);
    row.runningLow = meanOf(server.gauges[Gauge::running], 100, &GaugeUse::p10);
    row.firstToken_ns = rankOf(server.firstToken_ns, 50);
    row.perToken_ns = rankOf(server.perToken_ns, 50);
    const int64_t length_ns = server.time.length().ns;
    if (server.outputTokens > 0 && length_ns > 0)
        row.tokensPerSecond = roundedQuotient(__int128(server.outputTokens) * 10'000'000'000, length_ns);
    return row;
}

Result<AnalysisRows<ServingRow>> ServingRows::run()
{
    for (const ReportKey key : m_request.workspace.keys()) {
        const Report& report = m_request.workspace.report(key);
        LOCKSTEP_TRY(m_progress.check());
        addGauges(report, key);
        for (uint32_t row = 0; row < report.samples.samples.size(); ++row) {
            const Sample& sample = report.samples.samples[row];
            if (row % 1024 == 0) LOCKSTEP_TRY(m_progress.check());
            if (sample.level != SampleLevel::request) continue;
            if (isInScope(m_request.scope, m_request.workspace, key, sample.process))
                addRequest(key, report, SampleId(row), sample);
        }
    }
    AnalysisRows<ServingRow> out;
    for (auto& [key, server] : m_servers)
        out.rows.push_back(rowOf(key, server));
    out.source.rows = "requests and gauges of inference servers";
    out.source.rules = {
        "a gauge holds until its next sample, but at most for three of its usual intervals; later "
        "time is left out",
        "percentiles by nearest rank",
        "prefix hits: cached tokens / prompt tokens, of the requests that record both"};
    out.source.filters = m_request.scope.description();
    return out;
}

} // namespace

Result<AnalysisRows<ServingRow>> serving(const AnalysisRequest& request, const Progress& progress)
{
    return ServingRows(request, progress).run();
}

namespace {

TableColumns<ServingRow> servingColumns(const AnalysisRequest& request)
{
    TableColumns<ServingRow> columns(HeaderStyle::identifier);
    const auto percent = [](const char* name, const char* doc) {
        return TableColumn{name, "", ColumnType::percent, 2, doc};
    };
    const auto real = [](const char* name, int decimals, const char* doc, const char* unit = "") {
        return TableColumn{name, unit, ColumnType::real, decimals, doc};
    };
    columns.group(request.scope.by)
        .text(&ServingRow::replica, "server", "replica, or process that recorded the requests")
        .count(&ServingRow::requests, "requests", "number of requests")
        .summed()
        .add(&ServingRow::cacheMean, percent("kv_cache", "KV cache in use, mean over time; 100% = all of it"))
        .add(&ServingRow::cacheMax, percent("kv_cache_max", "largest recorded use of the KV cache"))
        .add(&ServingRow::cacheHigh,
             percent("kv_cache_full", "share of the time in which 90 % or more were in use"))
        .add(&ServingRow::prefixHits,
             percent("prefix_hits", "tokens of prompts found in the cache; 100% = all prompts"))
        .count(&ServingRow::preemptions, "preemptions", "how often the work of a request was discarded")
        .summed()
        .add(&ServingRow::preemptionsPer100, real("preemptions_per_100", 1, "preemptions per 100 requests"))
        .time(&ServingRow::queue50_ns, "queue_p50", "half of the requests waited at most this long")
        .time(&ServingRow::queue90_ns, "queue_p90", "nine of ten requests waited at most this long")
        .add(&ServingRow::waiting, real("waiting", 2, "requests in the queue, mean over time"))
        .add(&ServingRow::running, real("batch", 2, "running requests, mean over time"))
        .add(&ServingRow::runningLow,
             real("batch_p10", 2, "a tenth of the time has at most this many running requests"))
        .time(&ServingRow::firstToken_ns, "first_token",
              "median from the start of a request to its first token")
        .time(&ServingRow::perToken_ns, "per_token", "median of decode time / (output tokens - 1)")
        .add(&ServingRow::tokensPerSecond,
             real("output", 1, "output tokens per second, from the first start to the last end", "tokens/s"));
    return columns;
}

} // namespace

Analysis servingAnalysis()
{
    return withCharts({"serving",
                       "Serving: cache, batches, queue and latencies of inference servers",
                       "requests",
                       {},
                       makeTable<serving, servingColumns>,
                       RowOwner::sample},
                      {{ChartKind::bars, {"server"}, {"requests"}}});
}

} // namespace lockstep
