// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/memory_instants.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/trace/enclosing_ranges.h"
#include "core/trace/memory_history.h"

namespace lockstep {

namespace {

constexpr size_t kMaxFrames = 512;
constexpr size_t kBetweenChecks = size_t(1) << 16;

class TorchMemory {
  public:
    explicit TorchMemory(Report& report) : m_report(report), m_ranges(report, kKinds), m_history(report)
    {
        for (size_t i = 0; i < report.processes.size(); ++i)
            m_processes.try_emplace(report.processes[i].key, i);
        for (size_t i = 0; i < report.threads.size(); ++i)
            m_threads.try_emplace({report.threads[i].process, report.threads[i].tid}, i);
    }

    Status run(std::vector<PlacedInstant>& instants, const Progress& progress)
    {
        // Sorted in file order, so that the result does not depend on the workers: stacks are numbered in the
        // order of their occurrence.
        std::ranges::sort(instants, {}, [](const PlacedInstant& placed) { return placed.instant.offset; });
        for (size_t i = 0; i < instants.size(); ++i) {
            if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            add(instants[i]);
        }
        instants = {};
        return m_history.finish(progress);
    }

  private:
    static constexpr std::array kKinds{TrackKind::ops, TrackKind::python};

    void add(const PlacedInstant& placed)
    {
        const MemoryInstant& instant = placed.instant;
        const auto process = m_processes.find(static_cast<uint64_t>(placed.process));
        const ProcessId of = process == m_processes.end() ? ProcessId() : process->second;
        const bool isCpu = instant.device < 0;
        MemoryRow row;
        row.time_ns = instant.time_ns;
        row.order = instant.eventIndex != 0 ? instant.eventIndex : instant.offset;
        row.address = instant.address;
        const auto change = static_cast<uint64_t>(instant.change_bytes);
        row.size_bytes = instant.change_bytes < 0 ? uint64_t(0) - change : change;
        row.action = instant.change_bytes < 0   ? MemoryAction::freeCompleted
                     : instant.change_bytes > 0 ? MemoryAction::alloc
                                                : MemoryAction::other;
        row.recorded_bytes = instant.recorded_bytes;
        row.reserved_bytes = instant.reserved_bytes;
        const auto ordinal = static_cast<int32_t>(std::min<int64_t>(instant.device, 1'000'000));
        row.subject =
            m_history.subject({MemoryRecorder::torchProfiler,
                               isCpu ? MemoryKind::pageable : MemoryKind::device, isCpu ? -1 : ordinal, of});
        const auto thread = m_threads.find({of, placed.thread});
        if (instant.change_bytes > 0 && thread != m_threads.end())
            row.stack = stackAt(thread->second, instant.time_ns);
        if (instant.isDeviceGuessed) {
            m_report.notes.add("memory.no_device", NoteSeverity::warning,
                               "GPU memory events without a device: assigned to the first GPU",
                               "byte " + std::to_string(instant.offset));
        }
        m_history.add(row);
    }

    // Profiler steps are omitted, so that the same allocation has the same stack in every step.
    MemoryStackId stackAt(ThreadId thread, int64_t time_ns)
    {
        const std::span<const SliceId> ranges = m_ranges.at(thread, time_ns);
        m_frames.clear();
        for (const SliceId id : ranges.first(std::min(ranges.size(), kMaxFrames))) {
            if (!m_report.nameOf(id).starts_with("ProfilerStep#"))
                m_frames.push_back(m_history.frame(m_report.slices.name[id.value]));
        }
        return m_history.stack(m_frames);
    }

    Report& m_report;
    EnclosingRanges m_ranges;
    MemoryHistory m_history;
    std::map<uint64_t, ProcessId> m_processes;
    std::map<std::pair<ProcessId, int64_t>, ThreadId> m_threads;
    std::vector<MemoryFrameId> m_frames;
};

} // namespace

int64_t memoryDeviceOf(const EventArguments& args)
{
    if (args.deviceType == 0) return -1;
    return args.hasDeviceId ? std::max<int64_t>(args.deviceId, 0) : 0;
}

std::optional<MemoryInstant> memoryInstantOf(const RawEvent& event, uint32_t lane)
{
    const EventArguments& args = event.args;
    if (event.name != "[memory]" || !args.hasAddress || !args.hasChange) return std::nullopt;
    MemoryInstant out;
    out.time_ns = event.start_ns;
    out.offset = event.offset;
    out.eventIndex = args.eventIndex;
    out.address = args.address;
    out.change_bytes = args.change_bytes;
    if (args.hasAllocated) out.recorded_bytes = args.allocated_bytes;
    if (args.hasReserved) out.reserved_bytes = args.reserved_bytes;
    out.device = memoryDeviceOf(args);
    out.lane = lane;
    out.isDeviceGuessed = out.device >= 0 && (!args.hasDeviceId || args.deviceId < 0);
    return out;
}

Status addTorchMemory(Report& report, std::vector<PlacedInstant> instants, const Progress& progress)
{
    if (instants.empty()) return {};
    return TorchMemory(report).run(instants, progress);
}

} // namespace lockstep
