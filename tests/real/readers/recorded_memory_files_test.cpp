// SPDX-License-Identifier: Apache-2.0
// Tests real traces with memory events: the level after each equals the level that the file records and a
// plain sum of its signed bytes; areas of a real memory timeline equal the totals that HTA finds in it.
#include <map>

#include <nlohmann/json.hpp>

#include "core/base/inflate.h"
#include "core/base/mapped_file.h"
#include "core/memory/allocations.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/allocator_state.h"
#include "core/readers/reader.h"

#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct PlainEvent {
    double time_us = 0;
    int64_t index = 0, change_bytes = 0, total_bytes = 0, reserved_bytes = 0;
    int type = 0;
};

// Bytes as Python would read them.
std::vector<PlainEvent> plainEvents(const std::filesystem::path& path)
{
    const MappedFile file = MappedFile::open(path).value();
    const Inflated text = uncompressed(file.text(), size_t(1) << 31, Progress()).value();
    const auto json = nlohmann::json::parse(std::string_view(text.bytes));
    std::vector<PlainEvent> out;
    for (const auto& event : json["traceEvents"]) {
        if (!event.contains("name") || event["name"] != "[memory]") continue;
        const auto& args = event["args"];
        out.push_back({event["ts"], args["Ev Idx"], args["Bytes"], args["Total Allocated"],
                       args["Total Reserved"], args["Device Type"]});
    }
    std::ranges::sort(out, {}, [](const PlainEvent& e) { return std::pair(e.time_us, e.index); });
    return out;
}

} // namespace

class RecordedMemoryFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void torchProfiler_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("events");
        QTest::newRow("bert") << "kineto/bert_h100.json.gz" << 236;
        QTest::newRow("vit") << "kineto/vit_h100.json.gz" << 620;
    }
    void torchProfiler()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        QFETCH(int, events);
        const auto path = sharedData(file.toStdString());
        const std::vector<PlainEvent> plain = plainEvents(path);
        QCOMPARE(plain.size(), size_t(events));
        const auto report = readReport(path, Progress(test::workers())).value();
        const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
        size_t seen = 0;
        for (const DeviceReplay& device : replay.devices) {
            const bool isCpu = report->memory->subjectOf(device.device).ordinal < 0;
            MemoryMoment moment = 0;
            int64_t sum = 0;
            for (const PlainEvent& event : plain) {
                if ((event.type == 0) != isCpu) continue;
                if (moment == 0) sum = event.total_bytes - event.change_bytes;
                sum += event.change_bytes;
                const MemoryLevels levels = device.levelsAt(++moment);
                QCOMPARE(levels.active, sum);
                QCOMPARE(levels.active, event.total_bytes);
                if (!isCpu) QCOMPARE(levels.reserved, event.reserved_bytes);
            }
            QCOMPARE(moment, device.lastMoment());
            seen += moment;
        }
        QCOMPARE(seen, plain.size());
        for (const ImportNote& note : replay.notes.all())
            QVERIFY2(note.severity == NoteSeverity::info, note.text.c_str());
    }
    // Point 744 and the peak are those of HTA's own test.
    void categoriesOverTime()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/memory_timeline.raw.json.gz"), Progress(test::workers())).value();
        const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
        QCOMPARE(replay.devices.size(), 1u);
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(device.peaks.active.levels.active, 3082832104);
        const CounterTrack& first = report->counterTracks[0];
        for (uint32_t point = 0; point < first.sampleCount; ++point) {
            double total = 0;
            for (const CounterTrack& track : report->counterTracks)
                total += report->counters.value[track.firstSample + point];
            const int64_t time_ns = report->counters.time_ns[first.firstSample + point];
            const bool isLast = point + 1 == first.sampleCount ||
                                report->counters.time_ns[first.firstSample + point + 1] != time_ns;
            if (!isLast) continue; // the earlier memory has the first timestamp too
            QCOMPARE(device.levelsAt(device.momentAt(*report->memory, time_ns)).active,
                     static_cast<int64_t>(total));
        }
        const int64_t at_ns = report->counters.time_ns[first.firstSample + 744];
        std::map<std::string, int64_t> levels;
        for (const StackLevel& level : stackLevels(device, device.momentAt(*report->memory, at_ns)))
            levels[stackText(*report->memory, report->strings, level.stack)] = level.size_bytes;
        QCOMPARE(levels.at("Parameter (category)"), 102440608);
        QCOMPARE(levels.at("Activation (category)"), 2618160128);
        QCOMPARE(levels.at("Unknown (category)"), 25494440);
        QVERIFY(!levels.contains("Temporary (category)"));
    }
};

LOCKSTEP_TEST(RecordedMemoryFilesTest, "recorded_memory_files_test")
#include "recorded_memory_files_test.moc"
