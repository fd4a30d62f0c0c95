// SPDX-License-Identifier: Apache-2.0
#include "tests/support/row_report.h"

namespace lockstep::test {

namespace {

constexpr int64_t kMainThread = 9;
constexpr int64_t kCall_ns = 5;

} // namespace

RowReport::RowReport(const char* path)
{
    m_process = m_builder.process(9, 9);
    m_device = m_builder.device(m_process, 0);
    m_builder.report().provenance.path = path;
}

TrackKey RowReport::trackOf(TrackKind kind, int64_t tid, int64_t lane)
{
    return {kind, m_process, m_builder.thread(m_process, tid), {}, lane, 0};
}

void RowReport::range(const char* name, int64_t start, int64_t end, int64_t domain, bool isStartEnd)
{
    add(trackOf(TrackKind::nvtx, kMainThread, domain),
        isStartEnd ? RowKind::nvtxStartEnd : RowKind::nvtxPushPop, name, start, end);
}

void RowReport::openRange(const char* name, int64_t start, int64_t last)
{
    SliceRow row = rowOf(RowKind::nvtxStartEnd, name, start, last);
    row.flags = sliceFlag::kOpenEnd;
    SliceBatch batch;
    batch.add(m_builder.track(trackOf(TrackKind::nvtx, kMainThread)), row);
    m_builder.adopt(std::move(batch));
}

void RowReport::ranges(std::span<const std::tuple<const char*, int64_t, int64_t>> rows)
{
    SliceBatch batch;
    const TrackId track = m_builder.track(trackOf(TrackKind::nvtx, kMainThread));
    for (const auto& [name, start, end] : rows)
        batch.add(track, rowOf(RowKind::nvtxPushPop, name, start, end));
    m_builder.adopt(std::move(batch));
}

void RowReport::nameDomain(int64_t domain, const char* name)
{
    m_builder.setTrackName(m_builder.track(trackOf(TrackKind::nvtx, kMainThread, domain)),
                           m_builder.intern(name));
}

void RowReport::op(int64_t tid, const char* name, int64_t start, int64_t end)
{
    add(trackOf(TrackKind::ops, tid), RowKind::op, name, start, end);
}

void RowReport::call(const char* name, int64_t start, int64_t end, int64_t tid)
{
    add(trackOf(TrackKind::cudaApi, tid), RowKind::runtimeApi, name, start, end, SliceCategory::cudaApi);
}

void RowReport::launch(const char* name, int64_t call, int64_t start, int64_t end, int64_t tid)
{
    const SourceRow caller = add(trackOf(TrackKind::cudaApi, tid), RowKind::runtimeApi,
                                 "cudaLaunchKernel_v7000", call, call + kCall_ns);
    const SourceRow launched =
        add({TrackKind::gpuStream, m_process, {}, m_device, 7, 1}, RowKind::kernel, name, start, end);
    m_builder.addLink(caller, launched, LinkKind::launch);
}

void RowReport::kernel(const char* name, int64_t start, int64_t end, SliceCategory category, int64_t stream)
{
    add({TrackKind::gpuStream, m_process, {}, m_device, stream, 1}, RowKind::kernel, name, start, end,
        category);
}

void RowReport::identify(std::optional<int> rank, const char* role, std::optional<int> step, const char* host,
                         const char* uuid)
{
    Identity& identity = m_builder.report().identity;
    if (rank) identity.rank.learn(*rank, "made", Confidence::stated);
    if (*role != 0) identity.role.learn(role, "made", Confidence::stated);
    if (step) identity.step.learn(*step, "made", Confidence::stated);
    if (*host != 0) identity.host.learn(host, "made", Confidence::stated);
    if (*uuid != 0) m_builder.report().devices[m_device.value].uuid = m_builder.intern(uuid);
}

void RowReport::setUtc(int64_t utcAtZero_ns)
{
    m_builder.report().clock.utcAtZero_ns = utcAtZero_ns;
    m_builder.report().clock.utcSource = "made";
}

std::shared_ptr<const Report> RowReport::finish()
{
    return m_builder.freeze(Progress()).value();
}

Workspace RowReport::made()
{
    Workspace workspace;
    workspace.add(finish());
    return workspace;
}

SourceRow RowReport::add(TrackKey track, RowKind kind, const char* name, int64_t start, int64_t end,
                         SliceCategory category)
{
    SliceRow row = rowOf(kind, name, start, end);
    row.category = category;
    SliceBatch batch;
    batch.add(m_builder.track(track), row);
    m_builder.adopt(std::move(batch));
    return row.source;
}

SliceRow RowReport::rowOf(RowKind kind, const char* name, int64_t start, int64_t end)
{
    SliceRow row;
    row.kind = kind;
    row.name = m_builder.intern(name);
    row.start_ns = start;
    row.duration_ns = end - start;
    row.source = SourceRow::of(0, ++m_rows);
    return row;
}

} // namespace lockstep::test
