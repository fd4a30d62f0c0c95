// SPDX-License-Identifier: Apache-2.0
// Tests the alignment of real files: the matches, how well clocks agree, and the reason if no correction is
// applied.
#include <algorithm>
#include <set>

#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "core/align/straggler_metrics.h"
#include "core/analysis/analysis.h"
#include "core/analysis/training/findings.h"
#include "core/readers/reader.h"
#include "core/scene/lateness.h"
#include "core/scene/scene.h"
#include "core/timeline/last_arrival.h"
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
    // Eight GPUs of one host, 8 NCCL kernels each; the first and last are usable because their ends coincide.
    // Eight collectives are too few to estimate an offset, but they bound every clock, and the wall clocks
    // are within the bounds: no correction is applied, and no collective ends before it starts elsewhere.
    void eightRanksWithTooFewCollectives()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles(filesOf("kineto/dlrm_8ranks"));
        QCOMPARE(workspace.size(), size_t(8));
        const Alignment alignment = alignReports(workspace, {});
        print(workspace, alignment);
        const AlignmentReport report = describeAlignment(workspace, alignment);
        QCOMPARE(report.collectiveCount, uint64_t(8));
        QCOMPARE(report.violationsBefore, uint64_t(0));
        QCOMPARE(report.violationsAfter, uint64_t(0));
        for (const ClockMap& map : alignment.maps.all()) {
            QCOMPARE(map.correction_ns, int64_t(0));
            QCOMPARE(map.method, AlignMethod::wallclock);
            QVERIFY(!map.reason.empty());
            QVERIFY(map.bound_ns && *map.bound_ns < 1'000'000);
        }
        // Computed from the starts and ends of all ranks, in whole microseconds: -132 to 131.
        QCOMPARE(alignment.map(ReportKey(1u)).guaranteed, (ClockInterval{-132'089, 131'089}));
    }

    // Expected values were computed independently from the JSON: five all-to-alls (SendRecv kernels) and
    // three all-reduces. Waits are computed from durations, so they can differ from the spread of the starts
    // by a few microseconds.
    void stragglersOfEightRanks()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedFiles(filesOf("kineto/dlrm_8ranks"));
        const auto scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        const StragglerMetrics metrics = measureStragglers(workspace, scene->alignment, test::workers());
        std::vector<uint32_t> last;
        std::vector<int64_t> spread_us;
        for (const CollectiveTiming& timing : metrics.timings) {
            last.push_back(timing.lastRank);
            spread_us.push_back(timing.skew_ns.value_or(-1) / 1000);
        }
        QCOMPARE(last, (std::vector<uint32_t>{7, 7, 7, 7, 7, 5, 5, 4}));
        QCOMPARE(spread_us, (std::vector<int64_t>{7624, 1101, 168, 125, 223, 534, 584, 885}));
        QCOMPARE(metrics.ranks[0].rank, uint32_t(7));
        QCOMPARE(metrics.ranks[0].timesLast, uint64_t(5));
        QCOMPARE(metrics.ranks[0].collectives, uint64_t(8));
        QCOMPARE(metrics.ranks[0].causedWait_ns, int64_t(9'241'000));
        QCOMPARE(metrics.ranks[1].rank, uint32_t(5));
        QCOMPARE(metrics.ranks[1].timesLast, uint64_t(2));
        QCOMPARE(metrics.ranks[1].causedWait_ns, int64_t(1'117'000));
        QCOMPARE(metrics.ranks[2].rank, uint32_t(4));
        QCOMPARE(metrics.ranks[0].timesHostBound, uint64_t(5));
        const Report& late = workspace.report(ReportKey(5u));
        std::set<std::string_view> doing;
        for (const auto& [name, times] : metrics.ranks[1].activities)
            doing.insert(late.strings.at(name));
        QVERIFY(doing.contains("torch::autograd::CppNode<SplitLookupFunction_Dense_Op>"));
        QCOMPARE(metrics.disputed, uint64_t(0));

        // Lanes sorted by lateness and the rank map use the same numbers.
        const auto lateness = measureLateness(workspace, scene->alignment, test::workers());
        for (const ReportKey key : workspace.keys()) {
            const int rank = workspace.identity(key).rank.value.value_or(-1);
            const auto measured =
                std::ranges::find(metrics.ranks, static_cast<uint32_t>(rank),
                                  &std::ranges::range_value_t<decltype(metrics.ranks)>::rank);
            const RankLate* const lane = lateness->of(key, ProcessId());
            QVERIFY(lane != nullptr && measured != metrics.ranks.end());
            QCOMPARE(lane->timesLast, measured->timesLast);
            QCOMPARE(lane->caused_ns, measured->causedWait_ns);
        }

        // Pressing J on a slice of the first collective goes to the same rank.
        const CollectiveMatches& matches = scene->alignment.collectives->matches;
        const MatchedPart part = matches.parts.front();
        const LastArrival arrival =
            lastArrivalOf(*scene, {matches.ranks[part.rank].report, matches.at(part).slice});
        QVERIFY2(arrival.slice.isValid(), arrival.text.c_str());
        QCOMPARE(arrival.slice.report, matches.ranks[7].report);

        const auto findings = findingsOf(*scene, {}, Progress(test::workers()));
        QVERIFY(findings.has_value());
        const auto found = std::ranges::find(findings->found, "stragglers", &RunFinding::rule);
        QVERIFY(found != findings->found.end());
        QVERIFY2(found->sentence.find("ank 7") != std::string::npos, found->sentence.c_str());
    }

    // Two ranks in one file share one clock: there is nothing to align. The capture contains no NCCL rows at
    // all.
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
