// SPDX-License-Identifier: Apache-2.0
// Tests the change of step duration, explained by the time on the critical path. For any run, the parts add
// up to the whole change to the ns, however many are listed separately; swapping the runs changes their sign.
#include <rapidcheck.h>

#include "core/analysis/what_changed.h"
#include "core/trace/process_groups.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kLengthStep_ns = 100'000;

ScenePtr someSteppedScene(int ranks, int steps)
{
    Workspace workspace;
    for (int rank = 0; rank < ranks; ++rank) {
        test::RankReport made(rank, "node0", 1'700'000'000'000'000'000);
        uint32_t correlation = 1;
        for (int step = 0; step < steps; ++step) {
            const int64_t begin = step * kLengthStep_ns;
            const int64_t length = *rc::gen::inRange<int64_t>(40'000, 99'000);
            made.addRange(begin, begin + length, "step " + std::to_string(step + 1));
            int64_t at = begin + 1'000;
            for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
                at += *rc::gen::inRange<int64_t>(1'000, 6'000);
                const int64_t end = at + *rc::gen::inRange<int64_t>(500, 5'000);
                made.addKernel(at, end, *rc::gen::element<std::string>("gemm", "norm", "copy"));
                at = end;
            }
            CollectiveOp op;
            op.sequence = static_cast<uint64_t>(step);
            op.groupSize = static_cast<uint32_t>(ranks);
            made.addLaunch(begin + 500, correlation);
            made.addCollective(at + 10, begin + length - 1'000, "allreduce", "0", op, correlation++);
        }
        workspace.add(made.finish());
    }
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

int64_t sumOf(const LengthChange& change)
{
    int64_t sum_ns = 0;
    for (const LengthChange::Part& part : change.parts)
        sum_ns += part.change_ns;
    return sum_ns;
}

void partsAddUp()
{
    const int ranks = *rc::gen::inRange(1, 3);
    const ScenePtr a = someSteppedScene(ranks, *rc::gen::inRange(1, 4));
    const ScenePtr b = *rc::gen::arbitrary<bool>() ? someSteppedScene(ranks, *rc::gen::inRange(1, 4)) : a;
    ChangedSide before{a, std::nullopt, std::nullopt}, after{b, std::nullopt, std::nullopt};
    if (*rc::gen::arbitrary<bool>()) {
        before.step = 1;
        after.step = 1;
    }
    const Progress progress(test::workers());
    for (const size_t most : {size_t(0), size_t(2), size_t(1'000)}) {
        const auto change = lengthChange(before, after, most, progress);
        RC_ASSERT(change.has_value());
        RC_ASSERT(change->before_ns > 0 && change->after_ns > 0);
        RC_ASSERT(sumOf(*change) == change->after_ns - change->before_ns);
        RC_ASSERT(change->parts.size() <= most + 1);
        const auto back = lengthChange(after, before, most, progress);
        RC_ASSERT(back.has_value() && sumOf(*back) == -sumOf(*change));
    }
}

} // namespace

class LengthChangePropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void addsUp() { QVERIFY(rc::check(partsAddUp)); }
};

LOCKSTEP_TEST(LengthChangePropertyTest, "length_change_property_test")
#include "length_change_property_test.moc"
