// SPDX-License-Identifier: Apache-2.0
#include "core/search/served_batch.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"

namespace lockstep {

namespace {

struct BatchKey {
    std::string_view batch, mode, host;
    std::optional<int64_t> thread;

    friend auto operator<=>(const BatchKey&, const BatchKey&) = default;
};

std::optional<BatchKey> batchKeyOf(const RowFacts& facts)
{
    BatchKey key{facts.text(RowFact::batch), facts.text(RowFact::forwardMode),
                 facts.text(RowFact::threadHost), facts.number(RowFact::thread)};
    return key.batch.empty() ? std::nullopt : std::optional(key);
}

bool isEngineSpan(SpanKind kind)
{
    return kind == SpanKind::prefill || kind == SpanKind::decode || kind == SpanKind::generate;
}

// Returns the sample of a slice: of its own, or of the span.
SampleId sampleOfSlice(const Report& report, SliceId slice)
{
    if (report.samples.empty()) return {};
    if (const SampleSpan* const span = report.samples.spanOf(slice)) return span->sample;
    if (report.slices.kind[slice.value] != RowKind::sample) return {};
    const auto found = std::ranges::find(report.samples.samples, slice, &Sample::slice);
    if (found == report.samples.samples.end()) return {};
    return SampleId(static_cast<uint32_t>(found - report.samples.samples.begin()));
}

class BatchSearch {
  public:
    BatchSearch(const Scene& scene, SliceRef of)
        : m_scene(scene), m_of(of), m_report(scene.shown.report(of.report)),
          m_sample(sampleOfSlice(m_report, of.slice))
    {
    }

    std::optional<ServedBatch> run()
    {
        if (!m_sample.isValid()) return std::nullopt;
        collectOwn();
        if (m_batches.empty()) return byTime();
        m_out.isExact = true;
        m_out.batches = m_batches.size();
        for (const ReportKey key : m_scene.shown.keys())
            findIn(key);
        m_out.requests = m_requests.size();
        findKernels();
        m_out.isCut = m_slices.size() > kMaxServed;
        if (m_out.isCut) m_slices.resize(kMaxServed);
        m_out.slices = sliceListOf(std::move(m_slices));
        return m_out;
    }

  private:
    const Sample& sample() const { return m_report.samples.samples[m_sample.value]; }
    // The slice stands for the whole request: its own slice, or a span that contains others.
    bool isWhole() const { return m_of.slice == sample().slice; }

    // Collects the batches of an instant, of the time of an engine's span, or of the whole request.
    void collectOwn()
    {
        const SampleSpan* const own = m_report.samples.spanOf(m_of.slice);
        const bool isInstant = own != nullptr && m_report.slices.isInstant(m_of.slice);
        if (own != nullptr && !isInstant && !isEngineSpan(own->kind)) return;
        const TimeRange within = m_report.slices.range(m_of.slice);
        for (const uint32_t row : m_report.samples.spansOf(m_sample)) {
            const SliceId slice = m_report.samples.spans[row].slice;
            const bool isOwn =
                isInstant ? slice == m_of.slice : isWhole() || within.contains(m_report.slices.start(slice));
            const RowFacts facts = isOwn ? m_report.factsOf(slice) : RowFacts();
            const auto key = batchKeyOf(facts);
            if (!key) continue;
            m_batches.try_emplace(*key);
            m_out.size = facts.number(RowFact::batchSize);
        }
        if (m_batches.size() > 1) m_out.size.reset();
    }

    // Returns the shortest span of the engine's work on a sample that contains a time; invalid if none does.
    static SliceId workAt(const Report& report, SampleId sample, TraceTime at)
    {
        constexpr ptrdiff_t kMost = 64; // spans that start at most that many places earlier
        const auto spans = report.samples.spansOf(sample);
        const auto startOf = [&](uint32_t row) {
            return report.slices.start(report.samples.spans[row].slice);
        };
        const auto end = std::ranges::upper_bound(spans, at, {}, startOf);
        SliceId found;
        for (auto row = end; row != spans.begin() && end - row < kMost;) {
            const SampleSpan& span = report.samples.spans[*--row];
            if (!isEngineSpan(span.kind) || !report.slices.range(span.slice).contains(at)) continue;
            if (!found.isValid() || report.slices.duration(span.slice) < report.slices.duration(found))
                found = span.slice;
        }
        return found;
    }

    // Finds the spans of these batches in a report; files of one server may be open separately.
    void findIn(ReportKey key)
    {
        const Report& report = m_scene.shown.report(key);
        const RowFactTable& facts = report.rowFacts;
        if (report.samples.empty() || facts.rows.empty()) return;
        std::vector<TimeRange*> extentOf(facts.values.size(), nullptr); // by first value of a set
        for (size_t first = 0; first < facts.values.size(); ++first) {
            if (first > 0 && !facts.values[first - 1].isLast) continue;
            const FactRow row{{}, kNoCorrelation, static_cast<uint32_t>(first)};
            const auto batch = batchKeyOf({row, &facts.values[first], report.strings});
            const auto found = batch ? m_batches.find(*batch) : m_batches.end();
            if (found != m_batches.end()) extentOf[first] = &found->second;
        }
        const ClockMap& map = m_scene.alignment.map(key);
        for (const FactRow& row : facts.rows) {
            if (row.firstValue == FactRow::kNoValues || extentOf[row.firstValue] == nullptr) continue;
            const SampleSpan* const instant = report.samples.spanOf(row.slice);
            if (instant == nullptr || !instant->sample.isValid()) continue;
            const SliceId work = workAt(report, instant->sample, report.slices.start(row.slice));
            const SliceId slice = work.isValid() ? work : row.slice;
            TimeRange& extent = *extentOf[row.firstValue];
            extent = extent.unitedWith(map.alignedFromTrace(report.slices.range(slice)));
            m_requests.emplace(report.strings.at(report.samples.samples[instant->sample.value].id));
            const bool isOwn = key == m_of.report && instant->sample == m_sample;
            if (!isOwn) m_slices.push_back({key, slice});
        }
    }

    struct Candidate {
        ReportKey report;
        ThreadId thread;
    };

    // Finds the threads with the scheduler's id on its host. Threads of several processes are ambiguous.
    std::vector<Candidate> findThread(const BatchKey& key)
    {
        std::vector<Candidate> out;
        std::set<std::pair<std::string, int64_t>> processes;
        bool isElsewhere = false, isUnknown = false;
        const auto& own = m_scene.shown.identity(m_of.report, sample().process).host.value;
        for (const ReportKey report : m_scene.shown.keys()) {
            const Report& trace = m_scene.shown.report(report);
            for (uint32_t row = 0; row < trace.threads.size() && report != m_of.report; ++row) {
                const Thread& thread = trace.threads[row];
                if (thread.tid != *key.thread || !thread.process.isValid()) continue;
                const auto& host = m_scene.shown.identity(report, thread.process).host.value;
                const bool isHost = host && ((own && *own == *host) || *host == key.host);
                isUnknown |= !host || (!isHost && !own);
                isElsewhere |= host && own && !isHost;
                if (!isHost) continue;
                out.push_back({report, ThreadId(row)});
                const Process& process = trace.processes[thread.process.value];
                processes.emplace(m_scene.shown.identity(report, thread.process).run.value.value_or(""),
                                  process.pid);
            }
        }
        m_out.state = processes.size() == 1 ? BatchKernels::found
                      : !processes.empty()  ? BatchKernels::ambiguous
                      : isUnknown           ? BatchKernels::noHost
                      : isElsewhere         ? BatchKernels::otherHosts
                                            : BatchKernels::noTrace;
        if (processes.size() != 1) out.clear();
        return out;
    }

    void findKernels()
    {
        // A request has one scheduler, except if prefill and decode run on different servers.
        std::map<std::pair<std::string_view, int64_t>, std::vector<TimeRange>> byThread;
        for (const auto& [key, extent] : m_batches) {
            if (key.thread) byThread[{key.host, *key.thread}].push_back(extent);
        }
        std::vector<SliceRef> kernels;
        for (auto& [at, extents] : byThread) {
            m_out.thread = at.second;
            m_out.host = at.first;
            BatchKey key;
            key.host = at.first;
            key.thread = at.second;
            const auto candidates = findThread(key);
            std::ranges::sort(extents, {}, &TimeRange::begin);
            for (const Candidate& candidate : candidates)
                addKernels(candidate, extents, kernels);
            if (m_out.state != BatchKernels::found) break;
        }
        std::ranges::sort(kernels);
        kernels.erase(std::ranges::unique(kernels).begin(), kernels.end());
        m_out.kernels = kernels.size();
        m_slices.insert(m_slices.end(), kernels.begin(), kernels.end());
    }

    void addKernels(const Candidate& candidate, const std::vector<TimeRange>& extents,
                    std::vector<SliceRef>& kernels)
    {
        const Report& trace = m_scene.shown.report(candidate.report);
        const ClockMap& map = m_scene.alignment.map(candidate.report);
        if (!map.isPlaced() || !m_scene.alignment.map(m_of.report).isPlaced()) {
            m_out.state = BatchKernels::notAligned;
            return;
        }
        if (const auto bound = map.error_ns ? map.error_ns : map.bound_ns)
            m_out.bound_ns = std::max(m_out.bound_ns.value_or(0), *bound);
        for (const Track& track : trace.tracks) {
            if (track.key.thread != candidate.thread) continue;
            const uint32_t end = track.firstSlice.value + track.sliceCount;
            for (const TimeRange& aligned : extents) {
                const TimeRange range = map.traceFromAligned(aligned);
                const auto starts = std::span(trace.slices.start_ns.data(), end);
                const auto first =
                    std::lower_bound(starts.begin() + track.firstSlice.value, starts.end(), range.begin.ns);
                for (auto row = static_cast<uint32_t>(first - starts.begin());
                     row < end && starts[row] < range.end.ns; ++row) {
                    for (const Link& link : trace.links.from(SliceId(row))) {
                        if (link.kind == LinkKind::launch) kernels.push_back({candidate.report, link.effect});
                    }
                }
            }
        }
    }

    // Without recorded batches: counts the other requests of the server on which it worked at the same time.
    std::optional<ServedBatch> byTime()
    {
        const SampleSpan* const span = m_report.samples.spanOf(m_of.slice);
        const bool isWork = span != nullptr && isEngineSpan(span->kind);
        if (!isWork && !(isWhole() && sample().level == SampleLevel::request)) return std::nullopt;
        const SampleTables& tables = m_report.samples;
        const auto workOf = [&](const SampleSpan& of) {
            return isEngineSpan(of.kind) ? m_report.slices.range(of.slice) : TimeRange();
        };
        std::vector<TimeRange> own;
        if (isWork) own.push_back(m_report.slices.range(m_of.slice));
        for (const uint32_t row : tables.spansOf(m_sample)) {
            const TimeRange range = workOf(tables.spans[row]);
            if (!isWork && !range.isEmpty()) own.push_back(range);
        }
        if (own.empty()) return std::nullopt;
        const TimeRange hull = hullOf(own);
        std::vector<bool> isCounted(tables.samples.size());
        for (const SampleSpan& at : tables.spans) {
            if (!at.sample.isValid() || at.sample == m_sample || isCounted[at.sample.value]) continue;
            const Sample& other = tables.samples[at.sample.value];
            if (other.process != sample().process || other.replica != sample().replica) continue;
            const TimeRange range = workOf(at);
            const auto overlaps = [&](TimeRange of) { return of.overlaps(range); };
            isCounted[at.sample.value] = range.overlaps(hull) && std::ranges::any_of(own, overlaps);
        }
        m_out.requests = static_cast<size_t>(std::ranges::count(isCounted, true));
        return m_out;
    }

    static TimeRange hullOf(const std::vector<TimeRange>& ranges)
    {
        TimeRange hull;
        for (const TimeRange& range : ranges)
            hull = hull.unitedWith(range);
        return hull;
    }

    const Scene& m_scene;
    const SliceRef m_of;
    const Report& m_report;
    const SampleId m_sample;
    ServedBatch m_out;
    std::map<BatchKey, TimeRange> m_batches; // from the earliest start to the latest end, aligned
    std::set<std::string_view> m_requests;   // ids
    std::vector<SliceRef> m_slices;
};

std::string countOf(size_t count, const std::string& one)
{
    return groupedText(static_cast<int64_t>(count)) + " " + one + (count == 1 ? "" : "s");
}

std::string kernelText(const ServedBatch& batch)
{
    const std::string thread = "thread " + std::to_string(batch.thread);
    switch (batch.state) {
    case BatchKernels::found: {
        std::string text = groupedText(static_cast<int64_t>(batch.kernels)) + " launched by " + thread;
        if (batch.bound_ns) text += ", clock error \u00B1 " + durationText({*batch.bound_ns}, 2);
        return text;
    }
    case BatchKernels::noThread:
        return "not found: the file does not record the scheduler's thread";
    case BatchKernels::noTrace:
        return "no trace is open that has " + thread + (batch.host.empty() ? "" : " of host " + batch.host);
    case BatchKernels::otherHosts:
        return "no trace of this host is open; " + thread + " exists on other hosts";
    case BatchKernels::noHost:
        return "not certain: a trace has " + thread + ", but a host is not known; set it in Identities";
    case BatchKernels::ambiguous:
        return "not certain: several processes of this host have " + thread;
    case BatchKernels::notAligned:
        break;
    }
    return "not found: the clocks are not aligned";
}

} // namespace

std::optional<ServedBatch> servedBatch(const Scene& scene, SliceRef of)
{
    if (!scene.holds(of)) return std::nullopt;
    return BatchSearch(scene, of).run();
}

std::vector<std::pair<std::string, std::string>> servedText(const ServedBatch& batch)
{
    if (!batch.isExact) {
        return {{"batch", "not recorded"},
                {"by time only", countOf(batch.requests, "other request") + " of this server at that time"}};
    }
    const auto open = static_cast<int64_t>(batch.requests);
    std::string text = "shared by " + countOf(static_cast<size_t>(batch.size.value_or(open)), "request");
    if (batch.size && *batch.size != open) text += " (" + groupedText(open) + " in open reports)";
    std::vector<std::pair<std::string, std::string>> out{
        {batch.batches == 1 ? "batch" : groupedText(static_cast<int64_t>(batch.batches)) + " batches", text},
        {"kernels", kernelText(batch)}};
    if (batch.isCut) out.emplace_back("highlighted", "the first " + groupedText(kMaxServed) + " slices");
    return out;
}

} // namespace lockstep
