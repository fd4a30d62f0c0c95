// SPDX-License-Identifier: Apache-2.0
// Tests two ranks of one run as Ascend's profiler exports them: rows without categories that are nevertheless
// kernels, copies, waits, communications and steps.
#include <algorithm>
#include <set>

#include "core/align/alignment.h"
#include "core/align/step_markers.h"
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::shared_ptr<const Report> openedRank(int rank)
{
    return readReport(sharedData("ascend/rank" + std::to_string(rank) + ".trace_view.json.gz"),
                      Progress(test::workers()))
        .value();
}

} // namespace

class AscendTest : public QObject {
    Q_OBJECT

  private slots:
    void hardwareRowsAreDeviceWork()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const int rank : {0, 1}) {
            const auto report = openedRank(rank);
            std::map<RowKind, size_t> rows;
            std::set<std::string> communications;
            for (const Track& track : report->tracks) {
                for (uint32_t i = 0; i < track.sliceCount; ++i) {
                    const SliceId slice(track.firstSlice.value + i);
                    const RowKind kind = report->slices.kind[slice.value];
                    if (!isGpuWork(kind) && kind != RowKind::synchronization) continue;
                    ++rows[kind];
                    QVERIFY(track.key.device.isValid());
                    QCOMPARE(report->devices[track.key.device.value].ordinal, rank);
                    QCOMPARE(report->processes[track.key.process.value].pid, int64_t(3016828 + 2 * rank));
                    if (report->slices.category[slice.value] == SliceCategory::communication)
                        communications.insert(std::string(report->strings.at(track.name)));
                }
            }
            QCOMPARE(rows[RowKind::synchronization], size_t(112 + 112 + 14 + 10 + 2));
            QCOMPARE(rows[RowKind::memcpy], size_t(72 + 14 + 10));
            QCOMPARE(rows[RowKind::kernel], size_t(533 - 250 - 96 + 4));
            QCOMPARE(communications, (std::set<std::string>{"Group 0 Communication"}));
            const std::vector<StepMark> steps = findSteps(*report);
            QCOMPARE(steps.size(), size_t(1));
            QCOMPARE(steps[0].number, int64_t(50));
        }
    }

    void communicationsHaveTheirGroup()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = openedRank(0);
        QCOMPARE(report->collectives.size(), size_t(4));
        for (size_t i = 0; i < 4; ++i) {
            const CollectiveOp& op = report->collectives[i];
            QCOMPARE(report->strings.at(op.collective), std::string_view("allReduce"));
            QCOMPARE(report->strings.at(op.group), std::string_view("868"));
            QCOMPARE(op.sequence, uint64_t(i));
            QCOMPARE(op.message_bytes, op.inElements * 4);
        }
        QCOMPARE(report->collectives[0].inElements, uint64_t(4097000));
    }

    void kernelsAreSummedAndClocksBounded()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        Workspace workspace;
        for (const int rank : {0, 1})
            workspace.add(openedRank(rank));
        const Alignment alignment = alignReports(workspace, {});
        Scope byRank;
        byRank.by = GroupBy::rank;
        const Table kernels = runAnalysis("cuda_gpu_kern_sum", *makeHeadlessScene(workspace, alignment),
                                          byRank, Progress(test::workers()))
                                  .value();
        int64_t instances = 0;
        for (size_t row = 0; row < kernels.rowCount(); ++row)
            instances += kernels.number(kernels.columnNamed("Instances"), row);
        QCOMPARE(instances, int64_t(2 * (533 - 250 - 96 + 4)));
        QCOMPARE(columnCells(kernels, "Name").front(), std::string("hcom_allReduce__868_0_1"));
        QCOMPARE(columnCells(kernels, "Total Time").front(), std::string("72994438"));
        // Four all-reduces bound the distance of the clocks (-2,199,250 to 2,185,500 ns by their timestamps,
        // without drift); they are too few to move a clock.
        const Table clocks =
            runAnalysis("alignment", *makeHeadlessScene(workspace, alignment), {}, Progress(test::workers()))
                .value();
        QCOMPARE(columnCells(clocks, "verdict"), (std::vector<std::string>{"too few", "too few"}));
        QCOMPARE(columnCells(clocks, "rank"), (std::vector<std::string>{"0", "1"}));
        QCOMPARE(columnCells(clocks, "guaranteed_earliest").back(), std::string("-2199568"));
        QCOMPARE(columnCells(clocks, "guaranteed_latest").back(), std::string("2185994"));
    }
};

LOCKSTEP_TEST(AscendTest, "ascend_test")
#include "ascend_test.moc"
