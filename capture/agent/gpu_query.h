// SPDX-License-Identifier: Apache-2.0
// GpuQuery: nvidia-smi running beside as long as the object lives, printing all GPUs each second; one process
// for a whole run, since starting it costs up to a second of a core on large nodes. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

struct GpuSample {
    int64_t index = 0;
    std::optional<double>
        busy_percent; // utilization.gpu: share of the last period in which a kernel ran; empty under MIG
    uint64_t used_bytes = 0;
    uint64_t total_bytes = 0;
};

class GpuQuery {
  public:
    GpuQuery() = default;
    GpuQuery(const GpuQuery&) = delete;
    GpuQuery& operator=(const GpuQuery&) = delete;
    ~GpuQuery();

    // What was printed last, by index; empty when nothing came for some seconds (no GPU, no driver, a GPU
    // that hangs). Never waits. Starts the program at the first call, and again some time after it ended.
    std::vector<GpuSample> latest();

  private:
    using Clock = std::chrono::steady_clock;

    void start();
    void read();
    void end();

    int m_pipe = -1;
    int m_pid = 0;
    Clock::time_point m_nextStart; // epoch = at once
    Clock::time_point m_lastLine;
    std::string m_text; // the unfinished line
    std::map<int64_t, GpuSample> m_gpus;
};

// One line of nvidia-smi's csv,noheader,nounits output: "0, 37, 1024, 81559" (index, %, MiB, MiB); "[N/A]"
// for a percentage is no error.
std::optional<GpuSample> gpuSampleOf(std::string_view line);

} // namespace lockstep::agent
