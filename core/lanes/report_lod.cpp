// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/report_lod.h"

#include <algorithm>
#include <map>

namespace lockstep {

uint32_t lightnessHash(std::string_view name)
{
    uint32_t hash = 2166136261u;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
}

namespace {

// An allocator snapshot covers one process; for other recorders, the recording specifies the process.
ProcessId memoryProcess(const Report& report, int32_t device)
{
    const ProcessId stated = report.memory->subjectOf(device).process;
    if (stated.isValid()) return stated;
    return report.processes.size() == 1 ? ProcessId(0u) : ProcessId();
}

std::vector<ProcessRows> findProcessRows(const Report& report, const ReportMemory* memory)
{
    std::map<ProcessId, ProcessRows> found; // the invalid process is sorted last
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        if (track.sliceCount > 0) found[track.key.process].tracks.push_back(TrackId(i));
    }
    for (size_t i = 0; i < report.counterTracks.size(); ++i) {
        const CounterTrack& counter = report.counterTracks[i];
        if (counter.sampleCount > 0) found[counter.process].counters.push_back(CounterTrackId(i));
    }
    for (uint32_t i = 0; memory != nullptr && i < memory->devices.size(); ++i)
        found[memoryProcess(report, memory->replay.devices[i].device)].memory.push_back(i);
    // A report that has nothing but gaps still gets a process that shows the gaps.
    if (!report.gaps.empty() && !report.processes.empty()) found[ProcessId(0u)];
    std::vector<ProcessRows> out;
    for (auto& [process, rows] : found) {
        rows.process = process;
        out.push_back(std::move(rows));
    }
    return out;
}

} // namespace

ReportLod::ReportLod(const Report& report, const Progress& progress)
    : m_slices(report, progress.workers()), m_counters(report), m_busyRows(findBusyRows(report, m_slices)),
      m_memory(replayMemory(report, progress)), m_processRows(findProcessRows(report, m_memory.get())),
      m_names(report), m_covered(findCoveredTime(report)), m_phases(findPhaseSlices(report)),
      m_projections(findRangeProjections(report, progress))
{
    m_nameHashes.reserve(report.strings.size());
    for (size_t i = 0; i < report.strings.size(); ++i)
        m_nameHashes.push_back(lightnessHash(report.strings.at(StringId(i))));
}

const ProcessRows* ReportLod::rowsOf(ProcessId process) const
{
    const auto found = std::ranges::lower_bound(m_processRows, process, {}, &ProcessRows::process);
    return found != m_processRows.end() && found->process == process ? &*found : nullptr;
}

size_t ReportLod::residentBytes() const
{
    size_t bytes = m_slices.residentBytes() + m_counters.residentBytes() + m_names.residentBytes() +
                   m_covered.residentBytes() + m_phases.residentBytes() +
                   m_nameHashes.capacity() * sizeof(uint32_t);
    for (const BusyRow& row : m_busyRows)
        bytes += row.residentBytes();
    for (const ProcessRows& rows : m_processRows)
        bytes += sizeof rows + rows.tracks.capacity() * sizeof(TrackId) +
                 rows.counters.capacity() * sizeof(CounterTrackId) +
                 rows.memory.capacity() * sizeof(uint32_t);
    for (const RangeProjection& projection : m_projections)
        bytes += sizeof projection + projection.residentBytes();
    if (m_memory) bytes += m_memory->residentBytes();
    return bytes;
}

std::shared_ptr<const ReportLod> buildLod(const Report& report, const Progress& progress)
{
    return std::make_shared<const ReportLod>(report, progress);
}

std::shared_ptr<const ReportLod> buildLod(const Report& report, const Workers& workers)
{
    return buildLod(report, Progress(workers));
}

} // namespace lockstep
