// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/format/spool_format.h"
#include "capture/inject/call_state.h"
#include "capture/inject/capture_log.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/early_exit.h"
#include "capture/inject/report_facts.h"
#include "capture/inject/spool_writer.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

enum class ProcessState : uint32_t { isNew, records, isOff };

// ProcessPage holds the state that shows whether this process is being recorded. It is in memory that is
// wiped on fork, so a new child sees zeros, regardless of how it was created, and detects that it is new.
struct ProcessPage {
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<ProcessState> state{ProcessState::isNew};
    std::atomic<uint32_t> isStarting{0};
};

std::atomic<ProcessPage*> g_page{nullptr};

void wipeInChild()
{
    new (g_page.load()) ProcessPage;
}

ProcessPage* createPage() noexcept
{
    static constinit ProcessPage spare;
    void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ProcessPage* const page = memory != MAP_FAILED ? new (memory) ProcessPage : &spare;
    ProcessPage* none = nullptr;
    if (!g_page.compare_exchange_strong(none, page)) {
        if (page != &spare) munmap(memory, 4096);
        return none;
    }
    const bool isWiped = page != &spare && madvise(memory, 4096, MADV_WIPEONFORK) == 0;
    if (!isWiped) pthread_atfork(nullptr, nullptr, wipeInChild); // Linux kernels before 4.14
    return page;
}

// Returns the page, which is created on first use. Never returns nullptr: a static page is used if the system
// is out of memory.
ProcessPage& processPage() noexcept
{
    ProcessPage* const page = g_page.load(std::memory_order_acquire);
    return page != nullptr ? *page : *createPage();
}

// The recorder that this process or its parent last created; a forked child finds it here.
std::atomic<Recorder*> g_last{nullptr};
// The lane of each thread. This is not a thread_local, because the first access to a thread_local allocates
// memory, which a signal handler must not do. In a forked child the value is still the lane of the parent,
// which is recognized by its owner.
pthread_key_t g_ownLane;
std::atomic<bool> g_hasOwnLane{false};

constexpr int64_t kLaneWait_ns = 20'000'000;
constexpr int64_t kLaneRetry_ns = 100'000'000;
constexpr std::string_view kOwnDomain = "lockstep";

void endThread(void* value)
{
    auto* const lane = static_cast<ThreadLane*>(value);
    const Recorder* const recorder = Recorder::current();
    // In a child, the lane may be that of the parent.
    if (recorder == nullptr || lane->owner.load() != recorder) return;
    lane->end_ns.store(now_ns(), std::memory_order_relaxed);
    lane->state.store(LaneState::ended, std::memory_order_release);
}

} // namespace

Recorder* Recorder::current() noexcept
{
    return processPage().recorder.load(std::memory_order_acquire);
}

Recorder* Recorder::start() noexcept
{
    ProcessPage& page = processPage();
    if (page.state.load(std::memory_order_acquire) == ProcessState::isNew) return startSlow();
    return page.recorder.load(std::memory_order_acquire);
}

Recorder* Recorder::startSlow() noexcept
{
    const ErrnoGuard errnoGuard;
    const CancellationOff uncancelled;
    // A signal handler that runs here would wait for the thread that it interrupted.
    const SignalsBlocked blocked;
    ProcessPage& page = processPage();
    while (page.isStarting.exchange(1) != 0)
        sched_yield();
    if (page.state.load() == ProcessState::isNew) {
        Recorder* recorder = nullptr;
        try {
            recorder = create(g_last.load() != nullptr);
        } catch (...) {
            recorder = nullptr; // out of memory: the program continues without being recorded
        }
        page.recorder.store(recorder, std::memory_order_release);
        page.state.store(recorder != nullptr ? ProcessState::records : ProcessState::isOff);
    }
    page.isStarting.store(0);
    watchEarlyExits();
    return page.recorder.load();
}

Recorder* Recorder::create(bool isChild)
{
    if (isChild) g_last.load()->abandonInChild();
    auto* const recorder = new Recorder(isChild);
    const CaptureSettings& settings = recorder->m_settings;
    rememberStandardError();
    if (settings.isEnabled && !settings.problems.empty())
        logOrPrint(settings.log, "settings", settings.problems);
    if (!isChild && settings.isEnabled && settings.savesOnEarlyExit) beginEarlyExitWatch();
    g_last.store(recorder);
    if (isChild && !settings.recordsChildren) return nullptr;
    if (!CaptureGate::isRankChosen(settings.gate, settings.isEnabled, settings.rank)) {
        // A forked child has the same rank as its parent, which has already reported this.
        if (settings.isEnabled && !isChild) recorder->logNotSelected();
        return nullptr;
    }
    if (!g_hasOwnLane.load()) {
        if (const int error = pthread_key_create(&g_ownLane, endThread); error != 0) {
            logEvent(settings.log, "no_key",
                     "no thread-specific key is free; nothing is recorded: " + errorText(error));
            return nullptr;
        }
        g_hasOwnLane.store(true);
    }
    if (getrandom(recorder->m_session, sizeof recorder->m_session, GRND_NONBLOCK) < 0) {
        const ClockReading now = readClocks(1);
        std::memcpy(recorder->m_session, &now, sizeof recorder->m_session);
    }
    recorder->m_watchesNames = recorder->m_gate.watchesNames();
    recorder->measureCost();
    recorder->apply(recorder->m_gate.started(), now_ns());
    if (!recorder->startWriter()) {
        logOrPrint(settings.log, "no_thread", "no report: cannot start the writer thread");
        return nullptr;
    }
    return recorder;
}

bool Recorder::startWriter() noexcept
{
    m_writer = new (std::nothrow) SpoolWriter(*this);
    if (m_writer == nullptr) return false;
    sigset_t all, before; // signals of the program must not be handled on the writer thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 512 * 1024);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, SpoolWriter::main, m_writer);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error == 0;
}

void Recorder::abandonInChild() noexcept
{
    if (m_writer != nullptr) m_writer->abandon();
}

// Measures the cost of a push and a pop as the hooks record them: the median of several rounds in a lane that
// is never read.
void Recorder::measureCost() noexcept
{
    constexpr int kRounds = 9, kPairs = 200;
    ThreadLane* const lane = ThreadLane::map(1 << 20);
    if (lane == nullptr) return;
    lane->begin(this, 0);
    double rounds[kRounds];
    for (double& round : rounds) {
        const int64_t begin = now_ns();
        for (int i = 0; i < kPairs; ++i) {
            lane->record({LOCKSTEP_KIND_PUSH, 0, now_ns(), {"measured at start", nullptr}, nullptr, nullptr});
            lane->record({LOCKSTEP_KIND_POP, 0, now_ns(), {}, nullptr, nullptr});
        }
        round = double(now_ns() - begin) / kPairs;
    }
    std::sort(rounds, rounds + kRounds);
    m_pairCost_ns = rounds[kRounds / 2];
    ThreadLane::unmap(lane);
}

ThreadLane* Recorder::lane() noexcept
{
    Recorder* const recorder = start();
    if (recorder == nullptr) return nullptr;
    ThreadLane* const lane = recorder->knownLane();
    return lane != nullptr ? lane : recorder->newLane();
}

// Returns the lane that the calling thread already has.
ThreadLane* Recorder::knownLane() const noexcept
{
    auto* const lane = static_cast<ThreadLane*>(pthread_getspecific(g_ownLane));
    const bool isOurs = lane != nullptr && lane->owner.load(std::memory_order_relaxed) == this &&
                        !lane->isGivenUp.load(std::memory_order_relaxed);
    return isOurs ? lane : nullptr;
}

// If there is no room, the record of the call is lost and counted, and threads try again after some time.
ThreadLane* Recorder::newLane() noexcept
{
    if (m_queue.isEnding()) return nullptr;
    const ErrnoGuard errnoGuard;
    const int64_t now = now_ns();
    ThreadLane* lane = nullptr;
    if (now >= m_laneRetry_ns.load(std::memory_order_relaxed)) {
        const SignalsBlocked
            blocked; // otherwise a signal handler could take a second lane for this thread in the meantime
        lane = knownLane();
        if (lane != nullptr) return lane;
        const int64_t tid = syscall(SYS_gettid);
        lane = m_lanes.take(this, tid);
        if (lane == nullptr && isRecording() && m_lanes.hasEnded()) {
            flush(kLaneWait_ns); // lanes of ended threads become free
            lane = m_lanes.take(this, tid);
        }
        if (lane != nullptr)
            pthread_setspecific(g_ownLane, lane);
        else
            m_laneRetry_ns.store(now + kLaneRetry_ns, std::memory_order_relaxed);
    }
    if (lane == nullptr && isRecording()) m_lanes.noRing.add(now);
    return lane;
}

uint8_t* Recorder::waitForRoom(ThreadLane& lane, uint32_t bytes) noexcept
{
    m_queue.wake();
    if (!m_settings.blocksWhenFull || m_queue.isEnding()) return nullptr;
    const ErrnoGuard errnoGuard;
    const int64_t until_ns = now_ns() + m_settings.longestBlock_ns;
    while (now_ns() < until_ns && !m_queue.isEnding()) {
        const uint32_t seen = m_queue.drains();
        if (uint8_t* const room = lane.ring.reserve(bytes)) return room;
        m_queue.wake();
        m_queue.waitForDrain(seen, 2'000'000);
    }
    return lane.ring.reserve(bytes);
}

void Recorder::flush(int64_t limit_ns) noexcept
{
    const ErrnoGuard errnoGuard;
    if (m_writer != nullptr && m_writer->isCalling()) return m_writer->flushHere();
    m_queue.waitForRound(limit_ns);
}

// The caller must hold m_gateMutex, or no other thread may know the recorder yet.
void Recorder::apply(GateDecision decision, int64_t time_ns)
{
    if (m_isSkipping && (decision.closes || decision.opens)) m_isSkipping = decision.closes = false;
    if (decision.opens) m_isSkipping = m_queue.isFull();
    if (m_isSkipping && decision.opens) {
        m_queue.countLostReport();
        decision.opens.reset();
    }
    if (!decision.closes && !decision.opens) return;
    if (decision.closes) {
        if (!decision.opens) m_isRecording.store(false);
        cudaActivity().drain(!decision.opens);
    }
    WriterCommand command{time_ns, cudaActivity().endEpoch(), decision};
    // Stored immediately, so that later calls of the program do not depend on when the writer reads the
    // command.
    if (command.decision.opens) command.decision.opens->processRole = ReportFacts::processRole(m_settings);
    m_queue.push(std::move(command));
    if (decision.opens) {
        cudaActivity().record();
        m_isRecording.store(true);
    }
    m_queue.wake();
}

bool Recorder::rangeBegan(std::string_view name, const Domain* domain, uint32_t category,
                          const RangeTrigger& by) noexcept
{
    const ErrnoGuard errnoGuard;
    try {
        const std::string_view domainName = domain != nullptr ? domain->view() : std::string_view();
        const bool isStage = m_settings.gate.isDiscrete && domainName == kOwnDomain;
        const std::optional<int64_t> step = CaptureGate::stepOfName(name);
        const bool isRange =
            m_settings.gate.range == RangeKind::nvtx && m_gate.isCaptureRange(name, domainName);
        if (!isStage && !step && !isRange) return false;
        const std::lock_guard lock(m_gateMutex);
        if (isRange && !m_rangeBy) {
            m_rangeBy = by;
            apply(m_gate.rangeBegan(name), now_ns());
        } else if (step && !m_stepBy) {
            m_stepBy = by;
            apply(m_gate.stepBegan(*step), now_ns());
        } else if (isStage && !m_stageBy) {
            m_stageBy = by;
            std::string_view role;
            for (auto* named = nameRegistry().categories.newest(); named != nullptr; named = named->next) {
                if (named->number == category && named->owner == domain->number) role = named->view();
            }
            apply(m_gate.stageBegan(role, name), now_ns());
        } else {
            return false;
        }
        return true;
    } catch (...) {
        return false;
    }
}

bool Recorder::rangeEnded(const RangeTrigger& by) noexcept
{
    const ErrnoGuard errnoGuard;
    try {
        const std::lock_guard lock(m_gateMutex);
        if (m_stageBy == by) {
            m_stageBy.reset();
            apply(m_gate.stageEnded(), now_ns());
        } else if (m_stepBy == by) {
            m_stepBy.reset();
            apply(m_gate.stepEnded(), now_ns());
        } else if (m_rangeBy == by) {
            m_rangeBy.reset();
            apply(m_gate.rangeEnded(), now_ns());
        } else {
            return false;
        }
        return true;
    } catch (...) {
        m_isRecording.store(false);
        return true;
    }
}

void Recorder::profilerStarted() noexcept
{
    if (m_settings.gate.range != RangeKind::profilerApi) return;
    const ErrnoGuard errnoGuard;
    const SignalsBlocked blocked;
    try {
        const std::lock_guard lock(m_gateMutex);
        apply(m_gate.rangeBegan(""), now_ns());
    } catch (...) {
        return;
    }
}

void Recorder::profilerStopped() noexcept
{
    if (m_settings.gate.range != RangeKind::profilerApi) return;
    const ErrnoGuard errnoGuard;
    const SignalsBlocked blocked;
    try {
        const std::lock_guard lock(m_gateMutex);
        apply(m_gate.rangeEnded(), now_ns());
    } catch (...) {
        m_isRecording.store(false);
    }
}

void Recorder::finish() noexcept
{
    const ErrnoGuard errnoGuard;
    const CancellationOff uncancelled;
    cudaActivity().drain(true);
    m_queue.requestEnd();
    if (m_writer->isCalling()) {
        m_writer->endHere();
        return m_isRecording.store(false);
    }
    const int64_t until_ns = now_ns() + 10'000'000'000;
    while (!m_writer->isDone() && now_ns() < until_ns) {
        const uint32_t seen = m_queue.drains();
        m_queue.wake();
        if (!m_writer->isDone()) m_queue.waitForDrain(seen, 20'000'000);
    }
    m_isRecording.store(false);
    logNoReport();
}

void Recorder::logNotSelected()
{
    if (!m_settings.rank) {
        logOrPrint(
            m_settings.log, "rank_unknown",
            "no report: LOCKSTEP_RANKS selects ranks, but the rank of this process is unknown; set RANK");
        return;
    }
    logOrPrint(m_settings.log, "not_chosen",
               "no report: rank " + std::to_string(*m_settings.rank) + " is not one of the recorded ranks");
}

// Logs the reason in one line, once, if the process leaves no report.
void Recorder::logNoReport() noexcept
{
    try {
        if (!m_writer->isDone() || m_writer->reports() > 0 || m_hasLoggedNoReport.exchange(true)) return;
        const std::unique_lock lock(
            m_gateMutex,
            std::try_to_lock); // may run in a signal handler that interrupted the owner of the lock
        logOrPrint(m_settings.log, "no_report",
                   "no report: " + (lock.owns_lock() ? m_gate.noReportReason() : "no capture range began"));
    } catch (...) {
        return; // out of memory
    }
}

} // namespace lockstep::capture
