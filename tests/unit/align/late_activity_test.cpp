// SPDX-License-Identifier: Apache-2.0
// Tests the activity of a rank while the others waited for it: GPU work if it fills the wait, otherwise the
// host's own time.
#include "core/align/straggler_metrics.h"

#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RankReport;

namespace {

std::string nameOf(const Report& report, SliceId slice)
{
    return slice.isValid() ? std::string(report.nameOf(slice)) : "nothing";
}

SliceId collectiveOf(const Report& report)
{
    return report.collectives.front().slice;
}

} // namespace

class LateActivityTest : public QObject {
    Q_OBJECT

  private slots:
    // The last kernel is short; the one before it caused the delay.
    void theLongestWorkOfTheWaitIsNamed()
    {
        RankReport made(0, "a", 1'000);
        made.addKernel(100'000, 180'000, "gemm");
        made.addKernel(181'000, 190'000, "scale");
        made.addCollective(200'000, 230'000, "allreduce", "0", {});
        const auto report = made.finish();
        const LateActivity late = lateActivity(*report, collectiveOf(*report), {90'000});
        QCOMPARE(nameOf(*report, late.slice), std::string("gemm"));
        QVERIFY(!late.isHostBound);
        QCOMPARE(nameOf(*report, activityBefore(*report, collectiveOf(*report)).slice), std::string("scale"));
    }

    // Equal names are added up: two of "scale" outweigh one "gemm".
    void workIsSummedByName()
    {
        RankReport made(0, "a", 1'000);
        made.addKernel(100'000, 130'000, "scale");
        made.addKernel(130'000, 165'000, "gemm");
        made.addKernel(165'000, 195'000, "scale");
        made.addCollective(200'000, 230'000, "allreduce", "0", {});
        const auto report = made.finish();
        QCOMPARE(nameOf(*report, lateActivity(*report, collectiveOf(*report), {100'000}).slice),
                 std::string("scale"));
    }

    // The GPU idled while the host loaded data: the host's self time counts, not that of its callees.
    void idleGpuIsAttributedToTheHost()
    {
        RankReport made(0, "a", 1'000);
        made.addKernel(10'000, 20'000, "gemm");
        made.addRange(30'000, 199'000, "update_actor");
        made.addRange(60'000, 180'000, "load_batch");
        made.addRange(60'000, 70'000, "open");
        made.addLaunch(195'000, 7);
        made.addCollective(200'000, 230'000, "allreduce", "0", {}, 7);
        const auto report = made.finish();
        const LateActivity late = lateActivity(*report, collectiveOf(*report), {150'000});
        QVERIFY(late.isHostBound);
        QCOMPARE(nameOf(*report, late.slice), std::string("load_batch"));
        QCOMPARE(nameOf(*report, late.annotation), std::string("update_actor"));
    }

    void lastWorkIsNamedWithoutAWait()
    {
        RankReport made(0, "a", 1'000);
        made.addKernel(100'000, 198'000, "gemm");
        made.addCollective(200'000, 230'000, "allreduce", "0", {});
        const auto report = made.finish();
        QCOMPARE(nameOf(*report, lateActivity(*report, collectiveOf(*report), {0}).slice),
                 std::string("gemm"));
    }
};

LOCKSTEP_TEST(LateActivityTest, "late_activity_test")
#include "late_activity_test.moc"
