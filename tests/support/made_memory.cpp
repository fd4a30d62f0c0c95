// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_memory.h"

#include "core/readers/memory_snapshot/snapshot_counters.h"
#include "core/trace/memory_history.h"

namespace lockstep::test {

namespace {

constexpr uint64_t kMadeMiB = 1 << 20;

void sayWho(Report& report, const std::string& host, int rank, const std::string& tool)
{
    report.identity.host = {host, "made", Confidence::stated};
    report.identity.rank = {rank, "made", Confidence::stated};
    report.provenance.tool = tool;
}

class MemoryMaker {
  public:
    explicit MemoryMaker(const MadeMemory& of) : m_of(of)
    {
        Report& report = m_builder.report();
        report.provenance.path = "made/" + of.file;
        sayWho(report, of.host, of.rank, "torch_memory");
        m_process = m_builder.process(1, of.knowsPid ? of.pid : 0);
        if (of.knowsPid) report.processes[0].identity.pid = {of.pid, "made", Confidence::stated};
        if (of.hasTimes) report.clock.utcAtZero_ns = kMemoryUtc_ns;
        m_weights = addStack({"load_weights", "Model.__init__"});
        m_forward = addStack({"empty", "forward", "train_step"});
    }

    std::shared_ptr<const Report> make()
    {
        for (int32_t device = m_of.hasHost ? -1 : 0; device < m_of.devices; ++device)
            addDevice(device);
        if (!m_of.hasTimes) m_out->entries.time_ns.clear();
        if (!addMemoryCounters(*m_out, m_process, m_builder, Progress()))
            return nullptr; // same as in the reader
        m_builder.adopt(std::move(m_batch));
        m_builder.report().memory = m_out;
        return m_builder.freeze(Progress()).value();
    }

  private:
    MemoryStackId addStack(const std::vector<std::string>& functions)
    {
        for (const std::string& function : functions) {
            m_out->stackFrames.push_back(MemoryFrameId(m_out->frames.size()));
            m_out->frames.push_back({m_builder.intern(function),
                                     m_builder.intern("/opt/train/" + function + ".py"),
                                     static_cast<int32_t>(m_out->frames.size()) + 1, StringId(0u)});
        }
        m_out->stackBegin.push_back(static_cast<uint32_t>(m_out->stackFrames.size()));
        return MemoryStackId(m_out->stackCount() - 1);
    }

    void addEntry(int32_t device, MemoryAction action, uint64_t address, uint64_t size, MemoryStackId stack)
    {
        MemoryEntryTable& entries = m_out->entries;
        entries.device.push_back(device);
        entries.action.push_back(action);
        entries.address.push_back(address);
        entries.size_bytes.push_back(size);
        entries.stream.push_back(0);
        entries.time_ns.push_back(m_of.begin_ns + m_of.step_ns * m_entry++);
        entries.stack.push_back(stack);
    }

    void addDevice(int32_t device)
    {
        m_out->devices.push_back(device);
        m_entry = 0;
        const uint64_t base = (uint64_t(1) << 40) + (static_cast<uint64_t>(device + 1) << 34);
        const uint64_t weights = 16 * kMadeMiB + static_cast<uint64_t>(std::max(0, device)) * kMadeMiB;
        DeviceId id;
        if (device >= 0) id = m_builder.device(m_process, device);
        if (m_of.hasHistory) {
            addEntry(device, MemoryAction::segmentAlloc, base, 64 * kMadeMiB, {});
            addEntry(device, MemoryAction::alloc, base, weights, m_weights);
            addWave(device, base + 32 * kMadeMiB);
            if (m_of.runsOut) runOut(device, id);
            addWave(device, base + 32 * kMadeMiB);
        }
        if (m_of.hasSteps) addSteps(id);
        addDump(device, base, weights);
    }

    void addWave(int32_t device, uint64_t at)
    {
        addEntry(device, MemoryAction::alloc, at, 8 * kMadeMiB, m_forward);
        addEntry(device, MemoryAction::alloc, at + 8 * kMadeMiB, 4 * kMadeMiB, {});
        for (const uint64_t offset : {uint64_t(0), 8 * kMadeMiB}) {
            const uint64_t size = offset == 0 ? 8 * kMadeMiB : 4 * kMadeMiB;
            addEntry(device, MemoryAction::freeRequested, at + offset, size, {});
            addEntry(device, MemoryAction::freeCompleted, at + offset, size, {});
        }
    }

    void addSteps(DeviceId id)
    {
        const TrackId track = m_builder.track({TrackKind::memoryEvents, m_process, {}, id, 1, 0});
        int64_t entry = 2;
        for (const char* const name : {"step 1", "forward", "loss", "step 2"}) {
            SliceRow row;
            row.start_ns = m_of.begin_ns + m_of.step_ns * entry;
            row.duration_ns = 2 * m_of.step_ns;
            row.source = SourceRow::of(1, ++m_rows);
            row.name = m_builder.intern(name);
            row.kind = RowKind::userAnnotation;
            row.category = SliceCategory::op;
            m_batch.add(track, row);
            entry += 2;
        }
    }

    void runOut(int32_t device, DeviceId id)
    {
        const TrackId track = m_builder.track({TrackKind::memoryEvents, m_process, {}, id, 0, 0});
        SliceRow row;
        row.start_ns = m_of.begin_ns + m_of.step_ns * m_entry;
        row.source = SourceRow::of(0, ++m_rows);
        row.name = m_builder.intern("out of memory: 80.0 MiB requested");
        row.kind = RowKind::memoryEvent;
        row.flags = sliceFlag::kInstant;
        if (m_of.hasTimes) m_batch.add(track, row);
        addEntry(device, MemoryAction::outOfMemory, 1 * kMadeMiB, 80 * kMadeMiB, m_forward);
    }

    void addDump(int32_t device, uint64_t base, uint64_t weights)
    {
        MemorySegmentTable& s = m_out->segments;
        s.device.push_back(device);
        s.address.push_back(base);
        s.total_bytes.push_back(64 * kMadeMiB);
        s.allocated_bytes.push_back(weights);
        s.active_bytes.push_back(weights);
        s.requested_bytes.push_back(weights);
        s.stream.push_back(0);
        s.pool.push_back({0, 0});
        s.type.push_back(m_builder.intern("large"));
        s.isExpandable.push_back(0);
        s.stack.push_back({});
        s.firstBlock.push_back(static_cast<uint32_t>(m_out->blocks.size()));
        s.blockCount.push_back(1);
        m_out->blocks.address.push_back(base);
        m_out->blocks.size_bytes.push_back(weights);
        m_out->blocks.requested_bytes.push_back(weights);
        m_out->blocks.state.push_back(BlockState::allocated);
        m_out->blocks.stack.push_back(m_weights);
    }

    const MadeMemory& m_of;
    ReportBuilder m_builder;
    SliceBatch m_batch;
    ProcessId m_process;
    MemoryStackId m_weights, m_forward;
    std::shared_ptr<MemorySnapshot> m_out = std::make_shared<MemorySnapshot>();
    int64_t m_entry = 0;
    uint64_t m_rows = 0;
};

} // namespace

std::shared_ptr<const Report> madeMemory(const MadeMemory& of)
{
    return MemoryMaker(of).make();
}

namespace {

void addMadeHistory(Report& report, const MadeKernels& of)
{
    MemoryHistory history(report);
    const MemoryStackId stack = history.stack({history.frame(report.strings.intern("aten::empty"))});
    MemoryRow row;
    row.subject = history.subject({*of.memory, MemoryKind::device, 0, ProcessId(0u)});
    int64_t total_bytes = int64_t(8) << 20;
    const auto add = [&](int block, bool isFree, int64_t after_ns) {
        row.time_ns = of.memoryBegin_ns + after_ns;
        row.address = 0x10'0000'0000 + (uint64_t(block) << 24);
        row.size_bytes = uint64_t(1) << (20 + block);
        row.action = isFree ? MemoryAction::freeCompleted : MemoryAction::alloc;
        row.stack = isFree ? MemoryStackId() : stack;
        total_bytes += isFree ? -static_cast<int64_t>(row.size_bytes) : static_cast<int64_t>(row.size_bytes);
        if (*of.memory == MemoryRecorder::torchProfiler) row.recorded_bytes = total_bytes;
        history.add(row);
    };
    add(0, false, 0);
    add(1, false, 100);
    add(2, false, 200);
    add(0, true, 300);
    [[maybe_unused]] const Status done =
        history.finish(Progress()); // not part of a job that could be canceled
}

} // namespace

std::shared_ptr<const Report> madeKernels(const MadeKernels& of)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance.path = "made/" + of.tool + "_" + std::to_string(of.pid);
    sayWho(report, of.host, of.rank, of.tool);
    report.clock.utcAtZero_ns = kMemoryUtc_ns;
    const ProcessId process = builder.process(1, of.pid);
    report.processes[0].identity.pid = {of.pid, "made", Confidence::stated};
    SliceBatch batch;
    uint64_t rows = 0;
    for (int device = 0; device < of.devices; ++device) {
        const TrackId track =
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, device), 7, 1});
        for (int i = 0; i < of.count; ++i) {
            SliceRow row;
            row.start_ns = of.begin_ns + of.step_ns * i;
            row.duration_ns = of.length_ns;
            row.source = SourceRow::of(0, ++rows);
            row.name = builder.intern("kernel_" + std::to_string(i));
            row.kind = RowKind::kernel;
            row.category = SliceCategory::compute;
            batch.add(track, row);
        }
    }
    builder.adopt(std::move(batch));
    auto frozen = builder.freeze(Progress()).value();
    if (of.memory) addMadeHistory(*frozen, of);
    return frozen;
}

} // namespace lockstep::test
