// SPDX-License-Identifier: Apache-2.0
// Memory that others than PyTorch's allocator recorded: the same allocations written as a trace of
// torch.profiler, as an export of nsys and as a snapshot come to the same levels, which a plain sum comes to
// as well; and what such files are without.
#include <chrono>
#include <cstdio>
#include <map>
#include <random>

#include "core/lanes/report_memory.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/allocator_state.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Step {
    int64_t time_us = 0;
    uint64_t address = 0;
    int64_t change_bytes = 0; // below zero: freed
    int64_t total_bytes = 0;  // after it
    int64_t reserved_bytes = 0;
    int device = 0; // -1: the CPU
};

// Blocks of whole 512 bytes up to 1 MiB, which no allocator rounds.
std::vector<Step> madeSteps(size_t count, uint32_t seed, int64_t before_bytes = 0)
{
    std::mt19937 random(seed);
    std::vector<Step> out;
    std::vector<std::pair<uint64_t, int64_t>> live;
    int64_t total = before_bytes;
    for (size_t i = 0; i < count; ++i) {
        Step step;
        step.time_us = static_cast<int64_t>(1000 + i);
        if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) {
            const size_t at = random() % live.size();
            step.address = live[at].first;
            step.change_bytes = -live[at].second;
            live[at] = live.back();
            live.pop_back();
        } else {
            step.address = 0x7F00'0000'0000 + (i % 100'000) * 0x10'0000;
            step.change_bytes = static_cast<int64_t>(512 * (1 + random() % 2048));
            live.emplace_back(step.address, step.change_bytes);
        }
        step.total_bytes = total += step.change_bytes;
        step.reserved_bytes = (total / 0x20'0000 + 1) * 0x20'0000;
        out.push_back(step);
    }
    return out;
}

std::string instantText(const Step& step, bool statesTotals = true)
{
    const auto pair = [](const char* key, const std::string& value) {
        return std::string(",\"") + key + "\":" + value;
    };
    std::string args = "\"Addr\":" + std::to_string(step.address);
    args += pair("Bytes", std::to_string(step.change_bytes)) +
            pair("Device Id", std::to_string(step.device)) + pair("Device Type", step.device < 0 ? "0" : "1");
    if (statesTotals) {
        args += pair("Total Allocated", std::to_string(step.total_bytes)) +
                pair("Total Reserved", std::to_string(step.device < 0 ? 0 : step.reserved_bytes));
    }
    return "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":7,\"tid\":7,\"ts\":" +
           std::to_string(step.time_us) + ",\"args\":{" + args + "}}";
}

// An op of the same thread.
std::string opText(std::string_view name, int64_t begin_us, int64_t length_us)
{
    return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" + std::string(name) +
           "\",\"pid\":7,\"tid\":7,\"ts\":" + std::to_string(begin_us) +
           ",\"dur\":" + std::to_string(length_us) + ",\"args\":{}}";
}

std::string traceText(const std::vector<std::string>& events)
{
    std::string text = "{\"schemaVersion\":1,\"traceEvents\":[";
    for (size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + events[i];
    return text + "\n]}";
}

std::string traceOf(const std::vector<Step>& steps, bool statesTotals = true)
{
    std::vector<std::string> events;
    for (const Step& step : steps)
        events.push_back(instantText(step, statesTotals));
    return traceText(events);
}

std::shared_ptr<const Report> nsysOf(const std::vector<Step>& steps, const std::string& more = {})
{
    const TempDir folder;
    std::string sql =
        kSessionSql +
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INT, globalPid INT, deviceId INT, contextId "
        "INT, address INT, pc INT, bytes INT, memKind INT, memoryOperationType INT, name TEXT, "
        "correlationId INT);";
    for (const Step& step : steps) {
        sql += "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(" + std::to_string(step.time_us * 1000) +
               ",281476654432256," + std::to_string(step.device) + ",1," + std::to_string(step.address) +
               ",0," + std::to_string(std::abs(step.change_bytes)) + ",2," +
               (step.change_bytes < 0 ? "1" : "0") + ",NULL,NULL);";
    }
    const auto path = folder.path() / "made.sqlite";
    if (!runSql(path, sql + more)) return nullptr;
    const auto report = readReport(path, Progress(test::workers()));
    return report ? *report : nullptr;
}

std::shared_ptr<const Report> snapshotOf(const std::vector<Step>& steps)
{
    std::string text = "{\"segments\":[],\"device_traces\":[[";
    for (const Step& step : steps) {
        const auto entry = [&](const char* action) {
            return std::string("{\"action\":\"") + action + "\",\"addr\":" + std::to_string(step.address) +
                   ",\"size\":" + std::to_string(std::abs(step.change_bytes)) +
                   ",\"stream\":0,\"time_us\":" + std::to_string(step.time_us) + ",\"frames\":[]}";
        };
        text += text.ends_with('[') ? "" : ",";
        text +=
            step.change_bytes > 0 ? entry("alloc") : entry("free_requested") + "," + entry("free_completed");
    }
    return reportOfBytes(text + "]]}");
}

// What stands at each stamp, by address: slow and plain.
std::vector<int64_t> plainLevels(const std::vector<Step>& steps, int64_t before_bytes)
{
    std::map<uint64_t, int64_t> held;
    std::vector<int64_t> out;
    for (const Step& step : steps) {
        if (step.change_bytes > 0) {
            held[step.address] = step.change_bytes;
        } else {
            held.erase(step.address);
        }
        int64_t sum = before_bytes;
        for (const auto& [address, size] : held)
            sum += size;
        out.push_back(sum);
    }
    return out;
}

AllocatorReplay replayOf(const std::shared_ptr<const Report>& report)
{
    return replayAllocator(*report, Progress()).value();
}

std::vector<int64_t> levelsAtStamps(const AllocatorReplay& replay, const std::vector<Step>& steps,
                                    size_t device = 0)
{
    std::vector<int64_t> out;
    for (const Step& step : steps) {
        const DeviceReplay& of = replay.devices[device];
        out.push_back(of.levelsAt(of.momentAt(*replay.snapshot, step.time_us * 1000)).active);
    }
    return out;
}

bool hasNote(const ImportNotes& notes, std::string_view kind)
{
    return std::ranges::find(notes.all(), kind, &ImportNote::kind) != notes.all().end();
}

std::string stackOf(const AllocatorReplay& replay, const Report& report, size_t device, size_t life)
{
    return stackText(*replay.snapshot, report.strings, replay.devices[device].blocks.stack[life], 9);
}

} // namespace

class RecordedMemoryTest : public QObject {
    Q_OBJECT

  private slots:
    void sameBlocksSameCurve()
    {
        const std::vector<Step> steps = madeSteps(2000, 5);
        const auto torch = reportOfBytes(traceOf(steps)), nsys = nsysOf(steps), snapshot = snapshotOf(steps);
        QVERIFY(torch && torch->memory && nsys && nsys->memory && snapshot && snapshot->memory);
        const auto expected = plainLevels(steps, 0);
        const MemoryPeak peak = replayOf(torch).devices[0].peaks.active;
        for (const auto& report : {torch, nsys, snapshot}) {
            const AllocatorReplay replay = replayOf(report);
            QCOMPARE(replay.devices.size(), 1u);
            QCOMPARE(levelsAtStamps(replay, steps), expected);
            QCOMPARE(replay.devices[0].peaks.active.levels.active, peak.levels.active);
            QCOMPARE(replay.devices[0].timeOf(*replay.snapshot, replay.devices[0].peaks.active.moment),
                     replayOf(torch).devices[0].timeOf(*torch->memory, peak.moment));
        }
        const AllocatorReplay replay = replayOf(torch);
        for (size_t i = 0; i < steps.size(); ++i)
            QCOMPARE(replay.devices[0].levelsAt(static_cast<MemoryMoment>(i + 1)).reserved,
                     steps[i].reserved_bytes);
        QVERIFY(!hasNote(replay.notes, "memory.total_disagrees"));
        QVERIFY(replay.devices[0].segments.isKnown && !replayOf(nsys).devices[0].segments.isKnown);
    }
    // What was there before is in the totals; what of it is freed later is a block, the rest one sum.
    void totalsTellWhatWasThereBefore()
    {
        constexpr int64_t kBefore = 10'000'000;
        std::vector<Step> steps = madeSteps(500, 6, kBefore);
        const Step freed{steps.back().time_us + 1, 0x1000, -4096, steps.back().total_bytes - 4096, 0, 0};
        steps.push_back(freed);
        const auto report = reportOfBytes(traceOf(steps));
        const AllocatorReplay replay = replayOf(report);
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(device.levelsAt(0).active, kBefore);
        for (size_t i = 0; i < steps.size(); ++i)
            QCOMPARE(device.levelsAt(static_cast<MemoryMoment>(i + 1)).active, steps[i].total_bytes);
        QCOMPARE(device.blocks.size_bytes[0], 4096u);
        QCOMPARE(device.blocks.size_bytes[1], uint64_t(kBefore) - 4096);
        QVERIFY(device.blocks.flags[1] & blockFlag::kRest);
        QCOMPARE(stackOf(replay, *report, 0, 1), "(allocated before the recording began)");
        QCOMPARE(categoryOf(stackCategories(*report->memory, report->strings), device.blocks.stack[1]),
                 MemoryCategory::noStack);
        QVERIFY(hasNote(replay.notes, "memory.rest_before"));
        // Without totals it is silent of them.
        const AllocatorReplay untold = replayOf(reportOfBytes(traceOf(steps, false)));
        QCOMPARE(untold.devices[0].levelsAt(0).active, 4096);
        QVERIFY(!hasNote(untold.notes, "memory.rest_before") && !untold.devices[0].segments.isKnown);
    }
    // Ranges of the thread, innermost first, without the step that they are in.
    void blocksAreOfTheirOperator()
    {
        Step first{1000, 0x1000, 512, 512, 0, 0}, second{1200, 0x2000, 512, 1024, 0, 0};
        const std::string python =
            "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"model.py(12): forward\","
            "\"pid\":7,\"tid\":7,\"ts\":950,\"dur\":100,\"args\":{}}";
        const auto report = reportOfBytes(
            traceText({instantText(second), instantText(first), opText("ProfilerStep#3", 900, 200),
                       opText("aten::linear", 960, 80), opText("aten::empty", 990, 20), python}));
        const AllocatorReplay replay = replayOf(report);
        QCOMPARE(stackOf(replay, *report, 0, 0), "model.py:12 forward");
        const auto frames = replay.snapshot->stack(replay.devices[0].blocks.stack[0]);
        QCOMPARE(frames.size(), 3u);
        QCOMPARE(report->strings.at(replay.snapshot->frames[frames[0].value].function), "aten::empty");
        QCOMPARE(report->strings.at(replay.snapshot->frames[frames[1].value].function), "aten::linear");
        QCOMPARE(stackOf(replay, *report, 0, 1), "no stack"); // nothing ran on its thread
    }
    // By correlation id: the call and the NVTX ranges that it was made in.
    void driversBlocksAreOfTheirCall()
    {
        const auto report = nsysOf(
            {},
            "INSERT INTO StringIds VALUES(60, 'cudaMalloc_v3020'), (61, 'cudaHostAlloc_v3020');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, "
            "correlationId INT, nameId INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100, 200, 0, 281476654432356, 9, 60),"
            "(300, 400, 0, 281476654432356, 10, 61);"
            "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);"
            "INSERT INTO NVTX_EVENTS VALUES(50, 250, 59, 'load weights', 281476654432356, 0);"
            "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
            "(150,281476654432256,1,1,4096,0,1048576,2,0,NULL,9),(350,281476654432256,1,1,8192,0,4096,1,0,NULL,10),"
            "(360,281476654432256,1,1,12288,0,4096,4,0,NULL,NULL),(370,281478332153856,1,1,4096,0,512,2,0,NULL,9);");
        QVERIFY(report && report->memory);
        const AllocatorReplay replay = replayOf(report);
        QStringList told;
        for (size_t i = 0; i < replay.devices.size(); ++i) {
            const MemorySubject subject = report->memory->subjectOf(replay.devices[i].device);
            told << QString("%1 %2 B %3 of %4")
                        .arg(memorySubjectName(subject).c_str())
                        .arg(replay.devices[i].peaks.active.levels.active)
                        .arg(stackOf(replay, *report, i, 0).c_str())
                        .arg(report->processes[subject.process.value].pid);
        }
        told.sort();
        QCOMPARE(told.join('\n'), "GPU 1 1048576 B cudaMalloc_v3020 < load weights of 100\n"
                                  "GPU 1 512 B no stack of 200\n"
                                  "managed memory of GPU 1 4096 B no stack of 100\n"
                                  "pinned memory of the host 4096 B cudaHostAlloc_v3020 of 100");
    }
    void whatCannotBeIsNoted()
    {
        const auto notesOf = [](const std::vector<std::string>& events) {
            const auto report = reportOfBytes(traceText(events));
            ImportNotes notes = replayOf(report).notes;
            notes.merge(report->notes);
            return notes;
        };
        const Step twice{1000, 0x1000, 512, 512, 0, 0}, again{1001, 0x1000, 1024, 1024, 0, 0};
        const Step freed{1002, 0x1000, -1024, 0, 0, 0}, freedAgain{1003, 0x1000, -1024, 0, 0, 0};
        QVERIFY(hasNote(notesOf({instantText(twice), instantText(again)}), "memory.handed_out_twice"));
        QVERIFY(hasNote(notesOf({instantText(again), instantText(freed), instantText(freedAgain)}),
                        "memory.freed_twice"));
        Step below = twice;
        below.total_bytes = -70;
        QVERIFY(hasNote(notesOf({instantText(below)}), "memory.total_below_zero"));
        Step less = twice;
        less.total_bytes = 100; // less than the block itself
        QVERIFY(hasNote(notesOf({instantText(less)}), "memory.total_below_blocks"));
        Step large = twice;
        large.change_bytes = INT64_MIN;
        QVERIFY(hasNote(notesOf({instantText(large)}), "memory.impossible_size"));
        std::string unnumbered = instantText(twice);
        unnumbered.replace(unnumbered.find(",\"Device Id\":0"), 14, "");
        QVERIFY(hasNote(notesOf({unnumbered}), "memory.no_device"));
        std::string sizeless = instantText(twice);
        sizeless.replace(sizeless.find("\"Bytes\":512,"), 12, "");
        const auto report = reportOfBytes(traceText({sizeless}));
        QVERIFY(report && !report->memory); // its totals are counters still
        QCOMPARE(report->counterTracks.size(), 2u);
    }
    // The order of the file is of no meaning; GPUs and the CPU are apart; hundreds of GPUs stay so.
    void orderAndDevices()
    {
        std::vector<Step> steps = madeSteps(600, 8);
        for (size_t i = 0; i < 3; ++i)
            steps.push_back({2000, 0x9000, 4096, 4096, 0, i == 0 ? -1 : static_cast<int>(i * 5000)});
        std::vector<std::string> events;
        for (const Step& step : steps)
            events.push_back(instantText(step, false));
        std::ranges::shuffle(events, std::mt19937(3));
        const auto report = reportOfBytes(traceText(events));
        const AllocatorReplay replay = replayOf(report);
        QCOMPARE(replay.devices.size(), 4u);
        steps.resize(600);
        for (size_t i = 0; i < 4; ++i) {
            const MemorySubject subject = report->memory->subjectOf(replay.devices[i].device);
            if (subject.ordinal == 0) QCOMPARE(levelsAtStamps(replay, steps, i), plainLevels(steps, 0));
            if (subject.ordinal != 0) QCOMPARE(replay.devices[i].peaks.active.levels.active, 4096);
            QCOMPARE(subject.kind, subject.ordinal < 0 ? MemoryKind::pageable : MemoryKind::device);
        }
    }
    void aMillion()
    {
        using Clock = std::chrono::steady_clock;
        const auto since = [](Clock::time_point begin) {
            return std::chrono::duration<double>(Clock::now() - begin).count();
        };
        const std::vector<Step> steps = madeSteps(1'000'000, 9);
        const std::string with = traceOf(steps);
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

LOCKSTEP_TEST(RecordedMemoryTest, "recorded_memory_test")
#include "recorded_memory_test.moc"
