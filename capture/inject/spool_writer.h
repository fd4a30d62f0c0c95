// SPDX-License-Identifier: Apache-2.0
// SpoolWriter is the one thread that reads records from the lanes, encodes them into blocks and writes the
// blocks. It sleeps while there is nothing to do, holds no lock of the program, and receives no signals. It
// does not keep the process alive: if all threads of the program ended through pthread_exit(), it calls
// exit(0), as the C library would have done.
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
    explicit SpoolWriter(Recorder& recorder)
        : m_recorder(recorder), m_queue(recorder.writerQueue()), m_texts(m_block, recorder.lanes())
    {
    }

    static void* main(void* writer); // thread function
    bool isDone() const noexcept { return m_isDone.load(std::memory_order_acquire); }
    // Returns how many reports were begun, including those whose files could not be created. Valid once
    // isDone() returns true.
    uint64_t reports() const noexcept { return m_reports; }
    // Used on the writer thread, in exit() handlers that it runs: they perform the work for which flush() and
    // finish() of the recorder would wait.
    bool isCalling() const noexcept;
    void flushHere() noexcept;
    void endHere() noexcept;
    // In a forked child, releases the file of the parent.
    void abandon() noexcept { m_file.abandon(); }

  private:
    // State of the writer for one lane.
    struct LaneReading {
        LaneTexts texts;
        uint64_t generation = 0;
        uint64_t namedIn = 0;    // value of m_naming when the thread's name was written
        uint64_t recordedIn = 0; // last report with a record of the thread
        uint64_t lost = 0;       // number of the lane's losses that were already reported
        uint64_t lostInHandlers = 0;
    };
    bool run();
    void round();
    template<class Work>
    void guarded(const Work& work) noexcept;
    void execute(const WriterCommand& command);
    void drain(int64_t limit_ns, uint64_t cudaEpoch);
    bool drainLane(uint32_t index, ThreadLane& lane, int64_t limit_ns);
    void giveUp(ThreadLane& lane);
    void encode(const RingRecord& record, ThreadLane& lane, LaneReading& reading);
    void encodeExtension(const RingExtension& extension);
    void writeLaneLoss(ThreadLane& lane, LaneReading& reading, uint64_t total, int64_t first_ns,
                       int64_t last_ns);
    void endThread(ThreadLane& lane, LaneReading& reading, int64_t limit_ns);
    void writeThreadName(int64_t tid, LaneReading& reading);
    void writeNoRing();
    void reportLostReports();
    void reportCounts(LockstepSpoolLoss what, uint64_t total, uint64_t& seen);
    void writeLost(LockstepSpoolLoss what, uint64_t count, int64_t first_ns, int64_t last_ns);
    void writeNames();
    void writeList(const NameList& list, const NamedText*& last, LockstepSpoolKind kind);
    void writeClocks();
    void openReport(const ReportLabel& label);
    void closeReport();
    bool hasNewRoles();
    void writeMeta();
    void flushBlock();
    void writeBlock();
    int64_t nextBlock_ns() const;
    void countUnwritten(const BlockTimes& times);
    void writeFailed(int error);

    Recorder& m_recorder;
    WriterQueue& m_queue;
    std::atomic<bool> m_isDone{false};
    std::atomic<int64_t> m_tid{0};
    bool m_isOutOfMemory = false;
    std::string m_path; // path of the report, even if it could not be created
    SpoolFile m_file;
    BlockBuilder m_block;
    std::string m_payload;
    std::vector<LaneReading> m_lanes;
    RecordTexts m_texts;

    ReportFacts m_facts;
    uint32_t m_nextIndex = 1;
    uint64_t m_reports = 0;      // number of reports opened so far
    uint64_t m_notCreated = 0;   // number of those reports without a file, because it could not be created
    uint64_t m_written = 0;      // number of those reports with a file
    uint64_t m_naming = 0;       // changes when all names must be written again
    bool m_isOpen = false;       // a report is open, with or without a file
    bool m_hasMeta = false;      // META was written to the report's file
    int64_t m_opened_ns = 0;     // time at which the report was opened
    int64_t m_blockSince_ns = 0; // time at which the last block was written
    uint64_t m_roundAnswered = 0;
    int64_t m_nextClock_ns = 0;
    uint32_t m_cudaSeen = 0;
    std::vector<std::string> m_writtenRoles;
    const NamedText* m_rolesSeen = nullptr; // newest category at the last check
    int m_lastError = 0;
    LossCount m_unwritten;   // records lost since the last written block
    uint32_t m_repeated = 0; // number of records at the beginning of the block that only report this loss
    uint64_t m_noRingSeen = 0;
    // Totals reported so far.
    uint64_t m_refusedSeen = 0, m_cutSeen = 0, m_payloadsSeen = 0, m_lostReportsSeen = 0;
    int m_openError = 0; // error of the last report whose file could not be created
    int64_t m_lastWork_ns = 0, m_lastWorkTook_ns = 0;
    struct {
        const NamedText *domains, *categories, *threads, *resources, *schemas;
    } m_lastNamed = {};
};

} // namespace lockstep::capture
