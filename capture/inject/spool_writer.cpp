// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/spool_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "capture/inject/capture_log.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/stamp.h"

namespace lockstep::capture {

namespace {

constexpr int64_t kClockPeriod_ns = 1'000'000'000;
constexpr int64_t kShortestSleep_ns = 5'000'000;
constexpr int64_t kLongestSleep_ns = 50'000'000;
// A record may be handed over this much after it was stamped.
constexpr int64_t kGrace_ns = 2'000'000;

std::string threadName(int64_t tid)
{
    std::array<char, 64> text = {};
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/comm";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t got = read(file, text.data(), text.size() - 1);
    close(file);
    std::string name(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
    while (name.ends_with('\n'))
        name.pop_back();
    return name;
}

} // namespace

void* SpoolWriter::main(void* writer)
{
    auto& self = *static_cast<SpoolWriter*>(writer);
    try {
        self.run();
    } catch (...) {
        logEvent(self.m_recorder.settings().log, "no_memory",
                 "no memory was left for writing; recording ends");
    }
    self.m_recorder.stopRecording();
    self.m_isDone.store(true, std::memory_order_release);
    self.m_recorder.tellDrained(~uint64_t(0));
    return nullptr;
}

void SpoolWriter::run()
{
    int64_t sleep_ns = kShortestSleep_ns;
    while (true) {
        const bool isEnding = m_recorder.isEnding();
        const uint64_t asked = m_recorder.roundWanted();
        const uint32_t before = m_block.records();
        const uint64_t recordsBefore = m_facts.counts.records;
        round();
        const bool isBusy = m_block.records() != before || m_facts.counts.records != recordsBefore;
        if (asked != m_roundAnswered && m_isOpen) flushBlock();
        m_roundAnswered = asked;
        m_recorder.tellDrained(asked);
        if (isEnding) break;
        sleep_ns = isBusy ? kShortestSleep_ns : std::min(sleep_ns * 2, kLongestSleep_ns);
        m_recorder.sleep(sleep_ns);
    }
    if (m_isOpen) closeReport();
}

// Takes all there is: up to each command what belongs before it, then the rest.
void SpoolWriter::round()
{
    WriterCommand command;
    while (m_recorder.nextCommand(command, false)) {
        if (command.decision.closes) {
            while (now_ns() < command.time_ns + kGrace_ns)
                m_recorder.sleep(kGrace_ns);
        }
        drain(command.time_ns, command.cudaEpoch);
        m_recorder.nextCommand(command, true);
        obey(command);
    }
    drain(INT64_MAX, UINT64_MAX);
    if (!m_isOpen) return;
    cudaActivity().poll();
    const int64_t now = now_ns();
    if (now >= m_nextClock_ns) tellClocks();
    if (cudaActivity().stateChanges() != m_cudaSeen || hasNewRoles()) writeMeta();
    if (!m_block.isEmpty() && now - m_blockSince_ns >= m_recorder.settings().blockAge_ns) flushBlock();
}

void SpoolWriter::obey(const WriterCommand& command)
{
    if (command.decision.closes && m_isOpen) closeReport();
    if (command.decision.opens) openReport(*command.decision.opens);
}

void SpoolWriter::drain(int64_t limit_ns, uint64_t cudaEpoch)
{
    if (m_isOpen) tellNames();
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
    takeLosses(m_recorder.lanes().noRing, LOCKSTEP_LOST_NO_RING);
    if (const uint64_t refused = namedThings().refused.load(); refused != m_refusedSeen) {
        tellLost(LOCKSTEP_LOST_TEXTS, refused - m_refusedSeen, now_ns(), now_ns());
        m_refusedSeen = refused;
    }
}

// One stretch of a lane, so that no lane starves the others. True where there is more.
bool SpoolWriter::drainLane(uint32_t index, ThreadLane& lane, int64_t limit_ns)
{
    constexpr int kStretch = 20'000;
    LaneReading& reading = m_lanes[index];
    const bool isEnded = lane.state.load(std::memory_order_acquire) == LaneState::ended;
    if (reading.generation != lane.generation.load(std::memory_order_acquire)) {
        reading.generation = lane.generation.load(std::memory_order_acquire);
        reading.namedIn = 0;
    }
    int taken = 0;
    const RingRecord* record = nullptr;
    while (taken < kStretch && (record = lane.ring.peek()) != nullptr && record->time_ns <= limit_ns) {
        encode(*record, lane, reading);
        lane.ring.pop(record);
        ++taken;
        if (m_block.size_bytes() >= m_recorder.settings().block_bytes) {
            lane.ring.release();
            flushBlock();
        }
    }
    lane.ring.release();
    if (lane.losses.count.load(std::memory_order_relaxed) != 0) {
        m_block.setThread(lane.tid.load());
        takeLosses(lane.losses, LOCKSTEP_LOST_RING_FULL);
    }
    if (isEnded && record == nullptr && taken < kStretch) {
        lane.state.store(LaneState::free, std::memory_order_release);
        return false;
    }
    return record != nullptr && taken == kStretch;
}

void SpoolWriter::encodeExtension(const RingExtension& extension)
{
    m_block.number(extension.category).number(extension.color);
    m_block.number(static_cast<uint32_t>(extension.payloadType)).number(extension.payload);
}

void SpoolWriter::encode(const RingRecord& record, ThreadLane& lane, LaneReading& reading)
{
    const auto* at = reinterpret_cast<const uint8_t*>(&record) + sizeof record;
    const uint32_t text = m_texts.numberOf(record, at, reading.texts, m_isOpen);
    RingExtension extension = {};
    if ((record.flags & ringFlag::kExtended) != 0) {
        std::memcpy(&extension, at, sizeof extension);
        at += sizeof extension;
    }
    uint64_t number = 0;
    if ((record.flags & ringFlag::kNumber) != 0) std::memcpy(&number, at, 8);
    if (!m_isOpen) return;
    const int64_t tid = lane.tid.load(std::memory_order_relaxed);
    if (reading.namedIn != m_reports) {
        reading.namedIn = m_reports;
        const bool isNamed = namedThings().threads.findNumber(static_cast<uint64_t>(tid)) != nullptr;
        if (const std::string name = isNamed ? "" : threadName(tid); !name.empty()) {
            m_block.begin(LOCKSTEP_KIND_THREAD_NAME)
                .number(static_cast<uint64_t>(tid))
                .number(m_block.text(name));
        }
    }
    m_block.setThread(tid);
    m_block.setDomain(record.domain);
    const auto begin = [&](LockstepSpoolKind kind) -> BlockBuilder& {
        return m_block.begin(kind).stamp(record.time_ns);
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

void SpoolWriter::takeLosses(LaneLosses& losses, LockstepSpoolLoss what)
{
    const uint64_t count = losses.count.exchange(0, std::memory_order_relaxed);
    if (count == 0) return;
    tellLost(what, count, losses.first_ns.load(std::memory_order_relaxed),
             losses.last_ns.load(std::memory_order_relaxed));
}

void SpoolWriter::tellLost(LockstepSpoolLoss what, uint64_t count, int64_t first_ns, int64_t last_ns)
{
    if (!m_isOpen) return;
    m_facts.counts.lost[what] += count;
    m_block.begin(LOCKSTEP_KIND_LOST).stamp(first_ns).number(what).number(count);
    m_block.number(static_cast<uint64_t>(std::max<int64_t>(0, last_ns - first_ns)));
}

void SpoolWriter::tellList(const NameList& list, const NamedText*& last, LockstepSpoolKind kind)
{
    const NamedText* const newest = list.newest();
    std::vector<const NamedText*> news;
    for (const NamedText* entry = newest; entry != last; entry = entry->next)
        news.push_back(entry);
    last = newest;
    std::ranges::reverse(news);
    for (const NamedText* const entry : news) {
        const uint32_t text = m_block.text(entry->view());
        m_block.begin(kind);
        if (kind == LOCKSTEP_KIND_CATEGORY_NAME || kind == LOCKSTEP_KIND_SCHEMA) m_block.number(entry->owner);
        if (kind == LOCKSTEP_KIND_RESOURCE_NAME) m_block.number(0).number(entry->owner).number(entry->extra);
        m_block.number(entry->number).number(text);
    }
}

void SpoolWriter::tellNames()
{
    NamedThings& things = namedThings();
    tellList(things.domains, m_told.domains, LOCKSTEP_KIND_DOMAIN_NAME);
    tellList(things.categories, m_told.categories, LOCKSTEP_KIND_CATEGORY_NAME);
    tellList(things.threads, m_told.threads, LOCKSTEP_KIND_THREAD_NAME);
    tellList(things.resources, m_told.resources, LOCKSTEP_KIND_RESOURCE_NAME);
    tellList(things.schemas, m_told.schemas, LOCKSTEP_KIND_SCHEMA);
}

void SpoolWriter::tellClocks()
{
    const ClockStamps read = readClocks();
    m_block.begin(LOCKSTEP_KIND_CLOCKS).stamp(read.raw_ns).signedNumber(read.realtime_ns);
    m_block.signedNumber(read.boottime_ns).signedNumber(read.uncertainty_ns);
    m_nextClock_ns = read.raw_ns + kClockPeriod_ns;
}

void SpoolWriter::openReport(const ReportLabel& label)
{
    const CaptureSettings& settings = m_recorder.settings();
    m_facts = {label, 0, {}};
    m_block.clear();
    m_told = {};
    m_isOpen = true;
    m_unwritten = 0;
    m_lastError = 0;
    ++m_reports;
    const std::string stem = ReportFacts::stem(m_recorder, label);
    int error = makeFolders(settings.output);
    const bool hasFolder = error == 0;
    if (hasFolder) error = m_file.open(settings.output, stem, m_nextIndex, m_recorder.session());
    m_path =
        hasFolder ? m_file.path() : settings.output + "/" + stem + "." + std::to_string(m_nextIndex) + ".lsc";
    if (error != 0) {
        writeFailed(error);
        m_recorder.stopRecording();
        return;
    }
    m_nextIndex = m_file.index() + 1;
    m_facts.index = m_file.index();
    cudaActivity().beginReport();
    writeMeta();
    tellClocks();
    tellNames();
}

bool SpoolWriter::hasNewRoles()
{
    const NamedText* const newest = namedThings().categories.newest();
    if (std::exchange(m_rolesSeen, newest) == newest) return false;
    std::vector<std::string> roles = ReportFacts::saidRoles();
    return std::exchange(m_rolesTold, roles) != roles;
}

void SpoolWriter::writeMeta()
{
    m_cudaSeen = cudaActivity().stateChanges();
    hasNewRoles();
    if (!m_file.isOpen()) return;
    if (const int error = m_file.append(LOCKSTEP_BLOCK_META, m_facts.metaJson(m_recorder), {}); error != 0)
        writeFailed(error);
}

void SpoolWriter::flushBlock()
{
    if (m_block.isEmpty()) return;
    const int64_t begin_ns = now_ns();
    if (m_lastWork_ns != 0) {
        const uint32_t text = m_block.text("capture: block written");
        m_block.begin(LOCKSTEP_KIND_OWN_WORK)
            .stamp(m_lastWork_ns)
            .number(static_cast<uint64_t>(m_lastWorkTook_ns));
        m_block.number(text);
    }
    const BlockStamps stamps{m_block.first_ns(), m_block.last_ns(), m_block.records()};
    m_block.payload(m_payload);
    const int error =
        m_file.isOpen() ? m_file.append(LOCKSTEP_BLOCK_RECORDS, m_payload, stamps) : m_lastError;
    m_block.clear();
    if (error != 0) {
        m_unwritten += stamps.records;
        m_facts.counts.lost[LOCKSTEP_LOST_NOT_WRITTEN] += stamps.records;
        if (m_file.isOpen()) writeFailed(error);
    } else {
        m_facts.counts.records += stamps.records;
        ++m_facts.counts.blocks;
        m_lastError = 0;
        if (m_unwritten > 0) {
            m_block.begin(LOCKSTEP_KIND_LOST).stamp(stamps.first_ns).number(LOCKSTEP_LOST_NOT_WRITTEN);
            m_block.number(m_unwritten).number(0);
            m_unwritten = 0;
        }
    }
    m_lastWork_ns = begin_ns;
    m_blockSince_ns = now_ns();
    m_lastWorkTook_ns = m_blockSince_ns - begin_ns;
    m_facts.counts.writerWork_ns += m_lastWorkTook_ns;
}

// Says it once for each reason; later blocks try again.
void SpoolWriter::writeFailed(int error)
{
    if (error == m_lastError) return;
    m_lastError = error;
    logEvent(m_recorder.settings().log, "not_written", m_path + ": " + errorText(error));
}

void SpoolWriter::closeReport()
{
    const CaptureSettings& settings = m_recorder.settings();
    if (hasNewRoles()) writeMeta();
    tellClocks();
    flushBlock();
    m_facts.counts.bytes = m_file.size_bytes();
    const char* const why = m_recorder.isEnding() ? "process" : "range";
    if (m_file.isOpen()) {
        int error = m_file.append(LOCKSTEP_BLOCK_SUMMARY, m_facts.summaryJson(m_recorder, why), {});
        const int finished = m_file.finish();
        if (error == 0) error = finished;
        if (error != 0) writeFailed(error);
    }
    uint64_t lost = 0;
    for (const auto& [what, count] : m_facts.counts.lost)
        lost += count;
    if (lost > 0) logEvent(settings.log, "lost", m_path + ": " + m_facts.summaryJson(m_recorder, why));
    m_isOpen = false;
    m_block.clear();
    m_lastWork_ns = 0;
}

} // namespace lockstep::capture
