// SPDX-License-Identifier: Apache-2.0
#include "tests/support/job_report.h"

#include "core/trace/report_builder.h"

namespace lockstep::test {

namespace {

class JobReport {
  public:
    explicit JobReport(const JobReportFacts& facts) : m_scale(facts.scale)
    {
        Report& report = m_builder.report();
        report.provenance.path = facts.path;
        report.provenance.kind = "made";
        report.provenance.producer = "a test";
        report.provenance.size_bytes = 4096;
        report.rowCounts = {{"kernel", 3}, {"sample", 5}};
        report.clock.name = "test clock";
        report.clock.utcAtZero_ns = facts.utcAtZero_ns;
        if (facts.utcAtZero_ns) report.clock.utcSource = "the test says so";
        if (facts.rank) report.identity.rank.learn(*facts.rank, "test", Confidence::stated);
        if (!facts.host.empty()) report.identity.host.learn(facts.host, "test", Confidence::stated);
        if (!facts.role.empty()) report.identity.role.learn(facts.role, "test", Confidence::stated);
        report.notes.add("made.lost", NoteSeverity::dataLoss, "rows that a test lost", "row 1", 2);
        report.notes.add("made.odd", NoteSeverity::warning, "odd rows", "row 2");
        m_process = m_builder.process(42, 42);
        m_thread = m_builder.thread(m_process, 1);
        m_device = m_builder.device(m_process, 0);
        report.devices[0].name = m_builder.intern("NVIDIA H100");
    }

    std::shared_ptr<const Report> build()
    {
        addGpu();
        addCalls();
        addRanges();
        m_builder.adopt(std::move(m_batch));
        return m_builder.freeze(Progress()).value();
    }

  private:
    SourceRow add(TrackId track, RowKind kind, const char* name, int64_t begin, int64_t end,
                  uint32_t correlation = kNoCorrelation, uint8_t flags = 0)
    {
        SliceRow row;
        row.start_ns = begin * m_scale;
        row.duration_ns = (end - begin) * m_scale;
        row.source = SourceRow::of(0, ++m_rows);
        row.name = m_builder.intern(name);
        row.kind = kind;
        row.correlation = correlation;
        row.flags = flags;
        m_batch.add(track, row);
        return row.source;
    }

    TrackId gpuTrack(int64_t stream)
    {
        return m_builder.track({TrackKind::gpuStream, m_process, {}, m_device, stream, 1});
    }

    TrackId cpuTrack(TrackKind kind, int64_t lane = 0)
    {
        return m_builder.track({kind, m_process, m_thread, {}, lane, 0});
    }

    void addGpu()
    {
        const TrackId stream7 = gpuTrack(7), stream13 = gpuTrack(13);
        add(stream7, RowKind::kernel, "gemm(float*)", 100, 400, 1);
        add(stream7, RowKind::kernel, "gemm(float*)", 1000, 1200, 2);
        add(stream7, RowKind::kernel, "ncclAllReduce", 500, 700, 4);
        m_builder.report().shortNames.push_back({m_builder.intern("gemm(float*)"), m_builder.intern("gemm")});
        const SourceRow copy = add(stream13, RowKind::memcpy, "copy", 0, 50, 3);
        m_batch.addMemoryOp(copy, {{}, CopyKind::hostToDevice, MemoryKind::pinned, MemoryKind::device, 3000});
        const SourceRow fill = add(stream13, RowKind::memset, "fill", 60, 70);
        m_batch.addMemoryOp(fill, {{}, CopyKind::memset, MemoryKind::device, MemoryKind::unknown, 1000});
    }

    void addCalls()
    {
        const TrackId api = cpuTrack(TrackKind::cudaApi), os = cpuTrack(TrackKind::osRuntime);
        add(api, RowKind::runtimeApi, "cudaMemcpyAsync_v3020", -10, 0, 3);
        add(api, RowKind::runtimeApi, "cudaLaunchKernel_v7000", 90, 95, 1);
        add(api, RowKind::driverApi, "cuLaunchKernel", 480, 490, 4);
        add(api, RowKind::runtimeApi, "cudaLaunchKernel_v7000", 990, 995, 2);
        add(os, RowKind::osRuntime, "poll", 0, 40);
        add(os, RowKind::osRuntime, "read", 50, 60);
        add(os, RowKind::osRuntime, "poll", 100, 160);
    }

    void addRanges()
    {
        const TrackId standard = cpuTrack(TrackKind::nvtx), nccl = cpuTrack(TrackKind::nvtx, 1);
        m_builder.setTrackName(nccl, m_builder.intern("NCCL"));
        add(standard, RowKind::nvtxPushPop, "step", 0, 1300);
        add(standard, RowKind::nvtxPushPop, "forward", 80, 600);
        add(standard, RowKind::nvtxStartEnd, "epoch", 50, 5000, kNoCorrelation, sliceFlag::kOpenEnd);
        add(nccl, RowKind::nvtxPushPop, "ncclAllReduce", 470, 495);
    }

    int64_t m_scale;
    ReportBuilder m_builder;
    SliceBatch m_batch;
    ProcessId m_process;
    ThreadId m_thread;
    DeviceId m_device;
    uint64_t m_rows = 0;
};

} // namespace

std::shared_ptr<const Report> jobReport(const JobReportFacts& facts)
{
    return JobReport(facts).build();
}

} // namespace lockstep::test
