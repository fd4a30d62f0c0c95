// SPDX-License-Identifier: Apache-2.0
// Tests both ends of the clock exchange in one process. They share one kernel clock, so the true difference
// is 0 and every round's interval must contain 0. Also tests hostile packets.
#include "capture/agent/clock_exchange.h"

#include <algorithm>
#include <functional>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::agent;

namespace {

constexpr ClockToken kRunToken{9, 8, 7};

ClockExchangeOptions quickExchange()
{
    ClockExchangeOptions options;
    options.burstEvery_ns = 50'000'000;
    options.sampleEvery_ns = 10'000'000;
    options.replyTimeout_ns = 100'000'000;
    options.unreachableEvery = 2;
    options.requestsPerSecond = 1000;
    return options;
}

ClockPeers nobodyToAsk()
{
    return {kRunToken, 0, 4, {}};
}

ClockPeers asksFirst(uint16_t port, std::vector<std::string> addresses = {"127.0.0.1"})
{
    return {kRunToken, 1, 4, {{0, "a", std::move(addresses), port}}};
}

// A socket outside the exchange.
class Stranger {
  public:
    Stranger() : m_fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
    ~Stranger() { ::close(m_fd); }
    void send(uint16_t port, std::string_view bytes) const
    {
        sockaddr_in to = {};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        QCOMPARE(
            ::sendto(m_fd, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
            static_cast<ssize_t>(bytes.size()));
    }
    // Returns the size of the answer in bytes; 0: no answer.
    size_t answered() const
    {
        char bytes[2000];
        size_t size = 0;
        for (ssize_t got = ::recv(m_fd, bytes, sizeof bytes, 0); got > 0;
             got = ::recv(m_fd, bytes, sizeof bytes, 0))
            size += static_cast<size_t>(got);
        return size;
    }

  private:
    int m_fd;
};

ClockCounts countsOf(ClockExchange& exchange)
{
    return exchange.takeFindings().counts;
}

std::string requestOf(uint64_t nonce, const ClockToken& token = kRunToken, uint32_t from = 2, uint32_t to = 0)
{
    ClockPacket packet;
    packet.nonce = nonce;
    packet.from = from;
    packet.to = to;
    const auto bytes = bytesOfPacket(packet, token);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Waits until the exchange knows its peers and answers. Requests that come before are counted as early.
// Returns the counts when each of the requests sent here has been counted.
ClockCounts countsOnceAnswering(ClockExchange& exchange, const Stranger& stranger)
{
    constexpr uint32_t kFrom = 3; // nonces and limits of the other hosts are not touched
    ClockCounts counts;
    for (uint64_t sent = 1; counts.answered == 0; ++sent) {
        stranger.send(exchange.port(), requestOf(sent, kRunToken, kFrom));
        const bool isCounted = test::waitUntil([&] {
            counts = countsOf(exchange);
            return counts.early + counts.answered == sent;
        });
        if (!isCounted) return {};
    }
    test::waitUntil([&] { return stranger.answered() > 0; });
    return counts;
}

} // namespace

class ClockExchangeTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRoundContainsTheTruth()
    {
        const auto a = ClockExchange::open(quickExchange());
        const auto b = ClockExchange::open(quickExchange());
        QVERIFY(a && b);
        (*a)->setPeers(nobodyToAsk());
        (*b)->setPeers(asksFirst((*a)->port()));
        std::vector<MeasuredRound> rounds;
        QVERIFY(test::waitUntil([&] {
            for (const MeasuredRound& round : (*b)->takeFindings().rounds)
                rounds.push_back(round);
            return rounds.size() >= 40;
        }));
        std::vector<int64_t> halves;
        for (const MeasuredRound& round : rounds) {
            QCOMPARE(round.peer, 0u);
            QCOMPARE(round.peerBoot, (*a)->boot());
            QVERIFY(round.t3_ns - round.t4_ns <= 0 && 0 <= round.t2_ns - round.t1_ns);
            QVERIFY(round.delay_ns() >= 0);
            // Both ends read the same wall clock.
            QVERIFY(std::abs(round.wall_ns - round.peerWall_ns) <=
                    50'000 + round.uncertainty_ns + round.peerUncertainty_ns);
            halves.push_back(round.delay_ns() / 2);
        }
        std::ranges::nth_element(halves, halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2));
        const int64_t median_ns = halves[halves.size() / 2];
        qInfo("half the least delay of a burst on the loopback: median %.1f us", double(median_ns) / 1e3);
        const ClockFindings found = (*a)->takeFindings();
        QVERIFY(found.counts.answered >= rounds.size());
        QCOMPARE(found.counts.dropped(), uint64_t(0));
        QVERIFY(found.readings.size() >= 1);
    }

    // Hosts of a run learn their peers at different times, which is not an error.
    void earlyRequestsAreNotCountedAsForeign()
    {
        const auto a = ClockExchange::open(quickExchange());
        const auto b = ClockExchange::open(quickExchange());
        QVERIFY(a && b);
        (*b)->setPeers(asksFirst((*a)->port()));
        QVERIFY(test::waitUntil([&] { return (*a)->takeFindings().counts.early > 0; }));
        (*a)->setPeers(nobodyToAsk());
        QVERIFY(test::waitUntil([&] { return !(*b)->takeFindings().rounds.empty(); }));
        QCOMPARE((*a)->takeFindings().counts.dropped(), uint64_t(0));
    }

    void addressesAreTriedInTurn()
    {
        const auto a = ClockExchange::open(quickExchange());
        const auto b = ClockExchange::open(quickExchange());
        (*a)->setPeers(nobodyToAsk());
        (*b)->setPeers(asksFirst((*a)->port(), {"no address", "127.0.0.9", "::1", "127.0.0.1"}));
        QVERIFY(test::waitUntil([&] { return !(*b)->takeFindings().rounds.empty(); }));
    }

    void silenceAndItsEndAreReportedOnce()
    {
        auto a = ClockExchange::open(quickExchange());
        const auto b = ClockExchange::open(quickExchange());
        (*b)->setPeers(asksFirst((*a)->port())); // a has no peers yet, so it does not answer
        std::vector<uint32_t> unreachable, reachable;
        size_t rounds = 0;
        const auto look = [&] {
            const ClockFindings found = (*b)->takeFindings();
            unreachable.insert(unreachable.end(), found.unreachable.begin(), found.unreachable.end());
            reachable.insert(reachable.end(), found.reachable.begin(), found.reachable.end());
            rounds += found.rounds.size();
        };
        QVERIFY(test::waitUntil([&] {
            look();
            return !unreachable.empty();
        }));
        QTest::qWait(1000);
        look();
        QCOMPARE(unreachable, std::vector<uint32_t>{0});
        QCOMPARE(rounds, size_t(0));
        (*a)->setPeers(nobodyToAsk());
        QVERIFY(test::waitUntil([&] {
            look();
            return rounds >= 2;
        }));
        QCOMPARE(reachable, std::vector<uint32_t>{0});
    }

    void foreignPacketsGetNoAnswer()
    {
        const auto a = ClockExchange::open(quickExchange());
        (*a)->setPeers(nobodyToAsk());
        const Stranger stranger;
        const uint16_t port = (*a)->port();
        ClockToken other = kRunToken;
        other[0] ^= 1;
        const ClockCounts before = countsOnceAnswering(**a, stranger);
        QCOMPARE(before.answered, uint64_t(1));
        stranger.send(port, "x");
        stranger.send(port, std::string(1400, 'y'));
        stranger.send(port, requestOf(1).substr(0, 87));
        stranger.send(port, requestOf(1) + "z");
        stranger.send(port, requestOf(1, other));
        stranger.send(port, requestOf(1, kRunToken, 2, 3)); // for another host
        stranger.send(port, requestOf(1, kRunToken, 4, 0)); // from a host outside the run
        stranger.send(port, requestOf(1, kRunToken, 0, 0)); // in the receiver's own name
        ClockPacket reply;
        reply.isReply = true;
        reply.from = 2;
        const auto bytes = bytesOfPacket(reply, kRunToken);
        stranger.send(port, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}); // never asked for
        ClockCounts counts;
        QVERIFY(test::waitUntil([&] {
            counts = countsOf(**a);
            return counts.dropped() >= 9;
        }));
        QCOMPARE(counts.malformed, uint64_t(4));
        QCOMPARE(counts.foreign, uint64_t(4));
        QCOMPARE(counts.replayed, uint64_t(1));
        QCOMPARE(counts.answered, before.answered);
        QCOMPARE(stranger.answered(), size_t(0));
    }

    void repeatedRequestsAreAnsweredOnce()
    {
        const auto a = ClockExchange::open(quickExchange());
        (*a)->setPeers(nobodyToAsk());
        const Stranger stranger;
        QCOMPARE(countsOnceAnswering(**a, stranger).answered, uint64_t(1));
        for (int i = 0; i < 5; ++i)
            stranger.send((*a)->port(), requestOf(77));
        ClockCounts counts;
        QVERIFY(test::waitUntil([&] {
            counts = countsOf(**a);
            return counts.replayed >= 4;
        }));
        QCOMPARE(counts.answered, uint64_t(2));
        QVERIFY(test::waitUntil([&] { return stranger.answered() == ClockPacket::kSize_bytes; }));
    }

    // A peer that knows the token and sends requests without end gets no more than one host's share of
    // answers.
    void floodsAreLimited()
    {
        ClockExchangeOptions options = quickExchange();
        options.requestsPerSecond = 10;
        const auto a = ClockExchange::open(options);
        (*a)->setPeers(nobodyToAsk());
        const Stranger stranger;
        const uint64_t before = countsOnceAnswering(**a, stranger).answered;
        QCOMPARE(before, uint64_t(1));
        QElapsedTimer since;
        since.start();
        ClockCounts counts;
        for (uint64_t nonce = 1; nonce <= 500; ++nonce) {
            stranger.send((*a)->port(), requestOf(nonce));
            if (nonce % 50 != 0) continue; // the socket's buffer holds about 50
            QVERIFY(test::waitUntil([&] {
                counts = countsOf(**a);
                return counts.answered - before + counts.limited == nonce;
            }));
        }
        const auto most = uint64_t(21 + since.elapsed() / 100); // a burst of 20, then 10 per second
        QVERIFY2(counts.answered >= 20 && counts.answered <= most,
                 qPrintable(QString("%1 of %2").arg(counts.answered).arg(most)));
    }

    void itEndsAtOnce()
    {
        QElapsedTimer timer;
        auto a = ClockExchange::open();
        (*a)->setPeers(asksFirst(9));
        timer.start();
        a->reset();
        QVERIFY(timer.elapsed() < 20'000); // a hanging thread would never end
    }
};

LOCKSTEP_TEST(ClockExchangeTest, "clock_exchange_test")
#include "clock_exchange_test.moc"
