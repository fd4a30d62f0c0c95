// SPDX-License-Identifier: Apache-2.0
// Tests that align(shift(x)) = shift: moving a host's timestamps by any constant moves its offset by exactly
// that constant and changes nothing else.
#include <algorithm>
#include <cmath>

#include <rapidcheck.h>

#include "core/align/alignment.h"
#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

SyntheticOptions someRun(uint64_t seed)
{
    SyntheticOptions options;
    options.seed = seed;
    options.hosts = 3;
    options.ranksPerHost = 1;
    options.steps = 6;
    options.collectivesPerStep = 20;
    options.stepLength_ns = 1'000'000'000;
    options.largestDrift = 0;
    return options;
}

int64_t offsetBetween(const Alignment& alignment, size_t a, size_t b)
{
    return alignment.map(ReportKey(a)).offset_ns - alignment.map(ReportKey(b)).offset_ns;
}

} // namespace

class ShiftPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void shiftsAreRecovered()
    {
        QVERIFY(rc::check([] {
            const auto seed = *rc::gen::inRange<uint64_t>(1, 1000);
            const auto shift_ns = *rc::gen::inRange<int64_t>(-90'000'000, 90'000'000);
            SyntheticOptions options = someRun(seed);
            const Alignment before = alignReports(makeSyntheticClocks(options).workspace, {});
            options.shiftedHost = 1;
            options.shift_ns = shift_ns;
            const Alignment after = alignReports(makeSyntheticClocks(options).workspace, {});
            // Offsets that are too small to be worth a correction are left at zero, and then don't show the
            // shift.
            const auto isCorrected = [](const ClockMap& map) { return map.method != AlignMethod::wallclock; };
            RC_PRE(std::ranges::all_of(before.maps.all(), isCorrected) &&
                   std::ranges::all_of(after.maps.all(), isCorrected));
            RC_ASSERT(std::abs(offsetBetween(after, 1, 0) - offsetBetween(before, 1, 0) + shift_ns) <= 2);
            RC_ASSERT(std::abs(offsetBetween(after, 2, 0) - offsetBetween(before, 2, 0)) <= 2);
        }));
    }

    void repeatsAreIdentical()
    {
        const SyntheticClocks made = makeSyntheticClocks(someRun(5));
        const Alignment first = alignReports(made.workspace, {});
        const Alignment second = alignReports(made.workspace, {});
        for (size_t i = 0; i < first.maps.slotCount(); ++i) {
            QCOMPARE(first.map(ReportKey(i)).offset_ns, second.map(ReportKey(i)).offset_ns);
            QCOMPARE(first.map(ReportKey(i)).bound_ns, second.map(ReportKey(i)).bound_ns);
            QCOMPARE(first.map(ReportKey(i)).reason, second.map(ReportKey(i)).reason);
        }
        const AlignmentReport report = describeAlignment(made.workspace, first, 50);
        QCOMPARE(report.residuals.size(), size_t(3));
        QVERIFY(report.residuals[0].points.size() == 50);
        QVERIFY(report.violationsAfter <= report.violationsBefore);
    }
};

LOCKSTEP_TEST(ShiftPropertyTest, "shift_property_test")
#include "shift_property_test.moc"
