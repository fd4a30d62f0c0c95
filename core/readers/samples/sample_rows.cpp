// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/sample_rows.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "core/base/text.h"
#include "core/readers/json_records.h"
#include "core/trace/nesting.h"

namespace lockstep {

// The rows of a process's tracks of samples. A sample takes a block of as many rows as its spans need, from
// its start to its end; then another sample of the same height can take the block.
class SampleRows::Packing {
  public:
    explicit Packing(ReportBuilder& builder) : m_builder(builder) {}

    // Returns the track, and the first of `height` rows. Call it in the order of starts.
    std::pair<TrackId, uint16_t> place(ProcessId process, uint32_t height, int64_t start_ns, int64_t end_ns)
    {
        // An instant occupies a nanosecond.
        const int64_t until = std::max(end_ns, start_ns + 1);
        OfProcess& rows = m_rows[process];
        auto& blocks = rows.byHeight[height];
        uint32_t row = 0;
        if (!blocks.empty() && blocks.top().first <= start_ns) {
            row = blocks.top().second;
            blocks.pop();
        } else {
            if (rows.next % kRowsPerTrack + height > kRowsPerTrack)
                rows.next = (rows.next / kRowsPerTrack + 1) * kRowsPerTrack;
            row = rows.next;
            rows.next += height;
        }
        blocks.emplace(until, row);
        const TrackKey key{.kind = TrackKind::samples, .process = process, .lane = row / kRowsPerTrack};
        return {m_builder.track(key), static_cast<uint16_t>(row % kRowsPerTrack)};
    }

    static constexpr uint32_t kRowsPerTrack = 32'768;

  private:
    using Block = std::pair<int64_t, uint32_t>; // end of the last sample, first row
    struct OfProcess {
        std::map<uint32_t, std::priority_queue<Block, std::vector<Block>, std::greater<>>> byHeight;
        uint32_t next = 0; // first row that no sample has used
    };

    ReportBuilder& m_builder;
    std::map<ProcessId, OfProcess> m_rows;
};

SampleId SampleRows::sample(std::string_view id, SourceRow source)
{
    const auto [known, isNew] = m_byId.try_emplace(std::string(id), m_tables.samples.size());
    if (isNew) {
        Sample sample;
        sample.id = intern(id);
        m_tables.samples.push_back(sample);
        m_sources.push_back(SourceRow::of(kSampleSource, source.row()));
    }
    return known->second;
}

void SampleRows::addWeightUpdate(SourceRow span, int64_t version, int64_t size_bytes)
{
    m_tables.weightUpdates.push_back({SliceId(), version, size_bytes});
    m_slices.weightUpdates.push_back(span);
}

void SampleRows::addStepValue(std::string_view name, int64_t step, double value)
{
    m_tables.stepValues.push_back({intern(name), step, value});
}

void SampleRows::dropImpossible()
{
    const auto isImpossible = [](const SpanRecord& span) {
        return !isPlausible(span.start_ns, span.end_ns == kUnrecorded ? 0 : span.end_ns - span.start_ns);
    };
    const auto first = std::ranges::find_if(m_spans, isImpossible);
    if (first == m_spans.end()) return;
    const std::string example = RecordPosition::of(first->source.row()).text();
    m_builder.report().notes.add("span.impossible_time", NoteSeverity::dataLoss,
                                 "spans that end before they start, or with impossible times: not shown",
                                 example, uint64_t(std::erase_if(m_spans, isImpossible)));
}

// Returns the latest time in the file, which is when open spans end.
int64_t SampleRows::lastTime() const
{
    int64_t last = kAllTime.begin.ns;
    for (const SpanRecord& span : m_spans)
        last = std::max({last, span.start_ns, span.end_ns});
    for (const Sample& sample : m_tables.samples)
        last = std::max({last, sample.start_ns, sample.end_ns});
    return last;
}

SliceRow SampleRows::rowOf(const SpanRecord& span, int64_t last_ns)
{
    SliceRow row;
    const bool isOpen = span.end_ns == kUnrecorded;
    row.start_ns = span.start_ns;
    row.duration_ns = (isOpen ? last_ns : span.end_ns) - span.start_ns;
    row.source = span.source;
    row.name = span.name;
    row.kind = span.sample.isValid() ? RowKind::sampleSpan : RowKind::span;
    if (isOpen) row.flags = sliceFlag::kOpenEnd;
    if (span.isInstant) row.flags = sliceFlag::kInstant;
    row.setFactSet(span.factSet);
    return row;
}

void SampleRows::note(const SpanRecord& span)
{
    m_tables.spans.push_back({.slice = {},
                              .sample = span.sample,
                              .request = span.request,
                              .turn = span.turn,
                              .attempt = span.attempt,
                              .kind = span.kind,
                              .isDerived = span.isDerived});
    m_slices.spans.push_back(span.source);
}

void SampleRows::addProcessSpan(const SpanRecord& span, int64_t last_ns)
{
    m_batch.add(span.track, rowOf(span, last_ns));
    if (span.kind != SpanKind::other || span.request.isValid() || span.isDerived) note(span);
}

// Adds the slices of a sample that has a start. `spans` are sorted by start, the longest first.
void SampleRows::addSample(SampleId id, std::span<SpanRecord> spans, int64_t last_ns, Packing& packing)
{
    Sample& sample = at(id);
    const bool isOpen = sample.end_ns == kUnrecorded;
    int64_t end = isOpen ? last_ns : sample.end_ns; // of the block of rows
    std::vector<int64_t> starts, durations;
    for (const SpanRecord& span : spans) {
        const SliceRow row = rowOf(span, last_ns);
        starts.push_back(row.start_ns);
        durations.push_back(row.duration_ns);
        end = std::max(end, row.start_ns + row.duration_ns);
    }
    std::vector<SliceId> parents(spans.size());
    std::vector<uint16_t> depths(spans.size());
    const size_t height = 1 + nestSlices(starts, durations, SliceId(0u), {parents, depths});
    if (height >= Packing::kRowsPerTrack) {
        m_builder.report().notes.add("sample.crowded", NoteSeverity::dataLoss,
                                     "samples with too many spans at the same time: not shown",
                                     std::string(m_builder.text(sample.id)));
        return;
    }
    const auto [track, first] = packing.place(sample.process, uint32_t(height), sample.start_ns, end);
    SliceRow row;
    row.start_ns = sample.start_ns;
    row.duration_ns = (isOpen ? end : sample.end_ns) - sample.start_ns;
    row.source = m_sources[id.value];
    const bool isRequest = sample.level == SampleLevel::request;
    row.name = intern((isRequest ? "request " : "sample ") + std::string(m_builder.text(sample.id)));
    row.kind = RowKind::sample;
    row.row = first;
    if (isOpen) row.flags = sliceFlag::kOpenEnd;
    m_batch.add(track, row);
    m_slices.samples[id.value] = row.source;
    for (size_t i = 0; i < spans.size(); ++i) {
        SliceRow part = rowOf(spans[i], last_ns);
        part.row = static_cast<uint16_t>(first + 1 + depths[i]);
        m_batch.add(track, part);
        note(spans[i]);
    }
}

void SampleRows::finish()
{
    dropImpossible();
    const auto order = [](const SpanRecord& span) {
        const int64_t length = span.end_ns == kUnrecorded ? INT64_MAX : span.end_ns - span.start_ns;
        return std::tuple(span.sample, span.start_ns, -length, span.source);
    };
    std::ranges::stable_sort(m_spans, {}, order);
    std::vector<std::span<SpanRecord>> bySample(m_tables.samples.size());
    for (size_t begin = 0, end = 0; begin < m_spans.size(); begin = end) {
        while (end < m_spans.size() && m_spans[end].sample == m_spans[begin].sample)
            ++end;
        if (m_spans[begin].sample.isValid())
            bySample[m_spans[begin].sample.value] = std::span(m_spans).subspan(begin, end - begin);
    }
    const int64_t last_ns = lastTime();
    std::vector<SampleId> placed;
    for (size_t row = 0; row < bySample.size(); ++row) {
        Sample& sample = m_tables.samples[row];
        const bool hasStart = sample.start_ns != kUnrecorded;
        if (!bySample[row].empty())
            sample.start_ns = hasStart ? std::min(sample.start_ns, bySample[row].front().start_ns)
                                       : bySample[row].front().start_ns;
        const bool hasEnd = sample.end_ns != kUnrecorded;
        const bool isOpen =
            std::ranges::any_of(bySample[row], [](const SpanRecord& s) { return s.end_ns == kUnrecorded; });
        // Computed positions say nothing about the end, unless nothing else does.
        const bool isMeasured =
            hasEnd || std::ranges::any_of(bySample[row], [](const SpanRecord& s) { return !s.isDerived; });
        for (const SpanRecord& span : bySample[row]) {
            if (isMeasured && span.isDerived) continue;
            if (!isOpen || hasEnd) sample.end_ns = std::max(sample.end_ns, span.end_ns);
        }
        if (sample.start_ns == kUnrecorded) sample.end_ns = kUnrecorded;
        const int64_t end = sample.end_ns == kUnrecorded ? last_ns : sample.end_ns;
        if (sample.start_ns != kUnrecorded && isPlausible(sample.start_ns, end - sample.start_ns))
            placed.push_back(SampleId(row));
    }
    m_slices.samples.resize(m_tables.samples.size());
    std::ranges::stable_sort(placed, {}, [&](SampleId id) { return at(id).start_ns; });
    Packing packing(m_builder);
    for (const SampleId id : placed)
        addSample(id, bySample[id.value], last_ns, packing);
    for (const SpanRecord& span : m_spans) {
        if (!span.sample.isValid()) addProcessSpan(span, last_ns);
    }
    m_builder.adopt(std::move(m_batch));
    m_builder.setSamples(std::move(m_tables), std::move(m_slices));
    m_spans = {};
}

int64_t numberOrNone(std::string_view text)
{
    return parseInt(text).value_or(kUnrecorded);
}

} // namespace lockstep
