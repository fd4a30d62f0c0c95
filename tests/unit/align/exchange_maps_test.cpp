// SPDX-License-Identifier: Apache-2.0
// Tests clock exchange combined with collectives: the remaining bounds, the estimate that is used, and the
// message if they contradict each other.
#include "core/align/align_methods.h"

#include <cmath>
#include <random>

#include "core/align/alignment.h"
#include "core/trace/report_builder.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kWallEpoch_ns = 1'795'176'271'000'000'000;

// The generated run with an event log per host, in which the host compared its clock with the first: 20 to 40
// us each way.
Workspace withExchange(const SyntheticClocks& made, double way_ns = 20e3, int hostsThatTell = 99)
{
    Workspace workspace = made.workspace;
    std::mt19937_64 random(5);
    for (int host = 0; host < std::min(made.options.hosts, hostsThatTell); ++host) {
        const auto report = static_cast<size_t>(host * made.options.ranksPerHost);
        const auto shift_ns = host == made.options.shiftedHost ? made.options.shift_ns : 0;
        const auto stampOf = [&made, shift_ns](size_t of, double t, bool isOwn) {
            return static_cast<double>(made.stampOf(of, t).ns - (isOwn ? shift_ns : 0));
        };
        const double raw = 5e9 * (host + 1); // raw clock, ahead of the timestamps
        ReportBuilder builder;
        builder.report().clock = {"Unix epoch (node)", 0, 1, {}, "t_ns"};
        std::vector<ClockRound> rounds;
        std::exponential_distribution<double> late(1 / (way_ns / 2));
        for (double t = -made.halfLength_ns(); t <= made.halfLength_ns(); t += 5e9) {
            ClockRound round;
            round.boot = builder.intern("boot " + std::to_string(host));
            round.sent_ns = std::llround(stampOf(report, t, true) + raw);
            round.wall_ns = kWallEpoch_ns - std::llround(raw);
            rounds.push_back(round);
            if (host == 0) continue;
            round.peer = builder.intern(made.options.run + "-node0");
            round.peerBoot = builder.intern("boot 0");
            const double t2 = t + way_ns + late(random), t4 = t2 + 2 * way_ns + late(random);
            round.peerReceived_ns = std::llround(stampOf(0, t2, false) + 5e9) + 1;
            round.peerSent_ns = round.peerReceived_ns;
            round.received_ns = std::llround(stampOf(report, t4, true) + raw) + 1;
            round.sent_ns += 1; // besides the reading
            round.peerWall_ns = kWallEpoch_ns - int64_t(5e9);
            rounds.push_back(round);
        }
        builder.report().clockRounds = Column(std::move(rounds));
        SliceRow row; // the run
        row.start_ns = kWallEpoch_ns + std::llround(stampOf(report, -made.halfLength_ns(), true));
        row.duration_ns = std::llround(2 * made.halfLength_ns());
        SliceBatch batch;
        batch.add(builder.track({TrackKind::other, builder.process(0, 0), {}, {}, 0, 0}), row);
        builder.adopt(std::move(batch));
        Identity stated;
        stated.host.learn(made.options.run + "-node" + std::to_string(host), "made", Confidence::confirmed);
        auto frozen = builder.freeze(Progress());
        workspace.add(std::shared_ptr<const Report>(std::move(*frozen)), stated);
    }
    return workspace;
}

// Adds a report of process 77 on a host: one slice that begins `begin_ns` after the zero of the report's
// clock.
ReportKey addProcessReport(Workspace& workspace, const std::string& host, ClockDomain clock, int64_t begin_ns,
                           bool isSnapshot)
{
    ReportBuilder builder;
    builder.report().clock = std::move(clock);
    if (isSnapshot) builder.report().memory = std::make_shared<MemorySnapshot>();
    const ProcessId process = builder.process(1, 77);
    builder.report().processes[0].identity.pid = {77, "made", Confidence::stated};
    SliceRow row;
    row.start_ns = begin_ns;
    row.duration_ns = 1'000'000;
    SliceBatch batch;
    batch.add(builder.track({TrackKind::other, process, {}, {}, 0, 0}), row);
    builder.adopt(std::move(batch));
    Identity stated;
    stated.host.learn(host, "made", Confidence::confirmed);
    auto frozen = builder.freeze(Progress());
    workspace.add(std::shared_ptr<const Report>(std::move(*frozen)), stated);
    return workspace.keys().back();
}

// Returns how far two reports' maps differ at most at one true moment.
double separation_ns(const SyntheticClocks& made, const Alignment& alignment, size_t a, size_t b)
{
    double worst = 0;
    for (double share = -0.95; share <= 0.96; share += 0.05) {
        const double t = share * made.halfLength_ns();
        const auto at = [&](size_t report) {
            return alignment.map(made.workspace.keys()[report]).alignedFromTrace(made.stampOf(report, t));
        };
        worst = std::max(worst, std::abs(static_cast<double>((at(a) - at(b)).ns)));
    }
    return worst;
}

} // namespace

class ExchangeMapsTest : public QObject {
    Q_OBJECT

  private slots:
    void boundsNarrowAndContainTheTruth()
    {
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            SyntheticOptions options;
            options.seed = seed;
            options.leastTransfer_ns = 600e3; // so that collectives alone leave some uncertainty
            const SyntheticClocks made = makeSyntheticClocks(options);
            const Alignment without = alignReports(made.workspace, {});
            const Workspace workspace = withExchange(made);
            const Alignment with = alignReports(workspace, {});
            QVERIFY(with.exchange && !without.exchange);
            const ReportKey reference = with.collectives->partition.reports[0];
            for (size_t report = 0; report < made.workspace.size(); ++report) {
                const ReportKey key = made.workspace.keys()[report];
                const ClockMap& map = with.map(key);
                if (map.method == AlignMethod::reference) continue;
                QVERIFY2(map.method == AlignMethod::exchange, map.reason.c_str());
                QVERIFY(*map.bound_ns < *without.map(key).bound_ns);
                // The estimate stays that of the collectives.
                QCOMPARE(map.offset_ns, without.map(key).offset_ns);
                QVERIFY(map.reason.find("collectives: ") != std::string::npos);
            }
            for (size_t report = 0; report < made.workspace.size(); ++report) {
                const ReportKey key = made.workspace.keys()[report];
                const auto error = with.errorBetween(key, reference);
                QVERIFY(error.guaranteed_ns);
                QVERIFY(separation_ns(made, with, report, 0) <= static_cast<double>(*error.guaranteed_ns));
                QVERIFY(*error.likely_ns <= *error.guaranteed_ns);
            }
        }
    }

    void exchangeAlignsWithoutCollectives()
    {
        SyntheticClocks made = makeSyntheticClocks({});
        made.workspace = Workspace(); // the logs alone
        const Workspace workspace = withExchange(made);
        const Alignment with = alignReports(workspace, {});
        QVERIFY(with.exchange);
        for (size_t host = 1; host < workspace.size(); ++host) {
            const ClockMap& map = with.map(workspace.keys()[host]);
            QVERIFY2(map.method == AlignMethod::exchange, map.reason.c_str());
            QVERIFY2(*map.bound_ns < 100'000, map.reason.c_str());
            QCOMPARE(map.confidence, ClockConfidence::good);
            for (double share = -0.95; share <= 0.96; share += 0.05) {
                const auto at = [&](size_t log) {
                    const size_t report = log * static_cast<size_t>(made.options.ranksPerHost);
                    const TraceTime stamp{kWallEpoch_ns +
                                          made.stampOf(report, share * made.halfLength_ns()).ns};
                    return with.map(workspace.keys()[log]).alignedFromTrace(stamp);
                };
                QVERIFY(std::abs((at(host) - at(0)).ns) <= *map.bound_ns);
            }
        }
        QVERIFY2(with.basis.find("3 clocks bounded by") != std::string::npos, with.basis.c_str());
    }

    // A memory snapshot has only a wall clock; it uses the clock of its process, which the exchange bounds.
    void snapshotUsesTheExchangedClockOfItsProcess()
    {
        SyntheticClocks made = makeSyntheticClocks({});
        made.workspace = Workspace();
        Workspace workspace = withExchange(made);
        const std::string host = made.options.run + "-node1";
        const ReportKey trace = addProcessReport(
            workspace, host, {"Unix epoch (Kineto base)", 0, 1, {}, "made"}, kWallEpoch_ns, false);
        const ReportKey snapshot =
            addProcessReport(workspace, host, {"snapshot", kWallEpoch_ns, 1, {}, "made"}, 0, true);
        const Alignment with = alignReports(workspace, {});
        QCOMPARE(with.map(trace).method, AlignMethod::exchange);
        const ClockMap& map = with.map(snapshot);
        QVERIFY2(map.method == AlignMethod::exchange, map.reason.c_str());
        QVERIFY(map.bound_ns && with.map(trace).bound_ns);
        const TraceTime bySnapshot = map.alignedFromTrace(TraceTime{500'000});
        const TraceTime byTrace = with.map(trace).alignedFromTrace(TraceTime{kWallEpoch_ns + 500'000});
        QVERIFY(std::abs((bySnapshot - byTrace).ns) <= *map.bound_ns + *with.map(trace).bound_ns);
    }

    // Equal operations at equal distances: their matching is a guess, and here a wrong one.
    void contradictingPatternsAreNotUsed()
    {
        SyntheticOptions options;
        options.headLoss = 1;
        options.hasGroups = false;
        options.isRegular = true;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment with = alignReports(withExchange(made), {});
        size_t given = 0;
        for (size_t report = 0; report < made.workspace.size(); ++report) {
            const ClockMap& map = with.map(made.workspace.keys()[report]);
            given += map.reason.find("matched by pattern only and contradict") != std::string::npos ? 1 : 0;
            const auto error = with.errorBetween(made.workspace.keys()[report], made.workspace.keys()[0]);
            if (map.method != AlignMethod::exchange && map.method != AlignMethod::reference) continue;
            QVERIFY(error.guaranteed_ns);
            QVERIFY2(separation_ns(made, with, report, 0) <= static_cast<double>(*error.guaranteed_ns),
                     map.reason.c_str());
        }
        QVERIFY(given > 0);
    }

    // A report whose timestamps are not from the clock that its host compared.
    void contradictionsAreReportedAndCollectivesUsed()
    {
        SyntheticOptions options;
        options.shiftedHost = 2;
        options.shift_ns = 8'000'000;
        options.leastTransfer_ns = 600e3;
        const SyntheticClocks made = makeSyntheticClocks(options);
        const Alignment without = alignReports(made.workspace, {});
        const Alignment with = alignReports(withExchange(made), {});
        const size_t shifted = static_cast<size_t>(2 * options.ranksPerHost);
        const ClockMap& map = with.map(made.workspace.keys()[shifted]);
        QVERIFY2(map.reason.find("contradicts the collectives by") != std::string::npos, map.reason.c_str());
        QCOMPARE(map.method, AlignMethod::collectives);
        QCOMPARE(map.bound_ns, without.map(made.workspace.keys()[shifted]).bound_ns);
        QVERIFY(map.confidence <= ClockConfidence::fair);
        QVERIFY(separation_ns(made, with, shifted, 0) <= static_cast<double>(*map.bound_ns));
        // The other reports are unaffected.
        const ClockMap& other = with.map(made.workspace.keys().front());
        const ClockMap& another = with.map(made.workspace.keys().back());
        QVERIFY2(other.method == AlignMethod::exchange || other.method == AlignMethod::reference,
                 other.reason.c_str());
        QVERIFY2(another.method == AlignMethod::exchange, another.reason.c_str());
    }

    // A slow network gives wider bounds than collectives: the collectives' bounds are used, and the agreement
    // is reported.
    void wideExchangeOnlyConfirms()
    {
        const SyntheticClocks made = makeSyntheticClocks({});
        const Alignment with = alignReports(withExchange(made, 20e6), {});
        const ClockMap& map = with.map(made.workspace.keys().back());
        QCOMPARE(map.method, AlignMethod::collectives);
        QVERIFY2(map.reason.find("the clock exchange agrees to within") != std::string::npos,
                 map.reason.c_str());
    }

    void hostsWithoutExchangeAreUnaffected()
    {
        const SyntheticClocks made = makeSyntheticClocks({});
        const Alignment without = alignReports(made.workspace, {});
        const Alignment with = alignReports(withExchange(made, 20e3, 2), {});
        const ReportKey last = made.workspace.keys().back();
        QCOMPARE(with.map(last).method, AlignMethod::collectives);
        QCOMPARE(with.map(last).bound_ns, without.map(last).bound_ns);
        QCOMPARE(with.map(last).reason, without.map(last).reason);
    }

    // If the host was rebooted meanwhile, one host name stands for two clocks.
    void twoBootsAreNotOneClock()
    {
        const SyntheticClocks made = makeSyntheticClocks({});
        Workspace workspace = withExchange(made);
        ReportBuilder builder;
        builder.report().clock = {"Unix epoch (node)", 0, 1, {}, "t_ns"};
        ClockRound reading;
        reading.boot = builder.intern("another boot");
        reading.sent_ns = 7;
        builder.report().clockRounds = Column(std::vector{reading});
        Identity stated;
        stated.host.learn(made.options.run + "-node1", "made", Confidence::confirmed);
        auto frozen = builder.freeze(Progress());
        workspace.add(std::shared_ptr<const Report>(std::move(*frozen)), stated);
        QVERIFY(!HostClocks(workspace).clockOf(made.options.run + "-node1"));
        const Alignment with = alignReports(workspace, {});
        const ReportKey key = made.workspace.keys()[static_cast<size_t>(made.options.ranksPerHost)];
        QVERIFY(with.map(key).method != AlignMethod::exchange);
    }
};

LOCKSTEP_TEST(ExchangeMapsTest, "exchange_maps_test")
#include "exchange_maps_test.moc"
