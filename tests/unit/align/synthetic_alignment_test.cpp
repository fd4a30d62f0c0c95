// SPDX-License-Identifier: Apache-2.0
// Tests the alignment of generated runs with known clock errors: estimates, guarantees, and the reasons for
// refusing.
#include <cmath>
#include <optional>
#include <thread>

#include "core/align/alignment.h"
#include "core/align/collective_fit.h"
#include "core/align/sequence_shift.h"
#include "tests/support/clock_accuracy.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

SyntheticOptions randomCase(uint64_t seed)
{
    SyntheticOptions options;
    options.seed = seed;
    options.hosts = 2 + static_cast<int>(seed % 6);
    options.ranksPerHost = 1 + static_cast<int>(seed % 3);
    options.steps = seed % 5 == 0 ? 4 : 16;
    options.collectivesPerStep = 20 + static_cast<int>(seed % 3) * 10;
    options.hasSequence = seed % 2 == 0;
    options.hasGroups = seed % 7 != 3;
    if (options.steps == 4) {
        options.stepLength_ns = 1'000'000'000;
        options.largestDrift = 0;
    }
    return options;
}

} // namespace

class SyntheticAlignmentTest : public QObject {
    Q_OBJECT

  private slots:
    void twoHundredRandomCases()
    {
        size_t hosts = 0, close = 0, guaranteed = 0;
        double worst = 0;
        for (uint64_t seed = 1; seed <= 200; ++seed) {
            const SyntheticClocks made = makeSyntheticClocks(randomCase(seed));
            const Alignment alignment = alignReports(made.workspace, {});
            const int perHost = made.options.ranksPerHost;
            for (size_t report = 0; report < made.workspace.size(); report += static_cast<size_t>(perHost)) {
                if (alignment.map(ReportKey(report)).domain ==
                    alignment.map(ReportKey(referenceOf(alignment))).domain)
                    continue;
                const Accuracy accuracy = accuracyOf(made, alignment, report);
                ++hosts;
                close += accuracy.worst_ns < 20'000 ? 1 : 0;
                guaranteed += accuracy.isGuaranteed ? 1 : 0;
                worst = std::max(worst, accuracy.worst_ns);
                if (accuracy.worst_ns >= 20'000 || !accuracy.isGuaranteed) {
                    qInfo("seed %d report %d: error %.0f ns, %s", int(seed), int(report), accuracy.worst_ns,
                          alignment.map(ReportKey(report)).reason.c_str());
                }
            }
        }
        qInfo("%zu hosts, %zu within 20 us, %zu inside their guarantee, worst %.0f ns", hosts, close,
              guaranteed, worst);
        QVERIFY(hosts > 500);
        QVERIFY(close * 100 >= hosts * 99);
        QVERIFY(guaranteed * 100 >= hosts * 99);
    }

    void shiftsAreExact_data()
    {
        QTest::addColumn<bool>("hasGroups");
        QTest::addColumn<bool>("hasSteps");
        QTest::newRow("named, fenced by steps") << true << true;
        QTest::newRow("named") << true << false;
        QTest::newRow("kernels only") << false << false;
    }

    void shiftsAreExact()
    {
        QFETCH(bool, hasGroups);
        QFETCH(bool, hasSteps);
        for (uint64_t seed = 1; seed <= 10; ++seed) {
            SyntheticOptions options = randomCase(seed);
            options.hasSequence = false;
            options.hasGroups = hasGroups;
            options.hasSteps = hasSteps;
            const SyntheticClocks made = makeSyntheticClocks(options);
            const auto fit = *fitCollectives(made.workspace, {}, Progress(test::workers()));
            const CollectiveMatches& matches = fit->matches;
            QVERIFY(!matches.collectives.empty());
            for (const MatchedCollective& c : matches.collectives) {
                const MatchedPart first = matches.parts[c.firstPart];
                const int64_t place = first.collective + made.headLoss[first.rank];
                for (uint32_t i = 1; i < c.partCount; ++i) {
                    const MatchedPart part = matches.parts[c.firstPart + i];
                    QCOMPARE(part.collective + made.headLoss[part.rank], place);
                }
            }
        }
    }

    void regularGroupsAreAmbiguous()
    {
        SyntheticOptions options;
        options.isRegular = true;
        options.hasSequence = false;
        options.hasSteps = false;
        options.wrongSignature = 0;
        options.stepLength_ns = 60'000'000; // 2 ms between neighbors: wall clocks cannot distinguish them
        options.largestDrift = 0;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        const auto& groups = alignment.collectives->matches.groups;
        QVERIFY(std::ranges::any_of(groups, [](const MatchedGroup& group) {
            return group.refusal.find("several offsets") != std::string::npos;
        }));
        QVERIFY(!alignment.collectives->isAnyApplied());
        for (const ClockMap& map : alignment.maps.all())
            QCOMPARE(map.correction_ns, int64_t(0));
        QVERIFY(alignment.maps.all().back().reason.find("several offsets") != std::string::npos);
    }

    void identicalClocksAreLeftAlone()
    {
        SyntheticOptions options;
        options.largestOffset_ns = 0;
        options.largestDrift = 0;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        QVERIFY(!alignment.collectives->isAnyApplied());
        size_t left = 0;
        for (const ClockMap& map : alignment.maps.all()) {
            QCOMPARE(map.correction_ns, int64_t(0));
            if (map.method == AlignMethod::reference) continue;
            ++left;
            QVERIFY2(map.reason.starts_with("nothing to correct"), map.reason.c_str());
            QCOMPARE(map.confidence, ClockConfidence::good); // and the wall clocks are confirmed
        }
        QCOMPARE(left, size_t(6));
    }

    void clockStepsAreFound()
    {
        SyntheticOptions options;
        options.hosts = 4;
        options.steppedHost = 2;
        options.step_ns = 3e6;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        const size_t stepped = 2 * size_t(options.ranksPerHost);
        for (size_t i = 0; i < made.workspace.size(); ++i) {
            const bool isStepped = made.hostOf(i) == 2;
            QCOMPARE(alignment.map(ReportKey(i)).steps.size(), size_t(isStepped ? 1 : 0));
        }
        const ClockStep& step = alignment.map(ReportKey(stepped)).steps[0];
        QVERIFY(std::abs(step.jump_ns + 3'000'000) < 20'000);
        QVERIFY(std::abs((step.at - made.stampOf(stepped, 0)).ns) < options.stepLength_ns / 4);
        const Accuracy accuracy = accuracyOf(made, alignment, stepped);
        QVERIFY2(accuracy.worst_ns < 20'000, std::to_string(accuracy.worst_ns).c_str());
        QVERIFY(alignment.map(ReportKey(stepped)).reason.find("stepped") != std::string::npos);
    }

    void clustersWithEqualNamesStaySeparate()
    {
        SyntheticOptions options;
        const SyntheticClocks actor = makeSyntheticClocks(options);
        options.seed = 77;
        options.run = "other";
        const SyntheticClocks rollout = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(joined(actor.workspace, rollout.workspace), {});
        const CollectiveMatches& matches = alignment.collectives->matches;
        QCOMPARE(matches.groups.size(), size_t(2));
        for (const MatchedCollective& c : matches.collectives) {
            for (uint32_t i = 1; i < c.partCount; ++i) {
                const auto reportOf = [&](uint32_t p) {
                    return matches.ranks[matches.parts[c.firstPart + p].rank].report.value;
                };
                QCOMPARE(reportOf(i) < actor.workspace.size(), reportOf(0) < actor.workspace.size());
            }
        }
        // The clocks of each simulated cluster are corrected within the cluster.
        QVERIFY(alignment.map(ReportKey(2u)).method == AlignMethod::collectives ||
                alignment.map(ReportKey(2u)).method == AlignMethod::reference);
        QVERIFY(!alignment.errorBetween(ReportKey(0u), ReportKey(actor.workspace.size())).likely_ns);
    }

    void indistinguishableJobsAreRefused()
    {
        SyntheticOptions options;
        const SyntheticClocks first = makeSyntheticClocks(options);
        options.seed = 77;
        const SyntheticClocks second = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(joined(first.workspace, second.workspace), {});
        QVERIFY(alignment.collectives->matches.collectives.empty());
        QVERIFY(alignment.collectives->matches.groups[0].refusal.find("rank 0 is in two reports") !=
                std::string::npos);
    }

    void constantLatenessGivesFairQuality()
    {
        SyntheticOptions options;
        options.lateHost = 1;
        options.largestDrift = 0;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        for (size_t i = 0; i < made.workspace.size(); ++i) {
            const ClockMap& map = alignment.map(ReportKey(i));
            const bool isTiedToLate = made.hostOf(i) == 1 || made.hostOf(referenceOf(alignment)) == 1;
            if (map.domain == alignment.map(ReportKey(referenceOf(alignment))).domain) continue;
            if (isTiedToLate) QCOMPARE(map.confidence, ClockConfidence::fair);
            if (made.hostOf(i) == 1) QVERIFY(map.bound_ns.value_or(0) > 1'000'000);
            QVERIFY(accuracyOf(made, alignment, i).worst_ns < 20'000);
        }
    }

    // A list of 30 ranks of a group of 64 does not determine the other 34.
    void truncatedRankListsLoseNoRank()
    {
        SyntheticOptions options;
        options.hosts = 32;
        options.steps = 4;
        options.largestDrift = 0;
        options.listedRanks = 30;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        for (size_t i = 0; i < made.workspace.size(); ++i) {
            const ClockMap& map = alignment.map(ReportKey(i));
            QVERIFY2(map.anchorsUsed > 0 && map.bound_ns, map.reason.c_str());
            QVERIFY(std::abs(errorAt(made, alignment, i, 0)) < 20'000);
        }
    }

    // Reports that share a host only by their names do not share its clock.
    void guessedHostsShareNoClock()
    {
        SyntheticOptions options;
        options.hosts = 1;
        options.hasGroups = false;
        options.collectivesPerStep = 0; // nothing else ties them
        const SyntheticClocks stated = makeSyntheticClocks(options);
        QCOMPARE(alignReports(stated.workspace, {}).map(ReportKey(1u)).method, AlignMethod::host);
        options.hostConfidence = Confidence::guessed;
        const SyntheticClocks guessed = makeSyntheticClocks(options);
        for (const AlignMode mode : {AlignMode::automatic, AlignMode::host}) {
            AlignOptions asked;
            asked.mode = mode;
            const Alignment alignment = alignReports(guessed.workspace, asked);
            for (const ClockMap& map : alignment.maps.all()) {
                QCOMPARE(map.method, AlignMethod::wallclock);
                QCOMPARE(map.confidence, ClockConfidence::wallclock);
                QVERIFY(!map.bound_ns);
                QVERIFY2(map.reason.find("run-node0 is only inferred (made)") != std::string::npos,
                         map.reason.c_str());
            }
        }
    }

    // Hundreds of identical ranks are compared pairwise: a cancellation does not wait for the end.
    void comparisonOfRanksCanBeCanceled()
    {
        SyntheticOptions options;
        options.hosts = 64;
        options.ranksPerHost = 8;
        options.steps = 4;
        options.hasGroups = false;
        options.hasSteps = false;
        options.isRegular = true;
        const SyntheticClocks made = makeSyntheticClocks(options);
        std::stop_source stop;
        std::optional<CpuTimer> since;
        std::jthread quitting([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            since.emplace();
            stop.request_stop();
        });
        const auto alignment = alignReports(made.workspace, {}, Progress(stop.get_token()));
        quitting.join();
        QVERIFY(!alignment && alignment.error().kind == ErrorKind::canceled);
        QVERIFY2(since->elapsed_ms() < 2'000 * kSlowness,
                 qPrintable(QString("%1 ms").arg(since->elapsed_ms())));
    }

    void fewCollectivesAreRefused()
    {
        SyntheticOptions options;
        options.steps = 1;
        options.collectivesPerStep = 8;
        options.headLoss = 0;
        options.wrongSignature = 0;
        options.largestDrift = 0;
        options.stepLength_ns = 100'000'000;
        options.largestOffset_ns = 0;
        const Alignment alignment = alignReports(makeSyntheticClocks(options).workspace, {});
        QVERIFY(!alignment.collectives->isAnyApplied());
        QVERIFY(alignment.map(ReportKey(4u)).reason.find("too few") != std::string::npos);
    }

    void clocksMinutesApartAreAligned()
    {
        SyntheticOptions options;
        options.largestOffset_ns = 300e9;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        for (size_t i = 0; i < made.workspace.size(); ++i) {
            if (alignment.map(ReportKey(i)).domain == alignment.map(ReportKey(referenceOf(alignment))).domain)
                continue;
            const Accuracy accuracy = accuracyOf(made, alignment, i);
            QVERIFY2(accuracy.worst_ns < 20'000, std::to_string(accuracy.worst_ns).c_str());
            QVERIFY(accuracy.isGuaranteed);
        }
    }

    void noWallClockIsNeeded()
    {
        SyntheticOptions options;
        options.hasWallClock = false;
        options.elidedRanks = 0;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment alignment = alignReports(made.workspace, {});
        for (size_t i = 0; i < made.workspace.size(); ++i) {
            QVERIFY(alignment.map(ReportKey(i)).isPlaced());
            QVERIFY(std::abs(errorAt(made, alignment, i, 0)) < 20'000);
        }
    }
};

LOCKSTEP_TEST(SyntheticAlignmentTest, "synthetic_alignment_test")
#include "synthetic_alignment_test.moc"
