// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/host_sampler.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMiB = 1024 * 1024;
constexpr auto kStale = 5s;
constexpr auto kRestart = 30s;
constexpr size_t kMaxText = 64 * 1024;

} // namespace

std::optional<GpuSample> gpuSampleOf(std::string_view line)
{
    std::array<std::string_view, 4> fields;
    for (std::string_view& field : fields) {
        const size_t comma = std::min(line.find(','), line.size());
        field = trimmed(line.substr(0, comma));
        line.remove_prefix(std::min(comma + 1, line.size()));
    }
    const auto index = parseInt(fields[0]), used = parseInt(fields[2]), total = parseInt(fields[3]);
    if (!index || !used || !total || *used < 0 || *total < 0) return std::nullopt;
    return GpuSample{*index, parseDouble(fields[1]), static_cast<uint64_t>(*used) * kMiB,
                     static_cast<uint64_t>(*total) * kMiB};
}

GpuQuery::~GpuQuery()
{
    end();
}

std::vector<GpuSample> GpuQuery::latest()
{
    const auto now = Clock::now();
    if (m_pipe < 0 && now >= m_nextStart) start();
    if (m_pipe >= 0) read();
    if (now - m_lastLine > kStale) m_gpus.clear();
    std::vector<GpuSample> gpus;
    for (const auto& [index, gpu] : m_gpus)
        gpus.push_back(gpu);
    return gpus;
}

void GpuQuery::start()
{
    m_nextStart = Clock::now() + kRestart;
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return;
    ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
    // nvidia-smi must be killed by SIGPIPE when this process is killed.
    auto started = ChildProcess::start(
        {.argv = {"nvidia-smi", "--query-gpu=index,utilization.gpu,memory.used,memory.total",
                  "--format=csv,noheader,nounits", "--loop=1"},
         .output = pipe[1],
         .defaultSignals = {SIGPIPE}});
    ::close(pipe[1]);
    if (started) {
        m_child = *std::move(started);
        m_pipe = pipe[0];
    } else {
        ::close(pipe[0]);
    }
}

void GpuQuery::read()
{
    std::array<char, 4096> buffer;
    ssize_t got = 0;
    while ((got = ::read(m_pipe, buffer.data(), buffer.size())) > 0)
        m_text.append(buffer.data(), static_cast<size_t>(got));
    const bool hasEnded = got == 0 || (errno != EAGAIN && errno != EINTR) || m_text.size() > kMaxText;
    for (size_t end = m_text.find('\n'); end != std::string::npos; end = m_text.find('\n')) {
        if (const auto gpu = gpuSampleOf(std::string_view(m_text).substr(0, end))) {
            m_gpus[gpu->index] = *gpu;
            m_lastLine = Clock::now();
        }
        m_text.erase(0, end + 1);
    }
    if (hasEnded) end();
}

// Does not wait for nvidia-smi, because an nvidia-smi that hangs in the driver cannot even be killed. It is
// reaped when this process ends.
void GpuQuery::end()
{
    if (m_pipe < 0) return;
    ::close(m_pipe);
    m_pipe = -1;
    m_text.clear();
    m_child.signal(SIGKILL);
    if (!m_child.poll()) m_child.release();
}

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
