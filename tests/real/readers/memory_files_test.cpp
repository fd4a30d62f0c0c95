// SPDX-License-Identifier: Apache-2.0
// Compares real allocator snapshots and a memory timeline with an independent plain walk that uses Python's
// own pickle module.
#include <numeric>

#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::sharedData;

namespace {

uint64_t sum(const std::vector<uint64_t>& column)
{
    return std::accumulate(column.begin(), column.end(), uint64_t(0));
}

uint64_t countOf(const Report& report, std::string_view word)
{
    const auto found = std::ranges::find(report.rowCounts, word, &std::pair<std::string, uint64_t>::first);
    return found == report.rowCounts.end() ? 0 : found->second;
}

std::vector<double> samplesOf(const Report& report, std::string_view name)
{
    for (const CounterTrack& track : report.counterTracks) {
        if (report.strings.at(track.name) != name) continue;
        const auto begin = report.counters.value.begin() + track.firstSample;
        return {begin, begin + track.sampleCount};
    }
    return {};
}

size_t inState(const Report& report, BlockState state)
{
    return static_cast<size_t>(std::ranges::count(report.memory->blocks.state, state));
}

} // namespace

class MemoryFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void cudaSnapshot()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/forward_cuda.pickle"), Progress(test::workers())).value();
        const MemorySnapshot& memory = *report->memory;
        QCOMPARE(report->provenance.kind, std::string("memory snapshot"));
        QCOMPARE(memory.segments.size(), size_t(1722));
        QCOMPARE(memory.blocks.size(), size_t(4158));
        QCOMPARE(sum(memory.segments.total_bytes), uint64_t(47234154496));
        QCOMPARE(sum(memory.segments.allocated_bytes), uint64_t(44607570432));
        QCOMPARE(sum(memory.segments.requested_bytes), uint64_t(43727739906));
        QCOMPARE(inState(*report, BlockState::allocated), size_t(3478));
        QCOMPARE(inState(*report, BlockState::inactive), size_t(680));
        QCOMPARE(countOf(*report, "alloc"), uint64_t(4138));
        QCOMPARE(countOf(*report, "free_requested"), uint64_t(2405));
        QCOMPARE(countOf(*report, "free_completed"), uint64_t(2405));
        QCOMPARE(memory.entries.time_ns.front(), int64_t(1754643471271249'000));
        QCOMPARE(memory.entries.time_ns.back(), int64_t(1754643471354315'000));
        const auto withFrames =
            std::ranges::count_if(memory.blocks.stack, [](MemoryStackId id) { return id.isValid(); });
        QCOMPARE(size_t(withFrames), size_t(3042));
        const std::vector<double> requested = samplesOf(*report, "memory requested");
        QCOMPARE(requested.size(), size_t(1 + 4138 + 2405));
        QCOMPARE(requested.front(), 32009290754.0);
        QCOMPARE(requested.back(), 43727739906.0);
        QCOMPARE(*std::ranges::max_element(requested), 43754773506.0);
        QVERIFY(std::ranges::count(report->facts,
                                   Fact{"device 0 memory allocated at the dump", "44607570432 B"}) == 1);
        QVERIFY(std::ranges::count(report->facts,
                                   Fact{"device 0 memory requested at the dump", "43727739906 B"}) == 1);
        QCOMPARE(samplesOf(*report, "memory reserved"), (std::vector<double>{47234154496.0}));
        QVERIFY(std::ranges::count(report->facts, Fact{"allocator.max_split_size", "-1"}) == 1);
        QVERIFY(!report->notes.hasDataLoss());
    }

    void pendingFreeAndEmptyTrace()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/verl_mem.pickle"), Progress(test::workers())).value();
        QCOMPARE(report->memory->segments.size(), size_t(127));
        QCOMPARE(report->memory->blocks.size(), size_t(638));
        QCOMPARE(inState(*report, BlockState::pendingFree), size_t(9));
        QCOMPARE(sum(report->memory->segments.active_bytes), uint64_t(25513411584));
        QCOMPARE(report->memory->entries.size(), size_t(0));
        QVERIFY(report->extent.isEmpty());
    }

    void npuSnapshots()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto one =
            readReport(sharedData("memory/snapshot_expandable.pkl"), Progress(test::workers())).value();
        QCOMPARE(one->memory->entries.size(), size_t(8092));
        QCOMPARE(countOf(*one, "segment_map"), uint64_t(45));
        QCOMPARE(size_t(std::ranges::count(one->memory->segments.isExpandable, 1)), size_t(2));
        QVERIFY(one->memory->entries.time_ns.empty());
        const auto many =
            readReport(sharedData("memory/snapshot_with_multi_devices.pkl"), Progress(test::workers()))
                .value();
        QCOMPARE(many->memory->devices, (std::vector<int32_t>{0, 1}));
        QCOMPARE(many->memory->entries.size(), size_t(8132 + 9700));
        QCOMPARE(size_t(std::ranges::count(many->memory->entries.device, 1)), size_t(9700));
        QCOMPARE(countOf(*many, "segment_unmap"), uint64_t(10));
        QCOMPARE(countOf(*many, "segment_alloc"), uint64_t(52));
        QCOMPARE(sum(many->memory->segments.total_bytes), uint64_t(1042284544));
    }

    // Numbers from HTA's own unit test of this file.
    void memoryTimeline()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/memory_timeline.raw.json.gz"), Progress(test::workers())).value();
        QCOMPARE(countOf(*report, "row"), uint64_t(16845));
        QCOMPARE(countOf(*report, "preexisting"), uint64_t(645));
        QCOMPARE(countOf(*report, "increment_version"), uint64_t(9510));
        QCOMPARE(report->counterTracks.size(), size_t(8));
        const std::array<double, 8> expected{102440608,  102228128, 19395584, 0,
                                             2618160128, 58417152,  41811968, 25494440};
        double most = 0;
        std::vector<double> total(7721);
        for (size_t category = 0; category < 8; ++category) {
            const CounterTrack& track = report->counterTracks[category];
            QCOMPARE(track.sampleCount, uint32_t(7721));
            QCOMPARE(report->counters.value[track.firstSample + 744], expected[category]);
            for (size_t i = 0; i < total.size(); ++i)
                total[i] += report->counters.value[track.firstSample + i];
        }
        for (const double level : total)
            most = std::max(most, level);
        QCOMPARE(most, 3082832104.0);
    }
};

LOCKSTEP_TEST(MemoryFilesTest, "memory_files_test")
#include "memory_files_test.moc"
