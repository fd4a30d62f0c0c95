// SPDX-License-Identifier: Apache-2.0
// Tests the conversion between times of a host's log and the aligned axis, and the last slice of a rank.
#include "core/scene/host_time.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kUtc_ns = 1'700'000'000'000'000'000;

std::shared_ptr<const Report> report(int rank, const std::string& host, int64_t utcAtZero_ns, int64_t last_ns)
{
    RankReport made(rank, host, utcAtZero_ns);
    made.addKernel(1'000, 2'000, "first");
    made.addKernel(last_ns, last_ns + 500, "last");
    return made.finish();
}

ScenePtr sceneOf(std::vector<std::shared_ptr<const Report>> reports)
{
    Workspace workspace;
    for (auto& one : reports)
        workspace.add(std::move(one));
    AlignOptions options;
    options.mode = AlignMode::wallclock;
    return makeScene(workspace, alignReports(workspace, options), workers());
}

} // namespace

class HostTimeTest : public QObject {
    Q_OBJECT

  private slots:
    void convertsOnTheClockOfTheHost()
    {
        const ScenePtr scene =
            sceneOf({report(0, "node0", kUtc_ns, 5'000), report(1, "node1", kUtc_ns + 300, 9'000),
                     report(2, "node2", 0, 5'000)});
        for (const auto& [host, rank] : {std::pair("node0", 0), std::pair("node1", 1)}) {
            const auto aligned = alignedFromHostTime(*scene, host, kUtc_ns + 4'321);
            QVERIFY(aligned.has_value());
            const ReportKey key = lastSliceOf(*scene, host, rank).report;
            QCOMPARE(hostTimeFromAligned(*scene, key, *aligned), std::optional<int64_t>(kUtc_ns + 4'321));
        }
        // A host without a report uses the clock of another one; a report without a wall clock has no time.
        QVERIFY(alignedFromHostTime(*scene, "elsewhere", kUtc_ns).has_value());
        QVERIFY(!hostTimeFromAligned(*scene, lastSliceOf(*scene, "node2", 2).report, TraceTime{0}));
        QVERIFY(!alignedFromHostTime(*sceneOf({report(2, "node2", 0, 5'000)}), "node2", kUtc_ns));
    }

    void findsTheLastSliceOfTheRank()
    {
        const ScenePtr scene =
            sceneOf({report(0, "node0", kUtc_ns, 5'000), report(0, "node0", kUtc_ns, 7'000),
                     report(0, "other", kUtc_ns, 9'000)});
        const auto startOf = [&](SliceRef slice) {
            return scene->shown.report(slice.report).slices.start_ns[slice.slice.value];
        };
        QCOMPARE(startOf(lastSliceOf(*scene, "node0", 0)), int64_t(7'000));
        QCOMPARE(startOf(lastSliceOf(*scene, "other", 0)), int64_t(9'000));
        QCOMPARE(startOf(lastSliceOf(*scene, "renamed", 0)), int64_t(9'000));
        QVERIFY(!lastSliceOf(*scene, "node0", 1).isValid());
    }
};

LOCKSTEP_TEST(HostTimeTest, "host_time_test")
#include "host_time_test.moc"
