// SPDX-License-Identifier: Apache-2.0
// Tests memory recorded by tools other than PyTorch's allocator. The same allocations give the same levels as
// a trace of torch.profiler, an export of nsys and a snapshot, and a plain sum confirms them. Also tests what
// such files lack.
#include "core/analysis/memory_tables/stack_tables.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/memory_category.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/memory_events.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::shared_ptr<const Report> nsysOf(const std::vector<MemoryStep>& steps, const std::string& more = {})
{
    const TempDir folder;
    std::string sql =
        kSessionSql +
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INT, globalPid INT, deviceId INT, contextId "
        "INT, address INT, pc INT, bytes INT, memKind INT, memoryOperationType INT, name TEXT, "
        "correlationId INT);";
    for (const MemoryStep& step : steps) {
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

std::shared_ptr<const Report> snapshotOf(const std::vector<MemoryStep>& steps)
{
    std::string text = "{\"segments\":[],\"device_traces\":[[";
    for (const MemoryStep& step : steps) {
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
        const std::vector<MemoryStep> steps = madeMemorySteps(2000, 5);
        const auto torch = reportOfBytes(memoryTraceOf(steps)), nsys = nsysOf(steps),
                   snapshot = snapshotOf(steps);
        QVERIFY(torch && torch->memory && nsys && nsys->memory && snapshot && snapshot->memory);
        const auto expected = plainMemoryLevels(steps, 0);
        const MemoryPeak peak = replayOfMemory(torch).devices[0].peaks.active;
        for (const auto& report : {torch, nsys, snapshot}) {
            const AllocatorReplay replay = replayOfMemory(report);
            QCOMPARE(replay.devices.size(), 1u);
            QCOMPARE(memoryAtStamps(replay, steps), expected);
            QCOMPARE(replay.devices[0].peaks.active.levels.active, peak.levels.active);
            QCOMPARE(replay.devices[0].timeOf(*replay.snapshot, replay.devices[0].peaks.active.moment),
                     replayOfMemory(torch).devices[0].timeOf(*torch->memory, peak.moment));
        }
        const AllocatorReplay replay = replayOfMemory(torch);
        for (size_t i = 0; i < steps.size(); ++i)
            QCOMPARE(replay.devices[0].levelsAt(static_cast<MemoryMoment>(i + 1)).reserved,
                     steps[i].reserved_bytes);
        QVERIFY(!hasMemoryNote(replay.notes, "memory.total_disagrees"));
        QVERIFY(replay.devices[0].segments.isKnown && !replayOfMemory(nsys).devices[0].segments.isKnown);
    }
    // The totals include memory from before the recording. The part that is freed later is a block; the rest
    // is one sum.
    void totalsIncludeEarlierMemory()
    {
        constexpr int64_t kBefore = 10'000'000;
        std::vector<MemoryStep> steps = madeMemorySteps(500, 6, kBefore);
        const MemoryStep freed{steps.back().time_us + 1,        0x1000, -4096,
                               steps.back().total_bytes - 4096, 0,      0};
        steps.push_back(freed);
        const auto report = reportOfBytes(memoryTraceOf(steps));
        const AllocatorReplay replay = replayOfMemory(report);
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
        QVERIFY(hasMemoryNote(replay.notes, "memory.rest_before"));
        // Without totals in the file, none are shown.
        const AllocatorReplay untold = replayOfMemory(reportOfBytes(memoryTraceOf(steps, false)));
        QCOMPARE(untold.devices[0].levelsAt(0).active, 4096);
        QVERIFY(!hasMemoryNote(untold.notes, "memory.rest_before") && !untold.devices[0].segments.isKnown);
    }
    // Returns the ranges of the thread, innermost first, without the step around them.
    void blocksBelongToTheirOperator()
    {
        MemoryStep first{1000, 0x1000, 512, 512, 0, 0}, second{1200, 0x2000, 512, 1024, 0, 0};
        const std::string python =
            "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"model.py(12): forward\","
            "\"pid\":7,\"tid\":7,\"ts\":950,\"dur\":100,\"args\":{}}";
        const auto report = reportOfBytes(memoryTrace(
            {memoryInstantText(second), memoryInstantText(first), memoryOpText("ProfilerStep#3", 900, 200),
             memoryOpText("aten::linear", 960, 80), memoryOpText("aten::empty", 990, 20), python}));
        const AllocatorReplay replay = replayOfMemory(report);
        QCOMPARE(stackOf(replay, *report, 0, 0), "model.py:12 forward");
        const auto frames = replay.snapshot->stack(replay.devices[0].blocks.stack[0]);
        QCOMPARE(frames.size(), 3u);
        QCOMPARE(report->strings.at(replay.snapshot->frames[frames[0].value].function), "aten::empty");
        QCOMPARE(report->strings.at(replay.snapshot->frames[frames[1].value].function), "aten::linear");
        QCOMPARE(stackOf(replay, *report, 0, 1), "no stack"); // nothing ran on its thread
    }
    // Linked by correlation id: the call and the NVTX ranges around it.
    void driverBlocksBelongToTheirCall()
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
        const AllocatorReplay replay = replayOfMemory(report);
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
                                  "pinned host memory 4096 B cudaHostAlloc_v3020 of 100");
    }
    // A workspace saves the recorder and the reported values.
    void workspacesPreserveIt()
    {
        const auto report = reportOfBytes(memoryTraceOf(madeMemorySteps(3000, 11, 5'000'000)));
        Workspace workspace;
        workspace.add(report);
        const TempDir folder;
        const auto path = folder.path() / "kept.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspace, {}, Progress()));
        const auto again = readReport(path, Progress(test::workers()));
        QVERIFY2(again && (*again)->memory, again ? "no memory" : again.error().message.c_str());
        const MemorySnapshot &a = *report->memory, &b = *(*again)->memory;
        QVERIFY(!b.isOfAllocator());
        QCOMPARE(b.subjectOf(0), a.subjectOf(0));
        QCOMPARE(b.entries.recorded_bytes, a.entries.recorded_bytes);
        QCOMPARE(b.entries.reserved_bytes, a.entries.reserved_bytes);
        const AllocatorReplay first = replayOfMemory(report), second = replayOfMemory(*again);
        QCOMPARE(second.devices[0].levelsAt(0), first.devices[0].levelsAt(0));
        QCOMPARE(second.devices[0].peaks.active.levels, first.devices[0].peaks.active.levels);
        QCOMPARE(stackOf(second, **again, 0, 0), "(allocated before the recording began)");
    }
    // No file records requested sizes, and the CPU's memory belongs to no rank.
    void tablesStayEmpty()
    {
        std::vector<MemoryStep> steps = madeMemorySteps(50, 13);
        steps.push_back({2000, 0x9000, 4096, 4096, 0, -1});
        const auto report = reportOfBytes(memoryTraceOf(steps));
        const AllocatorReplay replay = replayOfMemory(report);
        QCOMPARE(replay.devices.size(), 2u);
        std::vector<MemoryView> views;
        for (const DeviceReplay& device : replay.devices)
            views.push_back({device, *report->memory, report->strings, device.lastMoment()});
        const auto ranks = imbalanceTable(views, std::vector<std::string>{"CPU", "GPU"});
        QCOMPARE(ranks->rowCount(), 1u);
        QCOMPARE(ranks->cell(0, 0), "GPU");
        QCOMPARE(ranks->cell(ranks->columnNamed("Peak requested"), 0), "");
        QVERIFY(!ranks->cell(ranks->columnNamed("Peak reserved"), 0).empty());
        const auto stacks = stackUseTable(views[1]);
        QCOMPARE(stacks->cell(stacks->columnNamed("Requested"), 0), "");
    }
    void stepsComeFromTheProfiler()
    {
        std::vector<std::string> events;
        for (const MemoryStep& step : madeMemorySteps(300, 12))
            events.push_back(memoryInstantText(step));
        for (const int64_t begin_us : {1000, 1100, 1200}) {
            for (const char* const name : {"ProfilerStep#1", "Optimizer.step#SGD.step"}) {
                std::string annotation = memoryOpText(name, begin_us, name[0] == 'P' ? 100 : 50);
                annotation.replace(annotation.find("cpu_op"), 6, "user_annotation");
                events.push_back(annotation);
            }
        }
        const auto report = reportOfBytes(memoryTrace(events));
        const AllocatorReplay replay = replayOfMemory(report);
        QCOMPARE(stepMoments(*report, replay.devices[0], "step"), (std::vector<MemoryMoment>{101, 201, 300}));
    }
};

LOCKSTEP_TEST(RecordedMemoryTest, "recorded_memory_test")
#include "recorded_memory_test.moc"
