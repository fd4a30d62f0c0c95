// SPDX-License-Identifier: Apache-2.0
// Tests lanes of memory that tools other than the allocator recorded: their position, their labels, which of
// several files of one process is shown, and what is reported about the others.
#include "core/lanes/lane_tree.h"
#include "core/lanes/memory_lanes.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct ShownLane {
    QString label, note;
    std::vector<ReportKey> reports;
};

// Returns the lanes of memory under the first GPU, in their order.
std::vector<ShownLane> memoryLanes(const std::vector<std::shared_ptr<const Report>>& reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    const auto scene = madeScene(workspace);
    std::vector<ShownLane> out;
    for (uint32_t i = 0; i < scene->tree->size(); ++i) {
        const Lane& lane = scene->tree->lane(i);
        if (!lane.data.is<MemoryLaneData>()) continue;
        ShownLane shown{QString::fromStdString(lane.label), QString::fromStdString(lane.note), {}};
        for (const RowSource& source : lane.sources)
            shown.reports.push_back(source.report);
        out.push_back(shown);
    }
    return out;
}

MadeKernels kernelsWith(MemoryRecorder recorder, const std::string& tool, int64_t begin_ns = 120)
{
    MadeKernels of;
    of.tool = tool;
    of.memory = recorder;
    of.memoryBegin_ns = begin_ns;
    return of;
}

} // namespace

class RecordedMemoryLanesTest : public QObject {
    Q_OBJECT

  private slots:
    void labelsNameTheAllocator()
    {
        const auto torch = memoryLanes({madeKernels(kernelsWith(MemoryRecorder::torchProfiler, "PyTorch"))});
        QCOMPARE(torch.size(), 1u);
        QCOMPARE(torch[0].label, QString::fromUtf8("memory \u00B7 from torch.profiler"));
        QVERIFY(torch[0].note.contains("[memory] events"));
        QVERIFY(torch[0].note.contains("known only as a sum"));
        const auto driver = memoryLanes({madeKernels(kernelsWith(MemoryRecorder::cudaDriver, "nsys"))});
        QCOMPARE(driver[0].label, QString::fromUtf8("memory \u00B7 allocated from the driver"));
        QVERIFY(driver[0].note.contains("allocator segments, not tensors"));
        QVERIFY(memoryLanes({madeKernels({})}).empty());
    }
    // The result does not depend on the order of opening.
    void mostDetailedReportIsShown()
    {
        const auto snapshot = madeMemory({});
        const auto torch = madeKernels(kernelsWith(MemoryRecorder::torchProfiler, "PyTorch"));
        const auto driver = madeKernels(kernelsWith(MemoryRecorder::cudaDriver, "nsys"));
        for (const auto& reports :
             {std::vector{snapshot, torch, driver}, std::vector{driver, torch, snapshot}}) {
            const auto lanes = memoryLanes(reports);
            QCOMPARE(lanes.size(), 1u);
            QCOMPARE(lanes[0].label, "memory");
            QCOMPARE(lanes[0].reports, std::vector{reports[0] == snapshot ? ReportKey(0u) : ReportKey(2u)});
            QVERIFY2(
                lanes[0].note.contains(
                    "PyTorch_77 also covers this memory (torch.profiler memory events); see the Memory panel"),
                qPrintable(lanes[0].note));
            QVERIFY(lanes[0].note.contains("nsys_77 also covers this memory"));
        }
        const auto without = memoryLanes({driver, torch});
        QCOMPARE(without.size(), 1u);
        QCOMPARE(without[0].reports, std::vector{ReportKey(1u)});
    }
    // At another time no other file covers it.
    void reportsOfAnotherTimeAreKept()
    {
        const auto late = madeKernels(kernelsWith(MemoryRecorder::cudaDriver, "nsys", 500'000));
        const auto lanes = memoryLanes({madeMemory({}), late});
        size_t sources = 0;
        for (const ShownLane& lane : lanes)
            sources += lane.reports.size();
        QCOMPARE(sources, 2u);
    }
    // A history by index has no times: it hides nothing, and nothing hides it.
    void byIndexNothingIsHidden()
    {
        MadeMemory untimed;
        untimed.hasTimes = false;
        const auto torch = madeKernels(kernelsWith(MemoryRecorder::torchProfiler, "PyTorch"));
        size_t sources = 0;
        for (const ShownLane& lane : memoryLanes({madeMemory(untimed), torch}))
            sources += lane.reports.size();
        QCOMPARE(sources, 2u);
    }
};

LOCKSTEP_TEST(RecordedMemoryLanesTest, "recorded_memory_lanes_test")
#include "recorded_memory_lanes_test.moc"
