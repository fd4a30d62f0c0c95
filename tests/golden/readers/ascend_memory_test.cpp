// SPDX-License-Identifier: Apache-2.0
// Tests reading operator_memory.csv and memory_record.csv of Ascend's profiler, with the columns that are
// known.
#include "core/memory/allocator_replay.h"
#include "core/memory/allocator_state.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const std::string kOperatorHead =
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active "
    "Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),"
    "Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\n";
const std::string kRecordHead =
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\n";

// Returns each entry of each device: time, levels after it.
QString curveOf(const Report& report)
{
    const AllocatorReplay replay = replayAllocator(report, Progress()).value();
    QStringList out;
    for (const DeviceReplay& device : replay.devices) {
        out << QString::fromStdString(memorySubjectName(report.memory->subjectOf(device.device)));
        device.forEachMoment(0, device.lastMoment(), [&](MemoryMoment moment, const MemoryLevels& levels) {
            out << QString("%1: active %2 allocated %3 reserved %4")
                       .arg(*device.timeOf(*report.memory, moment))
                       .arg(levels.active)
                       .arg(levels.allocated)
                       .arg(device.segments.isKnown ? QString::number(levels.reserved) : "?");
        });
    }
    return out.join('\n');
}

QStringList blocksOf(const Report& report)
{
    const AllocatorReplay replay = replayAllocator(report, Progress()).value();
    QStringList out;
    const BlockLifeTable& blocks = replay.devices[0].blocks;
    for (size_t i = 0; i < blocks.size(); ++i) {
        out << QString("%1 %2 B%3%4")
                   .arg(stackText(*report.memory, report.strings, blocks.stack[i]).c_str())
                   .arg(blocks.size_bytes[i])
                   .arg(blocks.isPreexisting(i) ? " from before" : "", blocks.isNeverFreed(i) ? " kept" : "");
    }
    return out;
}

size_t notesOf(const Report& report, std::string_view kind)
{
    const auto found = std::ranges::find(report.notes.all(), kind, &ImportNote::kind);
    return found == report.notes.all().end() ? 0 : found->count;
}

} // namespace

class AscendMemoryTest : public QObject {
    Q_OBJECT

  private slots:
    void operatorBlocksHaveLifetimes()
    {
        const auto report = reportOfBytes(
            kOperatorHead +
            "aten::empty_strided,1.0,1000.500\t,2000.0\t,3000.0\t,999.5,1999.5,5,8,5,4,8,5,123,NPU:0\n"
            "\"aten::a,b\",2,1500,N/A,N/A,,,6,8,6,,,,123,NPU:0\n" // never released
            "cann::before,3,N/A,1700,1700,,,,,,6,9,6,123,NPU:0\n");
        QVERIFY(report && report->memory);
        QCOMPARE(report->provenance.kind, "ascend memory");
        QCOMPARE(blocksOf(*report), (QStringList{"cann::before 3072 B from before",
                                                 "aten::empty_strided 1024 B", "aten::a,b 2048 B kept"}));
        const int64_t mb = 1024 * 1024;
        QCOMPARE(curveOf(*report), QString("GPU 0\n"
                                           "1000500: active 3072 allocated 3072 reserved %1\n"
                                           "1000500: active 4096 allocated 4096 reserved %1\n"
                                           "1000500: active 4096 allocated 4096 reserved %1\n"
                                           "1500000: active 6144 allocated 6144 reserved %1\n"
                                           "1500000: active 6144 allocated 6144 reserved %1\n"
                                           "1700000: active 3072 allocated 3072 reserved %1\n"
                                           "1700000: active 3072 allocated 3072 reserved %2\n"
                                           "2000000: active 3072 allocated 2048 reserved %2\n"
                                           "2000000: active 3072 allocated 2048 reserved %1\n"
                                           "3000000: active 2048 allocated 2048 reserved %1")
                                       .arg(8 * mb)
                                       .arg(9 * mb));
        QCOMPARE(report->counterTracks.size(), 2u);
        QVERIFY(!report->extent.isEmpty());
    }
    void componentsAreAreas()
    {
        const auto report = reportOfBytes(
            kRecordHead + "PTA,1000,1,4,1,9,NPU:1\nGE,1000,2,2,2,9,NPU:1\nPTA+GE,1000,3,6,3,9,NPU:1\n"
                          "APP,1000,0,20,0,,NPU:1\nPTA,3000,0.5,3,0.5,9,NPU:1\nPTA,2000,3,4,3,9,NPU:1\n");
        QVERIFY(report && report->memory);
        const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
        const DeviceReplay& device = replay.devices[0];
        const auto at = [&](int64_t time_us) {
            return device.levelsAt(device.momentAt(*report->memory, time_us * 1000));
        };
        constexpr int64_t kMb = 1024 * 1024;
        QCOMPARE(at(1000).active, 3 * kMb);
        QCOMPARE(at(2000).active, 5 * kMb);
        QCOMPARE(at(3000).active, 2 * kMb + kMb / 2);
        QCOMPARE(at(3000).reserved, 3 * kMb);
        QCOMPARE(device.peaks.active.levels.active, 5 * kMb);
        QCOMPARE(memorySubjectName(report->memory->subjectOf(device.device)), "GPU 1");
        QCOMPARE(notesOf(*report, "memory.component_sum"), 2u);
        QVERIFY(!report->memory->recording(device.device).hasBlocks);
    }
    void damageIsCounted()
    {
        const auto report =
            reportOfBytes(kOperatorHead + "a,x,1,2,3\nb,1,N/A,N/A\n\nc,1,5,4,4\nd\ne,1,7,8,9\nf,1,\"7");
        QVERIFY(report);
        QCOMPARE(notesOf(*report, "memory.bad_row"), 4u);
        QCOMPARE(notesOf(*report, "memory.broken_line"), 6u); // all are short
        QCOMPARE(notesOf(*report, "file.truncated"), 1u);
        QCOMPARE(blocksOf(*report), (QStringList{"e 1024 B", "f 1024 B kept"}));
        const auto empty = reportOfBytes(kRecordHead);
        QVERIFY(empty && !empty->memory);
        const auto short_ = reportOfBytes("Component,Timestamp(us),Total Allocated(MB)x,y\nPTA,1000,1,4\n");
        QVERIFY(short_ && !short_->memory && notesOf(*short_, "memory.bad_row") == 1);
    }
};

LOCKSTEP_TEST(AscendMemoryTest, "ascend_memory_test")
#include "ascend_memory_test.moc"
