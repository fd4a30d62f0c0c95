// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/gpu_query.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

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

} // namespace lockstep::agent
