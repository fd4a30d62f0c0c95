// SPDX-License-Identifier: Apache-2.0
// EntityNames: the names of processes, threads, GPUs and streams in an export. Read before the event tables,
// and applied only to entities that have events, so that a report does not list every process of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/readers/nsys_sqlite/export_facts.h"
#include "core/readers/nsys_sqlite/export_reading.h"

namespace lockstep {

class EntityNames {
  public:
    EntityNames(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                const StringIds& strings, ReportBuilder& builder);

    // Sets names and details of every process, thread, device and GPU track in the builder. `found` contains
    // the names from NVTX.
    void apply(ReportBuilder& builder, const ScanFindings& found) const;
    // Returns the priorities of threads, by globalTid.
    const std::unordered_map<uint64_t, int64_t>& priorities() const { return m_priorities; }
    // Returns TARGET_INFO_GPU_METRICS.metricName, otherwise "metric N".
    std::string metricName(uint64_t typeId, int64_t metric) const;

  private:
    struct Gpu {
        std::string name;
        std::string uuid;
        uint64_t memory_bytes = 0;
        int multiprocessors = 0;
    };
    struct Stream {
        std::string name;
        bool isDefault = false;
    };
    using PidDevice = std::pair<int64_t, int64_t>;
    using StreamKey = std::tuple<int64_t, int64_t, int64_t>; // (pid, context, stream)

    void readGpus(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                  ImportNotes& notes);
    void readStreams(const SqliteDatabase& database, const SchemaProbe& schema, const StringIds& strings,
                     ReportBuilder& builder);
    void nameProcesses(ReportBuilder& builder) const;
    void nameThreads(ReportBuilder& builder, const ScanFindings& found) const;
    std::optional<Gpu> gpuOf(const Report& report, const Device& device) const;
    void nameDevices(ReportBuilder& builder) const;
    void nameTracks(ReportBuilder& builder, const ScanFindings& found) const;

    std::unordered_map<uint64_t, StringId> m_processes; // by process key
    std::unordered_map<uint64_t, StringId> m_threads;   // by globalTid
    std::unordered_map<uint64_t, int64_t> m_priorities; // by globalTid
    std::map<int64_t, Gpu> m_gpus;                      // by TARGET_INFO_GPU.id
    std::map<int64_t, int64_t> m_gpuOfOrdinal;          // TARGET_INFO_GPU.cuDevice -> TARGET_INFO_GPU.id
    std::map<PidDevice, int64_t> m_gpuOf;               // TARGET_INFO_CUDA_DEVICE: (pid, ordinal) -> GPU ID
    std::map<StreamKey, Stream> m_streams;
    std::map<std::pair<uint64_t, int64_t>, std::string> m_metrics;
    std::string m_command;
};

} // namespace lockstep
