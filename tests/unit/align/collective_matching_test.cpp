// SPDX-License-Identifier: Apache-2.0
// Tests which rows are matched as one collective (by names, rank lists, numbers, host ranges), and how
// stragglers are computed.
#include "core/align/collective_matching.h"

#include "core/align/alignment_report.h"
#include "core/align/collective_source.h"
#include "core/align/step_markers.h"
#include "core/align/straggler_metrics.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kMatchEpoch_ns = 1'795'176'271'000'000'000;

CollectiveOp listed(RankReport& report, uint64_t sequence, const std::string& ranks, uint32_t size)
{
    CollectiveOp op;
    op.sequence = sequence;
    op.groupRanks = report.intern(ranks);
    op.groupSize = size;
    return op;
}

CollectiveMatches matchesOf(const Workspace& workspace)
{
    return matchCollectives(workspace, partitionClocks(workspace), {}, Progress(test::workers()));
}

} // namespace

class CollectiveMatchingTest : public QObject {
    Q_OBJECT

  private slots:
    void namesDetermineDependencies()
    {
        QCOMPARE(dependencyOf("allreduce_coalesced"), Dependency::all);
        QCOMPARE(dependencyOf("_reduce_scatter_base"), Dependency::all);
        QCOMPARE(dependencyOf("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
                 Dependency::all);
        QCOMPARE(dependencyOf("all_to_allv"), Dependency::none);
        QCOMPARE(dependencyOf("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"), Dependency::exchange);
        QCOMPARE(dependencyOf("ncclReduce"), Dependency::toRoot);
        QCOMPARE(dependencyOf("broadcast"), Dependency::fromRoot);
        QCOMPARE(dependencyOf("recv"), Dependency::receive);
        QCOMPARE(dependencyOf("multi_tensor_apply_kernel"), Dependency::none);
    }

    void rankListsParse()
    {
        QCOMPARE(parseRanks("[3, 0,12]"), (std::vector<int>{0, 3, 12}));
        QVERIFY(parseRanks("[0, 1, ..., 7]").empty());
        QVERIFY(parseRanks("[0, 0]").empty());
        QVERIFY(parseRanks("0, 1").empty());
        QVERIFY(parseRanks("").empty());
        QCOMPARE(ranksText(std::vector<int>{0, 1, 2, 5, 7, 8}), std::string("0-2, 5, 7-8"));
    }

    // Two groups with the same name, as after a restart with other ranks: a truncated list joins the group
    // that it fits.
    void truncatedListsJoinTheirGroup()
    {
        Workspace workspace;
        for (int rank = 0; rank < 4; ++rank) {
            RankReport made(rank, "node" + std::to_string(rank), kMatchEpoch_ns);
            const std::string ranks = rank == 1 ? "[0, ..., 1]" : rank < 2 ? "[0, 1]" : "[2, 3]";
            for (int i = 0; i < 5; ++i) {
                made.addCollective(i * 100'000, i * 100'000 + 20'000, "allreduce", "7",
                                   listed(made, uint64_t(i), ranks, 2));
            }
            workspace.add(made.finish());
        }
        const CollectiveMatches matches = matchesOf(workspace);
        QCOMPARE(matches.groups.size(), size_t(2));
        QCOMPARE(matches.groups[0].ranks, (std::vector<int>{0, 1}));
        QCOMPARE(matches.groups[0].memberCount, 2u);
        QCOMPARE(matches.groups[0].matched, uint64_t(10)); // numbered: the first and last count
        QCOMPARE(matches.groups[1].matched, uint64_t(10));
    }

    void unmatchedAndDuplicateRowsAreDropped()
    {
        Workspace workspace;
        for (int rank = 0; rank < 3; ++rank) {
            RankReport made(rank, "node" + std::to_string(rank), kMatchEpoch_ns);
            for (int i = 0; i < 6; ++i) {
                CollectiveOp op = listed(made, uint64_t(i == 3 && rank == 1 ? 2 : i), "[0, 1]", 2);
                op.inElements = rank == 1 && i == 4 ? 99 : 5;
                made.addCollective(i * 100'000, i * 100'000 + 20'000, "allreduce", "0", op);
            }
            workspace.add(made.finish());
        }
        const CollectiveMatches matches = matchesOf(workspace);
        QCOMPARE(matches.groups.size(), size_t(2));
        QVERIFY(matches.groups[0].refusal.empty());
        // Number 2 occurs twice on rank 1, number 3 is missing there, and number 4 is another operation: 0, 1
        // and 5 match.
        QCOMPARE(matches.collectives.size(), size_t(3));
        QCOMPARE(matches.groups[0].mismatched, uint64_t(4));
        QVERIFY(matches.groups[1].refusal.find("does not include") != std::string::npos);
        QCOMPARE(matches.groups[1].memberCount, 1u);
    }

    // PyTorch names process groups, NCCL's NVTX names communicators, and kernels alone have no group name:
    // the kernel is what all three record alike. Files of one kind are matched by their groups.
    void toolsMatchByKernel()
    {
        Workspace workspace;
        for (int rank = 0; rank < 4; ++rank) {
            RankReport made(rank, "node" + std::to_string(rank), kMatchEpoch_ns + rank * 300'000);
            if (rank < 2) made.report().identity.worldSize = {4, "made", Confidence::stated};
            made.report().provenance.tool = rank < 2 ? "PyTorch" : "nsys";
            int64_t at_ns = 0;
            for (int i = 0; i < 60; ++i) {
                const std::string name =
                    (i * i + i / 7) % 3 == 0 ? "AllReduce_Sum_f32_RING_LL" : "AllGather_RING_LL";
                at_ns += 100'000 + (i * 7919 % 13) * 10'000;
                CollectiveOp op;
                if (rank < 2) op.sequence = uint64_t(i);
                if (rank == 3) {
                    made.addUnstated(at_ns, at_ns + 40'000, "ncclDevKernel_" + name, uint32_t(i + 1));
                } else {
                    made.addCollective(at_ns, at_ns + 40'000, name, rank == 2 ? "0x7f21" : "0", op);
                }
            }
            workspace.add(made.finish());
        }
        const CollectiveMatches matches = matchesOf(workspace);
        QCOMPARE(matches.groups.size(), size_t(1));
        QVERIFY2(matches.groups[0].refusal.empty(), matches.groups[0].refusal.c_str());
        QVERIFY(matches.groups[0].isByPattern);
        QCOMPARE(matches.groups[0].memberCount, 4u);
        QCOMPARE(matches.collectives.size(), size_t(60));
        const MatchedCollective& one = matches.collectives[10];
        QCOMPARE(one.partCount, 4u);
        QVERIFY(matches.at(matches.parts[one.firstPart]).op != CollectiveOp::kAbsent);
    }

    // Ranks without a match are compared pairwise, up to a limit that is reported.
    void comparisonsOfUnmatchedRanksAreLimited()
    {
        Workspace workspace;
        for (int rank = 0; rank < 12; ++rank) {
            RankReport made(rank, "node" + std::to_string(rank), kMatchEpoch_ns);
            int64_t at_ns = 0;
            for (int i = 0; i < 60; ++i) {
                at_ns += 100'000 + (i * 7919 * (rank + 3) % 101) * 10'000;
                made.addUnstated(at_ns, at_ns + 40'000,
                                 (i * (rank + 2) + i / 5) % 2 == 0 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
                                                                   : "ncclDevKernel_AllGather_RING_LL",
                                 uint32_t(i + 1));
            }
            workspace.add(made.finish());
        }
        const auto refusalWithin = [&](uint64_t maxPatternWork) {
            MatchOptions options;
            options.maxPatternWork = maxPatternWork;
            const auto matches =
                matchCollectives(workspace, partitionClocks(workspace), options, Progress(workers()));
            return matches.groups.empty() ? std::string("no group") : matches.groups.back().refusal;
        };
        QVERIFY2(
            refusalWithin(1).ends_with(
                "11 ranks were not compared by their unnamed operations: too many operations without a match"),
            refusalWithin(1).c_str());
        const std::string whole = refusalWithin(MatchOptions().maxPatternWork);
        QVERIFY2(!whole.empty() && whole.find("were not compared") == std::string::npos, whole.c_str());
    }

    void hostRangesDescribeTheirKernels()
    {
        RankReport made(0, "a", kMatchEpoch_ns);
        made.addLaunch(1500, 8);
        made.addUnstated(9000, 30'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 8);
        made.addStatingRange(1000, 5000, "ncclAllReduce", "0x7f21");
        made.addStatingRange(6000, 7000, "ncclAllReduce", "0x7f21"); // launched nothing
        const auto report = made.finish();
        const auto ranks = collectivesOf(*report, ReportKey(0u));
        QCOMPARE(ranks.size(), size_t(1));
        QCOMPARE(ranks[0].collectives.size(), size_t(1));
        QCOMPARE(ranks[0].collectives[0].start.ns, int64_t(9000));
        QCOMPARE(ranks[0].groups[0].name, std::string("0x7f21"));
    }

    // NCCL also uses the SendRecv kernel for all-to-all; the ranges around the launch distinguish them.
    void rangesAroundALaunchIdentifyTheOperation()
    {
        RankReport made(0, "a", kMatchEpoch_ns);
        const auto addSendRecv = [&made](int64_t at_ns, const std::vector<std::string>& ranges,
                                         uint32_t correlation) {
            int64_t inside_ns = 0;
            for (const std::string& range : ranges) {
                made.addRange(at_ns + inside_ns, at_ns + 9000 - inside_ns, range);
                inside_ns += 100;
            }
            made.addLaunch(at_ns + 2000, correlation);
            made.addUnstated(at_ns + 50'000, at_ns + 60'000, "ncclDevKernel_SendRecv(ncclDevComm*)",
                             correlation);
        };
        addSendRecv(0, {"c10d::alltoall_base_", "record_param_comms", "nccl:all_to_all"}, 1);
        addSendRecv(100'000, {"c10d::alltoall_"}, 2);
        addSendRecv(200'000, {"nccl:gather"}, 3);
        addSendRecv(300'000, {"nccl:send 0->1"}, 4);
        addSendRecv(400'000, {"## all2all_data:kjt splits ##"},
                    5); // an annotation of the user is not evidence
        addSendRecv(500'000, {"nccl:all_to_all", "nccl:coalesced"}, 6);
        made.addRange(600'000, 601'000, "nccl:all_to_all"); // over before the launch
        addSendRecv(602'000, {}, 7);
        const auto report = made.finish();
        const auto ranks = collectivesOf(*report, ReportKey(0u));
        QCOMPARE(ranks.size(), size_t(1));
        std::vector<Dependency> found;
        for (const Collective& collective : ranks[0].collectives)
            found.push_back(collective.dependency);
        using enum Dependency;
        QCOMPARE(found, (std::vector{all, all, toRoot, exchange, exchange, all, exchange}));
        QCOMPARE(ranks[0].collectives[0].signature, ranks[0].collectives[1].signature);
        QVERIFY(ranks[0].collectives[0].signature != ranks[0].collectives[3].signature);
        QCOMPARE(report->strings.at(report->slices.name[ranks[0].collectives[0].range.value]),
                 std::string_view("nccl:all_to_all"));
    }

    // The first and last collective of a capture are used only if all ranks recorded the same list and their
    // ends coincide.
    void edgesCountWhereTheirEndsCoincide()
    {
        const auto matched = [](int64_t lastEndsLater_ns, bool lacksFirst) {
            Workspace workspace;
            for (int rank = 0; rank < 4; ++rank) {
                RankReport made(rank, "a", kMatchEpoch_ns);
                const std::string kinds = "RRGRGGRGRRRGGRGGGRRG";
                for (size_t i = lacksFirst && rank == 3 ? 1 : 0; i < kinds.size(); ++i) {
                    const int64_t end_ns = 1'000'000 + int64_t(i * i + 3) * 100'000 + rank * 1000;
                    const bool isMoved = rank == 3 && i + 1 == kinds.size();
                    made.addUnstated(end_ns - 50'000 - 10'000 * rank,
                                     end_ns + (isMoved ? lastEndsLater_ns : 0),
                                     kinds[i] == 'R' ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
                                                     : "ncclDevKernel_AllGather_RING_LL",
                                     uint32_t(i + 1));
                }
                workspace.add(made.finish());
            }
            const CollectiveMatches matches = matchesOf(workspace);
            size_t whole = 0;
            for (const MatchedCollective& collective : matches.collectives)
                whole += collective.partCount == 4;
            return whole;
        };
        QCOMPARE(matched(0, false), size_t(20));
        QCOMPARE(matched(60'000, false), size_t(18));
        QCOMPARE(matched(0, true), size_t(17)); // its first is the second of the others
    }

    void stepsAreFoundInOrder()
    {
        RankReport numbered(0, "a", kMatchEpoch_ns);
        numbered.addRange(500, 900, "ProfilerStep#12");
        numbered.addRange(100, 400, "ProfilerStep#11");
        numbered.addRange(0, 50, "step 3"); // the profiler's own value wins
        const auto report = numbered.finish();
        const auto steps = findSteps(*report);
        QCOMPARE(steps.size(), size_t(2));
        QCOMPARE(steps[0].number, int64_t(11));
        QCOMPARE(steps[1].range, (TimeRange{{500}, {900}}));
        RankReport stages(0, "a", kMatchEpoch_ns);
        stages.addRange(500, 900, "train_batch");
        stages.addRange(1500, 1900, "train_batch");
        const auto staged = stages.finish();
        QCOMPARE(findSteps(*staged).back().number, int64_t(1));
        RankReport stated(0, "a", kMatchEpoch_ns);
        stated.addKernel(10, 20, "gemm");
        stated.report().identity.step = {42, "made", Confidence::stated};
        const auto whole = stated.finish();
        QCOMPARE(findSteps(*whole)[0].number, int64_t(42));
    }

    // Rank 1 is last to every collective: its GPU waits for the host, which is in the data loader.
    void stragglersHaveAReason()
    {
        Workspace workspace;
        for (int rank = 0; rank < 3; ++rank) {
            RankReport made(rank, "one", kMatchEpoch_ns);
            made.report().clock.systemAtZero_ns = 1'000'000;
            for (uint32_t i = 0; i < 8; ++i) {
                const int64_t at = int64_t(i) * 10'000'000;
                const int64_t come = at + (rank == 1 ? 3'000'000 : 1'000'000 + rank * 1000);
                made.addKernel(at, at + 900'000, "gemm");
                if (rank == 1) made.addRange(at + 1'000'000, come, "DataLoader.next");
                made.addLaunch(come - 5000, i);
                CollectiveOp op = listed(made, i, "[0, 1, 2]", 3);
                made.addCollective(come, at + 3'200'000, "allreduce", "0", op, i);
            }
            workspace.add(made.finish());
        }
        const Alignment alignment = alignReports(workspace, {});
        const StragglerMetrics metrics = measureStragglers(workspace, alignment, test::workers());
        QCOMPARE(metrics.timings.size(), size_t(8));
        QCOMPARE(metrics.timings[0].transfer_ns, int64_t(200'000));
        QCOMPARE(metrics.timings[0].imbalance_ns, int64_t(2'000'000));
        QCOMPARE(metrics.timings[0].totalWait_ns, int64_t(3'998'000));
        QCOMPARE(metrics.timings[0].skew_ns.value_or(0), int64_t(2'000'000));
        QCOMPARE(metrics.timings[0].netSkew_ns(),
                 int64_t(2'000'000)); // one clock: no uncertainty to subtract
        QCOMPARE(metrics.disputed, uint64_t(0));
        QCOMPARE(metrics.ranks[0].rank, 1u);
        QCOMPARE(metrics.ranks[0].timesLast, uint64_t(8));
        QCOMPARE(metrics.ranks[0].score, 1.0);
        QCOMPARE(metrics.ranks[0].totalWait_ns, int64_t(0));
        QCOMPARE(metrics.ranks[0].timesHostBound, uint64_t(8));
        const Report& late = workspace.report(ReportKey(1u));
        QCOMPARE(late.strings.at(metrics.ranks[0].activities[0].first), std::string_view("DataLoader.next"));
    }

    void measuresStateTheirUncertainty()
    {
        QCOMPARE(differenceText({12'300}, {4'100, 9'000}), std::string("12.3 \u00B5s \u00B1 4.1 \u00B5s"));
        QCOMPARE(differenceText({12'300}, {0, 0}), std::string("12.3 \u00B5s"));
        QCOMPARE(differenceText({12'300}, {}), std::string("12.3 \u00B5s \u00B1 ?"));
        QVERIFY(isDecided({-12'300}, {4'100, 9'000}));
        QVERIFY(!isDecided({8'000}, {4'100, 9'000}));
        QVERIFY(!isDecided({8'000}, {}));
    }
};

LOCKSTEP_TEST(CollectiveMatchingTest, "collective_matching_test")
#include "collective_matching_test.moc"
