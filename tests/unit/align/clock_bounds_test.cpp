// SPDX-License-Identifier: Apache-2.0
// Tests hard bounds: polygons compared with brute force, one-sided limits, contradictions, jumps.
#include "core/align/clock_bounds.h"

#include <cmath>
#include <random>

#include "core/align/alignment.h"
#include "core/align/collective_fit.h"
#include "core/align/drift_polygon.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kBoundsEpoch_ns = 1'795'176'271'000'000'000;

CollectiveOp numbered(uint64_t sequence)
{
    CollectiveOp op;
    op.sequence = sequence;
    return op;
}

CollectiveOp toPeer(uint64_t sequence, uint32_t peer)
{
    CollectiveOp op = numbered(sequence);
    op.isPointToPoint = true;
    op.peer = peer;
    return op;
}

} // namespace

class ClockBoundsTest : public QObject {
    Q_OBJECT

  private slots:
    void polygonsMatchBruteForce()
    {
        std::mt19937_64 random(5);
        std::uniform_real_distribution<double> spread(10'000, 200'000), place(-1e10, 1e10);
        for (int round = 0; round < 20; ++round) {
            const double offset = spread(random) - 100'000;
            const double drift = (spread(random) - 100'000) * 1e-10;
            std::vector<SeriesPoint> upper, lower;
            for (int i = 0; i < 60; ++i) {
                const double x = place(random);
                upper.push_back({x, offset + drift * x + spread(random)});
                lower.push_back({x, offset + drift * x - spread(random)});
            }
            const DriftPolygon polygon(upper, lower, 100e-6);
            QVERIFY(polygon.isFeasible(0));
            QVERIFY(polygon.drifts().least <= drift && drift <= polygon.drifts().greatest);
            double greatest = -1e18, least = 1e18;
            for (int i = 0; i <= 20'000; ++i) {
                const double b = polygon.drifts().least +
                                 (polygon.drifts().greatest - polygon.drifts().least) * i / 20'000;
                double up = 1e18, down = -1e18;
                for (const SeriesPoint& p : upper)
                    up = std::min(up, p.y - b * (p.x - 3e9));
                for (const SeriesPoint& p : lower)
                    down = std::max(down, p.y - b * (p.x - 3e9));
                greatest = std::max(greatest, up);
                least = std::min(least, down);
            }
            const ValueRange range = polygon.valuesAt(3e9);
            QVERIFY(std::abs(range.greatest - greatest) < 20 && range.greatest >= greatest - 0.01);
            QVERIFY(std::abs(range.least - least) < 20 && range.least <= least + 0.01);
        }
        QVERIFY(!DriftPolygon({{0, -5000}}, {{0, 5000}}, 1e-6).isFeasible(1000));
    }

    // Host b is 700 us ahead. Sends in both directions bound its clock without a single all-dependent
    // collective.
    void sendsInBothDirectionsBoundAClock_data()
    {
        QTest::addColumn<bool>("isBothWays");
        QTest::newRow("both directions") << true;
        QTest::newRow("one direction") << false;
    }

    void sendsInBothDirectionsBoundAClock()
    {
        QFETCH(bool, isBothWays);
        constexpr int64_t kAhead = 700'000;
        RankReport a(0, "a", kBoundsEpoch_ns), b(1, "b", kBoundsEpoch_ns);
        // One direction has too few to estimate how closely they end together.
        for (uint64_t i = 0; i < (isBothWays ? 20 : 9); ++i) {
            const auto at = static_cast<int64_t>(i) * 1'000'000;
            const bool fromA = !isBothWays || i % 2 == 0;
            a.addCollective(at, at + 50'000, fromA ? "send" : "recv", "pp", toPeer(i, 1));
            b.addCollective(at + kAhead, at + kAhead + 50'000, fromA ? "recv" : "send", "pp", toPeer(i, 0));
        }
        Workspace workspace;
        workspace.add(a.finish());
        workspace.add(b.finish());
        const Alignment alignment = alignReports(workspace, {});
        const ClockMap& map = alignment.map(ReportKey(1u));
        if (isBothWays) {
            QCOMPARE(map.method, AlignMethod::collectives);
            QVERIFY(std::abs(map.correction_ns + kAhead) < 60'000);
            QVERIFY(map.guaranteed->earliest_ns <= 0 && 0 <= map.guaranteed->latest_ns);
            QCOMPARE(map.confidence, ClockConfidence::fair);
        } else {
            QCOMPARE(map.correction_ns, int64_t(0));
            QVERIFY2(map.reason.starts_with("one-sided"), map.reason.c_str());
            QVERIFY2(map.reason.find("9 send/receive pairs not used: 10 are needed") != std::string::npos,
                     map.reason.c_str());
        }
    }

    // One collective of 60 has the wrong number on one side: it contradicts the others, is dropped and
    // counted.
    void contradictionsAreDropped()
    {
        RankReport a(0, "a", kBoundsEpoch_ns), b(1, "b", kBoundsEpoch_ns);
        std::mt19937_64 random(3);
        std::uniform_int_distribution<int64_t> delay(0, 100'000);
        for (uint64_t i = 0; i < 60; ++i) {
            const auto at = static_cast<int64_t>(i) * 10'000'000;
            const int64_t first = delay(random), second = delay(random);
            const int64_t end = at + std::max(first, second) + 40'000;
            a.addCollective(at + first, end, "allreduce", "0", numbered(i));
            const int64_t wrong = i == 30 ? 4'000'000 : 0;
            b.addCollective(at + second + wrong, end + wrong + 1000, "allreduce", "0", numbered(i));
        }
        Workspace workspace;
        workspace.add(a.finish());
        workspace.add(b.finish());
        const auto fit = *fitCollectives(workspace, {}, Progress(test::workers()));
        QCOMPARE(fit->bounds.contradictions, uint64_t(1));
        QVERIFY(!fit->bounds.isContradictory);
        QCOMPARE(fit->verdicts[1].verdict == ClockVerdict::reference ? fit->verdicts[0].verdict
                                                                     : fit->verdicts[1].verdict,
                 ClockVerdict::noCorrectionNeeded);
    }

    void jumpsAreLocated()
    {
        std::mt19937_64 random(9);
        std::normal_distribution<double> noise(0, 5'000);
        std::vector<SeriesPoint> series;
        for (int i = 0; i < 300; ++i) {
            series.push_back({i * 1e8, 20e-6 * i * 1e8 + noise(random) + (i >= 170 ? -400'000.0 : 0.0)});
        }
        const auto jump = findJump(series);
        QVERIFY(jump.has_value());
        QVERIFY(std::abs(jump->jump_ns + 400'000) < 10'000);
        QCOMPARE(jump->time_ns, 169.5 * 1e8);
        for (SeriesPoint& p : series)
            p.y = 20e-6 * p.x + noise(random);
        QVERIFY(!findJump(series));
    }
};

LOCKSTEP_TEST(ClockBoundsTest, "clock_bounds_test")
#include "clock_bounds_test.moc"
