// SPDX-License-Identifier: Apache-2.0
// RankReport is a report of one rank, written row by row, for tests of matching, clocks and stragglers.
#pragma once

#include <memory>
#include <string>

#include "core/trace/report_builder.h"

namespace lockstep::test {

class RankReport {
  public:
    // utcAtZero_ns 0 = the report records no wall clock.
    RankReport(int rank, const std::string& host, int64_t utcAtZero_ns)
    {
        Report& report = m_builder.report();
        report.provenance.path = "made/rank" + std::to_string(rank) + ".json";
        report.identity.rank = {rank, "made", Confidence::stated};
        report.identity.host = {host, "made", Confidence::stated};
        report.clock.utcSource = "made";
        if (utcAtZero_ns != 0) report.clock.utcAtZero_ns = utcAtZero_ns;
        m_process = m_builder.process(1, 1);
        const ThreadId thread = m_builder.thread(m_process, 1);
        m_stream =
            m_builder.track({TrackKind::gpuStream, m_process, {}, m_builder.device(m_process, 0), 7, 0});
        m_ops = m_builder.track({TrackKind::ops, m_process, thread, {}, 0, 0});
        m_calls = m_builder.track({TrackKind::cudaApi, m_process, thread, {}, 0, 0});
    }

    Report& report() { return m_builder.report(); }
    StringId intern(const std::string& text) { return m_builder.intern(text); }

    // Adds a communication kernel with recorded arguments; op.collective and op.group are set from the texts.
    void addCollective(int64_t start_ns, int64_t end_ns, const std::string& name, const std::string& group,
                       CollectiveOp op, uint32_t correlation = kNoCorrelation)
    {
        const SourceRow source = add(m_stream, start_ns, end_ns, "ncclDevKernel_" + name, RowKind::kernel,
                                     SliceCategory::communication, correlation);
        op.collective = m_builder.intern(name);
        op.group = m_builder.intern(group);
        m_batch.addCollective(source, op);
    }
    // Adds a communication kernel without arguments, and a host range that records a collective.
    void addUnstated(int64_t start_ns, int64_t end_ns, const std::string& name, uint32_t correlation)
    {
        add(m_stream, start_ns, end_ns, name, RowKind::kernel, SliceCategory::communication, correlation);
    }
    void addStatingRange(int64_t start_ns, int64_t end_ns, const std::string& name, const std::string& group)
    {
        CollectiveOp op;
        op.collective = m_builder.intern(name);
        op.group = m_builder.intern(group);
        m_batch.addCollective(
            add(m_ops, start_ns, end_ns, name, RowKind::nvtxPushPop, SliceCategory::nvtx, kNoCorrelation),
            op);
    }
    void addKernel(int64_t start_ns, int64_t end_ns, const std::string& name)
    {
        add(m_stream, start_ns, end_ns, name, RowKind::kernel, SliceCategory::compute, kNoCorrelation);
    }
    void addLaunch(int64_t start_ns, uint32_t correlation)
    {
        add(m_calls, start_ns, start_ns + 1000, "cudaLaunchKernel", RowKind::runtimeApi,
            SliceCategory::cudaApi, correlation);
    }
    void addRange(int64_t start_ns, int64_t end_ns, const std::string& name,
                  RowKind kind = RowKind::userAnnotation)
    {
        add(m_ops, start_ns, end_ns, name, kind, SliceCategory::nvtx, kNoCorrelation);
    }

    std::shared_ptr<const Report> finish()
    {
        m_builder.adopt(std::move(m_batch));
        return m_builder.freeze(Progress()).value();
    }

  private:
    SourceRow add(TrackId track, int64_t start_ns, int64_t end_ns, const std::string& name, RowKind kind,
                  SliceCategory category, uint32_t correlation)
    {
        SliceRow row;
        row.start_ns = start_ns;
        row.duration_ns = end_ns - start_ns;
        row.source = SourceRow::of(0, ++m_rows);
        row.name = m_builder.intern(name);
        row.kind = kind;
        row.category = category;
        row.correlation = correlation;
        m_batch.add(track, row);
        return row.source;
    }

    ReportBuilder m_builder;
    SliceBatch m_batch;
    ProcessId m_process;
    TrackId m_stream, m_ops, m_calls;
    uint64_t m_rows = 0;
};

} // namespace lockstep::test
