// SPDX-License-Identifier: Apache-2.0
// SampleRows collects the samples, spans and other records of a file in the neutral form of SampleTables, and
// creates the report's slices from them. Each format of samples has a reader of its own, which knows only the
// format. Created and used by one reader; one thread. Times are ns on the report's clock.
//
// A sample becomes a slice with the spans below it, in rows that no other sample uses at that time. Samples
// without times stay in the tables. Spans of processes, such as weight updates, become slices of their track.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/readers/reader.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// What a SourceRow's table number means in reports of samples; its row is the packed RecordPosition of a JSON
// object (core/readers/json_records.h). Slices of the same object differ in this number:
// derived spans of an object have kDerivedSource, kDerivedSource + 1 and so on.
inline constexpr uint8_t kSampleSource = 0, kSpanSource = 1, kDerivedSource = 2;

struct SpanRecord {
    SampleId sample;       // invalid for the span of a process
    TrackId track;         // only for spans of a process
    StringId name;         // the source's own name
    StringId request = {}; // invalid if not recorded
    int64_t start_ns = 0;
    int64_t end_ns = 0;   // kUnrecorded for a span that was not closed
    SourceRow source;     // unique in the report
    uint32_t factSet = 0; // number of its RowFacts, see SampleRows::factSet(); 0 for none
    int32_t turn = SampleSpan::kNoTurn;
    int32_t attempt = 0;
    SpanKind kind = SpanKind::other;
    bool isInstant = false;
    bool isDerived = false;
};

class SampleRows {
  public:
    explicit SampleRows(ReportBuilder& builder) : m_builder(builder) {}

    ReportBuilder& builder() { return m_builder; }
    StringId intern(std::string_view text) { return m_builder.intern(text); }
    // Returns the sample with this id, which is added if it is new. `source` is where it was found first.
    SampleId sample(std::string_view id, SourceRow source);
    // Returns a sample, to set its fields. start_ns and end_ns need not be set if it has spans. Valid until
    // the next sample is added.
    Sample& at(SampleId sample) { return m_tables.samples[sample.value]; }
    void add(const SpanRecord& span) { m_spans.push_back(span); }
    // Returns the number of a set of details, for SpanRecord::factSet.
    uint32_t factSet(const FactList& facts) { return m_builder.factSets().number(facts.values()); }
    // Declares that a span, identified by its source, is a weight update.
    void addWeightUpdate(SourceRow span, int64_t version, int64_t size_bytes = kUnrecorded);
    void addStepValue(std::string_view name, int64_t step, double value);
    void addReplicaGpu(const ReplicaGpu& gpu) { m_tables.replicaGpus.push_back(gpu); }
    size_t sampleCount() const { return m_tables.samples.size(); }
    size_t spanCount() const { return m_spans.size(); }

    // Creates the slices and tables in the builder; call it once, before ReportBuilder::freeze(). Spans with
    // impossible times are counted in a note.
    void finish();

  private:
    class Packing;

    void dropImpossible();
    int64_t lastTime() const;
    void addSample(SampleId sample, std::span<SpanRecord> spans, int64_t last_ns, Packing& packing);
    void addProcessSpan(const SpanRecord& span, int64_t last_ns);
    void note(const SpanRecord& span);
    static SliceRow rowOf(const SpanRecord& span, int64_t last_ns);

    ReportBuilder& m_builder;
    SampleTables m_tables;
    std::vector<SourceRow> m_sources; // by sample: where it was found first
    std::unordered_map<std::string, SampleId> m_byId;
    std::vector<SpanRecord> m_spans;
    ReportBuilder::SampleSources m_slices;
    SliceBatch m_batch;
};

// Returns the number that the whole text is, such as a weight version; kUnrecorded for other text.
int64_t numberOrNone(std::string_view text);

} // namespace lockstep
