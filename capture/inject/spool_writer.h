// SPDX-License-Identifier: Apache-2.0
// SpoolWriter: the one thread that takes records from the lanes, packs them into blocks and writes them. It
// sleeps while nothing happens, holds no lock of the program's and no signal reaches it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/inject/block_builder.h"
#include "capture/inject/record_texts.h"
#include "capture/inject/recorder.h"
#include "capture/inject/report_facts.h"
#include "capture/inject/spool_file.h"

namespace lockstep::capture {

class SpoolWriter {
  public:
    explicit SpoolWriter(Recorder& recorder) : m_recorder(recorder), m_texts(m_block, recorder.lanes()) {}

    static void* main(void* writer); // of the thread
    bool isDone() const noexcept { return m_isDone.load(std::memory_order_acquire); }
    // In a forked child: its parent's file is not its own.
    void abandon() noexcept { m_file.abandon(); }

  private:
    // What the writer keeps for a lane.
    struct LaneReading {
        LaneTexts texts;
        uint64_t generation = 0;
        uint64_t namedIn = 0; // report in which the thread's name was told
    };
    void run();
    void round();
    void obey(const WriterCommand& command);
    void drain(int64_t limit_ns, uint64_t cudaEpoch);
    bool drainLane(uint32_t index, ThreadLane& lane, int64_t limit_ns);
    void encode(const RingRecord& record, ThreadLane& lane, LaneReading& reading);
    void encodeExtension(const RingExtension& extension);
    void takeLosses(LaneLosses& losses, LockstepSpoolLoss what);
    void tellLost(LockstepSpoolLoss what, uint64_t count, int64_t first_ns, int64_t last_ns);
    void tellNames();
    void tellList(const NameList& list, const NamedText*& last, LockstepSpoolKind kind);
    void tellClocks();
    void openReport(const ReportLabel& label);
    void closeReport();
    bool hasNewRoles();
    void writeMeta();
    void flushBlock();
    void writeFailed(int error);

    Recorder& m_recorder;
    std::atomic<bool> m_isDone{false};
    std::string m_path; // of the report, also of one that could not be made
    SpoolFile m_file;
    BlockBuilder m_block;
    std::string m_payload;
    std::vector<LaneReading> m_lanes;
    RecordTexts m_texts;

    ReportFacts m_facts;
    uint32_t m_nextIndex = 1;
    uint64_t m_reports = 0;      // opened so far
    bool m_isOpen = false;       // a report, whether or not its file could be made
    int64_t m_blockSince_ns = 0; // when the last block was written
    uint64_t m_roundAnswered = 0;
    int64_t m_nextClock_ns = 0;
    uint32_t m_cudaSeen = 0;
    std::vector<std::string> m_rolesTold;
    const NamedText* m_rolesSeen = nullptr; // the newest category when they were looked for
    int m_lastError = 0;
    uint64_t m_unwritten = 0; // records
    uint64_t m_refusedSeen = 0;
    int64_t m_lastWork_ns = 0, m_lastWorkTook_ns = 0;
    struct {
        const NamedText *domains, *categories, *threads, *resources, *schemas;
    } m_told = {};
};

} // namespace lockstep::capture
