// SPDX-License-Identifier: Apache-2.0
// Tests groups that several roles share, restarted processes, and clocks that are declared as shared.
#include "core/align/collective_fit.h"
#include "core/align/straggler_metrics.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kSharedEpoch_ns = 1'795'176'271'000'000'000;
constexpr int64_t kStep_ns = 100'000'000;

struct GroupMate {
    std::string role; // "" = none
    int rank = 0;
    int worldSize = 4;
    uint32_t place = 0; // in the group
    int attempt = 0;    // from a restarted rank
    std::string host = "one";
};

class MateReport : public RankReport {
  public:
    explicit MateReport(const GroupMate& process) : RankReport(process.rank, process.host, kSharedEpoch_ns)
    {
        Report& own = report();
        own.provenance.path = "made/" + process.role + std::to_string(process.rank) + "_" +
                              std::to_string(process.attempt) + ".lsc";
        own.identity.run = {"run", "made", Confidence::stated};
        if (!process.role.empty()) own.identity.role = {process.role, "made", Confidence::stated};
        own.identity.worldSize = {process.worldSize, "made", Confidence::stated};
        own.clock.systemAtZero_ns = 1'000'000;
    }
};

void addStep(RankReport& made, const GroupMate& process, uint64_t sequence, int64_t start_ns, int64_t end_ns,
             const std::string& group = "world", uint32_t size = 4)
{
    CollectiveOp op;
    op.sequence = sequence;
    op.groupSize = size;
    op.rankInGroup = process.place;
    made.addCollective(start_ns, end_ns, "AllReduce", group, op);
}

// Step n lasts from n * 100 ms until all have arrived; the process at position p arrives p ms late.
void addSteps(RankReport& made, const GroupMate& process, uint32_t size = 4, uint64_t first = 1,
              uint64_t last = 5, const std::string& group = "world")
{
    for (uint64_t n = first; n <= last; ++n) {
        const int64_t at_ns = int64_t(n) * kStep_ns;
        addStep(made, process, n, at_ns + process.place * 1'000'000,
                at_ns + (size - 1) * 1'000'000 + 50'000 + process.place * 1'000, group, size);
    }
}

std::vector<GroupMate> twoRoles()
{
    return {{"actor", 0, 2, 0}, {"actor", 1, 2, 1}, {"rollout", 0, 2, 2}, {"rollout", 1, 2, 3}};
}

Workspace workspaceOf(const std::vector<GroupMate>& processes, uint32_t size = 4,
                      const std::string& group = "world")
{
    Workspace workspace;
    for (const GroupMate& process : processes) {
        MateReport made(process);
        addSteps(made, process, size, 1, 5, group);
        workspace.add(made.finish());
    }
    return workspace;
}

Alignment aligned(const Workspace& workspace)
{
    return *alignReports(workspace, {}, Progress(workers()));
}

const CollectiveMatches& matchesOf(const Alignment& alignment)
{
    return alignment.collectives->matches;
}

} // namespace

class SharedGroupsTest : public QObject {
    Q_OBJECT

  private slots:
    // One row of four ranks per number, with the process that arrived last, whatever its role.
    void rolesShareAGroup()
    {
        const Workspace workspace = workspaceOf(twoRoles());
        const Alignment alignment = aligned(workspace);
        const CollectiveMatches& matches = matchesOf(alignment);
        QCOMPARE(matches.groups.size(), size_t(1));
        QCOMPARE(matches.groups[0].memberCount, 4u);
        QCOMPARE(matches.groups[0].world, std::string("run|actor + rollout|4"));
        QCOMPARE(matches.collectives.size(), size_t(5));
        for (const MatchedCollective& collective : matches.collectives)
            QCOMPARE(collective.partCount, 4u);
        const StragglerMetrics metrics = measureStragglers(workspace, alignment, workers());
        for (const CollectiveTiming& timing : metrics.timings)
            QCOMPARE(matches.ranks[timing.lastRank].report, ReportKey(3u)); // rollout, rank 1
    }

    // Roles on the same GPUs each have a group with the same name and all their ranks.
    void colocatedRolesKeepTheirGroups()
    {
        const Workspace workspace =
            workspaceOf({{"actor", 0, 2, 0}, {"actor", 1, 2, 1}, {"ref", 0, 2, 0}, {"ref", 1, 2, 1}}, 2);
        const Alignment alignment = aligned(workspace);
        QCOMPARE(matchesOf(alignment).groups.size(), size_t(2));
        for (const MatchedGroup& group : matchesOf(alignment).groups)
            QCOMPARE(group.memberCount, 2u);
    }

    // If positions collide, there are two groups, even if they are larger than their jobs.
    void collidingPositionsAreTwoGroups()
    {
        std::vector<GroupMate> processes = twoRoles();
        for (GroupMate& process : processes)
            process.place %= 2;
        const Workspace workspace = workspaceOf(processes);
        const Alignment alignment = aligned(workspace);
        QCOMPARE(matchesOf(alignment).groups.size(), size_t(2));
    }

    // A group that fits into either job: its members fill it, and the matching is certain where they report
    // it.
    void groupAcrossRolesIsConfirmedByTime()
    {
        const std::vector<GroupMate> processes{{"actor", 0, 2, 0}, {"rollout", 0, 2, 1}};
        const Workspace workspace = workspaceOf(processes, 2, "sync");
        QCOMPARE(matchesOf(aligned(workspace)).groups.size(), size_t(1));
        QCOMPARE(matchesOf(aligned(workspace)).collectives.size(), size_t(5));
        Workspace apart;
        for (const GroupMate& process : processes) {
            MateReport made(process);
            for (uint64_t n = 1; n <= 5; ++n) {
                const int64_t at_ns = int64_t(n) * kStep_ns + process.place * kStep_ns / 2;
                addStep(made, process, n, at_ns, at_ns + 1'000'000, "sync", 2);
            }
            apart.add(made.finish());
        }
        QCOMPARE(matchesOf(aligned(apart)).groups.size(), size_t(2));
        QVERIFY(matchesOf(aligned(apart)).collectives.empty());
    }

    // NCCL's communicator ids are the same on all ranks and on no other communicator.
    void communicatorIdsAreValidAcrossRoles()
    {
        const std::vector<GroupMate> processes{{"actor", 0, 8, 0}, {"rollout", 0, 8, 1}};
        QCOMPARE(matchesOf(aligned(workspaceOf(processes, 2, "9437184220127433187"))).groups.size(),
                 size_t(1));
    }

    // The rank that died took part in the first collective; its replacement repeats the number after the
    // others have left it.
    void aRestartedRankRepeatsItsNumbers()
    {
        Workspace workspace;
        for (uint32_t rank = 0; rank < 4; ++rank) {
            const GroupMate process{"", int(rank), 4, rank};
            MateReport made(process);
            addSteps(made, process, 4, 1, rank == 2 ? 1 : 5);
            workspace.add(made.finish());
        }
        GroupMate again{"", 2, 4, 2, 1};
        MateReport made(again);
        addStep(made, again, 1, kStep_ns + 50'000'000, kStep_ns + 50'100'000);
        addSteps(made, again, 4, 2, 5);
        workspace.add(made.finish());
        const Alignment alignment = aligned(workspace);
        const CollectiveMatches& matches = matchesOf(alignment);
        QCOMPARE(matches.groups.size(), size_t(1));
        QVERIFY2(matches.groups[0].refusal.empty(), matches.groups[0].refusal.c_str());
        QCOMPARE(matches.collectives.size(), size_t(5));
        for (const MatchedCollective& collective : matches.collectives)
            QCOMPARE(collective.partCount, 4u);
        QCOMPARE(matches.groups[0].repeated, uint64_t(1));
        QCOMPARE(matches.groups[0].mismatched, uint64_t(0));
    }

    // A job that is restarted as a whole has each of its collectives twice.
    void aRestartedJobHasItsCollectivesTwice()
    {
        Workspace workspace;
        for (int attempt = 0; attempt < 2; ++attempt) {
            for (uint32_t rank = 0; rank < 2; ++rank) {
                const GroupMate process{"", int(rank), 2, rank, attempt};
                MateReport made(process);
                for (uint64_t n = 1; n <= 3; ++n) {
                    const int64_t at_ns = (int64_t(n) + 10 * attempt) * kStep_ns;
                    addStep(made, process, n, at_ns + rank * 100'000, at_ns + 200'000, "world", 2);
                }
                workspace.add(made.finish());
            }
        }
        const Alignment alignment = aligned(workspace);
        QCOMPARE(matchesOf(alignment).collectives.size(), size_t(6));
        QCOMPARE(matchesOf(alignment).groups[0].mismatched, uint64_t(0));
    }

    // "exact" is not used for a clock that collectives contradict.
    void contradictionsOfASharedClockAreCounted()
    {
        Workspace workspace;
        for (uint32_t rank = 0; rank < 2; ++rank) {
            const GroupMate process{"", int(rank), 2, rank};
            MateReport made(process);
            for (uint64_t n = 0; n < 20; ++n) {
                const int64_t at_ns = int64_t(n) * kStep_ns;
                const bool isWrong = rank == 1 && n % 5 == 2; // begins 2 ms after rank 0 has left
                const int64_t late_ns = isWrong ? 3'000'000 : 0;
                addStep(made, process, n, at_ns + late_ns, at_ns + late_ns + 1'000'000, "world", 2);
            }
            workspace.add(made.finish());
        }
        const Alignment alignment = aligned(workspace);
        QCOMPARE(alignment.collectives->shared.size(), size_t(1));
        QCOMPARE(alignment.collectives->shared[0].collectives, uint64_t(20));
        QCOMPARE(alignment.collectives->shared[0].contradicted, uint64_t(4));
        QCOMPARE(alignment.collectives->shared[0].worst_ns, int64_t(2'000'000));
        const ClockMap& map = alignment.map(ReportKey(1u));
        QCOMPARE(map.confidence, ClockConfidence::wallclock);
        QVERIFY(!map.bound_ns);
        const std::string told = "4 of 20 collectives contradict the shared clock";
        QVERIFY2(map.reason.find(told) != std::string::npos, map.reason.c_str());
        QVERIFY2(alignment.basis.find(told) != std::string::npos, alignment.basis.c_str());
        const PairError error = alignment.errorBetween(ReportKey(0u), ReportKey(1u));
        QCOMPARE(error.likely_ns.value_or(0), int64_t(2'000'000));
        QVERIFY(!error.guaranteed_ns);
    }

    void agreementOfASharedClockIsReported()
    {
        const Workspace agreeing = workspaceOf({{"", 0, 2, 0}, {"", 1, 2, 1}}, 2);
        QCOMPARE(aligned(agreeing).map(ReportKey(0u)).confidence, ClockConfidence::exact);
        // A report of another host without any common collective.
        Workspace workspace = agreeing;
        GroupMate stranger{"", 7, 2, 0, 0, "two"};
        MateReport made(stranger);
        made.addKernel(0, 1'000'000, "gemm");
        workspace.add(made.finish());
        const Alignment alignment = aligned(workspace);
        const std::string& reason = alignment.map(ReportKey(0u)).reason;
        QVERIFY2(reason.find("no other open report") == std::string::npos, reason.c_str());
        QVERIFY2(
            reason.find("5 matched collectives are between reports that share one clock, and they agree") !=
                std::string::npos,
            reason.c_str());
    }
};

LOCKSTEP_TEST(SharedGroupsTest, "shared_groups_test")
#include "shared_groups_test.moc"
