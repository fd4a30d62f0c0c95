#include "capture/agent/host_sampler.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr uint64_t kKiB = 1024, kMiB = 1024 * 1024;

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
        if (field != 3 && field != 4) busy += ticks; // idle, iowait
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

std::vector<GpuSample> gpuSamplesOf(const std::string& csv)
{
    std::vector<GpuSample> gpus;
    std::istringstream lines(csv);
    std::string line;
    while (std::getline(lines, line)) {
        GpuSample gpu;
        double used = 0, total = 0;
        if (std::sscanf(line.c_str(), "%d , %lf , %lf , %lf", &gpu.index, &gpu.busy_percent, &used, &total) != 4) continue;
        gpu.used_bytes = static_cast<uint64_t>(used) * kMiB;
        gpu.total_bytes = static_cast<uint64_t>(total) * kMiB;
        gpus.push_back(gpu);
    }
    return gpus;
}

HostSampler::~HostSampler()
{
    if (m_query < 0) return;
    ::kill(m_queryPid, SIGKILL);
    ::waitpid(m_queryPid, nullptr, 0);
    ::close(m_query);
}

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
        sample.cpu_percent = 100.0 * static_cast<double>(busy - m_cpuBusy) / static_cast<double>(all - m_cpuAll);
        sample.received_bytesPerSecond = static_cast<double>(received - m_received) / seconds;
        sample.sent_bytesPerSecond = static_cast<double>(sent - m_sent) / seconds;
    }
    m_cpuBusy = busy;
    m_cpuAll = all;
    m_received = received;
    m_sent = sent;
    m_last_ns = now;
    struct statvfs disk = {};
    if (::statvfs(m_disk.c_str(), &disk) == 0) sample.diskFree_bytes = disk.f_bavail * disk.f_frsize;
    readGpuAnswer();
    if (m_query < 0 && m_hasGpuTool) startGpuQuery();
    sample.gpus = m_gpus;
    return sample;
}

void HostSampler::startGpuQuery()
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    std::array<std::string, 3> words{"nvidia-smi", "--query-gpu=index,utilization.gpu,memory.used,memory.total",
                                     "--format=csv,noheader,nounits"};
    std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    m_hasGpuTool = posix_spawnp(&m_queryPid, "nvidia-smi", &actions, nullptr, argv.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (m_hasGpuTool) m_query = pipe[0];
    else ::close(pipe[0]);
}

void HostSampler::readGpuAnswer()
{
    if (m_query < 0) return;
    std::array<char, 4096> buffer;
    ssize_t got = 0;
    while ((got = ::read(m_query, buffer.data(), buffer.size())) > 0) m_answer.append(buffer.data(), static_cast<size_t>(got));
    if (got < 0) return; // still running
    ::close(m_query);
    m_query = -1;
    int status = 0;
    ::waitpid(m_queryPid, &status, 0);
    if (status == 0) m_gpus = gpuSamplesOf(m_answer);
    else m_hasGpuTool = false;
    m_answer.clear();
}

} // namespace lockstep::agent
