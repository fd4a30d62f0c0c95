// SPDX-License-Identifier: Apache-2.0
// Tests captures that lack blocks, and a program's reports about its collectives, read whole and segment by
// segment.
#include <cstring>

#include <QTest>

#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_recording.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kTick = 1'000'000;

std::unique_ptr<Report> wholeOf(const MadeSpool& spool)
{
    auto report = readCaptureSpool(spool.bytes(), {}, Progress());
    return report ? std::move(*report) : nullptr;
}

// Returns "name start+duration", followed by "?" if the end is unknown.
std::string sliceLine(const Report& report, uint32_t i)
{
    const bool isOpen = (report.slices.flags[i] & sliceFlag::kOpenEnd) != 0;
    return std::string(report.nameOf(SliceId{i})) + " " + std::to_string(report.slices.start_ns[i] / kTick) +
           "+" + std::to_string(report.slices.duration_ns[i] / kTick) + (isOpen ? "?" : "");
}

std::vector<std::string> sliceLines(const Report& report)
{
    std::vector<std::string> lines;
    for (uint32_t i = 0; i < report.slices.size(); ++i)
        lines.push_back(sliceLine(report, i));
    std::ranges::sort(lines);
    return lines;
}

uint64_t countOfNote(const Report& report, std::string_view kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return note.count;
    }
    return 0;
}

std::string collectiveBytes(uint64_t size_bytes, uint64_t sequence, const std::string& group)
{
    const LockstepSpoolCollective said{size_bytes, sequence, 4, 2};
    std::string bytes(sizeof said, '\0');
    std::memcpy(bytes.data(), &said, sizeof said);
    return bytes + group;
}

void addCollective(MadeSpool& spool, int64_t at_ns, uint64_t id, std::string_view bytes)
{
    spool.start(at_ns, id, "AllReduce");
    const uint64_t text = spool.text(bytes);
    spool.record(LOCKSTEP_KIND_PAYLOAD, {LOCKSTEP_SCHEMA_COLLECTIVE, text});
}

} // namespace

class SpoolGapTest : public QObject {
    Q_OBJECT

  private slots:
    // The pop of a range that began in a missing block does not belong to an earlier range.
    void popAfterAGapClosesNothing()
    {
        MadeSpool spool;
        spool.meta();
        spool.thread(1)
            .push(1001 * kTick, "before")
            .push(1002 * kTick, "inner")
            .pop(1003 * kTick)
            .closeBlock();
        spool.leaveOut(); // "before" ends there, and "unknown" begins
        spool.thread(1).pop(1020 * kTick).push(1021 * kTick, "behind").pop(1022 * kTick).closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(sliceLines(*report),
                 (std::vector<std::string>{"before 1001+2?", "behind 1021+1", "inner 1002+1"}));
        QCOMPARE(countOfNote(*report, "spool.pop_without_push"), uint64_t(1));
        QCOMPARE(countOfNote(*report, "spool.missing_blocks"), uint64_t(1));
    }

    // An end names its range.
    void endAfterAGapClosesItsOwnRange()
    {
        MadeSpool spool;
        spool.meta();
        spool.thread(1).start(1001 * kTick, 7, "step 1").closeBlock();
        spool.leaveOut();
        spool.thread(1).end(1020 * kTick, 7).closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(sliceLines(*report), std::vector<std::string>{"step 1 1001+19"});
    }

    // A block with a correct checksum and invalid contents counts as missing.
    void popAfterAnUnreadableBlock()
    {
        MadeSpool spool;
        spool.meta();
        spool.thread(1).push(1001 * kTick, "before").closeBlock();
        spool.block(LOCKSTEP_BLOCK_RECORDS, "no frame", 1002 * kTick, 1003 * kTick, 1,
                    LOCKSTEP_BLOCK_IS_ZSTD);
        spool.thread(1).pop(1020 * kTick).closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(sliceLines(*report), std::vector<std::string>{"before 1001+0?"});
        QCOMPARE(countOfNote(*report, "spool.broken_block"), uint64_t(1));
    }

    // A thread lost the pop of "inner", "around" ended and "unknown" began. Another thread lost nothing.
    void recordsLostByOneThread()
    {
        for (const uint16_t minor : {uint16_t(0), uint16_t(LOCKSTEP_SPOOL_MINOR)}) {
            MadeSpool spool(1, 1000 * kTick, minor);
            spool.meta();
            spool.thread(2).push(1000 * kTick, "other");
            spool.thread(1).start(1000 * kTick, 7, "ended").start(1000 * kTick, 8, "not ended");
            spool.push(1001 * kTick, "around").push(1002 * kTick, "inner");
            spool.lost(LOCKSTEP_LOST_RING_FULL, 1003 * kTick, 5, uint64_t(10 * kTick));
            spool.pop(1020 * kTick).push(1021 * kTick, "behind").pop(1022 * kTick).end(1024 * kTick, 7);
            spool.thread(2).pop(1030 * kTick).closeBlock();
            const auto report = wholeOf(spool.finish());
            QVERIFY(report != nullptr);
            QCOMPARE(sliceLines(*report),
                     (std::vector<std::string>{"around 1001+2?", "behind 1021+1", "ended 1000+24",
                                               "inner 1002+1?", "not ended 1000+3?", "other 1000+30"}));
            QCOMPARE(countOfNote(*report, "spool.pop_without_push"), uint64_t(1));
            QCOMPARE(countOfNote(*report, "capture.ring_full"), uint64_t(5));
            QCOMPARE(countOfNote(*report, "spool.unplaced_loss"), uint64_t(minor == 0));
        }
    }

    // The disk refused a block: all threads lack records there.
    void recordsRefusedByTheDisk()
    {
        MadeSpool spool;
        spool.meta();
        spool.thread(2).push(1000 * kTick, "other").thread(1).push(1001 * kTick, "one").closeBlock();
        spool.lost(LOCKSTEP_LOST_NOT_WRITTEN, 1002 * kTick, 6, uint64_t(4100 * kTick));
        spool.thread(1).pop(5110 * kTick).thread(2).pop(5111 * kTick).closeBlock();
        spool.block(LOCKSTEP_BLOCK_SUMMARY,
                    R"({"lost":{"not_written":18},"lost_from_ns":{"not_written":1002000000},)"
                    R"("lost_to_ns":{"not_written":6102000000}})",
                    0, 0, 0);
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(sliceLines(*report), (std::vector<std::string>{"one 1001+1?", "other 1000+2?"}));
        QCOMPARE(countOfNote(*report, "spool.pop_without_push"), uint64_t(2));
        const auto note = std::ranges::find(report->notes.all(), "capture.not_written", &ImportNote::kind);
        QCOMPARE(note->count, uint64_t(18)); // SUMMARY counted the records after the last LOST
        QVERIFY2(note->text.ends_with("66.7 % of the records"), note->text.c_str());
        QCOMPARE(note->example, std::string("from 0.002 s to 5.102 s into the report"));
    }

    // A live capture is cut at the same place as when it is read at once, and counted once.
    void lostRecordsSegmentBySegment()
    {
        const TempDir folder;
        MadeSpool spool;
        std::vector<size_t> sizes;
        spool.meta();
        spool.thread(1).start(1000 * kTick, 7, "not ended").push(1001 * kTick, "around").closeBlock();
        sizes.push_back(spool.bytes().size());
        spool.thread(1).lost(LOCKSTEP_LOST_RING_FULL, 1003 * kTick, 5).pop(1020 * kTick).closeBlock();
        sizes.push_back(spool.bytes().size());
        spool.block(LOCKSTEP_BLOCK_SUMMARY, R"({"lost":{"ring_full":7}})", 0, 0, 0);
        sizes.push_back(spool.bytes().size());
        LiveRecording recording(folder.write("grown.lsc", spool.bytes()));
        std::vector<std::string> lines;
        uint64_t lost = 0;
        LiveRecording::ReportPtr open;
        for (const size_t bytes : sizes) {
            const auto change = recording.read({bytes, 0, false}, Progress());
            QVERIFY(change.has_value());
            for (const auto& chunk : change->added) {
                std::ranges::copy(sliceLines(*chunk.report), std::back_inserter(lines));
                lost += countOfNote(*chunk.report, "capture.ring_full");
            }
            open = change->open;
        }
        QCOMPARE(lines, std::vector<std::string>{"around 1001+2?"});
        QCOMPARE(sliceLines(*open), std::vector<std::string>{"not ended 1000+3?"});
        QCOMPARE(lost, uint64_t(7));
    }

    // In a damaged file, a gap costs the ranges that were opened since the previous gap, not all of them.
    void manyGapsInManyDomains()
    {
        constexpr int kMany = 100'000;
        MadeSpool spool;
        spool.meta();
        const uint64_t name = spool.thread(1).text("open");
        for (int i = 0; i < kMany; ++i) {
            const auto at_ns = uint64_t(1000 * kTick + i);
            spool.record(LOCKSTEP_KIND_DOMAIN, {uint64_t(i)}).record(LOCKSTEP_KIND_PUSH, {at_ns, name});
            spool.record(LOCKSTEP_KIND_START, {at_ns, uint64_t(i), name});
        }
        for (int i = 0; i < kMany; ++i)
            spool.lost(i % 2 == 0 ? LOCKSTEP_LOST_RING_FULL : LOCKSTEP_LOST_NOT_WRITTEN, 2000 * kTick, 1);
        spool.closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(report->slices.size(), size_t(2 * kMany));
        for (uint32_t i = 0; i < report->slices.size(); ++i)
            QCOMPARE(report->slices.end(SliceId{i}).ns, 2000 * kTick);
    }

    // The id of a thread that ended is reused for another one.
    void rangesOfAThreadEndWithIt()
    {
        MadeSpool spool;
        spool.meta();
        spool.thread(1)
            .push(1001 * kTick, "first")
            .record(LOCKSTEP_KIND_THREAD_END, {uint64_t(1003 * kTick)});
        spool.thread(1).pop(1020 * kTick).push(1021 * kTick, "second").pop(1022 * kTick).closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(sliceLines(*report), (std::vector<std::string>{"first 1001+2?", "second 1021+1"}));
    }

    void collectiveReportedByTheProgram()
    {
        MadeSpool spool;
        spool.meta().thread(1);
        addCollective(spool, 1001 * kTick, 1, collectiveBytes(4096, 9, "tensor parallel"));
        spool.end(1005 * kTick, 1);
        spool.start(1006 * kTick, 2, "stage").end(1007 * kTick, 2);
        addCollective(spool, 1008 * kTick, 3, "short");
        spool.end(1009 * kTick, 3).closeBlock();
        const auto report = wholeOf(spool.finish());
        QVERIFY(report != nullptr);
        QCOMPARE(report->collectives.size(), size_t(1));
        const CollectiveOp& op = report->collectives[0];
        QCOMPARE(sliceLine(*report, op.slice.value), std::string("AllReduce 1001+4"));
        QCOMPARE(report->slices.category[op.slice.value], SliceCategory::communication);
        QCOMPARE(std::string(report->strings.at(op.group)), std::string("tensor parallel"));
        QCOMPARE(op.message_bytes, uint64_t(4096));
        QCOMPARE(op.sequence, uint64_t(9));
        QCOMPARE(op.groupSize, 4u);
        QCOMPARE(op.rankInGroup, 2u);
        QCOMPARE(std::ranges::count(report->slices.category, SliceCategory::communication), 1);
        QCOMPARE(countOfNote(*report, "nvtx.payload_unread"), uint64_t(1)); // the short one, reported
    }

    // Read live: the segment with its end identifies it.
    void collectiveThatEndsInALaterSegment()
    {
        const TempDir folder;
        MadeSpool spool;
        spool.meta().thread(1);
        addCollective(spool, 1001 * kTick, 1, collectiveBytes(4096, 9, "world"));
        spool.closeBlock();
        const size_t first = spool.bytes().size();
        spool.thread(1).end(1005 * kTick, 1).closeBlock();
        LiveRecording recording(folder.write("grown.lsc", spool.bytes()));
        std::vector<LiveRecording::ReportPtr> chunks;
        for (const size_t bytes : {first, spool.bytes().size()}) {
            const auto change = recording.read({bytes, 0, false}, Progress());
            QVERIFY(change.has_value());
            for (const auto& chunk : change->added)
                chunks.push_back(chunk.report);
        }
        size_t found = 0;
        for (const auto& chunk : chunks) {
            for (const CollectiveOp& op : chunk->collectives) {
                ++found;
                QCOMPARE(sliceLine(*chunk, op.slice.value), std::string("AllReduce 1001+4"));
                QCOMPARE(chunk->slices.category[op.slice.value], SliceCategory::communication);
                QCOMPARE(std::string(chunk->strings.at(op.group)), std::string("world"));
            }
        }
        QCOMPARE(found, size_t(1));
    }
};

LOCKSTEP_TEST(SpoolGapTest, "spool_gap_test")
#include "spool_gap_test.moc"
