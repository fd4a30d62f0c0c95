// SPDX-License-Identifier: Apache-2.0
#include "app/window/hang_watch.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <execinfo.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "app/cli/crash_report.h"
#include "app/window/app_log.h"
#include "core/base/text.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

constexpr int kStackWait_s = 1;

// Stack of the UI thread, written by the signal handler.
std::array<void*, 96> s_frames;
std::atomic<int> s_frameCount = 0;
sem_t s_isCaptured;

int stackSignal()
{
    return SIGRTMIN + 5;
}

void takeStack(int)
{
    const int errnoBefore = errno;
    s_frameCount.store(::backtrace(s_frames.data(), static_cast<int>(s_frames.size())));
    ::sem_post(&s_isCaptured);
    errno = errnoBefore;
}

void prepareStack()
{
    static const bool isPrepared = [] {
        ::sem_init(&s_isCaptured, 0, 0);
        ::backtrace(s_frames.data(), 1); // called in advance, because the first call loads a library
        struct sigaction action = {};
        action.sa_handler = takeStack;
        action.sa_flags = SA_RESTART;
        return ::sigaction(stackSignal(), &action, nullptr) == 0;
    }();
    static_cast<void>(isPrepared);
}

// Returns the current stack of the thread, one frame per line, or a sentence if the thread does not respond.
std::string stackOf(pthread_t thread)
{
    while (::sem_trywait(&s_isCaptured) == 0) {
    } // discard late responses
    if (::pthread_kill(thread, stackSignal()) != 0) return "stack not available\n";
    timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kStackWait_s;
    if (::sem_timedwait(&s_isCaptured, &until) != 0) return "waiting in the kernel (disk or network)\n";
    const int count = s_frameCount.load();
    char** const names = ::backtrace_symbols(s_frames.data(), count);
    if (names == nullptr) return "stack not available\n";
    std::string lines;
    for (int i = 1; i < count; ++i) // the first frame is the signal handler
        lines += std::string(names[i]) + "\n";
    std::free(names);
    return lines;
}

} // namespace

BeatCount::Change BeatCount::tick(uint64_t beats)
{
    if (beats != m_lastBeats) {
        m_lastBeats = beats;
        const bool wasHung = m_missed >= m_maxTicks;
        // Keep the count until the next tick, so that missed() returns the duration.
        if (wasHung) return Change::continues;
        m_missed = 0;
        return Change::none;
    }
    return ++m_missed == m_maxTicks ? Change::hung : Change::none;
}

HangWatch::HangWatch(std::function<QString()> runningJobs, std::filesystem::path folder, Limit limit)
    : m_runningJobs(std::move(runningJobs)), m_folder(std::move(folder)), m_limit(limit),
      m_window(::pthread_self())
{
    prepareStack();
    connect(&m_timer, &QTimer::timeout, this, &HangWatch::beat);
    m_timer.start(m_limit.tick);
    m_thread = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

HangWatch::~HangWatch()
{
    m_thread.request_stop();
    m_thread.join();
    std::error_code ignored;
    if (!m_report.empty()) std::filesystem::remove(m_report, ignored);
}

void HangWatch::beat()
{
    std::string running = m_runningJobs().toStdString();
    const std::scoped_lock lock(m_mutex);
    m_running = std::move(running);
    ++m_beats;
}

void HangWatch::watch(const std::stop_token& stop)
{
    ::prctl(PR_SET_NAME, "hang watch");
    BeatCount count(m_limit.ticks);
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_neverNotified.wait_for(lock, stop, m_limit.tick, [] { return false; });
        }
        if (stop.stop_requested()) return;
        const BeatCount::Change change = count.tick(m_beats);
        if (change == BeatCount::Change::hung) reportHang();
        if (change == BeatCount::Change::continues) {
            reportRecovery(count.missed());
            count = BeatCount(m_limit.ticks);
        }
    }
}

void HangWatch::reportHang()
{
    std::string running;
    {
        const std::scoped_lock lock(m_mutex);
        running = m_running.empty() ? "none" : m_running;
    }
    const std::string stack = stackOf(m_window);
    qCWarning(appLog, "the window does not respond; running jobs: %s; stack:", running.c_str());
    for (size_t begin = 0; begin < stack.size(); begin = stack.find('\n', begin) + 1)
        qCWarning(appLog, "  %s", stack.substr(begin, stack.find('\n', begin) - begin).c_str());
    const int64_t now_ns = int64_t(::time(nullptr)) * 1'000'000'000;
    const std::string text = "Lockstep " LOCKSTEP_VERSION " was killed while its window did not respond, " +
                             utcDateText(now_ns) + " " + utcTimeText(now_ns).substr(0, 8) +
                             " UTC\nRunning jobs: " + running + "\n\nStack:\n" + stack +
                             "\nThe last lines of the log:\n" + programLog().text();
    const auto report = writeHangReport(m_folder, withoutSecrets(text, knownSecrets({})));
    if (report) {
        m_report = *report;
    } else {
        qCWarning(appLog, "cannot write the hang report: %s", report.error().message.c_str());
    }
}

void HangWatch::reportRecovery(int missed)
{
    qCWarning(appLog, "the window responds again after about %.1f s",
              static_cast<double>(missed) * std::chrono::duration<double>(m_limit.tick).count());
    std::error_code ignored;
    if (!m_report.empty()) std::filesystem::remove(m_report, ignored);
    m_report.clear();
}

} // namespace lockstep
