// SPDX-License-Identifier: Apache-2.0
#include "ui/run/host_samples.h"

#include <numeric>

namespace lockstep {

void HostSamples::add(int64_t time_ns, const HostUsage& use)
{
    m_uses.push_back({time_ns, use});
    m_hasGpus = m_hasGpus || !use.gpus.empty();
    while (m_uses.front().time_ns < time_ns - kHistory_ns)
        m_uses.pop_front();
}

template<class Value>
std::vector<UsagePoint> HostSamples::all(const Value& value) const
{
    std::vector<UsagePoint> samples;
    samples.reserve(m_uses.size());
    for (const Use& one : m_uses)
        samples.push_back({one.time_ns, value(one.use)});
    return samples;
}

std::vector<UsagePoint> HostSamples::gpuBusy() const
{
    return all([](const HostUsage& use) { return meanGpuBusy(use).value_or(0); });
}

std::vector<UsagePoint> HostSamples::gpuBusy(int index) const
{
    return all([index](const HostUsage& use) {
        for (const GpuUsage& gpu : use.gpus) {
            if (gpu.index == index) return gpu.busy_percent;
        }
        return 0.0;
    });
}

std::vector<UsagePoint> HostSamples::gpuMemory() const
{
    return all([](const HostUsage& use) { return static_cast<double>(usedGpuBytes(use)); });
}

std::vector<UsagePoint> HostSamples::cpu() const
{
    return all([](const HostUsage& use) { return use.cpu_percent; });
}

std::vector<UsagePoint> HostSamples::memory() const
{
    return all([](const HostUsage& use) { return static_cast<double>(use.memoryUsed_bytes); });
}

std::vector<UsagePoint> HostSamples::received() const
{
    return all([](const HostUsage& use) { return use.received_bytesPerSecond; });
}

std::vector<UsagePoint> HostSamples::sent() const
{
    return all([](const HostUsage& use) { return use.sent_bytesPerSecond; });
}

std::optional<double> meanGpuBusy(const HostUsage& use)
{
    if (use.gpus.empty()) return std::nullopt;
    const double sum =
        std::accumulate(use.gpus.begin(), use.gpus.end(), 0.0,
                        [](double total, const GpuUsage& gpu) { return total + gpu.busy_percent; });
    return sum / static_cast<double>(use.gpus.size());
}

int64_t usedGpuBytes(const HostUsage& use)
{
    int64_t sum = 0;
    for (const GpuUsage& gpu : use.gpus)
        sum += gpu.used_bytes;
    return sum;
}

int64_t totalGpuBytes(const HostUsage& use)
{
    int64_t sum = 0;
    for (const GpuUsage& gpu : use.gpus)
        sum += gpu.total_bytes;
    return sum;
}

} // namespace lockstep
