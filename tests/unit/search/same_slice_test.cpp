// SPDX-License-Identifier: Apache-2.0
// Tests the same slice on other ranks and in other steps, with texts: by its collective if recorded,
// otherwise by counting; and the message for places without it.
#include "core/search/related_slices.h"

#include "core/search/same_name.h"
#include "core/trace/process_groups.h"
#include "tests/support/many_ranks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Returns the n-th slice with this name in the report.
SliceRef nthNamed(const Scene& scene, ReportKey key, std::string_view name, size_t n = 0)
{
    const Report& report = scene.shown.report(key);
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.nameOf(SliceId(row)) == name && n-- == 0) return {key, SliceId(row)};
    }
    return {};
}

struct StepFile {
    int rank = 0, steps = 3;
    std::optional<int> step = {}; // the report covers exactly one step
    int fewer = -1;               // the step in which a kernel is missing
    std::string kernel = "gemm";
    bool hasSequence = true;
};

std::shared_ptr<const Report> stepFileReport(const StepFile& of)
{
    test::RankReport made(of.rank, "node0", 0);
    if (of.step) made.report().identity.step = {*of.step, "made", Confidence::stated};
    for (int step = 0; step < of.steps; ++step) {
        const int64_t begin = step * 1'000'000;
        made.addRange(begin, begin + 900'000, "step " + std::to_string(step));
        made.addKernel(begin + 100'000, begin + 200'000, of.kernel);
        if (step != of.fewer) made.addKernel(begin + 300'000, begin + 400'000, of.kernel);
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(step);
        if (!of.hasSequence) op.sequence = CollectiveOp::kAbsentCount;
        made.addCollective(begin + 500'000, begin + 600'000 + of.rank, "allreduce", "0", op);
    }
    return made.finish();
}

ScenePtr stepFileScene(const std::vector<StepFile>& reports)
{
    Workspace workspace;
    for (const StepFile& one : reports)
        workspace.add(stepFileReport(one));
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

std::string sameText(const Scene& scene, SliceRef of)
{
    return sameSlicesText(scene, *sameSlices(scene, of, Progress(test::workers())));
}

} // namespace

class SameSliceTest : public QObject {
    Q_OBJECT

  private slots:
    // Counting would pair two ranks that work in turns incorrectly: the collective identifies the right
    // pairs.
    void collectiveFindsAllRanks()
    {
        const ScenePtr scene = test::manyRanks({.ranks = 64, .late = 7});
        const SliceRef of = nthNamed(*scene, scene->shown.keys()[0], "ncclDevKernel_allreduce", 5);
        const auto same = sameSlices(*scene, of, Progress(test::workers()));
        QCOMPARE(same->found.size(), size_t(63));
        QCOMPARE(same->countBy(SameRule::collective), uint64_t(63));
        QVERIFY(same->missing.empty());
        for (const SameSlice& one : same->found)
            QCOMPARE(scene->shown.report(one.slice.report).nameOf(one.slice.slice),
                     std::string_view("ncclDevKernel_allreduce"));
        QCOMPARE(sameText(*scene, of), std::string("63 by collective"));
    }

    // A chain names the rank that the others waited for, if the clocks determine it.
    void aChainReachesThePeers()
    {
        const ScenePtr scene = test::manyRanks({.ranks = 64, .late = 7});
        const SliceRef of = nthNamed(*scene, scene->shown.keys()[3], "ncclDevKernel_allreduce", 5);
        const SliceChain chain = chainOf(*scene, of);
        QCOMPARE(chain.slices->size(), size_t(64));
        QCOMPARE(chain.ranks, size_t(64));
        QVERIFY(!chain.isCut && !chain.isAlone());
        QCOMPARE(chainText(*scene, chain),
                 std::string("ncclDevKernel_allreduce \u2192 collective on 64 ranks, rank 7 arrived last"));
        QVERIFY(chainOf(*scene, nthNamed(*scene, scene->shown.keys()[3], "gemm")).isAlone());
    }

    // On one rank, the collective of another step is a different one: it is found by counting, which is
    // reported.
    void otherStepsAreCounted()
    {
        const ScenePtr scene = stepFileScene({{.rank = 0}, {.rank = 1}});
        const SliceRef of = nthNamed(*scene, scene->shown.keys()[1], "ncclDevKernel_allreduce", 1);
        const auto same = sameSlices(*scene, of, Progress());
        QCOMPARE(same->found.size(), size_t(5));
        QCOMPARE(same->countBy(SameRule::collective), uint64_t(1));
        QCOMPARE(same->countBy(SameRule::inStep), uint64_t(4));
        QCOMPARE(same->step, std::optional<int64_t>(1));
        QCOMPARE(sameText(*scene, of),
                 std::string("1 by collective, 4 as the 1st with this name in the step"));
    }

    void missingTargetsAreReported()
    {
        const ScenePtr scene =
            stepFileScene({{.rank = 0}, {.rank = 1, .fewer = 2}, {.rank = 2, .kernel = "gemm_splitk"}});
        const SliceRef second = nthNamed(*scene, scene->shown.keys()[0], "gemm", 1);
        QCOMPARE(sameText(*scene, second),
                 std::string("4 as the 2nd with this name in the step; not on rank 1 step 2 "
                             "(1 with this name), rank 2 (none with this name)"));
        const auto same = sameSlices(*scene, second, Progress());
        QCOMPARE(same->nth, uint64_t(1));
        QCOMPARE(same->missing.size(), size_t(2));
        QCOMPARE(same->missing[0].there, uint64_t(1));
    }

    // Reports of one step each, whose counters restart: the step distinguishes them, not the number alone.
    void stepsAcrossReports()
    {
        std::vector<StepFile> reports;
        for (int rank = 0; rank < 4; ++rank) {
            for (int step = 1; step <= 2; ++step)
                reports.push_back({.rank = rank, .steps = 1, .step = step});
        }
        const ScenePtr scene = stepFileScene(reports);
        const SliceRef of = nthNamed(*scene, scene->shown.keys()[0], "ncclDevKernel_allreduce");
        const auto same = sameSlices(*scene, of, Progress());
        QCOMPARE(same->found.size(), size_t(7));
        for (const SameSlice& one : same->found) {
            const bool isSameStep =
                scene->shown.identity(one.slice.report).step.value == std::optional<int>(1);
            QVERIFY(isSameStep || one.rule != SameRule::collective);
        }
    }

    void namesByScope()
    {
        const ScenePtr scene = stepFileScene({{.rank = 0}, {.rank = 0, .steps = 1}, {.rank = 1}});
        const SliceRef of = nthNamed(*scene, scene->shown.keys()[0], "gemm");
        const NameCounts counts = countSameName(*scene, of);
        QCOMPARE(counts.rank, uint64_t(8));
        QCOMPARE(counts.everywhere, uint64_t(14));
        const auto rank = slicesOfSameName(*scene, of, NameScope::rank, kMaxSameName, Progress());
        QCOMPARE(rank->slices->size(), size_t(8));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(slicesOfSameName(*scene, of, NameScope::rank, 9, Progress(stop.get_token())).error().kind,
                 ErrorKind::canceled);
        QCOMPARE(sameSlices(*scene, of, Progress(stop.get_token())).error().kind, ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(SameSliceTest, "same_slice_test")
#include "same_slice_test.moc"
