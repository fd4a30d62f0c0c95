// SPDX-License-Identifier: Apache-2.0
// Tests what can be compared in a scene, and the two prepared panes: sides by run and folder with their
// steps, matching lanes with different keys, couplings, and the content that a pane can show.
#include <QtTest>

#include "core/compare/compared_sides.h"
#include "core/compare/side.h"
#include "core/trace/process_groups.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kStep_ns = 1'000'000;

std::shared_ptr<const Report> halfReport(int rank, const std::string& host, const std::string& folder,
                                         int64_t clock_ns)
{
    test::RankReport made(rank, host, clock_ns);
    made.report().provenance.path = folder + "/rank" + std::to_string(rank) + ".json";
    for (int step = 0; step < 3; ++step) {
        const int64_t begin = step * kStep_ns;
        made.addRange(begin, begin + 900'000 + step * 10'000, "step " + std::to_string(step + 4));
        made.addKernel(begin + 1'000, begin + 2'000, "gemm");
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(step);
        op.groupSize = 2;
        made.addCollective(begin + 5'000 + step * 100, begin + 9'000, "allreduce", "0", op);
    }
    return made.finish();
}

ScenePtr comparedScene(const std::vector<std::shared_ptr<const Report>>& reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

} // namespace

class ComparedHalvesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        m_old = comparedScene(
            {halfReport(0, "node0", "old", 1'000'000'000), halfReport(1, "node0", "old", 1'000'000'000)});
        m_new = comparedScene(
            {halfReport(1, "gpu7", "new", 9'000'000'000), halfReport(0, "gpu7", "new", 9'000'000'000)});
        m_both = comparedScene(
            {halfReport(0, "node0", "old", 1'000'000'000), halfReport(0, "gpu7", "new", 9'000'000'000)});
    }

    void sidesListAllFoldersAndReports()
    {
        const auto sides = candidateSides(*m_both, Progress()).value();
        QCOMPARE(sides.size(), size_t(5));
        QCOMPARE(sides[0].kind, CandidateSide::Kind::all);
        QCOMPARE(sides[1].kind, CandidateSide::Kind::folder);
        QCOMPARE(sides[1].name, std::string("new"));
        QCOMPARE(sides[3].kind, CandidateSide::Kind::report);
        QCOMPARE(sides[3].name, std::string("old/rank0.json")); // both files have the same name
        QCOMPARE(sides[4].name, std::string("new/rank0.json"));
        QVERIFY(sides[1].repeats(sides[2])); // two runs of rank 0
        for (const CandidateSide& side : sides)
            QCOMPARE(side.steps, (std::vector<int64_t>{4, 5, 6}));
        QVERIFY(candidateSides(Scene(), Progress()).value().empty());
        const ScenePtr part = sceneOfReports(m_both, sides[1].reports, Progress()).value();
        QCOMPARE(part->shown.size(), size_t(1));
        QCOMPARE(part->open.size(), size_t(2));
        QCOMPARE(sceneOfReports(m_both, sides[0].reports, Progress()).value(), m_both);
    }

    void foldersOfOneRunRepeatNothing()
    {
        const ScenePtr hosts = comparedScene(
            {halfReport(0, "node0", "host0", 1'000'000'000), halfReport(1, "node0", "host1", 1'000'000'000)});
        const auto sides = candidateSides(*hosts, Progress()).value();
        QVERIFY(!sides[1].repeats(sides[2])); // other ranks
    }

    // If there are more than are offered individually, the user's choice is still offered.
    void selectedReportsAreOfferedAmongMany()
    {
        std::vector<std::shared_ptr<const Report>> reports;
        for (int rank = 0; rank < 20; ++rank)
            reports.push_back(halfReport(rank, "node0", "one", 1'000'000'000));
        const ScenePtr many = comparedScene(reports);
        const std::vector<ReportKey>& keys = many->shown.keys();
        QCOMPARE(candidateSides(*many, Progress()).value().size(), size_t(1));
        const auto one = candidateSides(*many, Progress(), {{keys[7]}}).value();
        QCOMPARE(one.size(), size_t(2));
        QCOMPARE(one[1].kind, CandidateSide::Kind::report);
        QCOMPARE(one[1].name, std::string("rank7.json"));
        QCOMPARE(one[1].reports, std::vector<ReportKey>{keys[7]});
        QCOMPARE(one[1].steps, (std::vector<int64_t>{4, 5, 6}));
        // In any order, with one that is not shown.
        const auto two = candidateSides(*many, Progress(), {{keys[9], ReportKey(9999u), keys[3]}}).value();
        QCOMPARE(two.size(), size_t(2));
        QCOMPARE(two[1].kind, CandidateSide::Kind::chosen);
        QCOMPARE(two[1].reports, (std::vector<ReportKey>{keys[3], keys[9]}));
        QCOMPARE(candidateSides(*many, Progress(), {keys}).value().size(), size_t(1)); // all of it
        QCOMPARE(candidateSides(*many, Progress(), {{ReportKey(9999u)}}).value().size(), size_t(1));
    }

    void stepsOfOneSceneAreStacked()
    {
        const auto halves = compareSides({m_old, {}, 4, "old"}, {m_old, {}, 6, "old"}, Progress()).value();
        QCOMPARE(halves->sides[0].title, std::string("step 4 \u00B7 old"));
        QCOMPARE(halves->sides[1].range.length().ns, int64_t(920'000));
        const Coupling coupling = halves->couplingBy(CouplingRule::step);
        QCOMPARE(coupling.toB(halves->sides[0].range.begin).ns, halves->sides[1].range.begin.ns);
        QCOMPARE(halves->couplingBy(CouplingRule::time).knots().size(), size_t(1));
        QVERIFY(halves->couplingBy(CouplingRule::collective).knots().size() > 0);
        // For any content of A, B can show the lower levels.
        for (const CouplingRule rule : {CouplingRule::step, CouplingRule::collective, CouplingRule::time}) {
            const Coupling by = halves->couplingBy(rule);
            const TimeRange a = halves->reach(by, 0), b = halves->reach(by, 1);
            for (const TraceTime at : {a.begin, a.end})
                QVERIFY(by.toB(at) >= b.begin && by.toB(at) <= b.end);
            const TimeRange whole = halves->whole(by);
            QVERIFY(whole.begin <= halves->sides[0].range.begin && whole.end >= halves->sides[0].range.end);
        }
        QCOMPARE(halves->pairedLane(0, "any"), std::string("any")); // one tree
        QVERIFY(!compareSides({m_old, {}, 9, ""}, {m_old, {}, 4, ""}, Progress()).has_value());
    }

    void lanesOfOtherHostsAreMatched()
    {
        const auto halves = compareSides({m_old, {}, {}, "old"}, {m_new, {}, {}, "new"}, Progress()).value();
        const LaneTree& tree = *m_old->tree;
        size_t processes = 0;
        for (const Lane& lane : tree.lanes()) {
            if (lane.subject != LaneSubject::process) continue;
            const std::string other = halves->pairedLane(0, lane.key);
            const uint32_t there = m_new->tree->find(other);
            QVERIFY(there != kNoLane);
            QCOMPARE(rankOf(m_new->tree->lane(there)), rankOf(lane));
            QVERIFY(other != lane.key); // another host
            QCOMPARE(halves->pairedLane(1, other), lane.key);
            LaneState folded;
            folded.fold(lane, true);
            LaneState before;
            before.hidden.insert("elsewhere");
            const LaneState opposite = halves->pairedLaneState(0, folded, before);
            QVERIFY(opposite.collapsed.at(other) && opposite.hidden.contains("elsewhere"));
            ++processes;
        }
        QCOMPARE(processes, size_t(2));
        QVERIFY(halves->pairedLane(0, "unknown").empty());
    }

    void aPairIsFoundByEitherSlice()
    {
        const auto halves = compareSides({m_old, {}, {}, "old"}, {m_new, {}, {}, "new"}, Progress()).value();
        QVERIFY(halves->pairs.both > 0);
        for (const SlicePair& pair : halves->pairs.pairs) {
            QCOMPARE(halves->pairs.ofA(*m_old, pair.a)->b, pair.b);
            QCOMPARE(halves->pairs.ofB(*m_new, pair.b)->a, pair.a);
            const CouplingKnot zero = halves->zeroOf(pair);
            QCOMPARE(
                (zero.b - zero.a).ns,
                (halves->pairs.steps.front().rangeB.begin - halves->pairs.steps.front().rangeA.begin).ns);
        }
        QVERIFY(halves->pairs.ofA(*m_old, {}) == nullptr);
    }

  private:
    ScenePtr m_old, m_new, m_both;
};

LOCKSTEP_TEST(ComparedHalvesTest, "compared_halves_test")
#include "compared_halves_test.moc"
