// SPDX-License-Identifier: Apache-2.0
// HostSampler measures the load of a node once per second: CPU, memory, network, disk and, if nvidia-smi is
// installed, GPUs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

// GpuQuery runs nvidia-smi during its lifetime. nvidia-smi prints the state of all GPUs once per second. One
// nvidia-smi process serves the whole run, because starting it can use a CPU core for up to a second on large
// nodes. One thread.
struct GpuSample {
    int64_t index = 0;
    std::optional<double> busy_percent; // utilization.gpu: percentage of the last period in which a GPU
                                        // kernel ran; empty under MIG
    uint64_t used_bytes = 0;
    uint64_t total_bytes = 0;
};

class GpuQuery {
  public:
    GpuQuery() = default;
    GpuQuery(const GpuQuery&) = delete;
    GpuQuery& operator=(const GpuQuery&) = delete;
    ~GpuQuery();

    // Returns the last printed samples by index. Returns an empty result if nothing was printed for some
    // seconds (no GPU, no driver, a GPU that hangs). Never blocks. Starts nvidia-smi on the first call, and
    // restarts it some time after it has ended.
    std::vector<GpuSample> latest();

  private:
    using Clock = std::chrono::steady_clock;

    void start();
    void read();
    void end();

    int m_pipe = -1;
    ChildProcess m_child;
    Clock::time_point m_nextStart; // epoch: start immediately
    Clock::time_point m_lastLine;
    std::string m_text; // the unfinished last line
    std::map<int64_t, GpuSample> m_gpus;
};

// Parses one line of nvidia-smi output in csv,noheader,nounits format: "0, 37, 1024, 81559" (index, %, MiB,
// MiB). "[N/A]" is valid for the percentage.
std::optional<GpuSample> gpuSampleOf(std::string_view line);

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
