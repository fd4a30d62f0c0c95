// SPDX-License-Identifier: Apache-2.0
// HostSamples: how busy one host was in the last minutes, a value a second, for sparklines and charts. Filled
// by RunFeed. UI thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/remote/run_event.h"

namespace lockstep {

// A value at a time; unix-epoch ns of the node's clock.
struct Sample {
    int64_t time_ns = 0;
    double value = 0;
};

class HostSamples {
  public:
    static constexpr int64_t kKept_ns = 300'000'000'000; // five minutes

    void add(int64_t time_ns, const HostUse& use);
    bool isEmpty() const { return m_uses.empty(); }
    bool hasGpus() const { return m_hasGpus; }
    int64_t last_ns() const { return m_uses.empty() ? 0 : m_uses.back().time_ns; }

    // Oldest first. Percent of all GPUs together, or of one by its index.
    std::vector<Sample> gpuBusy() const;
    std::vector<Sample> gpuBusy(int index) const;
    // Bytes in use on all GPUs.
    std::vector<Sample> gpuMemory() const;
    std::vector<Sample> cpu() const;      // percent of all cores
    std::vector<Sample> memory() const;   // bytes in use
    std::vector<Sample> received() const; // bytes a second
    std::vector<Sample> sent() const;

  private:
    struct Use {
        int64_t time_ns;
        HostUse use;
    };
    template<class Value>
    std::vector<Sample> all(const Value& value) const;

    std::deque<Use> m_uses;
    bool m_hasGpus = false;
};

// Over all GPUs of one moment; empty where there are none.
std::optional<double> meanGpuBusy(const HostUse& use);
int64_t usedGpuBytes(const HostUse& use);
int64_t totalGpuBytes(const HostUse& use);

} // namespace lockstep
