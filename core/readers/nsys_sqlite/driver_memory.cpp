// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/driver_memory.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/readers/nsys_sqlite/global_id.h"
#include "core/trace/enclosing_ranges.h"
#include "core/trace/memory_history.h"

namespace lockstep {

namespace {

// Finds, in the frozen report, the API calls that belong to events.
class MemoryCalls {
  public:
    MemoryCalls(const Report& report, std::span<const RoleCall> calls)
    {
        std::unordered_map<uint64_t, ProcessNumber> wanted; // by SourceRow::packed
        for (const RoleCall& call : calls) {
            if (call.role == CallRole::memory) wanted.try_emplace(call.source.packed, call.correlation);
        }
        if (wanted.empty()) return;
        for (const Track& track : report.tracks) {
            if (track.key.kind != TrackKind::cudaApi) continue;
            for (uint32_t i = 0; i < track.sliceCount; ++i) {
                const SliceId id(track.firstSlice.value + i);
                const auto found = wanted.find(report.slices.source[id.value].packed);
                if (found != wanted.end())
                    m_calls.try_emplace(found->second, std::pair(id, track.key.thread));
            }
        }
    }

    // Returns nullptr if the file has no such call.
    const std::pair<SliceId, ThreadId>* of(const ProcessNumber& correlation) const
    {
        const auto found = m_calls.find(correlation);
        return found == m_calls.end() ? nullptr : &found->second;
    }

  private:
    std::unordered_map<ProcessNumber, std::pair<SliceId, ThreadId>, ProcessNumberHash> m_calls;
};

class DriverMemory {
  public:
    DriverMemory(Report& report, std::span<const RoleCall> calls)
        : m_report(report), m_calls(report, calls), m_ranges(report, kKinds), m_history(report)
    {
        for (size_t i = 0; i < report.processes.size(); ++i)
            m_processes.try_emplace(report.processes[i].key, i);
    }

    void add(const DriverMemoryEvent& event)
    {
        const auto process = m_processes.find(processKeyOf(event.globalPid));
        const auto kind = static_cast<MemoryKind>(event.kind);
        const bool isOfHost = kind == MemoryKind::pinned || kind == MemoryKind::pageable;
        const auto ordinal = static_cast<int32_t>(std::clamp<int64_t>(event.device, 0, 1'000'000));
        MemoryRow row;
        row.subject = m_history.subject({MemoryRecorder::cudaDriver, kind, isOfHost ? -1 : ordinal,
                                         process == m_processes.end() ? ProcessId() : process->second});
        row.time_ns = event.time_ns;
        row.order = static_cast<uint64_t>(event.row);
        row.address = static_cast<uint64_t>(event.address);
        row.size_bytes = static_cast<uint64_t>(event.size_bytes);
        row.action = event.isRelease ? MemoryAction::freeCompleted : MemoryAction::alloc;
        if (!event.isRelease && event.correlation != kNoCorrelation)
            row.stack = stackOf({processKeyOf(event.globalPid), event.correlation});
        m_history.add(row);
    }

    Status finish(const Progress& progress) { return m_history.finish(progress); }

  private:
    static constexpr std::array kKinds{TrackKind::cudaApi, TrackKind::nvtx};

    MemoryStackId stackOf(const ProcessNumber& correlation)
    {
        const auto* const call = m_calls.of(correlation);
        if (call == nullptr) return {};
        const auto& [slice, thread] = *call;
        std::vector<MemoryFrameId> frames{m_history.frame(m_report.slices.name[slice.value])};
        for (const SliceId id : m_ranges.at(thread, m_report.slices.start_ns[slice.value])) {
            if (id != slice) frames.push_back(m_history.frame(m_report.slices.name[id.value]));
        }
        return m_history.stack(frames);
    }

    Report& m_report;
    MemoryCalls m_calls;
    EnclosingRanges m_ranges;
    MemoryHistory m_history;
    std::unordered_map<uint64_t, ProcessId> m_processes; // by key
};

} // namespace

Status addDriverMemory(Report& report, std::span<const DriverMemoryEvent> events,
                       std::span<const RoleCall> calls, const Progress& progress)
{
    constexpr size_t kBetweenChecks = size_t(1) << 16;
    if (events.empty()) return {};
    DriverMemory memory(report, calls);
    for (size_t i = 0; i < events.size(); ++i) {
        if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        memory.add(events[i]);
    }
    return memory.finish(progress);
}

} // namespace lockstep
