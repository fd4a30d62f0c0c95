// SPDX-License-Identifier: Apache-2.0
// HostSampler measures the load of a node once per second: CPU, memory, network, disk and, if nvidia-smi is
// installed, GPUs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "capture/agent/gpu_query.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

struct HostSample {
    double cpu_percent = 0;        // over all cores, since the last sample
    uint64_t memoryUsed_bytes = 0; // MemTotal - MemAvailable
    uint64_t memoryTotal_bytes = 0;
    double received_bytesPerSecond = 0; // all interfaces except lo, since the last sample
    double sent_bytesPerSecond = 0;
    uint64_t diskFree_bytes = 0; // available to an unprivileged user, on the file system of the run folder
    std::vector<GpuSample> gpus;
};

class HostSampler {
  public:
    explicit HostSampler(std::filesystem::path diskFolder) : m_disk(std::move(diskFolder)) {}

    // Takes a sample without blocking. The first call returns no rates.
    HostSample sample();

  private:
    std::filesystem::path m_disk;
    uint64_t m_cpuBusy = 0, m_cpuAll = 0, m_received = 0, m_sent = 0;
    int64_t m_last_ns = 0;
    GpuQuery m_gpus;
};

// Returns the fields of an event of kind gpu.
Json fieldsOf(const HostSample& sample);

} // namespace lockstep::agent
