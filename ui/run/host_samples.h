// SPDX-License-Identifier: Apache-2.0
// HostSamples: the utilization of one host over the last five minutes, one sample per second, for sparklines
// and charts. RunFeed fills it. UI thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/remote/run_event.h"

namespace lockstep {

// UsagePoint is a value with its time (nanoseconds since the Unix epoch, host clock).
struct UsagePoint {
    int64_t time_ns = 0;
    double value = 0;
};

class HostSamples {
  public:
    static constexpr int64_t kHistory_ns = 300'000'000'000; // five minutes

    void add(int64_t time_ns, const HostUsage& use);
    bool isEmpty() const { return m_uses.empty(); }
    bool hasGpus() const { return m_hasGpus; }
    int64_t last_ns() const { return m_uses.empty() ? 0 : m_uses.back().time_ns; }

    // All series are in chronological order. gpuBusy() returns GPU utilization in percent: the mean of all
    // GPUs, or the values of one GPU.
    std::vector<UsagePoint> gpuBusy() const;
    std::vector<UsagePoint> gpuBusy(int index) const;
    // Returns the memory in use on all GPUs, in bytes.
    std::vector<UsagePoint> gpuMemory() const;
    std::vector<UsagePoint> cpu() const;      // percent of all cores
    std::vector<UsagePoint> memory() const;   // bytes in use
    std::vector<UsagePoint> received() const; // bytes per second
    std::vector<UsagePoint> sent() const;

  private:
    struct Use {
        int64_t time_ns;
        HostUsage use;
    };
    template<class Value>
    std::vector<UsagePoint> all(const Value& value) const;

    std::deque<Use> m_uses;
    bool m_hasGpus = false;
};

// Returns the mean utilization of all GPUs at one point in time, or nullopt if the host has no GPU.
std::optional<double> meanGpuBusy(const HostUsage& use);
int64_t usedGpuBytes(const HostUsage& use);
int64_t totalGpuBytes(const HostUsage& use);

} // namespace lockstep
