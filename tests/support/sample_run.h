// SPDX-License-Identifier: Apache-2.0
// Makes a report of samples in memory, through the same code as the readers of sample records. Times are in
// seconds from the start.
#pragma once

#include <string>
#include <vector>

#include "core/readers/samples/sample_rows.h"

namespace lockstep::test {

class SampleRun {
  public:
    struct Part {
        SpanKind kind;
        double begin, end;
    };

    SampleRun() : m_rows(m_builder), m_process(m_builder.process(1, 1))
    {
        m_builder.report().clock = {"Unix epoch", 0, 1, {}, "made"};
        m_builder.report().sourceTables = {"sample", "span"};
    }

    // Reports with the same host and rank are shown as one process.
    void identify(const std::string& host, int rank)
    {
        Identity& identity = m_builder.report().identity;
        identity.host.learn(host, "made", Confidence::stated);
        identity.rank.learn(rank, "made", Confidence::stated);
    }
    // Adds a sample with its parts, and returns it to set its other fields.
    Sample& add(const std::string& id, const std::string& replica, double begin, double end,
                const std::vector<Part>& parts = {})
    {
        const SampleId sample = m_rows.sample(id, SourceRow::of(kSampleSource, ++m_objects));
        for (const Part& part : parts) {
            SpanRecord span;
            span.sample = sample;
            span.name = m_rows.intern("part");
            span.start_ns = ns(part.begin);
            span.end_ns = ns(part.end);
            span.source = SourceRow::of(kSpanSource, ++m_objects);
            span.kind = part.kind;
            m_rows.add(span);
        }
        Sample& out = m_rows.at(sample);
        out.process = m_process;
        out.start_ns = ns(begin);
        out.end_ns = ns(end);
        if (!replica.empty()) out.replica = m_rows.intern(replica);
        out.status = SampleStatus::completed;
        return out;
    }
    // A generation of a sample that was added before, with the ID of its request.
    void addGeneration(const std::string& sample, const std::string& request, double begin, double end)
    {
        SpanRecord span;
        span.sample = m_rows.sample(sample, {});
        span.name = m_rows.intern("generate");
        span.request = m_rows.intern(request);
        span.start_ns = ns(begin);
        span.end_ns = ns(end);
        span.source = SourceRow::of(kSpanSource, ++m_objects);
        span.kind = SpanKind::generate;
        m_rows.add(span);
    }
    // A span of the process itself, such as a phase of training.
    void addPhase(const std::string& name, double begin, double end, SpanKind kind = SpanKind::phase)
    {
        SpanRecord span;
        span.track = m_builder.track({.kind = TrackKind::other, .process = m_process});
        span.name = m_rows.intern(name);
        span.start_ns = ns(begin);
        span.end_ns = ns(end);
        span.source = SourceRow::of(kSpanSource, ++m_objects);
        span.kind = kind;
        m_rows.add(span);
        if (kind == SpanKind::weightUpdate) m_rows.addWeightUpdate(span.source, kUnrecorded, 16'000'000'000);
    }
    // A kernel on a GPU of the process.
    void addKernel(const std::string& name, double begin, double end)
    {
        SliceRow row;
        row.start_ns = ns(begin);
        row.duration_ns = ns(end) - ns(begin);
        row.name = m_rows.intern(name);
        row.kind = RowKind::kernel;
        row.category = SliceCategory::compute;
        row.source = SourceRow::of(kSpanSource, ++m_objects);
        const DeviceId device = m_builder.device(m_process, 0);
        m_kernels.add(m_builder.track({TrackKind::gpuStream, m_process, {}, device, 7, 1}), row);
    }
    void addStepValue(const std::string& name, int64_t step, double value)
    {
        m_rows.addStepValue(name, step, value);
    }
    // A replica with GPUs 0 to gpus - 1 of a host of its own.
    void addReplica(const std::string& name, int gpus)
    {
        for (int32_t gpu = 0; gpu < gpus; ++gpu)
            m_rows.addReplicaGpu({0, m_rows.intern(name), m_rows.intern("host " + name), {}, gpu});
    }
    // A gauge of the process `replica`, with its values from these times on.
    void addGauge(const std::string& replica, const std::string& name,
                  const std::vector<std::pair<double, double>>& values)
    {
        const ProcessId process = m_builder.process(std::hash<std::string>()(replica), -1);
        m_builder.report().processes[process.value].name = m_builder.intern(replica);
        std::vector<std::pair<int64_t, double>> samples;
        for (const auto& [time, value] : values)
            samples.emplace_back(ns(time), value);
        CounterTrack track;
        track.name = m_builder.intern(name);
        track.process = process;
        m_builder.addSamples(m_builder.addCounterTrack(track), std::move(samples));
    }
    StringId intern(const std::string& text) { return m_rows.intern(text); }
    std::shared_ptr<const Report> made()
    {
        m_rows.finish();
        m_builder.adopt(std::move(m_kernels));
        return m_builder.freeze(Progress()).value();
    }
    static int64_t ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

  private:
    ReportBuilder m_builder;
    SampleRows m_rows;
    ProcessId m_process;
    SliceBatch m_kernels;
    uint64_t m_objects = 0;
};

} // namespace lockstep::test
