// SPDX-License-Identifier: Apache-2.0

#include <rapidcheck.h>

#include "capture/agent/clock_peers.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::agent;

namespace {

constexpr ClockToken kPacketToken{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

ClockPacket madePacket()
{
    ClockPacket packet;
    packet.isReply = true;
    packet.nonce = 0x0102030405060708;
    packet.from = 0x11121314;
    packet.to = 7;
    packet.boot = *sixteenBytes("00112233-4455-6677-8899-aabbccddeeff");
    packet.received_ns = 1'000'000'007;
    packet.sent_ns = 1'000'000'207;
    packet.wall_ns = -5;
    packet.uncertainty_ns = 60;
    return packet;
}

std::string_view packetText(const ClockPacket::Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

class ClockPacketTest : public QObject {
    Q_OBJECT

  private slots:
    void bytesMatchTheFormat()
    {
        const ClockPacket::Bytes bytes = bytesOfPacket(madePacket(), kPacketToken);
        const QByteArray hex = QByteArray(packetText(bytes).data(), bytes.size()).toHex();
        // The MAC was computed separately, with Python's hmac and hashlib.
        QCOMPARE(hex, QByteArray("4c534358"
                                 "01"
                                 "02"
                                 "0000"
                                 "0807060504030201"
                                 "14131211"
                                 "07000000"
                                 "00112233445566778899aabbccddeeff"
                                 "07ca9a3b00000000"
                                 "cfca9a3b00000000"
                                 "fbffffffffffffff"
                                 "3c000000"
                                 "00000000"
                                 "a627587416f4f5cc78c607ae8e653039"));
        PacketDefect defect = PacketDefect::malformed;
        QCOMPARE(packetFromBytes(packetText(bytes), kPacketToken, defect), std::optional(madePacket()));
        QCOMPARE(defect, PacketDefect::none);
    }

    void repliesAreNotLongerThanRequests()
    {
        ClockPacket request;
        request.nonce = 1;
        QCOMPARE(bytesOfPacket(request, kPacketToken).size(),
                 bytesOfPacket(madePacket(), kPacketToken).size());
    }

    void everyFlippedBitIsDetected()
    {
        for (const bool isReply : {false, true}) {
            ClockPacket packet = isReply ? madePacket() : ClockPacket{};
            packet.nonce = 99;
            const ClockPacket::Bytes whole = bytesOfPacket(packet, kPacketToken);
            for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
                ClockPacket::Bytes flipped = whole;
                flipped[bit / 8] = static_cast<unsigned char>(flipped[bit / 8] ^ 1 << bit % 8);
                PacketDefect defect = PacketDefect::none;
                QVERIFY(!packetFromBytes(packetText(flipped), kPacketToken, defect));
                QVERIFY(defect != PacketDefect::none);
            }
        }
    }

    void everyOtherLengthIsDetected()
    {
        const ClockPacket::Bytes whole = bytesOfPacket(madePacket(), kPacketToken);
        std::string longer(packetText(whole));
        longer += '\0';
        for (size_t size = 0; size <= longer.size(); ++size) {
            PacketDefect defect = PacketDefect::none;
            const bool isRead =
                packetFromBytes(std::string_view(longer).substr(0, size), kPacketToken, defect).has_value();
            QCOMPARE(isRead, size == whole.size());
            if (!isRead) QCOMPARE(defect, PacketDefect::malformed);
        }
    }

    void packetsWithAnotherTokenAreForeign()
    {
        ClockToken other = kPacketToken;
        other[15] ^= 0x80;
        PacketDefect defect = PacketDefect::none;
        QVERIFY(!packetFromBytes(packetText(bytesOfPacket(madePacket(), other)), kPacketToken, defect));
        QCOMPARE(defect, PacketDefect::foreign);
    }

    // A careless reader could store the stamps of a request that contains anything but zeros as those of a
    // reply.
    void requestsCarryNoStamps()
    {
        ClockPacket request = madePacket();
        request.isReply = false;
        PacketDefect defect = PacketDefect::none;
        QVERIFY(!packetFromBytes(packetText(bytesOfPacket(request, kPacketToken)), kPacketToken, defect));
        QCOMPARE(defect, PacketDefect::malformed);
    }

    void anyBytesAreSafeAndPacketsRoundTrip()
    {
        const bool isSafe = rc::check("any bytes", [](const std::string& bytes, uint8_t cut) {
            PacketDefect defect = PacketDefect::none;
            RC_ASSERT(!packetFromBytes(bytes, kPacketToken, defect));
            std::string mixed(packetText(bytesOfPacket(madePacket(), kPacketToken)).substr(0, cut % 88));
            mixed += bytes;
            mixed.resize(88);
            const auto read = packetFromBytes(mixed, kPacketToken, defect);
            // The parentheses are needed: the macro splits at || otherwise and evaluates both sides.
            RC_ASSERT((!read || *read == madePacket()));
        });
        QVERIFY(isSafe);
        const bool isWhole = rc::check("any packet", [](uint64_t nonce, uint32_t from, uint32_t to,
                                                        int64_t received, int64_t sent, int64_t wall,
                                                        uint32_t uncertainty) {
            const ClockPacket packet{true, nonce, from, to, kPacketToken, received, sent, wall, uncertainty};
            PacketDefect defect = PacketDefect::none;
            RC_ASSERT(packetFromBytes(packetText(bytesOfPacket(packet, kPacketToken)), kPacketToken,
                                      defect) == packet);
        });
        QVERIFY(isWhole);
    }

    void noncesAreAcceptedOnce()
    {
        ReplayWindow window;
        QVERIFY(window.take(100));
        QVERIFY(!window.take(100));
        QVERIFY(window.take(99)); // reordered by the network
        QVERIFY(!window.take(99));
        QVERIFY(window.take(163));
        QVERIFY(!window.take(99));
        QVERIFY(window.take(101));
        QVERIFY(!window.take(100)); // 63 behind: seen before
        QVERIFY(!window.take(98));  // outside the window, so rejected
        QVERIFY(window.take(1'000'000));
        QVERIFY(!window.take(163));
        QVERIFY(!window.take(0));
    }

    void peersAreChecked_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isGood");
        const QByteArray token = R"("token":"000102030405060708090a0b0c0d0e0f")";
        const QByteArray peer = R"({"number":0,"host":"a","addresses":["10.0.0.1"],"port":9})";
        const auto row = [](const char* name, const QByteArray& text, bool good) {
            QTest::newRow(name) << text << good;
        };
        row("valid", "{" + token + R"(,"self":1,"hosts":2,"peers":[)" + peer + "]}", true);
        row("no peers", "{" + token + R"(,"self":0,"hosts":2})", true);
        row("invalid JSON", "x", false);
        row("no token", R"({"self":1,"hosts":2})", false);
        row("short token", R"({"token":"00","self":1,"hosts":2})", false);
        row("own number out of range", "{" + token + R"(,"self":2,"hosts":2})", false);
        row("too many hosts", "{" + token + R"(,"self":2,"hosts":70000})", false);
        row("itself as a peer", "{" + token + R"(,"self":0,"hosts":2,"peers":[)" + peer + "]}", false);
        row("duplicate peer", "{" + token + R"(,"self":1,"hosts":2,"peers":[)" + peer + "," + peer + "]}",
            false);
        row("port 0", "{" + token + R"(,"self":1,"hosts":2,"peers":[{"number":0,"host":"a","port":0}]})",
            false);
        row("port 70000",
            "{" + token + R"(,"self":1,"hosts":2,"peers":[{"number":0,"host":"a","port":70000}]})", false);
        row("no host name", "{" + token + R"(,"self":1,"hosts":2,"peers":[{"number":0,"port":7}]})", false);
        QByteArray nine;
        for (int i = 0; i < 9; ++i)
            nine += QByteArray(i > 0 ? "," : "") + "\"10.0.0.1\"";
        row("nine addresses",
            "{" + token + R"(,"self":1,"hosts":2,"peers":[{"number":0,"host":"a","port":7,"addresses":[)" +
                nine + "]}]}",
            false);
    }
    void peersAreChecked()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isGood);
        const auto peers = clockPeersFromJson(text.toStdString());
        QCOMPARE(peers.has_value(), isGood);
        if (!isGood) QVERIFY(peers.error().message.find("0405060708") == std::string::npos);
    }
};

LOCKSTEP_TEST(ClockPacketTest, "clock_packet_test")
#include "clock_packet_test.moc"
