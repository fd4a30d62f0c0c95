// HostSampler: how busy a node is, once a second: CPU, memory, network, disk and, where nvidia-smi exists, GPUs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::agent {

struct GpuSample {
    int index = 0;
    double busy_percent = 0;      // utilization.gpu: share of the last period in which a kernel ran
    uint64_t used_bytes = 0;
    uint64_t total_bytes = 0;
};

struct HostSample {
    double cpu_percent = 0;       // of all cores together, since the last sample
    uint64_t memoryUsed_bytes = 0; // MemTotal - MemAvailable
    uint64_t memoryTotal_bytes = 0;
    double received_bytesPerSecond = 0; // all interfaces but lo, since the last sample
    double sent_bytesPerSecond = 0;
    uint64_t diskFree_bytes = 0;  // for an unprivileged user, on the run folder's file system
    std::vector<GpuSample> gpus;  // of the last answer of nvidia-smi
};

class HostSampler {
  public:
    explicit HostSampler(std::filesystem::path diskFolder) : m_disk(std::move(diskFolder)) {}
    HostSampler(const HostSampler&) = delete;
    HostSampler& operator=(const HostSampler&) = delete;
    ~HostSampler();

    // Never blocks: nvidia-smi runs beside and is read when it has answered.
    HostSample sample();

  private:
    void startGpuQuery();
    void readGpuAnswer();

    std::filesystem::path m_disk;
    uint64_t m_cpuBusy = 0, m_cpuAll = 0, m_received = 0, m_sent = 0;
    int64_t m_last_ns = 0;
    bool m_hasGpuTool = true;
    int m_query = -1;  // read end of a running nvidia-smi
    int m_queryPid = 0;
    std::string m_answer;
    std::vector<GpuSample> m_gpus;
};

// "0, 37, 1024, 81559" lines (index, %, MiB, MiB) of nvidia-smi's csv,noheader,nounits output.
std::vector<GpuSample> gpuSamplesOf(const std::string& csv);

} // namespace lockstep::agent
