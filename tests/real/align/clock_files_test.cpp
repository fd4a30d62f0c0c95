// SPDX-License-Identifier: Apache-2.0
// Alignment of real files: what was matched, how well clocks agree, and why nothing is applied where nothing
// is.
#include <algorithm>

#include "core/align/alignment_report.h"
#include "core/align/straggler_metrics.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Workspace openedFiles(const std::vector<std::filesystem::path>& paths)
{
    Workspace workspace;
    for (const auto& path : paths) {
        auto report = readReport(path, Progress(test::workers()));
        if (report) workspace.add(*report);
    }
    return workspace;
}

std::vector<std::filesystem::path> filesOf(const char* folder)
{
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(sharedData(folder)))
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
}

void print(const Workspace& workspace, const Alignment& alignment)
{
    const AlignmentReport report = describeAlignment(workspace, alignment);
    qInfo("%s", report.basis.c_str());
    qInfo("%d collectives, violations %d -> %d, residuals %d ns", int(report.collectiveCount),
          int(report.violationsBefore), int(report.violationsAfter), int(report.noise_ns));
    for (const AlignmentGroup& group : report.groups) {
        qInfo("group '%s' by %s: %d ranks, %d matched, %d not; %s", group.name.c_str(),
              group.matchedBy.data(), int(group.memberCount), int(group.matched), int(group.unmatched),
              group.refusal.c_str());
    }
    for (const ClockMap& map : alignment.maps.all()) {
        qInfo("%s, bound %s ns: %s", alignMethodName(map.method).data(),
              map.bound_ns ? std::to_string(*map.bound_ns).c_str() : "unknown", map.reason.c_str());
    }
}

} // namespace

class ClockFilesTest : public QObject {
    Q_OBJECT

  private slots:
    // Eight GPUs of one host, 8 NCCL kernels each. Of the three all-reduces the last touches the capture's
    // edge; two are too few for an estimate, yet the order of their ends bounds every clock, and the wall
    // clocks lie inside: nothing is applied, no collective ends anywhere before it began elsewhere.
    void eightRanksOfTooFewCollectives()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles(filesOf("kineto/dlrm_8ranks"));
        QCOMPARE(workspace.size(), size_t(8));
        const Alignment alignment = alignReports(workspace, {});
        print(workspace, alignment);
        const AlignmentReport report = describeAlignment(workspace, alignment);
        QCOMPARE(report.collectiveCount, uint64_t(2));
        QCOMPARE(report.violationsBefore, uint64_t(0));
        QCOMPARE(report.violationsAfter, uint64_t(0));
        for (const ClockMap& map : alignment.maps.all()) {
            QCOMPARE(map.correction_ns, int64_t(0));
            QCOMPARE(map.method, AlignMethod::wallclock);
            QVERIFY(!map.reason.empty());
            QVERIFY(map.bound_ns && *map.bound_ns < 1'000'000);
        }
        QCOMPARE(alignment.map(ReportKey(1u)).guaranteed, (ClockInterval{-243'027, 310'027}));
    }

    // Rank 5 kept the others waiting for 0.58 ms in the backward pass; its GPU idled meanwhile.
    void stragglersOfEightRanks()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles(filesOf("kineto/dlrm_8ranks"));
        const StragglerMetrics metrics =
            measureStragglers(workspace, alignReports(workspace, {}), test::workers());
        QCOMPARE(metrics.timings.size(), size_t(2));
        QCOMPARE(metrics.ranks[0].rank, uint32_t(5));
        QCOMPARE(metrics.ranks[0].causedWait_ns, int64_t(582'000));
        QCOMPARE(metrics.ranks[0].timesHostBound, uint64_t(1));
        QCOMPARE(metrics.ranks[1].rank, uint32_t(7));
        QCOMPARE(metrics.ranks[1].causedWait_ns, int64_t(221'000));
        const Report& late = workspace.report(ReportKey(5u));
        QCOMPARE(late.strings.at(metrics.ranks[0].activities.at(0).first),
                 std::string_view("torch::autograd::CppNode<SplitLookupFunction_Dense_Op>"));
        QCOMPARE(metrics.disputed, uint64_t(0));
    }

    // Two ranks in one file read one clock: there is nothing to align. The capture holds no NCCL rows at all.
    void twoRanksOfOneFile()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles({sharedData("nsys/h100_2gpu_nccl_2026.2.sqlite")});
        QCOMPARE(workspace.size(), size_t(1));
        const Alignment alignment = alignReports(workspace, {});
        print(workspace, alignment);
        QCOMPARE(alignment.basis, std::string("one report: its own clock"));
        QCOMPARE(alignment.errorBetween(ReportKey(0u), ReportKey(0u)).guaranteed_ns.value_or(-1), int64_t(0));
    }

    void filesOfDifferentRunsAreNotMatched()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles({sharedData("kineto/nccl_metadata.json.gz"),
                                                 sharedData("nsys/h100_2gpu_nccl_2026.2.sqlite"),
                                                 sharedData("kineto/bert_h100.json.gz")});
        QCOMPARE(workspace.size(), size_t(3));
        const Alignment alignment = alignReports(workspace, {});
        print(workspace, alignment);
        for (const ClockMap& map : alignment.maps.all())
            QCOMPARE(map.correction_ns, int64_t(0));
        QVERIFY(measureStragglers(workspace, alignment, test::workers()).timings.empty());
    }
};

LOCKSTEP_TEST(ClockFilesTest, "clock_files_test")
#include "clock_files_test.moc"
