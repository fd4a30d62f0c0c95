// SPDX-License-Identifier: Apache-2.0
// Tests that the reader of a ring does not trust the ring's contents. Contents that its producer cannot have
// written mark the ring as damaged. The reader then neither reads past a record nor returns records that were
// never made.
#include "capture/inject/thread_ring.h"

#include <new>

#include "tests/support/test_registry.h"

using namespace lockstep::capture;

namespace {

constexpr uint32_t kSize_bytes = 1024, kRecord_bytes = 24;

struct Ring {
    alignas(8) uint8_t bytes[kSize_bytes] = {};
    ThreadRing ring;

    Ring() { ring.attach(bytes, kSize_bytes); }
    RingRecord* put(uint8_t flags = ringFlag::kNumber)
    {
        uint8_t* const at = ring.reserve(kRecord_bytes);
        if (at == nullptr) return nullptr;
        auto* const record = new (at) RingRecord{kRecord_bytes / 8, 3, flags, 0, 1};
        ring.publish(kRecord_bytes);
        return record;
    }
    // Returns how many records can be read, up to some thousand.
    int read()
    {
        int count = 0;
        for (const RingRecord* record; count < 5000 && (record = ring.peek()) != nullptr; ++count)
            ring.pop(record);
        ring.release();
        return count;
    }
};

} // namespace

class ThreadRingTest : public QObject {
    Q_OBJECT

  private slots:
    void recordsAreReadOnce()
    {
        Ring ring;
        int made = 0, read = 0;
        for (int round = 0; round < 500; ++round) {
            for (int i = 0; i < round % 60; ++i)
                made += ring.put() != nullptr ? 1 : 0;
            read += ring.read();
        }
        QVERIFY(made > 5000);
        QCOMPARE(read, made);
        QVERIFY(!ring.ring.isDamaged());
    }

    void invalidSizeEndsTheRing_data()
    {
        QTest::addColumn<int>("words");
        QTest::addColumn<int>("flags");
        QTest::newRow("zero") << 0 << 0;
        QTest::newRow("less than a record") << 1 << 0;
        QTest::newRow("less than its flags require") << 3 << int(ringFlag::kExtended);
        QTest::newRow("more than was published") << 9 << 0;
        QTest::newRow("more than the ring") << 0xFFFF << 0;
    }

    void invalidSizeEndsTheRing()
    {
        QFETCH(int, words);
        QFETCH(int, flags);
        Ring ring;
        ring.put();
        RingRecord* const wrong = ring.put();
        ring.put();
        wrong->words = static_cast<uint16_t>(words);
        wrong->flags = static_cast<uint8_t>(flags);
        QCOMPARE(ring.read(), 1);
        QVERIFY(ring.ring.isDamaged());
        ring.put();
        QCOMPARE(ring.read(), 0);
    }

    // As after two concurrent writers: the published end is impossible, and the reader must not loop forever.
    void invalidEndDoesNotLoop()
    {
        Ring ring;
        for (int i = 0; i < 10; ++i)
            ring.put();
        QCOMPARE(ring.read(), 10);
        ring.ring.publish(3 * kSize_bytes);
        QVERIFY(ring.read() < 5000);
        QVERIFY(ring.ring.isDamaged());
    }
};

LOCKSTEP_TEST(ThreadRingTest, "thread_ring_test")
#include "thread_ring_test.moc"
