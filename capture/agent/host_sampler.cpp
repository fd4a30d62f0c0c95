// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/host_sampler.h"

#include <ctime>
#include <fstream>
#include <sstream>

#include <sys/statvfs.h>

#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

constexpr uint64_t kKiB = 1024;

int64_t monotonic_ns()
{
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void readCpu(uint64_t& busy, uint64_t& all)
{
    std::ifstream file("/proc/stat");
    std::string word;
    file >> word;
    busy = all = 0;
    uint64_t ticks = 0;
    for (int field = 0; field < 8 && file >> ticks; ++field) {
        all += ticks;
        if (field != 3 && field != 4) busy += ticks; // the idle and iowait fields are not counted as busy
    }
}

void readMemory(HostSample& sample)
{
    std::ifstream file("/proc/meminfo");
    std::string name, unit;
    uint64_t value = 0, available = 0;
    while (file >> name >> value) {
        std::getline(file, unit);
        if (name == "MemTotal:") sample.memoryTotal_bytes = value * kKiB;
        if (name == "MemAvailable:") available = value * kKiB;
    }
    sample.memoryUsed_bytes = sample.memoryTotal_bytes - available;
}

void readNetwork(uint64_t& received, uint64_t& sent)
{
    std::ifstream file("/proc/net/dev");
    std::string line;
    received = sent = 0;
    while (std::getline(file, line)) {
        const size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::istringstream name(line.substr(0, colon)), fields(line.substr(colon + 1));
        std::string interface;
        name >> interface;
        uint64_t value = 0;
        for (int field = 0; interface != "lo" && field < 9 && fields >> value; ++field) {
            if (field == 0) received += value;
            if (field == 8) sent += value;
        }
    }
}

} // namespace

HostSample HostSampler::sample()
{
    HostSample sample;
    uint64_t busy = 0, all = 0, received = 0, sent = 0;
    readCpu(busy, all);
    readNetwork(received, sent);
    readMemory(sample);
    const int64_t now = monotonic_ns();
    if (m_last_ns > 0 && all > m_cpuAll && now > m_last_ns) {
        const double seconds = static_cast<double>(now - m_last_ns) / 1e9;
        sample.cpu_percent =
            100.0 * static_cast<double>(busy - m_cpuBusy) / static_cast<double>(all - m_cpuAll);
        // If an interface is removed, its counts disappear from the total.
        if (received >= m_received)
            sample.received_bytesPerSecond = static_cast<double>(received - m_received) / seconds;
        if (sent >= m_sent) sample.sent_bytesPerSecond = static_cast<double>(sent - m_sent) / seconds;
    }
    m_cpuBusy = busy;
    m_cpuAll = all;
    m_received = received;
    m_sent = sent;
    m_last_ns = now;
    struct statvfs disk = {};
    if (::statvfs(m_disk.c_str(), &disk) == 0) sample.diskFree_bytes = disk.f_bavail * disk.f_frsize;
    sample.gpus = m_gpus.latest();
    return sample;
}

Json fieldsOf(const HostSample& sample)
{
    Json fields{{"cpu_percent", sample.cpu_percent},
                {"memory_used_bytes", sample.memoryUsed_bytes},
                {"memory_total_bytes", sample.memoryTotal_bytes},
                {"received_bytes_per_s", sample.received_bytesPerSecond},
                {"sent_bytes_per_s", sample.sent_bytesPerSecond},
                {"disk_free_bytes", sample.diskFree_bytes}};
    Json& gpus = fields["gpus"] = Json::array();
    for (const GpuSample& gpu : sample.gpus) {
        Json one{{"index", gpu.index}, {"used_bytes", gpu.used_bytes}, {"total_bytes", gpu.total_bytes}};
        if (gpu.busy_percent) one["busy_percent"] = *gpu.busy_percent;
        gpus.push_back(std::move(one));
    }
    return fields;
}

} // namespace lockstep::agent
