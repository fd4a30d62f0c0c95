// SPDX-License-Identifier: Apache-2.0
// SpoolGpu turns the CUDA records of a capture into slices on GPU and API tracks. One worker; call finish()
// after all blocks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/readers/capture_spool/spool_carry.h"
#include "core/readers/capture_spool/spool_reading.h"
#include "core/readers/capture_spool/spool_records.h"

namespace lockstep {

class SpoolGpu {
  public:
    explicit SpoolGpu(SpoolReading& reading) : m_reading(reading) {}

    // Handles a record. Returns false if another class handles records of this kind.
    bool take(const SpoolRecord& record);
    void finish();
    // For one part of a file: restores the state after the earlier parts, or saves the state for later parts.
    void begin(const SpoolCarry& before);
    void carry(SpoolCarry& after) const;

  private:
    struct KernelNames {
        StringId full, base;
        SliceCategory category = SliceCategory::compute;
    };

    SliceRow row(const SpoolRecord& record, RowKind kind, SliceCategory category, StringId name,
                 uint64_t correlation);
    void setFacts(const SpoolRecord& record, SliceRow& row);
    TrackId gpuTrack(TrackKind kind, uint64_t device, uint64_t context, uint64_t stream);
    TrackId threadTrack(TrackKind kind, uint64_t tid);
    const KernelNames& kernelNames(uint64_t text);
    bool addWork(TrackId track, const SliceRow& row);
    void kernel(const SpoolRecord& record);
    void copy(const SpoolRecord& record);
    void set(const SpoolRecord& record);
    void api(const SpoolRecord& record);
    void sync(const SpoolRecord& record);
    void overhead(const SpoolRecord& record);
    void graph(const SpoolRecord& record);
    void memory(const SpoolRecord& record);
    void event(const SpoolRecord& record);

    using FactField = std::pair<size_t, RowFact>; // (field of the record, fact)

    SpoolReading& m_reading;
    FactNumbers m_factNumbers{m_reading.builder.factSets()};
    // by kind of record
    std::array<std::optional<std::vector<FactField>>, LOCKSTEP_KIND_LIMIT> m_factFields;
    std::map<uint64_t, SpoolCarry::GpuDevice> m_devices;
    std::map<uint64_t, uint64_t> m_deviceOfContext;
    std::unordered_map<std::string, KernelNames> m_kernels; // by recorded name
    std::map<StringId, StringId> m_shortNames;
    std::map<std::pair<uint64_t, uint64_t>, std::vector<std::pair<int64_t, double>>>
        m_allocated; // by (device, kind of memory)
    std::map<std::pair<uint64_t, uint64_t>, int64_t> m_allocated_bytes;
};

} // namespace lockstep
