// SPDX-License-Identifier: Apache-2.0
// ReportLod: the drawing data that a report needs in addition to its tables. Built once after loading on a
// worker thread; immutable and shared like the report itself.
#pragma once

#include <memory>
#include <span>

#include "core/lanes/busy_row.h"
#include "core/lanes/counter_lod.h"
#include "core/lanes/covered_time.h"
#include "core/lanes/name_index.h"
#include "core/lanes/phase_slices.h"
#include "core/lanes/range_projection.h"
#include "core/lanes/report_memory.h"
#include "core/lanes/slice_lod.h"
#include "core/trace/by_report.h"

namespace lockstep {

// The nonempty tracks and counters of a process, and the memory of its devices.
struct ProcessRows {
    ProcessId process; // invalid for rows without a process in the report
    std::vector<TrackId> tracks;
    std::vector<CounterTrackId> counters;
    std::vector<uint32_t> memory; // index in AllocatorReplay::devices
};

class ReportLod {
  public:
    ReportLod(const Report& report, const Progress& progress);

    const SliceLod& slices() const { return m_slices; }
    const CounterLod& counters() const { return m_counters; }
    std::span<const BusyRow> busyRows() const { return m_busyRows; }
    // Returns the rows by process; rows without a process come last. Processes that have neither rows nor
    // gaps are omitted.
    std::span<const ProcessRows> processRows() const { return m_processRows; }
    // Returns nullptr if the process has no rows.
    const ProcessRows* rowsOf(ProcessId process) const;
    // Returns lightnessHash() of the name.
    uint32_t nameHash(StringId name) const { return m_nameHashes[name.value]; }
    const NameIndex& names() const { return m_names; }
    const CoveredTime& covered() const { return m_covered; }
    const PhaseSlices& phases() const { return m_phases; }
    // Returns the NVTX ranges projected onto the GPUs, by process, GPU and thread.
    std::span<const RangeProjection> projections() const { return m_projections; }
    // Returns the memory snapshot's data; nullptr if the report has no snapshot.
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
    std::vector<RangeProjection> m_projections;
};

// Returns the FNV-1a hash of a slice name; the hash determines the lightness of the slice's color.
uint32_t lightnessHash(std::string_view name);

using ReportLods = ByReport<std::shared_ptr<const ReportLod>>;

// Builds the object. O(slices + entries of a snapshot log + n log n for n NVTX
// ranges and launches). If the job is canceled, the result is
// incomplete, so check `progress` before using it.
std::shared_ptr<const ReportLod> buildLod(const Report& report, const Progress& progress);
std::shared_ptr<const ReportLod> buildLod(const Report& report, const Workers& workers);

} // namespace lockstep
