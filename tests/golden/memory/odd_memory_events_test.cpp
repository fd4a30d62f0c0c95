// SPDX-License-Identifier: Apache-2.0
// Tests malformed memory events of torch.profiler, and very many of them.
#include <chrono>
#include <cstdio>

#include "core/lanes/report_memory.h"
#include "core/trace/memory_history.h"
#include "tests/support/memory_events.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class OddMemoryEventsTest : public QObject {
    Q_OBJECT

  private slots:
    void impossibleEventsAreNoted()
    {
        const auto notesOf = [](const std::vector<std::string>& events) {
            const auto report = reportOfBytes(memoryTrace(events));
            ImportNotes notes = replayOfMemory(report).notes;
            notes.merge(report->notes);
            return notes;
        };
        const MemoryStep twice{1000, 0x1000, 512, 512, 0, 0}, again{1001, 0x1000, 1024, 1024, 0, 0};
        const MemoryStep freed{1002, 0x1000, -1024, 0, 0, 0}, freedAgain{1003, 0x1000, -1024, 0, 0, 0};
        QVERIFY(hasMemoryNote(notesOf({memoryInstantText(twice), memoryInstantText(again)}),
                              "memory.handed_out_twice"));
        QVERIFY(hasMemoryNote(
            notesOf({memoryInstantText(again), memoryInstantText(freed), memoryInstantText(freedAgain)}),
            "memory.freed_twice"));
        MemoryStep below = twice;
        below.total_bytes = -70;
        QVERIFY(hasMemoryNote(notesOf({memoryInstantText(below)}), "memory.total_below_zero"));
        MemoryStep less = twice;
        less.total_bytes = 100; // less than the block itself
        QVERIFY(hasMemoryNote(notesOf({memoryInstantText(less)}), "memory.total_below_blocks"));
        MemoryStep large = twice;
        large.change_bytes = INT64_MIN;
        QVERIFY(hasMemoryNote(notesOf({memoryInstantText(large)}), "memory.impossible_size"));
        std::string unnumbered = memoryInstantText(twice);
        unnumbered.replace(unnumbered.find(",\"Device Id\":0"), 14, "");
        QVERIFY(hasMemoryNote(notesOf({unnumbered}), "memory.no_device"));
        std::string sizeless = memoryInstantText(twice);
        sizeless.replace(sizeless.find("\"Bytes\":512,"), 12, "");
        const auto report = reportOfBytes(memoryTrace({sizeless}));
        QVERIFY(report && !report->memory); // its totals remain counters
        QCOMPARE(report->counterTracks.size(), 2u);
    }
    // The order in the file does not matter; GPUs and the CPU are separate, even with hundreds of GPUs.
    void orderAndDevices()
    {
        std::vector<MemoryStep> steps = madeMemorySteps(600, 8);
        for (size_t i = 0; i < 3; ++i)
            steps.push_back({2000, 0x9000, 4096, 4096, 0, i == 0 ? -1 : static_cast<int>(i * 5000)});
        std::vector<std::string> events;
        for (const MemoryStep& step : steps)
            events.push_back(memoryInstantText(step, false));
        std::ranges::shuffle(events, std::mt19937(3));
        const auto report = reportOfBytes(memoryTrace(events));
        const AllocatorReplay replay = replayOfMemory(report);
        QCOMPARE(replay.devices.size(), 4u);
        steps.resize(600);
        for (size_t i = 0; i < 4; ++i) {
            const MemorySubject subject = report->memory->subjectOf(replay.devices[i].device);
            if (subject.ordinal == 0) QCOMPARE(memoryAtStamps(replay, steps, i), plainMemoryLevels(steps, 0));
            if (subject.ordinal != 0) QCOMPARE(replay.devices[i].peaks.active.levels.active, 4096);
            QCOMPARE(subject.kind, subject.ordinal < 0 ? MemoryKind::pageable : MemoryKind::device);
        }
    }
    // Each row of a file may name another device.
    void thousandsOfDevices()
    {
        std::vector<std::string> events;
        for (int i = 0; i < 5000; ++i)
            events.push_back(memoryInstantText({1000 + i, 0x1000, 512, 512, 0, i}));
        const auto report = reportOfBytes(memoryTrace(events));
        QVERIFY(report && report->memory);
        QCOMPARE(report->memory->devices.size(), MemoryHistory::kMaxSubjects);
        QVERIFY(hasMemoryNote(report->notes, "memory.too_many_devices"));
    }
    void aMillion()
    {
        using Clock = std::chrono::steady_clock;
        const auto since = [](Clock::time_point begin) {
            return std::chrono::duration<double>(Clock::now() - begin).count();
        };
        const std::vector<MemoryStep> steps = madeMemorySteps(1'000'000, 9);
        const std::string with = memoryTraceOf(steps);
        auto begin = Clock::now();
        const auto report = reportOfBytes(with);
        const double read_s = since(begin);
        begin = Clock::now();
        const auto memory = replayMemory(*report, Progress());
        std::printf(
            "a million memory events: read %.2f s, replayed with levels of detail %.2f s, %.0f + %.0f MB\n",
            read_s, since(begin), static_cast<double>(report->memory->residentBytes()) / 1e6,
            static_cast<double>(memory->residentBytes()) / 1e6);
        QCOMPARE(memory->replay.devices[0].rows.size(), steps.size());
        QCOMPARE(memory->replay.devices[0].levelsAt(1'000'000).active, steps.back().total_bytes);
    }
};

LOCKSTEP_TEST(OddMemoryEventsTest, "odd_memory_events_test")
#include "odd_memory_events_test.moc"
