// SPDX-License-Identifier: Apache-2.0
// Simulates runs whose true clocks are known. The error bounds of an alignment by clock exchange must contain
// the truth, whatever the network and the clocks did. The wall-clock readings are those that the agent itself
// would store.
#include <algorithm>
#include <cmath>
#include <random>

#include <rapidcheck.h>

#include "capture/agent/wall_clock_sampler.h"
#include "core/align/alignment.h"
#include "core/align/exchange_fit.h"
#include "core/align/host_clocks.h"
#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr double kSecond = 1e9;

struct ExchangeWorld {
    uint64_t seed = 1;
    int hosts = 3;
    double length_s = 60;
    double delay_us = 40;     // one-way, minimum
    double asymmetry = 3;     // ratio of the two directions, maximum
    double jitter_us = 60;    // mean of the added delay
    double loss = 0;          // fraction of rounds
    double wander = 0.009e-6; // change of a host's rate per second
    double slew = 0;          // of wall clocks, changed every 20 s
    double step_ms = 0;       // of each host's wall clock, at a random moment
    double silence_s = 0;     // a period without any round
    bool isHeadAlone = false; // only the first host answers requests
    bool isReversed = false;  // the last host's reports are first: that host is the reference, and others
                              // reach it through the first hosts
};

// The true clocks of one host as functions of true time, in ns.
struct TrueHost {
    double rawStart = 0, rate = 0, amplitude = 0, omega = 0, phase = 0;
    double wallStart = 0;
    std::vector<double> slews; // one per 20 s
    double stepAt = -1, step = 0;

    double raw(double t) const
    {
        return rawStart + t * (1 + rate) -
               amplitude / omega * (std::cos(omega * t + phase) - std::cos(phase));
    }
    double wall(double t) const // wall clock minus raw clock
    {
        double value = wallStart;
        for (size_t i = 0; i < slews.size(); ++i) {
            const double begin = static_cast<double>(i) * 20 * kSecond;
            value += slews[i] * std::clamp(t - begin, 0.0, 20 * kSecond);
        }
        return value + (stepAt >= 0 && t >= stepAt ? step : 0);
    }
};

class MadeExchange {
  public:
    explicit MadeExchange(const ExchangeWorld& world) : m_world(world), m_random(world.seed)
    {
        for (int h = 0; h < world.hosts; ++h)
            m_hosts.push_back(madeHost());
        for (size_t at = 0; at < m_hosts.size(); ++at)
            addHost(at);
    }

    const Workspace& workspace() const { return m_workspace; }
    // Returns the largest distance between two reports' mappings of one true moment, in excess of their error
    // bounds.
    double worstExcess_ns(const Alignment& alignment, size_t report);
    double greatestHalfDelay_ns() const { return std::ranges::max(m_halfDelays); }
    double medianHalfDelay_ns() const
    {
        std::vector<double> sorted = m_halfDelays;
        std::ranges::sort(sorted);
        return sorted.empty() ? 0 : sorted[sorted.size() / 2];
    }
    // Reports of a host: 3 * host is its log (wall clock), + 1 a capture (raw clock), + 2 an nsys report
    // (read once).
    double stampOf(size_t report, double t) const
    {
        const TrueHost& host = m_hosts[hostAt(report / 3)];
        if (report % 3 == 0) return std::floor(host.raw(t) + host.wall(t));
        if (report % 3 == 1) return std::floor(host.raw(t));
        return std::floor(host.raw(t) - host.raw(kSecond));
    }

  private:
    double uniform(double least, double most)
    {
        return std::uniform_real_distribution(least, most)(m_random);
    }
    TrueHost madeHost();
    void addHost(size_t at);
    size_t hostAt(size_t at) const { return m_world.isReversed ? m_hosts.size() - 1 - at : at; }
    std::vector<ClockRound> roundsOf(size_t h, ReportBuilder& builder);

    ExchangeWorld m_world;
    std::mt19937_64 m_random;
    std::vector<TrueHost> m_hosts;
    std::vector<double> m_halfDelays;
    Workspace m_workspace;
};

TrueHost MadeExchange::madeHost()
{
    TrueHost host;
    host.rawStart = std::floor(uniform(1e9, 4e15));
    host.rate = uniform(-50e-6, 50e-6);
    host.omega = 2 * M_PI / (uniform(60, 600) * kSecond);
    host.amplitude = m_world.wander / kSecond / host.omega;
    host.phase = uniform(0, 6);
    host.wallStart = 1.7e18 - host.rawStart + uniform(-20e6, 20e6);
    for (double t = 0; t < m_world.length_s; t += 20)
        host.slews.push_back(uniform(-m_world.slew, m_world.slew));
    if (m_world.step_ms != 0) {
        host.stepAt = uniform(0.1, 0.9) * m_world.length_s * kSecond;
        host.step = uniform(-m_world.step_ms, m_world.step_ms) * 1e6;
    }
    return host;
}

std::vector<ClockRound> MadeExchange::roundsOf(size_t h, ReportBuilder& builder)
{
    const TrueHost& own = m_hosts[h];
    const StringId boot = builder.intern("boot " + std::to_string(h));
    std::vector<ClockRound> rounds;
    agent::WallClockSampler path;
    const double length = m_world.length_s * kSecond;
    for (double t = 0.2 * kSecond; t < length; t += 0.1 * kSecond) {
        path.take({std::llround(own.raw(t)), std::llround(own.wall(t)), 60});
        if (t + 0.1 * kSecond >= length) path.keepLast(); // as the agent does at its end
        for (const agent::WallReading& kept : path.takeKept()) {
            ClockRound reading;
            reading.boot = boot;
            reading.sent_ns = kept.raw_ns;
            reading.wall_ns = kept.wall_ns;
            reading.uncertainty_ns = kept.uncertainty_ns;
            rounds.push_back(reading);
        }
    }
    const double silenceAt = uniform(0, length);
    for (size_t head = 0; head < std::min<size_t>(h, m_world.isHeadAlone ? 1 : 2); ++head) {
        const TrueHost& peer = m_hosts[head];
        const double ways[2] = {m_world.delay_us * 1e3 * uniform(1, m_world.asymmetry),
                                m_world.delay_us * 1e3 * uniform(1, m_world.asymmetry)};
        std::exponential_distribution<double> jitter(1 / (m_world.jitter_us * 1e3 + 1e-3));
        std::vector<double> bursts{length - 0.1 * kSecond}; // as the agents do at their end
        for (double at = uniform(0.3, 1.5) * kSecond; at < length;
             at += (bursts.size() < 5 ? 1 : 5) * kSecond)
            bursts.push_back(at);
        for (const double burst : bursts) {
            if (std::abs(burst - silenceAt) < m_world.silence_s * kSecond / 2) continue;
            ClockRound best;
            double bestDelay = INFINITY;
            for (int round = 0; round < 8; ++round) {
                if (uniform(0, 1) < m_world.loss) continue;
                const double t1 = burst + round * 2e6, t2 = t1 + ways[0] + jitter(m_random);
                const double t3 = t2 + uniform(2e3, 40e3), t4 = t3 + ways[1] + jitter(m_random);
                const double delay = t4 - t1 - (t3 - t2);
                if (delay >= bestDelay) continue;
                bestDelay = delay;
                best = {builder.intern("host " + std::to_string(head)),
                        boot,
                        builder.intern("boot " + std::to_string(head)),
                        60,
                        60,
                        0,
                        static_cast<int64_t>(own.raw(t1)),
                        std::llround(std::ceil(peer.raw(t2))),
                        static_cast<int64_t>(peer.raw(t3)),
                        std::llround(std::ceil(own.raw(t4))),
                        std::llround(own.wall(t1)),
                        std::llround(peer.wall(t2))};
            }
            if (std::isinf(bestDelay)) continue;
            rounds.push_back(best);
            if (head == 0) m_halfDelays.push_back(bestDelay / 2);
        }
    }
    return rounds;
}

void MadeExchange::addHost(size_t at)
{
    const size_t h = hostAt(at);
    Identity stated;
    stated.host.learn("host " + std::to_string(h), "made", Confidence::confirmed);
    const double end = m_world.length_s * kSecond;
    for (size_t kind = 0; kind < 3; ++kind) {
        ReportBuilder builder;
        Report& report = builder.report();
        const TrueHost& own = m_hosts[h];
        if (kind == 0) {
            report.clock = {"Unix epoch (node)", 0, 1, {}, "t_ns"};
            report.clockRounds = Column(roundsOf(h, builder));
        } else if (kind == 1) {
            report.clock = {"CLOCK_MONOTONIC_RAW", std::llround(own.wall(end / 2)), 1, 0, "clock pairs"};
        } else {
            report.clock = {
                "nsys session", std::llround(own.raw(kSecond) + own.wall(kSecond)), 1, {}, "start"};
        }
        SliceRow row;
        const size_t index = 3 * at + kind;
        // Returns all stamps that the report's clock showed, after all adjustments.
        std::vector<double> stamps{stampOf(index, kSecond), stampOf(index, end)};
        if (own.stepAt > kSecond) {
            stamps.push_back(stampOf(index, own.stepAt));
            stamps.push_back(stampOf(index, own.stepAt - 1));
        }
        row.start_ns = std::llround(std::ranges::min(stamps));
        row.duration_ns = std::llround(std::ranges::max(stamps)) - row.start_ns;
        row.name = builder.intern("all");
        SliceBatch batch;
        batch.add(builder.track({TrackKind::other, builder.process(0, 0), {}, {}, 0, 0}), row);
        builder.adopt(std::move(batch));
        report.session = {{row.start_ns}, {row.start_ns + row.duration_ns}};
        auto frozen = builder.freeze(Progress());
        m_workspace.add(std::shared_ptr<const Report>(std::move(*frozen)), stated);
    }
}

double MadeExchange::worstExcess_ns(const Alignment& alignment, size_t report)
{
    const size_t reference = m_workspace.keys()[alignment.exchange->reference].value;
    const ClockMap& own = alignment.map(m_workspace.keys()[report]);
    const ClockMap& other = alignment.map(m_workspace.keys()[reference]);
    double worst = -INFINITY;
    const auto look = [&](double t) {
        const TraceTime a = own.alignedFromTrace(TraceTime{std::llround(stampOf(report, t))});
        const TraceTime b = other.alignedFromTrace(TraceTime{std::llround(stampOf(reference, t))});
        worst =
            std::max(worst, std::abs(static_cast<double>((a - b).ns)) - static_cast<double>(*own.bound_ns));
    };
    const double end = m_world.length_s * kSecond;
    for (int i = 0; i < 3000; ++i)
        look(uniform(kSecond, end));
    for (const TrueHost& host : m_hosts) { // and densely where a clock was set
        for (int i = 0; host.stepAt > kSecond && i < 400; ++i)
            look(std::clamp(host.stepAt + uniform(-0.12, 0.12) * kSecond, kSecond, end));
    }
    return worst;
}

ExchangeWorld anyWorld()
{
    ExchangeWorld world;
    world.seed = *rc::gen::arbitrary<uint64_t>();
    world.hosts = *rc::gen::inRange(2, 6);
    world.length_s = *rc::gen::inRange(15, 400);
    world.delay_us = *rc::gen::inRange(3, 500);
    world.asymmetry = *rc::gen::inRange(1, 20);
    world.jitter_us = *rc::gen::inRange(0, 500);
    world.loss = *rc::gen::inRange(0, 90) / 100.0;
    world.slew = *rc::gen::element(0.0, 5e-6, 100e-6, 450e-6);
    world.step_ms = *rc::gen::element(0.0, 0.0, 0.05, 5.0, 800.0, 30'000.0);
    world.silence_s = *rc::gen::element(0.0, 0.0, 12.0, 60.0);
    world.isHeadAlone = *rc::gen::arbitrary<bool>();
    world.isReversed = *rc::gen::arbitrary<bool>();
    return world;
}

} // namespace

class ExchangeTruthTest : public QObject {
    Q_OBJECT

  private slots:
    void errorBoundsContainTheTruth()
    {
        const bool holds = rc::check("bounds hold", [] {
            const ExchangeWorld world = anyWorld();
            MadeExchange made(world);
            const Alignment alignment = alignReports(made.workspace(), {});
            if (!alignment.exchange) return; // every round was lost
            size_t bounded = 0;
            for (size_t report = 0; report < made.workspace().size(); ++report) {
                const ClockMap& map = alignment.map(made.workspace().keys()[report]);
                if (map.method != AlignMethod::exchange) continue;
                ++bounded;
                const double excess = made.worstExcess_ns(alignment, report);
                if (excess > 1) RC_LOG() << "report " << report << ": " << map.reason;
                RC_ASSERT(excess <= 1);
            }
            RC_ASSERT(bounded > 0u);
        });
        QVERIFY(holds);
    }

    // For captures, which are stamped with the raw clock: half the minimum delay, plus a margin for the
    // drift.
    void boundsAreNarrowOnALan_data()
    {
        QTest::addColumn<double>("way_us");
        QTest::addColumn<bool>("isOverHead");
        QTest::addColumn<double>("most_us");
        QTest::newRow("10 us one-way") << 10.0 << false << 30.0;
        QTest::newRow("15 us one-way") << 15.0 << false << 40.0;
        QTest::newRow("10 us one-way, over a third host") << 10.0 << true << 60.0;
    }
    void boundsAreNarrowOnALan()
    {
        QFETCH(double, way_us);
        QFETCH(bool, isOverHead);
        QFETCH(double, most_us);
        std::vector<double> bounds, halves;
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            ExchangeWorld world;
            world.seed = seed;
            world.hosts = 4;
            world.length_s = 120;
            world.delay_us = way_us;
            world.asymmetry = 1.5;
            world.jitter_us = 10;
            world.slew = 5e-6;
            world.step_ms = seed % 2 == 0 ? 5 : 0; // does not affect a raw clock
            world.isHeadAlone = true;
            world.isReversed = isOverHead;
            MadeExchange made(world);
            const Alignment alignment = alignReports(made.workspace(), {});
            QVERIFY(alignment.exchange);
            halves.push_back(made.medianHalfDelay_ns());
            for (size_t report = 4; report < (isOverHead ? 10 : made.workspace().size()); report += 3) {
                const ClockMap& map = alignment.map(made.workspace().keys()[report]);
                QVERIFY2(map.method == AlignMethod::exchange, map.reason.c_str());
                const auto bound_ns = static_cast<double>(*map.bound_ns);
                bounds.push_back(bound_ns);
                const double ways = isOverHead ? 2 : 1;
                QVERIFY2(bound_ns <= ways * (made.greatestHalfDelay_ns() + 15e3), map.reason.c_str());
            }
        }
        std::ranges::sort(bounds);
        std::ranges::sort(halves);
        qInfo("half the least delay %.1f us in the median; bound: median %.1f us, worst %.1f us",
              halves[halves.size() / 2] / 1e3, bounds[bounds.size() / 2] / 1e3, bounds.back() / 1e3);
        QVERIFY(bounds[bounds.size() / 2] <= most_us * 1e3);
    }
};

LOCKSTEP_TEST(ExchangeTruthTest, "exchange_truth_test")
#include "exchange_truth_test.moc"
