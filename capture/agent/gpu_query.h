// SPDX-License-Identifier: Apache-2.0
// GpuQuery runs nvidia-smi during its lifetime. nvidia-smi prints the state of all GPUs once per second. One
// nvidia-smi process serves the whole run, because starting it can use a CPU core for up to a second on large
// nodes. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/child_process.h"

namespace lockstep::agent {

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

} // namespace lockstep::agent
