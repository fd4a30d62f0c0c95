// SPDX-License-Identifier: Apache-2.0
// Tests the clocks of three hosts during a live capture. As collectives and clock comparisons arrive, the
// error bound between any two hosts narrows and contains the truth each time, and no report's key changes.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include <QTest>

#include "core/align/alignment.h"
#include "core/lanes/report_lod.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/readers/run_events/live_event_log.h"
#include "core/scene/next_scene.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kWatchedHosts = 3;
constexpr int64_t kWatchedMs = 1'000'000, kWatchedSecond_ns = 1'000'000'000;
constexpr std::array<int64_t, kWatchedHosts> kWatchedAhead_ns{
    0, 5'000'000, -3'000'000}; // ns of true time; their wall clocks, too

std::string bootOfWatched(int host)
{
    return "00000000-0000-0000-0000-00000000000" + std::to_string(host);
}

// One host: the spool of its one process, its event log, and the reports that a window made from both.
class WatchedHost {
  public:
    WatchedHost(const TempDir& folder, int host)
        : m_host(host), m_name("node" + std::to_string(host)), m_spool(static_cast<uint8_t>(host + 1)),
          m_spoolPath(folder.path() / ("actor_rank" + std::to_string(host) + "_" + m_name + "_1.1.lsc")),
          m_logPath(folder.path() / (m_name + ".events.jsonl")), m_recording(m_spoolPath), m_log(m_logPath)
    {
        const Json meta{{"program", "lockstep"}, {"version", "0"},         {"session", "s"},
                        {"run", "run-1"},        {"host", m_name},         {"boot_id", bootOfWatched(host)},
                        {"pid", 4000 + host},    {"rank", host},           {"world_size", kWatchedHosts},
                        {"role", "actor"},       {"process_name", "train"}};
        m_spool.block(LOCKSTEP_BLOCK_META, jsonLine(meta), 0, 0, 0);
        tellEvent("'kind':'clock_exchange','state':'listening','node':'" + m_name + "'");
        tellReading(1 * kWatchedSecond_ns);
    }

    int64_t rawOf(int64_t true_ns) const { return true_ns + kWatchedAhead_ns[static_cast<size_t>(m_host)]; }
    void beginBlock()
    {
        m_spool.record(LOCKSTEP_KIND_DOMAIN_NAME, {1, m_spool.text("lockstep")});
        m_spool.thread(100);
        m_spool.record(LOCKSTEP_KIND_DOMAIN, {1});
    }
    void collective(int64_t begin_ns, int64_t end_ns, uint64_t sequence)
    {
        const LockstepSpoolCollective said{1 << 20, sequence, kWatchedHosts, static_cast<uint32_t>(m_host)};
        std::string bytes(reinterpret_cast<const char*>(&said), sizeof said);
        bytes += "world";
        const uint64_t name = m_spool.text("AllReduce"), payload = m_spool.text(bytes);
        m_spool.record(LOCKSTEP_KIND_START,
                       {static_cast<uint64_t>(rawOf(begin_ns)), sequence + 1, name, 3, 0, 1, 1 << 20});
        m_spool.record(LOCKSTEP_KIND_PAYLOAD, {LOCKSTEP_SCHEMA_COLLECTIVE, payload});
        m_spool.end(rawOf(end_ns), sequence + 1);
    }
    void endBlock() { m_spool.closeBlock(); }
    void tellReading(int64_t true_ns)
    {
        tellEvent("'kind':'clock_exchange','boot':'" + bootOfWatched(m_host) + "','raw_ns':" +
                  std::to_string(rawOf(true_ns)) + ",'state':'reading','wall_doubt_ns':40,'wall_ns':" +
                  std::to_string(MadeSpool::kRealtime_ns));
    }
    // Compares with the first host's clock; the message takes out_ns one way and back_ns the other.
    void reportRound(int64_t true_ns, int64_t out_ns, int64_t back_ns)
    {
        const int64_t t1 = rawOf(true_ns), t2 = true_ns + out_ns + kWatchedAhead_ns[0], t3 = t2 + 5000,
                      t4 = rawOf(true_ns + out_ns + 5000 + back_ns);
        const auto field = [](const char* name, int64_t value) {
            return ",'" + std::string(name) + "':" + std::to_string(value);
        };
        tellEvent("'kind':'clock_exchange','boot':'" + bootOfWatched(m_host) +
                  "','clock':'CLOCK_MONOTONIC_RAW'" + field("delay_ns", (t2 - t1) - (t3 - t4)) +
                  ",'peer':'node0','peer_boot':'" + bootOfWatched(0) + "'" + field("peer_wall_doubt_ns", 60) +
                  field("peer_wall_ns", MadeSpool::kRealtime_ns) + ",'state':'round'" + field("t1_ns", t1) +
                  field("t2_ns", t2) + field("t3_ns", t3) + field("t4_ns", t4) + ",'via':'udp'" +
                  field("wall_doubt_ns", 50) + field("wall_ns", MadeSpool::kRealtime_ns));
    }
    // Returns the data since the last call as a change of the scene; next gives the keys.
    void addTo(SceneChange& change, uint32_t& next)
    {
        std::ofstream(m_spoolPath, std::ios::binary) << m_spool.bytes();
        std::ofstream(m_logPath) << m_events;
        auto read = m_recording.read({m_spool.bytes().size(), 0, false}, Progress());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        take(*read, change, next);
        while (const auto wanted = m_recording.nextMerge()) {
            const auto merged = LiveRecording::readMerged(m_spoolPath, *wanted, Progress());
            QVERIFY(merged.has_value());
            take(m_recording.applyMerge(*wanted, *merged), change, next);
        }
        const auto log = m_log.read(Progress());
        QVERIFY2(log, log ? "" : log.error().message.c_str());
        if (*log != nullptr) open(m_logKey, *log, change, next);
    }
    // Returns the newest of its captures that has timestamps.
    ReportKey newest() const { return chunks.rbegin()->second; }

    std::map<uint64_t, ReportKey> chunks;
    std::map<ReportKey, const Report*> given; // reports shown so far, by key

  private:
    void tellEvent(std::string text)
    {
        std::replace(text.begin(), text.end(), '\'', '"');
        m_events += "{\"seq\":" + std::to_string(++m_seq) +
                    ",\"t_ns\":" + std::to_string(MadeSpool::kRealtime_ns + kWatchedSecond_ns) + "," + text +
                    "}\n";
    }
    void take(const LiveRecording::Change& from, SceneChange& change, uint32_t& next)
    {
        for (const uint64_t number : from.removed) {
            std::erase_if(change.opened, [&](const auto& opened) { return opened.key == chunks.at(number); });
            change.closed.insert(chunks.at(number));
            chunks.erase(number);
        }
        for (const auto& chunk : from.added) {
            ReportKey key;
            open(key, chunk.report, change, next);
            chunks[chunk.number] = key;
            QVERIFY(given.emplace(key, chunk.report.get()).second);
        }
        if (from.open != nullptr) open(m_openKey, from.open, change, next);
    }
    void open(ReportKey& key, const std::shared_ptr<const Report>& report, SceneChange& change,
              uint32_t& next)
    {
        if (key.isValid()) {
            change.closed.insert(key);
        } else {
            key = ReportKey(next++);
        }
        Identity stated;
        stated.host.learn(m_name, "run record", Confidence::confirmed);
        change.opened.push_back({key, report, buildLod(*report, workers()),
                                 std::make_shared<const ReportIdentity>(identityOf(*report, stated, {}))});
    }

    const int m_host;
    const std::string m_name;
    MadeSpool m_spool;
    const std::filesystem::path m_spoolPath, m_logPath;
    LiveRecording m_recording;
    LiveEventLog m_log;
    std::string m_events;
    uint64_t m_seq = 0;
    ReportKey m_openKey, m_logKey;
};

class WatchedRun {
  public:
    explicit WatchedRun(uint64_t seed) : m_random(seed)
    {
        for (int host = 0; host < kWatchedHosts; ++host)
            hosts.emplace_back(m_folder, host);
    }

    // Makes this many collectives. Each host arrives at a random time; all leave when the last has arrived
    // and the data is transferred.
    void runOn(int collectives, bool compares)
    {
        for (WatchedHost& host : hosts)
            host.beginBlock();
        for (int i = 0; i < collectives; ++i) {
            m_now_ns += 50 * kWatchedMs;
            std::array<int64_t, kWatchedHosts> begin;
            for (int64_t& at : begin)
                at = m_now_ns + late(2 * kWatchedMs);
            const int64_t done_ns = std::ranges::max(begin) + 150'000 + late(200'000);
            for (size_t host = 0; host < kWatchedHosts; ++host)
                hosts[host].collective(begin[host], done_ns + late(20'000), m_sequence);
            ++m_sequence;
        }
        for (int host = 0; host < kWatchedHosts; ++host) {
            hosts[static_cast<size_t>(host)].endBlock();
            hosts[static_cast<size_t>(host)].tellReading(m_now_ns);
            if (compares && host > 0)
                hosts[static_cast<size_t>(host)].reportRound(m_now_ns, 15'000 + late(30'000),
                                                             15'000 + late(30'000));
        }
    }
    // Makes the next scene, and the one that its alignment creates.
    void show()
    {
        SceneChange change;
        for (WatchedHost& host : hosts)
            host.addTo(change, m_nextKey);
        scene = nextScene(scene, change, Progress()).value();
        SceneChange aligning;
        aligning.alignment = alignReports(scene->open, {}, Progress()).value();
        scene = nextScene(scene, aligning, Progress()).value();
    }
    int64_t now_ns() const { return m_now_ns; }
    // Returns the largest difference of two hosts' clocks on the axis at any moment so far.
    double off_ns(size_t a, size_t b) const
    {
        double worst = 0;
        for (int64_t at = kWatchedSecond_ns; at <= m_now_ns; at += (m_now_ns - kWatchedSecond_ns) / 20 + 1) {
            const auto aligned = [&](const WatchedHost& host) {
                return scene->alignment.map(host.newest()).alignedFromTrace(TraceTime{host.rawOf(at)}).ns;
            };
            worst = std::max(worst, std::abs(static_cast<double>(aligned(hosts[a]) - aligned(hosts[b]))));
        }
        return worst;
    }

    std::deque<WatchedHost> hosts;
    ScenePtr scene = std::make_shared<const Scene>();

  private:
    int64_t late(int64_t mean_ns)
    {
        return std::llround(
            std::exponential_distribution<double>(1.0 / static_cast<double>(mean_ns))(m_random));
    }

    TempDir m_folder;
    std::mt19937_64 m_random;
    uint32_t m_nextKey = 1;
    uint64_t m_sequence = 0;
    int64_t m_now_ns = kWatchedSecond_ns;
};

// The error bound between any two hosts, as reported.
std::optional<int64_t> widestBound_ns(const WatchedRun& run)
{
    int64_t widest = 0;
    for (size_t a = 0; a < kWatchedHosts; ++a) {
        for (size_t b = a + 1; b < kWatchedHosts; ++b) {
            const PairError error =
                run.scene->alignment.errorBetween(run.hosts[a].newest(), run.hosts[b].newest());
            if (!error.guaranteed_ns) return std::nullopt;
            widest = std::max(widest, *error.guaranteed_ns);
        }
    }
    return widest;
}

} // namespace

class LiveAlignmentTest : public QObject {
    Q_OBJECT

  private slots:
    void boundsNarrowAsMoreArrives_data()
    {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 1; seed <= 5; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
    }

    void boundsNarrowAsMoreArrives()
    {
        QFETCH(quint64, seed);
        WatchedRun run(seed);
        std::vector<int64_t> bounds;
        for (int round = 0; round < 24; ++round) {
            run.runOn(round == 0 ? 3 : 8, round >= 16);
            run.show();
            for (const WatchedHost& host : run.hosts) {
                for (const auto& [number, key] : host.chunks) {
                    QVERIFY(run.scene->open.has(key));
                    QCOMPARE(run.scene->open.shared(key).get(), host.given.at(key));
                    QVERIFY(run.scene->alignment.coversReport(key));
                }
            }
            const auto bound = widestBound_ns(run);
            if (!bound) continue; // too few to decide
            bounds.push_back(*bound);
            for (size_t a = 0; a < kWatchedHosts; ++a) {
                for (size_t b = a + 1; b < kWatchedHosts; ++b) {
                    const auto stated =
                        run.scene->alignment.errorBetween(run.hosts[a].newest(), run.hosts[b].newest());
                    const double off_ns = run.off_ns(a, b);
                    QVERIFY2(off_ns <= static_cast<double>(*stated.guaranteed_ns),
                             qPrintable(QString("round %1, hosts %2 and %3: off by %4 of %5 ns")
                                            .arg(round)
                                            .arg(a)
                                            .arg(b)
                                            .arg(off_ns)
                                            .arg(*stated.guaranteed_ns)));
                }
            }
        }
        QVERIFY2(bounds.size() >= 16, qPrintable(QString::number(bounds.size())));
        const size_t exchangeBegins = bounds.size() - 8;
        qInfo(
            "widest bound of two hosts: %lld us at first, %lld us before clocks are compared, %lld us at the end",
            static_cast<long long>(bounds.front() / 1000),
            static_cast<long long>(bounds[exchangeBegins - 1] / 1000),
            static_cast<long long>(bounds.back() / 1000));
        QVERIFY(bounds[exchangeBegins - 1] <
                1'000'000); // drift widens the bound with time, collectives narrow it
        QVERIFY(bounds.back() < bounds[exchangeBegins - 1]);
    }
};

LOCKSTEP_TEST(LiveAlignmentTest, "live_alignment_test")
#include "live_alignment_test.moc"
