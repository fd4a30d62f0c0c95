// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace lockstep {

namespace {

// A signal handler may only call async-signal-safe functions. It writes to a pipe; a thread reads the pipe
// and requests the stop.
constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
constexpr char kSignalCame = 's';
constexpr char kLeave = 'l';
constexpr int kInterruptedStatus = 130;
std::array<int, 2> pipeEnds{-1, -1};
std::atomic<int> signalsSeen = 0;

void onSignal(int)
{
    const int savedErrno = errno;
    if (signalsSeen.fetch_add(1) > 0) ::_exit(kInterruptedStatus);
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[1], &kSignalCame, 1);
    errno = savedErrno;
}

} // namespace

Interrupt::Interrupt()
{
    signalsSeen = 0;
    if (::pipe2(pipeEnds.data(), O_CLOEXEC) != 0) return;
    m_wakeFile = ::eventfd(0, EFD_CLOEXEC);
    m_thread = std::thread([this] { watch(); });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    for (const int signal : kSignals)
        ::sigaction(signal, &action, nullptr);
}

Interrupt::~Interrupt()
{
    for (const int signal : kSignals)
        std::signal(signal, SIG_DFL);
    if (!m_thread.joinable()) return;
    while (::write(pipeEnds[1], &kLeave, 1) < 0 && errno == EINTR) {
    }
    m_thread.join();
    ::close(pipeEnds[0]);
    ::close(pipeEnds[1]);
    ::close(m_wakeFile);
}

void Interrupt::watch()
{
    char what = 0;
    for (;;) {
        const ssize_t count = ::read(pipeEnds[0], &what, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || what == kLeave) return;
        m_stop.request_stop();
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(m_wakeFile, &one, sizeof(one));
    }
}

} // namespace lockstep
