// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/spool_writer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "capture/inject/capture_log.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/descriptors.h"
#include "capture/inject/nvtx_record.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

constexpr int64_t kClockPeriod_ns = 1'000'000'000;
constexpr int64_t kShortestSleep_ns = 5'000'000;
constexpr int64_t kLongestSleep_ns = 50'000'000;
constexpr int64_t kMinBlockAge_ns = 20'000'000;
// A record may be published up to this long after its timestamp was taken.
constexpr int64_t kGrace_ns = 2'000'000;

std::string threadName(int64_t tid)
{
    std::string name = readFile(("/proc/self/task/" + std::to_string(tid) + "/comm").c_str(), 64);
    while (name.ends_with('\n'))
        name.pop_back();
    return name;
}

// Returns true if all other threads of the process have ended. If the main thread has ended, it remains as a
// zombie without an executable until the process ends. Usually one readlink() call is therefore the only
// cost.
bool isLastThread()
{
    char target = 0;
    if (readlink("/proc/self/exe", &target, 1) >= 0 || errno != ENOENT) return false;
    const std::string status = readFile("/proc/self/stat", 1024);
    const size_t name = status.rfind(')');
    if (name == std::string::npos || status.compare(name, 4, ") Z ") != 0) return false;
    size_t at = name + 2; // the state; there are 16 numbers between the state and the thread count
    for (int field = 0; field < 17 && at != std::string::npos; ++field)
        at = status.find(' ', at + 1);
    constexpr std::string_view kMainAndWriter = " 2 ";
    return at != std::string::npos && status.compare(at, kMainAndWriter.size(), kMainAndWriter) == 0;
}

} // namespace

void* SpoolWriter::main(void* writer)
{
    auto& self = *static_cast<SpoolWriter*>(writer);
    self.m_tid.store(syscall(SYS_gettid));
    bool isLastThread = false;
    self.guarded([&] { isLastThread = self.run(); });
    if (isLastThread)
        std::exit(0); // exit() handlers may still record; finish() of the recorder calls endHere()
    self.endHere();
    return nullptr;
}

bool SpoolWriter::isCalling() const noexcept
{
    return m_tid.load() == syscall(SYS_gettid);
}

template<class Work>
void SpoolWriter::guarded(const Work& work) noexcept
{
    if (m_isOutOfMemory) return;
    try {
        work();
    } catch (...) {
        m_isOutOfMemory = true;
        m_recorder.stopRecording();
        logEvent(m_recorder.settings().log, "no_memory", "out of memory in the writer; recording stopped");
    }
}

void SpoolWriter::flushHere() noexcept
{
    guarded([&] {
        round();
        if (m_isOpen) flushBlock();
    });
}

void SpoolWriter::endHere() noexcept
{
    if (isDone()) return;
    guarded([&] {
        round();
        if (m_isOpen) closeReport();
        reportLostReports();
    });
    m_recorder.stopRecording();
    m_isDone.store(true, std::memory_order_release);
    m_queue.notifyDrained(~uint64_t(0));
}

// Runs until the process ends. Returns true if this is the last thread of the process.
bool SpoolWriter::run()
{
    int64_t sleep_ns = kShortestSleep_ns;
    while (true) {
        const bool isEnding = m_queue.isEnding();
        const uint64_t requested = m_queue.requestedRound();
        const uint32_t before = m_block.records();
        const uint64_t recordsBefore = m_facts.counts.records;
        round();
        const bool isBusy = m_block.records() != before || m_facts.counts.records != recordsBefore;
        if (requested != m_roundAnswered && m_isOpen) flushBlock();
        m_roundAnswered = requested;
        m_queue.notifyDrained(requested);
        if (isEnding) return false;
        sleep_ns = isBusy ? kShortestSleep_ns : std::min(sleep_ns * 2, kLongestSleep_ns);
        if (sleep_ns == kLongestSleep_ns && isLastThread()) return true;
        m_queue.sleep(std::min(sleep_ns, std::max(nextBlock_ns() - now_ns(), int64_t(1'000'000))));
    }
}

// Logs the total, because there is no open report left that could contain it.
void SpoolWriter::reportLostReports()
{
    const uint64_t lost = m_queue.lostReports();
    // That single report was already logged with its error.
    if (lost == 0 || (lost == 1 && m_notCreated == 1)) return;
    const std::string text = std::to_string(lost) + " of " + std::to_string(lost + m_written) +
                             " capture ranges have no report: " +
                             (lost == m_notCreated ? "their files could not be created"
                                                   : "they began faster than reports could be written");
    if (lost == m_notCreated) // the first of these reports was already logged
        logEvent(m_recorder.settings().log, "reports_lost", text);
    else
        logOrPrint(m_recorder.settings().log, "reports_lost", text);
}

// Reads everything: for each command the records before it, then the remaining records.
void SpoolWriter::round()
{
    WriterCommand command;
    while (m_queue.next(command, false)) {
        if (command.decision.closes) {
            while (now_ns() < command.time_ns + kGrace_ns)
                m_queue.sleep(kGrace_ns);
        }
        drain(command.time_ns, command.cudaEpoch);
        m_queue.next(command, true);
        execute(command);
    }
    drain(m_queue.roundEnd_ns(), UINT64_MAX);
    if (!m_isOpen) return;
    cudaActivity().poll();
    const int64_t now = now_ns();
    if (now >= m_nextClock_ns) writeClocks();
    if (cudaActivity().stateChanges() != m_cudaSeen || hasNewRoles()) writeMeta();
    if (now >= nextBlock_ns()) flushBlock();
}

// Returns when the current block must be written, or INT64_MAX while the block contains nothing new. A young
// report is written more often, so that a pool worker that is killed after 100 ms does not lose everything.
int64_t SpoolWriter::nextBlock_ns() const
{
    if (!m_isOpen || m_block.records() <= m_repeated) return INT64_MAX;
    const int64_t quarter_ns = (m_blockSince_ns - m_opened_ns) / 4;
    const int64_t age_ns = std::max(kMinBlockAge_ns, quarter_ns);
    return m_blockSince_ns + std::min(age_ns, m_recorder.settings().blockAge_ns);
}

void SpoolWriter::execute(const WriterCommand& command)
{
    if (command.decision.closes && m_isOpen) closeReport();
    if (!command.decision.opens) return;
    if (m_queue.isLate()) // the process should not have to wait for this report
        m_queue.countLostReport();
    else
        openReport(*command.decision.opens);
}

void SpoolWriter::drain(int64_t limit_ns, uint64_t cudaEpoch)
{
    if (m_isOpen) writeNames();
    bool hasMore = true;
    while (hasMore) {
        hasMore = false;
        const uint32_t lanes = m_recorder.lanes().count();
        if (m_lanes.size() < lanes) m_lanes.resize(lanes);
        for (uint32_t i = 0; i < lanes; ++i) {
            if (ThreadLane* const lane = m_recorder.lanes().at(i)) hasMore |= drainLane(i, *lane, limit_ns);
        }
        while (m_isOpen && cudaActivity().encode(m_block, m_recorder.settings().block_bytes, cudaEpoch))
            flushBlock();
    }
    writeNoRing();
    reportCounts(LOCKSTEP_LOST_TEXTS, nameRegistry().refused.load(), m_refusedSeen);
    reportCounts(LOCKSTEP_LOST_CUT_TEXTS, callLosses().cutTexts.load(), m_cutSeen);
    reportCounts(LOCKSTEP_LOST_PAYLOADS, callLosses().payloads.load(), m_payloadsSeen);
    reportCounts(LOCKSTEP_LOST_REPORTS, m_queue.lostReports(), m_lostReportsSeen);
}

// Reports counts of the whole process. While no report is open, the counts are kept for the next report.
void SpoolWriter::reportCounts(LockstepSpoolLoss what, uint64_t total, uint64_t& seen)
{
    if (!m_isOpen || total == seen) return;
    const int64_t now = now_ns();
    writeLost(what, total - std::exchange(seen, total), now, now);
}

// Reads a limited part of a lane, so that no lane starves the others. Returns true if the lane contains more.
bool SpoolWriter::drainLane(uint32_t index, ThreadLane& lane, int64_t limit_ns)
{
    constexpr int kMaxRecords = 20'000;
    LaneReading& reading = m_lanes[index];
    const bool isEnded = lane.state.load(std::memory_order_acquire) == LaneState::ended;
    if (reading.generation != lane.generation.load(std::memory_order_acquire)) {
        reading.generation = lane.generation.load(std::memory_order_acquire);
        reading.namedIn = reading.recordedIn = 0;
    }
    // The total is read before the ring is found to be empty, so all records from before these losses have
    // been drained.
    const uint64_t lost = lane.losses.total.load(std::memory_order_acquire);
    int recordCount = 0;
    const RingRecord* record = nullptr;
    while (recordCount < kMaxRecords && (record = lane.ring.peek()) != nullptr &&
           record->time_ns <= limit_ns) {
        encode(*record, lane, reading);
        lane.ring.pop(record);
        ++recordCount;
        if (m_block.size_bytes() >= m_recorder.settings().block_bytes) {
            lane.ring.release();
            flushBlock();
        }
    }
    lane.ring.release();
    const int64_t tid = lane.tid.load(std::memory_order_relaxed);
    if (lane.lostInHandlers.total.load() != reading.lostInHandlers) m_block.setThread(tid);
    reportCounts(LOCKSTEP_LOST_IN_HANDLER, lane.lostInHandlers.total.load(), reading.lostInHandlers);
    if (lane.ring.isDamaged()) {
        giveUp(lane);
        return false;
    }
    if (record == nullptr)
        writeLaneLoss(lane, reading, lost, lane.losses.first_ns.load(), lane.losses.last_ns.load());
    if (isEnded && record == nullptr) {
        endThread(lane, reading, limit_ns);
        lane.state.store(LaneState::free, std::memory_order_release);
        return false;
    }
    return record != nullptr && recordCount == kMaxRecords;
}

// Gives up a corrupt lane. Its thread continues with another lane, and the remaining content is not trusted.
void SpoolWriter::giveUp(ThreadLane& lane)
{
    if (lane.isGivenUp.exchange(true)) return;
    const int64_t tid = lane.tid.load();
    const int64_t now = now_ns();
    m_block.setThread(tid);
    writeLost(LOCKSTEP_LOST_RING_DAMAGED, 1, now, now);
    logEvent(m_recorder.settings().log, "ring_damaged",
             "the program overwrote the recording buffer of thread " + std::to_string(tid) +
                 "; some of its records are lost");
}

// Writes LOST at the position in the thread's sequence where records are missing.
void SpoolWriter::writeLaneLoss(ThreadLane& lane, LaneReading& reading, uint64_t total, int64_t first_ns,
                                int64_t last_ns)
{
    if (total <= reading.lost) return;
    const uint64_t count = total - std::exchange(reading.lost, total);
    if (!m_isOpen) return;
    m_block.setThread(lane.tid.load(std::memory_order_relaxed));
    writeLost(LOCKSTEP_LOST_RING_FULL, count, first_ns != 0 ? first_ns : last_ns, last_ns);
}

// Ends a thread. From now on its ID may belong to another thread, and its open ranges are over.
void SpoolWriter::endThread(ThreadLane& lane, LaneReading& reading, int64_t limit_ns)
{
    const int64_t end_ns = lane.end_ns.load(std::memory_order_relaxed);
    if (!m_isOpen || reading.recordedIn != m_reports || end_ns > limit_ns) return;
    m_block.setThread(lane.tid.load(std::memory_order_relaxed));
    m_block.begin(LOCKSTEP_KIND_THREAD_END).timestamp(end_ns);
}

// Writes the name of a thread once per report, and again if a block with the name was not written.
void SpoolWriter::writeThreadName(int64_t tid, LaneReading& reading)
{
    if (std::exchange(reading.namedIn, m_naming) == m_naming) return;
    if (nameRegistry().threads.findNumber(static_cast<uint64_t>(tid)) != nullptr) return;
    const std::string name = threadName(tid);
    if (name.empty()) return;
    m_block.begin(LOCKSTEP_KIND_THREAD_NAME).number(static_cast<uint64_t>(tid)).number(m_block.text(name));
}

void SpoolWriter::encodeExtension(const RingExtension& extension)
{
    m_block.number(extension.category).number(extension.color);
    m_block.number(static_cast<uint32_t>(extension.payloadType)).number(extension.payload);
}

void SpoolWriter::encode(const RingRecord& record, ThreadLane& lane, LaneReading& reading)
{
    const auto* at = reinterpret_cast<const uint8_t*>(&record) + sizeof record;
    const uint32_t known = m_block.texts();
    const uint32_t text = m_texts.numberOf(record, at, reading.texts, m_isOpen);
    const bool isRange = record.kind == LOCKSTEP_KIND_PUSH || record.kind == LOCKSTEP_KIND_START;
    if (isRange && text > known) m_block.noteNewRangeName();
    RingExtension extension = {};
    if ((record.flags & ringFlag::kExtended) != 0) {
        std::memcpy(&extension, at, sizeof extension);
        at += sizeof extension;
    }
    uint64_t number = 0;
    if ((record.flags & ringFlag::kNumber) != 0) std::memcpy(&number, at, 8);
    if (record.kind == LOCKSTEP_KIND_LOST)
        return writeLaneLoss(lane, reading, extension.payload, record.time_ns,
                             static_cast<int64_t>(extension.color));
    if (!m_isOpen) return;
    const int64_t tid = lane.tid.load(std::memory_order_relaxed);
    writeThreadName(tid, reading);
    reading.recordedIn = m_reports;
    m_block.setThread(tid);
    m_block.setDomain(record.domain);
    const auto begin = [&](LockstepSpoolKind kind) -> BlockBuilder& {
        return m_block.begin(kind).timestamp(record.time_ns);
    };
    switch (record.kind) {
    case LOCKSTEP_KIND_PUSH:
        if ((record.flags & ringFlag::kExtended) == 0) {
            begin(LOCKSTEP_KIND_PUSH).number(text);
        } else {
            begin(LOCKSTEP_KIND_PUSH_EX).number(text);
            encodeExtension(extension);
        }
        break;
    case LOCKSTEP_KIND_POP:
        begin(LOCKSTEP_KIND_POP);
        break;
    case LOCKSTEP_KIND_START:
        begin(LOCKSTEP_KIND_START).number(number).number(text);
        encodeExtension(extension);
        break;
    case LOCKSTEP_KIND_END:
        begin(LOCKSTEP_KIND_END).number(number);
        break;
    case LOCKSTEP_KIND_MARK:
        begin(LOCKSTEP_KIND_MARK).number(text);
        encodeExtension(extension);
        break;
    case LOCKSTEP_KIND_PAYLOAD:
        m_block.begin(LOCKSTEP_KIND_PAYLOAD).number(number).number(text);
        break;
    default:
        break;
    }
}

// Reports records of threads that have no lane. Their position in a sequence is unknown.
void SpoolWriter::writeNoRing()
{
    LaneLosses& losses = m_recorder.lanes().noRing;
    const uint64_t total = losses.total.load(std::memory_order_acquire);
    if (total == m_noRingSeen) return;
    writeLost(LOCKSTEP_LOST_NO_RING, total - std::exchange(m_noRingSeen, total), losses.first_ns.exchange(0),
              losses.last_ns.load());
}

void SpoolWriter::writeLost(LockstepSpoolLoss what, uint64_t count, int64_t first_ns, int64_t last_ns)
{
    if (!m_isOpen) return;
    m_facts.counts.lost[what].add(count, first_ns, last_ns);
    m_block.begin(LOCKSTEP_KIND_LOST).timestamp(first_ns).number(what).number(count);
    m_block.number(static_cast<uint64_t>(std::max<int64_t>(0, last_ns - first_ns)));
}

void SpoolWriter::writeList(const NameList& list, const NamedText*& last, LockstepSpoolKind kind)
{
    const NamedText* const newest = list.newest();
    std::vector<const NamedText*> added;
    for (const NamedText* entry = newest; entry != last; entry = entry->next)
        added.push_back(entry);
    last = newest;
    std::ranges::reverse(added);
    for (const NamedText* const entry : added) {
        const uint32_t text = m_block.text(entry->view());
        m_block.begin(kind);
        if (kind == LOCKSTEP_KIND_CATEGORY_NAME || kind == LOCKSTEP_KIND_SCHEMA) m_block.number(entry->owner);
        if (kind == LOCKSTEP_KIND_RESOURCE_NAME) m_block.number(0).number(entry->owner).number(entry->extra);
        m_block.number(entry->number).number(text);
        if (m_block.size_bytes() >= m_recorder.settings().block_bytes) flushBlock();
    }
}

void SpoolWriter::writeNames()
{
    NameRegistry& names = nameRegistry();
    writeList(names.domains, m_lastNamed.domains, LOCKSTEP_KIND_DOMAIN_NAME);
    writeList(names.categories, m_lastNamed.categories, LOCKSTEP_KIND_CATEGORY_NAME);
    writeList(names.threads, m_lastNamed.threads, LOCKSTEP_KIND_THREAD_NAME);
    writeList(names.resources, m_lastNamed.resources, LOCKSTEP_KIND_RESOURCE_NAME);
    writeList(names.schemas, m_lastNamed.schemas, LOCKSTEP_KIND_SCHEMA);
}

void SpoolWriter::writeClocks()
{
    const ClockReading read = readClocks();
    m_block.begin(LOCKSTEP_KIND_CLOCKS).timestamp(read.raw_ns).signedNumber(read.realtime_ns);
    m_block.signedNumber(read.boottime_ns).signedNumber(read.uncertainty_ns);
    m_nextClock_ns = read.raw_ns + kClockPeriod_ns;
}

void SpoolWriter::openReport(const ReportLabel& label)
{
    const CaptureSettings& settings = m_recorder.settings();
    m_facts = {label, 0, {}};
    m_block.clear();
    m_lastNamed = {};
    m_isOpen = true;
    m_unwritten = {};
    m_repeated = 0;
    m_lastError = 0;
    m_hasMeta = false;
    m_opened_ns = m_blockSince_ns = now_ns();
    ++m_reports;
    ++m_naming;
    const std::string stem = ReportFacts::stem(m_recorder, label);
    int error = m_file.open(settings.output, stem, m_nextIndex, m_recorder.session());
    if (error == ENOENT) {
        error = makeFolders(settings.output);
        if (error == 0) error = m_file.open(settings.output, stem, m_nextIndex, m_recorder.session());
    }
    m_path = m_file.path();
    if (error != 0) {
        m_lastError = error;
        ++m_notCreated;
        m_queue.countLostReport();
        m_recorder.stopRecording();
        if (std::exchange(m_openError, error) != error)
            logOrPrint(settings.log, "not_written", m_path + ": " + errorText(error) + "; no report");
        return;
    }
    ++m_written;
    m_nextIndex = m_file.index() + 1;
    m_facts.index = m_file.index();
    cudaActivity().beginReport();
    writeMeta();
    writeClocks();
    writeNames();
}

bool SpoolWriter::hasNewRoles()
{
    const NamedText* const newest = nameRegistry().categories.newest();
    if (std::exchange(m_rolesSeen, newest) == newest) return false;
    std::vector<std::string> roles = ReportFacts::declaredRoles();
    return std::exchange(m_writtenRoles, roles) != roles;
}

void SpoolWriter::writeMeta()
{
    m_cudaSeen = cudaActivity().stateChanges();
    hasNewRoles();
    if (!m_file.isOpen()) return;
    const int error = m_file.append(LOCKSTEP_BLOCK_META, m_facts.metaJson(m_recorder), {});
    if (error == 0)
        m_hasMeta = true;
    else
        writeFailed(error);
}

// Called for a report that continues.
void SpoolWriter::flushBlock()
{
    m_file.reserveEnd();
    writeBlock();
}

void SpoolWriter::writeBlock()
{
    if (m_block.isEmpty()) return;
    const int64_t begin_ns = now_ns();
    if (!m_hasMeta) writeMeta(); // the disk was full when the report began
    if (m_lastWork_ns != 0) {
        const uint32_t text = m_block.text("capture: block written");
        m_block.begin(LOCKSTEP_KIND_OWN_WORK)
            .timestamp(m_lastWork_ns)
            .number(static_cast<uint64_t>(m_lastWorkTook_ns));
        m_block.number(text);
    }
    const BlockTimes times{m_block.first_ns(), m_block.last_ns(), m_block.records(), m_block.step()};
    m_block.payload(m_payload);
    const int error = m_file.isOpen() ? m_file.append(LOCKSTEP_BLOCK_RECORDS, m_payload, times) : m_lastError;
    m_block.clear();
    const uint32_t repeated = std::exchange(m_repeated, 0);
    if (error != 0) {
        countUnwritten({times.first_ns, times.last_ns, times.records - repeated, 0});
        writeFailed(error);
    } else {
        m_facts.counts.records += times.records;
        ++m_facts.counts.blocks;
        m_lastError = 0;
        m_unwritten = {};
    }
    m_lastWork_ns = begin_ns;
    m_blockSince_ns = now_ns();
    m_lastWorkTook_ns = m_blockSince_ns - begin_ns;
    m_facts.counts.writerWork_ns += m_lastWorkTook_ns;
}

// Handles a rejected block. The next block begins with a LOST record that counts everything missing before
// it. It also contains the names again that the rejected block may have contained.
void SpoolWriter::countUnwritten(const BlockTimes& times)
{
    m_unwritten.add(times.records, times.first_ns, times.last_ns);
    m_facts.counts.lost[LOCKSTEP_LOST_NOT_WRITTEN].add(times.records, times.first_ns, times.last_ns);
    m_lastNamed = {};
    ++m_naming;
    cudaActivity().beginReport();
    m_block.begin(LOCKSTEP_KIND_LOST).timestamp(m_unwritten.first_ns).number(LOCKSTEP_LOST_NOT_WRITTEN);
    m_block.number(m_unwritten.count)
        .number(static_cast<uint64_t>(m_unwritten.last_ns - m_unwritten.first_ns));
    m_repeated = m_block.records();
}

// Logs each error once. Writing is tried again with later blocks.
void SpoolWriter::writeFailed(int error)
{
    if (error == m_lastError) return;
    m_lastError = error;
    const std::string reason =
        error == SpoolFile::kFileLost
            ? "the file was removed, or the program closed its descriptor and it is no longer found under its path; "
              "the rest of this report is lost"
            : errorText(error);
    logEvent(m_recorder.settings().log, "not_written", m_path + ": " + reason);
}

void SpoolWriter::closeReport()
{
    const CaptureSettings& settings = m_recorder.settings();
    if (hasNewRoles()) writeMeta();
    writeClocks();
    writeBlock();
    m_facts.counts.bytes = m_file.size_bytes();
    const char* const why = m_queue.isEnding() ? "process" : "range";
    if (m_file.isOpen()) {
        int error = m_file.append(LOCKSTEP_BLOCK_SUMMARY, m_facts.summaryJson(m_recorder, why), {});
        const int finished = m_file.finish();
        if (error == 0) error = finished;
        if (error != 0) writeFailed(error);
    }
    uint64_t lost = 0;
    for (const auto& [what, loss] : m_facts.counts.lost)
        lost += loss.count;
    if (lost > 0) logEvent(settings.log, "lost", m_path + ": " + m_facts.summaryJson(m_recorder, why));
    m_isOpen = false;
    m_block.clear();
    m_lastWork_ns = 0;
}

} // namespace lockstep::capture
