// SPDX-License-Identifier: Apache-2.0
// Tests sends and receives as evidence of clocks: generated runs with known truth, the resulting bounds, and
// the reasons for refusing.
#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "tests/support/clock_accuracy.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

SyntheticOptions pairsOnly(uint64_t seed)
{
    SyntheticOptions options;
    options.seed = seed;
    options.hosts = 2;
    options.ranksPerHost = 1;
    options.steps = seed % 3 == 0 ? 4 : 12;
    options.stepLength_ns = 1'000'000'000;
    options.largestDrift = seed % 2 == 0 ? 0 : 20e-6;
    options.collectivesPerStep = 0;
    options.hasGroups = options.arePairsStated = options.hasSteps = options.hasSequence = false;
    options.pairsPerStep = 20;
    options.pairTail_ns = 5e3 + 5e3 * double(seed % 5);
    return options;
}

struct Tally {
    size_t clocks = 0, guaranteed = 0, likely = 0, bounded = 0;
    double worst_ns = 0;
};

// Every clock but the reference's must be aligned by its pairs.
void check(const SyntheticClocks& made, Tally& tally)
{
    const Alignment alignment = alignReports(made.workspace, {});
    for (size_t i = 0; i < made.workspace.size(); ++i) {
        const ClockMap& map = alignment.map(ReportKey(i));
        if (i == referenceOf(alignment)) continue;
        ++tally.clocks;
        const Accuracy accuracy = accuracyOf(made, alignment, i);
        const double error = std::abs(errorAt(made, alignment, i, 0));
        tally.worst_ns = std::max(tally.worst_ns, error);
        tally.likely += map.error_ns && error <= static_cast<double>(*map.error_ns) ? 1 : 0;
        tally.bounded += map.bound_ns ? 1 : 0;
        tally.guaranteed += !map.bound_ns || accuracy.isGuaranteed ? 1 : 0;
        const bool isFair = map.confidence == ClockConfidence::fair;
        if (map.method != AlignMethod::collectives || !isFair || !accuracy.isGuaranteed) {
            qInfo("seed %d: error %.0f ns, %s", int(made.options.seed), error, map.reason.c_str());
        }
    }
}

void say(const Tally& tally)
{
    qInfo("%zu clocks: %zu bounded, %zu keep their bound, %zu within their likely error, worst %.0f ns",
          tally.clocks, tally.bounded, tally.guaranteed, tally.likely, tally.worst_ns);
}

std::string reasonOf(const SyntheticClocks& made)
{
    const Alignment alignment = alignReports(made.workspace, {});
    for (const ClockMap& map : alignment.maps.all()) {
        if (map.correction_ns != 0) return "corrected: " + map.reason;
    }
    return alignment.maps.all().back().reason;
}

} // namespace

class PairAlignmentTest : public QObject {
    Q_OBJECT

  private slots:
    void sendRecvKernelsOfTwoRanksAlignTheirClocks()
    {
        Tally tally;
        for (uint64_t seed = 1; seed <= 100; ++seed)
            check(makeSyntheticClocks(pairsOnly(seed)), tally);
        say(tally);
        QCOMPARE(tally.clocks, size_t(100));
        QCOMPARE(tally.bounded, tally.clocks);
        QCOMPARE(tally.guaranteed, tally.clocks);
        QVERIFY(tally.likely * 100 >= tally.clocks * 99);
    }

    void recordedPairsAlignAPipeline_data()
    {
        QTest::addColumn<bool>("hasSequence");
        QTest::newRow("numbered") << true;
        QTest::newRow("by their pattern") << false;
    }
    void recordedPairsAlignAPipeline()
    {
        QFETCH(bool, hasSequence);
        Tally tally;
        for (uint64_t seed = 1; seed <= 25; ++seed) {
            SyntheticOptions options = pairsOnly(seed);
            options.hosts = 4;
            options.steps *= 2;
            options.hasGroups = options.arePairsStated = true;
            options.hasSequence = hasSequence;
            check(makeSyntheticClocks(options), tally);
        }
        say(tally);
        QCOMPARE(tally.clocks, size_t(75));
        QCOMPARE(tally.bounded, tally.clocks); // sends go both ways
        QCOMPARE(tally.guaranteed, tally.clocks);
        QVERIFY(tally.likely * 100 >= tally.clocks * 97);
    }

    // One direction bounds one side only; the estimate uses the ends, and no bound is claimed.
    void sendsInOneDirectionGiveNoBound()
    {
        SyntheticOptions options = pairsOnly(4);
        options.hasGroups = options.arePairsStated = options.isOneWay = true;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        const size_t other = 1 - referenceOf(alignment);
        const ClockMap& map = alignment.map(ReportKey(other));
        QCOMPARE(map.method, AlignMethod::collectives);
        QCOMPARE(map.confidence, ClockConfidence::fair);
        QVERIFY(!map.bound_ns);
        QVERIFY(std::abs(errorAt(made, alignment, other, 0)) <=
                static_cast<double>(map.error_ns.value_or(0)));
        QVERIFY2(map.reason.find("only sends and receives") != std::string::npos, map.reason.c_str());
    }

    // Senders that leave early are detected by their ends, excluded and reported.
    void eagerSendsAreExcluded()
    {
        Tally tally;
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            SyntheticOptions options = pairsOnly(seed);
            options.eagerPairs = 0.1;
            const SyntheticClocks made = makeSyntheticClocks(options);
            check(made, tally);
            const auto fit = *fitCollectives(made.workspace, {}, Progress(test::workers()));
            QVERIFY(std::ranges::any_of(fit->matches.groups, [](const MatchedGroup& group) {
                return group.refusal.find("did not end together like the others") != std::string::npos;
            }));
        }
        say(tally);
        QCOMPARE(tally.guaranteed, tally.clocks);
    }

    void unusedPairsAreTheReason_data()
    {
        QTest::addColumn<int>("pairsPerStep");
        QTest::addColumn<double>("eager");
        QTest::addColumn<QString>("reason");
        QTest::newRow("few") << 2 << 0.0 << "send/receive pairs not used: 10 are needed";
        QTest::newRow("eager") << 20 << 1.0 << "neither side appears to wait for the other";
    }
    void unusedPairsAreTheReason()
    {
        QFETCH(int, pairsPerStep);
        QFETCH(double, eager);
        QFETCH(QString, reason);
        SyntheticOptions options = pairsOnly(6);
        options.pairsPerStep = pairsPerStep;
        options.eagerPairs = eager;
        options.hasGroups = options.arePairsStated = options.hasSequence = true;
        const QString found = QString::fromStdString(reasonOf(makeSyntheticClocks(options)));
        QVERIFY2(found.contains(reason), found.toUtf8());
    }

    // Bare kernels of four ranks: nothing records the partner of each.
    void sendRecvKernelsOfManyRanksAreAmbiguous()
    {
        SyntheticOptions options = pairsOnly(2);
        options.hosts = 3;
        options.largestOffset_ns = 0;
        const std::string reason = reasonOf(makeSyntheticClocks(options));
        QVERIFY2(!reason.starts_with("corrected"), reason.c_str());
        QVERIFY2(reason.find("stream 20") != std::string::npos || reason.find("unnamed") != std::string::npos,
                 reason.c_str());
    }

    // Collectives of the same ranks are the better evidence; the pairs are not used, which is reported.
    void collectivesArePreferred()
    {
        SyntheticOptions options = pairsOnly(2);
        options.collectivesPerStep = 20;
        options.arePairsStated = false;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        const size_t other = 1 - referenceOf(alignment);
        QVERIFY(accuracyOf(made, alignment, other).isGuaranteed);
        QVERIFY(std::abs(errorAt(made, alignment, other, 0)) < 20'000);
        const AlignmentReport report = describeAlignment(made.workspace, alignment);
        QVERIFY(std::ranges::any_of(report.groups, [](const AlignmentGroup& group) {
            return group.refusal.find("determine the clocks more precisely") != std::string::npos;
        }));
    }
};

LOCKSTEP_TEST(PairAlignmentTest, "pair_alignment_test")
#include "pair_alignment_test.moc"
