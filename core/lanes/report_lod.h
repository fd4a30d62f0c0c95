// SPDX-License-Identifier: Apache-2.0
// ReportLod: what drawing needs of a report besides its tables, built once after load on a worker thread,
// immutable and shared like the report itself.
#pragma once

#include <memory>
#include <span>

#include "core/lanes/busy_row.h"
#include "core/lanes/counter_lod.h"
#include "core/lanes/covered_time.h"
#include "core/lanes/name_index.h"
#include "core/lanes/phase_slices.h"
#include "core/lanes/report_memory.h"
#include "core/lanes/slice_lod.h"
#include "core/trace/by_report.h"

namespace lockstep {

// The tracks and counters of a process that have rows, and its devices' memory.
struct ProcessRows {
    ProcessId process; // invalid: of none of the report's processes
    std::vector<TrackId> tracks;
    std::vector<CounterTrackId> counters;
    std::vector<uint32_t> memory; // into AllocatorReplay::devices
};

class ReportLod {
  public:
    ReportLod(const Report& report, const Progress& progress);

    const SliceLod& slices() const { return m_slices; }
    const CounterLod& counters() const { return m_counters; }
    std::span<const BusyRow> busyRows() const { return m_busyRows; }
    // By process, what belongs to none last; processes without rows or gaps are left out.
    std::span<const ProcessRows> processRows() const { return m_processRows; }
    // nullptr where it has none.
    const ProcessRows* rowsOf(ProcessId process) const;
    // FNV-1a of the name, for its lightness.
    uint32_t nameHash(StringId name) const { return m_nameHashes[name.value]; }
    const NameIndex& names() const { return m_names; }
    const CoveredTime& covered() const { return m_covered; }
    const PhaseSlices& phases() const { return m_phases; }
    // nullptr where the report has no memory snapshot.
    const ReportMemory* memory() const { return m_memory.get(); }
    const std::shared_ptr<const ReportMemory>& sharedMemory() const { return m_memory; }
    size_t residentBytes() const;

  private:
    SliceLod m_slices;
    CounterLod m_counters;
    std::vector<BusyRow> m_busyRows;
    std::shared_ptr<const ReportMemory> m_memory;
    std::vector<ProcessRows> m_processRows;
    std::vector<uint32_t> m_nameHashes; // by StringId
    NameIndex m_names;
    CoveredTime m_covered;
    PhaseSlices m_phases;
};

using ReportLods = ByReport<std::shared_ptr<const ReportLod>>;

// O(slices + entries of a snapshot log entries). A job that was stopped gets one that lacks something: check
// `progress` before it is used.
std::shared_ptr<const ReportLod> buildLod(const Report& report, const Progress& progress);
std::shared_ptr<const ReportLod> buildLod(const Report& report, const Workers& workers);

} // namespace lockstep
