// SPDX-License-Identifier: Apache-2.0
// Tests the changes of slices between two steps or runs, with texts: collectives by their sequence, missing
// steps, ranks without a partner, nothing in common; and the time for ten steps of a million slices.
#include "core/compare/slice_pairs.h"

#include <QElapsedTimer>

#include "core/trace/process_groups.h"
#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

ScenePtr pairedScene(const std::vector<std::shared_ptr<const Report>>& reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

// Two steps; in the second the gemm starts later, takes longer, and a norm is new.
std::shared_ptr<const Report> twoStepReport(int rank, int64_t clock_ns, const std::string& host = "node0")
{
    test::RankReport made(rank, host, clock_ns);
    made.addRange(0, 1'000'000, "step 2");
    made.addKernel(100'000, 200'000, "gemm");
    made.addKernel(300'000, 310'000, "gone");
    made.addRange(2'000'000, 3'500'000, "step 5");
    made.addKernel(2'140'000, 2'250'000, "gemm");
    made.addKernel(2'300'000, 2'310'000, "norm");
    return made.finish();
}

std::string changesOf(const SlicePairs& pairs, const Scene& a, const Scene& b)
{
    std::string out;
    for (const SlicePair& pair : pairs.pairs) {
        const SliceRef ref = pair.isNew() ? pair.b : pair.a;
        const Report& report = (pair.isNew() ? b : a).shown.report(ref.report);
        if (report.slices.kind[ref.slice.value] != RowKind::kernel) continue;
        out += std::string(report.nameOf(ref.slice)) + ": " + changeText(pair) + "\n";
    }
    return out;
}

std::string pairNotes(const SlicePairs& pairs)
{
    std::string out;
    for (const std::string& note : pairs.notes)
        out += note + "\n";
    return out;
}

} // namespace

class SlicePairsTest : public QObject {
    Q_OBJECT

  private slots:
    void twoStepsOfOneRun()
    {
        const ScenePtr scene = pairedScene({twoStepReport(0, 1)});
        const auto pairs = pairSlices({scene, 2}, {scene, 5}, Progress(test::workers()));
        QVERIFY(pairs.has_value());
        QCOMPARE(changesOf(*pairs, *scene, *scene),
                 std::string("gemm: 40 \u00b5s later, 10 \u00b5s longer\ngone: missing in B\n"
                             "norm: new in B\n"));
        QCOMPARE(pairs->steps.size(), size_t(1));
        QCOMPARE(pairs->byStep().toB(TraceTime{100'000}), TraceTime{2'100'000});
        const auto none = pairSlices({scene, 2}, {scene, 9}, Progress());
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().message, std::string("B has no step 9; its steps: 2, 5"));
    }

    // A collective that one rank of B omitted would shift all later ones if they were only counted.
    void collectivesMatchBySequence()
    {
        const auto made = [](int left) {
            test::RankReport report(0, "node0", 1);
            for (int i = 0; i < 6; ++i) {
                CollectiveOp op;
                op.sequence = static_cast<uint64_t>(40 + i);
                if (i != left) report.addCollective(i * 1'000, i * 1'000 + 500, "allreduce", "dp", op);
            }
            return pairedScene({report.finish()});
        };
        const ScenePtr a = made(-1), b = made(2);
        const auto pairs = pairSlices({a, {}}, {b, {}}, Progress());
        QCOMPARE(pairs->both, uint64_t(5));
        QCOMPARE(pairs->changed, uint64_t(0));
        QCOMPARE(pairs->missing, uint64_t(1));
        QCOMPARE(pairs->collectiveKnots.size(), size_t(5));
        QCOMPARE(slicePairsText(*pairs), std::string("5 of 6 slices in both, changed: 0; 1 missing in B"));
    }

    // Hosts have other names in every run: ranks are matched by rank.
    void ranksWithoutPartnersAreNamed()
    {
        const ScenePtr a = pairedScene({twoStepReport(0, 1), twoStepReport(1, 1), twoStepReport(2, 1)});
        const ScenePtr b = pairedScene({twoStepReport(1, 9'000'000, "other7")});
        const auto pairs = pairSlices({a, {}}, {b, {}}, Progress(test::workers()));
        QCOMPARE(pairNotes(*pairs), std::string("only in A: rank 0, rank 2\n"));
        QCOMPARE(pairs->both, uint64_t(6));
        QCOMPARE(pairs->changed, uint64_t(0));
    }

    void nothingInCommonIsReported()
    {
        const ScenePtr a = pairedScene({twoStepReport(0, 1)}), b = pairedScene({twoStepReport(7, 1)});
        const auto pairs = pairSlices({a, {}}, {b, {}}, Progress());
        QCOMPARE(pairNotes(*pairs),
                 std::string("A and B have no slice in common\nonly in A: rank 0\nonly in B: rank 7\n"));
        QCOMPARE(slicePairsText(*pairs), std::string("no slices to compare"));
    }

    void stepsOfOnlyOnePaneAreCounted()
    {
        test::RankReport one(0, "node0", 1);
        one.addRange(0, 1'000'000, "step 2");
        one.addKernel(100'000, 200'000, "gemm");
        const ScenePtr a = pairedScene({twoStepReport(0, 1)}), b = pairedScene({one.finish()});
        const auto pairs = pairSlices({a, {}}, {b, {}}, Progress());
        QCOMPARE(pairNotes(*pairs), std::string("1 step is only in A\n"));
        test::RankReport plain(0, "node0", 1);
        plain.addKernel(0, 5, "gemm");
        const ScenePtr unmarked = pairedScene({plain.finish()});
        QCOMPARE(pairNotes(*pairSlices({a, {}}, {unmarked, {}}, Progress())),
                 std::string(
                     "1 lane has no steps in one pane: matched over its whole length\n1 name in a lane has "
                     "different counts in A and B: matched by position, between names with equal counts\n"));
    }

    // Files with one step each, from different steps: only these two can be meant.
    void stepsWithOtherNumbersMatchInOrder()
    {
        const auto made = [](int number) {
            test::RankReport report(0, "node0", 1);
            report.addRange(0, 1'000'000, "step " + std::to_string(number));
            report.addKernel(number, 100, "gemm");
            return pairedScene({report.finish()});
        };
        const ScenePtr a = made(2), b = made(5);
        const auto pairs = pairSlices({a, {}}, {b, {}}, Progress());
        QCOMPARE(pairNotes(*pairs),
                 std::string("no step number is in both panes: steps are paired in order\n"));
        QCOMPARE(changesOf(*pairs, *a, *b), std::string("gemm: 3 ns later, 3 ns shorter\n"));
    }

    void aMillionSlices()
    {
        test::RankReport made(0, "node0", 0);
        for (int i = 0; i < 1'000'000; ++i)
            made.addKernel(int64_t(i) * 100, int64_t(i) * 100 + 90, "kernel" + std::to_string(i % 97));
        const ScenePtr scene = pairedScene({made.finish()});
        QElapsedTimer clock;
        clock.start();
        const auto pairs = pairSlices({scene, {}}, {scene, {}}, Progress(test::workers()));
        qInfo("%lld ms for a lane of a million slices", static_cast<long long>(clock.elapsed()));
        QCOMPARE(pairs->both, uint64_t(1'000'000));
        QCOMPARE(pairs->changed, uint64_t(0));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!pairSlices({scene, {}}, {scene, {}}, Progress(stop.get_token())).has_value());
    }
};

LOCKSTEP_TEST(SlicePairsTest, "slice_pairs_test")
#include "slice_pairs_test.moc"
