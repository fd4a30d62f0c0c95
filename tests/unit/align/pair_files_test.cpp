// SPDX-License-Identifier: Apache-2.0
// Tests two ranks that only send to and receive from each other, in one nsys file and split over two.
#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/nsys_pair_export.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kAhead_ns = 1'300'000;

// Writes one file per list of processes; the k-th is from a separate host, k * kAhead_ns ahead.
Workspace opened(const TempDir& folder, const std::vector<std::vector<int>>& files)
{
    Workspace workspace;
    for (size_t i = 0; i < files.size(); ++i) {
        const std::string host = "node" + std::to_string(i);
        PairExportOptions options;
        options.host = host.c_str();
        options.ahead_ns = static_cast<int64_t>(i) * kAhead_ns;
        const auto path = folder.path() / (host + ".sqlite");
        if (!writePairExport(path, files[i], options)) return {};
        const auto report = readReport(path, Progress());
        if (report) workspace.add(*report);
    }
    return workspace;
}

const MatchedGroup* pairsOf(const Alignment& alignment)
{
    const auto& groups = alignment.collectives->matches.groups;
    const auto found = std::ranges::find_if(groups, [](const MatchedGroup& g) { return g.pairs.isUsed(); });
    return found == groups.end() ? nullptr : &*found;
}

} // namespace

class PairFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void twoRanksOfOneFile()
    {
        const TempDir folder;
        const Workspace workspace = opened(folder, {{0, 1}});
        QCOMPARE(workspace.size(), size_t(1));
        const Alignment alignment = alignReports(workspace, {});
        const MatchedGroup* pairs = pairsOf(alignment);
        QVERIFY(pairs != nullptr);
        QCOMPARE(pairs->pairs.usedCount, uint32_t(33));
        QCOMPARE(int(std::lround(pairs->pairs.separation_ns)), 22'000);
        QCOMPARE(alignment.collectives->matches.collectives.size(), size_t(33));
        const auto said = describeAlignment(workspace, alignment).groups;
        QVERIFY(std::ranges::any_of(said, [](const AlignmentGroup& group) {
            return group.pairs.starts_with("33 send/receive pairs whose end times are 22");
        }));
        const auto table =
            runAnalysis("collectives", *makeHeadlessScene(workspace, alignment), Scope(), Progress());
        QVERIFY(table.has_value());
        QCOMPARE(table->rowCount(), size_t(33));
    }

    // The same two processes recorded separately, on clocks 1.3 ms apart.
    void twoFilesOfOneRankEach()
    {
        const TempDir folder;
        const Workspace workspace = opened(folder, {{0}, {1}});
        QCOMPARE(workspace.size(), size_t(2));
        const Alignment alignment = alignReports(workspace, {});
        const bool isFirstReference = alignment.map(ReportKey(0u)).method == AlignMethod::reference;
        const ClockMap& map = alignment.map(ReportKey(isFirstReference ? 1u : 0u));
        QVERIFY2(map.method == AlignMethod::collectives, map.reason.c_str());
        QCOMPARE(map.confidence, ClockConfidence::fair);
        QCOMPARE(map.anchorsUsed, uint32_t(33));
        const int64_t truth_ns = isFirstReference ? -kAhead_ns : kAhead_ns;
        const int64_t off_ns = map.correction_ns - truth_ns;
        QVERIFY2(std::abs(off_ns) <= map.error_ns.value_or(0), std::to_string(off_ns).c_str());
        QVERIFY(map.guaranteed && map.guaranteed->earliest_ns <= -off_ns &&
                -off_ns <= map.guaranteed->latest_ns);
        QVERIFY(map.bound_ns && std::abs(off_ns) <= *map.bound_ns && *map.bound_ns < 1'000'000);
        QVERIFY2(map.reason.find("33 send/receive pairs") != std::string::npos, map.reason.c_str());
    }

    // Both processes are in one file, and one of them also in another: the pairs inside the file are not
    // anchors.
    void pairsOnOneClockAlignNothing()
    {
        const TempDir folder;
        const Workspace workspace = opened(folder, {{0, 1}});
        const auto fit = *fitCollectives(workspace, {}, Progress(test::workers()));
        QCOMPARE(fit->table.moments.size(), size_t(0));
        QVERIFY(!fit->isAnyApplied());
    }
};

LOCKSTEP_TEST(PairFilesTest, "pair_files_test")
#include "pair_files_test.moc"
