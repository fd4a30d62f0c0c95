// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/recorder.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "capture/format/spool_format.h"
#include "capture/inject/capture_log.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/early_exit.h"
#include "capture/inject/futex.h"
#include "capture/inject/process_page.h"
#include "capture/inject/report_facts.h"
#include "capture/inject/spool_writer.h"
#include "capture/inject/stamp.h"

namespace lockstep::capture {

namespace {

// What a thread remembers. In a child the recorder is another, so that it is seen to be stale.
struct OwnLane {
    ThreadLane* lane;
    Recorder* owner;
};
thread_local constinit OwnLane t_own{nullptr, nullptr};

// The recorder that this process or a parent of it made last: what a child finds open.
std::atomic<Recorder*> g_last{nullptr};
pthread_key_t g_threadEnd;
std::atomic<bool> g_hasThreadEnd{false};

constexpr int64_t kLaneWait_ns = 20'000'000;
constexpr std::string_view kOwnDomain = "lockstep";

void endThread(void* value)
{
    auto* const lane = static_cast<ThreadLane*>(value);
    if (t_own.lane != lane) return; // a lane of the parent, in its child
    t_own = {};
    lane->state.store(LaneState::ended, std::memory_order_release);
}

class KeptErrno {
  public:
    KeptErrno() : m_errno(errno) {}
    ~KeptErrno() { errno = m_errno; }

  private:
    int m_errno;
};

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
    const KeptErrno kept;
    ProcessPage& page = processPage();
    while (page.isStarting.exchange(1) != 0)
        sched_yield();
    if (page.state.load() == ProcessState::isNew) {
        Recorder* recorder = nullptr;
        try {
            recorder = made(g_last.load() != nullptr);
        } catch (...) {
            recorder = nullptr; // no memory: the program goes on unrecorded
        }
        page.recorder.store(recorder, std::memory_order_release);
        page.state.store(recorder != nullptr ? ProcessState::records : ProcessState::isOff);
    }
    page.isStarting.store(0);
    watchEarlyExits();
    return page.recorder.load();
}

Recorder* Recorder::made(bool isChild)
{
    if (isChild) g_last.load()->abandonInChild();
    auto* const recorder = new Recorder(isChild);
    const CaptureSettings& settings = recorder->m_settings;
    if (!settings.problems.empty()) {
        makeFolders(settings.output); // for the log, which may stand there
        logEvent(settings.log, "settings", settings.problems);
    }
    g_last.store(recorder);
    if (isChild && !settings.recordsChildren) return nullptr;
    if (!CaptureGate::isRankChosen(settings.gate, settings.isEnabled, settings.rank)) {
        if (settings.isEnabled && !settings.rank)
            logEvent(settings.log, "rank_unknown",
                     "ranks are chosen, and this process does not know its own: set RANK");
        return nullptr;
    }
    if (!g_hasThreadEnd.exchange(true)) pthread_key_create(&g_threadEnd, endThread);
    if (getrandom(recorder->m_session, sizeof recorder->m_session, GRND_NONBLOCK) < 0) {
        const ClockStamps now = readClocks(1);
        std::memcpy(recorder->m_session, &now, sizeof recorder->m_session);
    }
    recorder->m_watchesNames = recorder->m_gate.watchesNames();
    recorder->measureCost();
    recorder->apply(recorder->m_gate.started(), now_ns());
    if (!recorder->startWriter()) {
        logEvent(settings.log, "no_thread", "no thread could be started for writing; nothing is recorded");
        return nullptr;
    }
    return recorder;
}

bool Recorder::startWriter() noexcept
{
    m_writer = new (std::nothrow) SpoolWriter(*this);
    if (m_writer == nullptr) return false;
    sigset_t all, before;
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

// A push and a pop as hooks record them, the median of some rounds in a lane that nobody reads.
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
    if (t_own.owner == recorder) return t_own.lane;
    const KeptErrno kept;
    if (recorder->isEnding()) return nullptr;
    const int64_t tid = syscall(SYS_gettid);
    ThreadLane* lane = recorder->m_lanes.take(recorder, tid);
    if (lane == nullptr && recorder->isRecording()) {
        recorder->flush(kLaneWait_ns); // lanes of threads that ended come free
        lane = recorder->m_lanes.take(recorder, tid);
    }
    if (lane == nullptr) {
        if (recorder->isRecording()) recorder->m_lanes.noRing.add(now_ns());
        return nullptr;
    }
    t_own = {lane, recorder};
    pthread_setspecific(g_threadEnd, lane);
    return lane;
}

uint8_t* Recorder::waitForRoom(ThreadLane& lane, uint32_t bytes) noexcept
{
    wakeWriter();
    if (!m_settings.blocksWhenFull || isEnding()) return nullptr;
    const KeptErrno kept;
    const int64_t until_ns = now_ns() + m_settings.longestBlock_ns;
    while (now_ns() < until_ns && !isEnding()) {
        const uint32_t seen = m_drains.load();
        if (uint8_t* const room = lane.ring.reserve(bytes)) return room;
        wakeWriter();
        futexWait(m_drains, seen, 2'000'000);
    }
    return lane.ring.reserve(bytes);
}

void Recorder::wakeWriter() noexcept
{
    const KeptErrno kept;
    m_wakes.fetch_add(1);
    futexWakeAll(m_wakes);
}

void Recorder::sleep(int64_t most_ns) noexcept
{
    const uint32_t seen = m_wakes.load();
    if (isEnding() || m_roundWanted.load() != m_roundDone.load()) return;
    futexWait(m_wakes, seen, most_ns);
}

void Recorder::tellDrained(uint64_t round) noexcept
{
    m_roundDone.store(round);
    m_drains.fetch_add(1);
    futexWakeAll(m_drains);
}

void Recorder::flush(int64_t limit_ns) noexcept
{
    const KeptErrno kept;
    const uint64_t round = m_roundWanted.fetch_add(1) + 1;
    const int64_t until_ns = now_ns() + limit_ns;
    while (m_roundDone.load() < round && now_ns() < until_ns) {
        const uint32_t seen = m_drains.load();
        wakeWriter();
        if (m_roundDone.load() < round) futexWait(m_drains, seen, 10'000'000);
    }
}

bool Recorder::nextCommand(WriterCommand& command, bool takes)
{
    const std::lock_guard lock(m_commandMutex);
    if (m_commands.empty()) return false;
    command = m_commands.front();
    if (takes) m_commands.erase(m_commands.begin());
    return true;
}

// Under m_gateMutex, or before anybody else knows the recorder.
void Recorder::apply(const GateDecision& decision, int64_t time_ns)
{
    if (!decision.closes && !decision.opens) return;
    if (decision.closes) {
        if (!decision.opens) m_isRecording.store(false);
        cudaActivity().drain(!decision.opens);
    }
    {
        WriterCommand command{time_ns, cudaActivity().endEpoch(), decision};
        // Now: what the program says later must not depend on when the writer comes to it.
        if (command.decision.opens)
            command.decision.opens->processRole = ReportFacts::processRole(m_settings);
        const std::lock_guard lock(m_commandMutex);
        m_commands.push_back(std::move(command));
    }
    if (decision.opens) {
        cudaActivity().record();
        m_isRecording.store(true);
    }
    wakeWriter();
}

bool Recorder::rangeBegan(std::string_view name, const Domain* domain, uint32_t category,
                          const RangeTrigger& by) noexcept
{
    const KeptErrno kept;
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
            for (auto* named = namedThings().categories.newest(); named != nullptr; named = named->next) {
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
    const KeptErrno kept;
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
    const KeptErrno kept;
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
    const KeptErrno kept;
    try {
        const std::lock_guard lock(m_gateMutex);
        apply(m_gate.rangeEnded(), now_ns());
    } catch (...) {
        m_isRecording.store(false);
    }
}

void Recorder::finish() noexcept
{
    const KeptErrno kept;
    cudaActivity().drain(true);
    m_isEnding.store(true);
    const int64_t until_ns = now_ns() + 10'000'000'000;
    while (!m_writer->isDone() && now_ns() < until_ns) {
        const uint32_t seen = m_drains.load();
        wakeWriter();
        if (!m_writer->isDone()) futexWait(m_drains, seen, 20'000'000);
    }
    m_isRecording.store(false);
}

} // namespace lockstep::capture
