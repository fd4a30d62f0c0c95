// SPDX-License-Identifier: Apache-2.0
// Tests the frames of the live stream, including those that no Lockstep agent would send.
#include <QTest>

#include "core/readers/capture_spool/live_stream.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class LiveStreamTest : public QObject {
    Q_OBJECT

  private slots:
    void framesInChunksOfAnySize()
    {
        const std::string bytes = liveFrame("file", {{"file", 1}, {"name", "a\nb"}}, "line\nline") +
                                  liveFrame("lag", {{"monotonic_raw_ns", 5}}) +
                                  liveFrame("block", {{"file", 1}}, std::string(100'000, '\n'));
        for (const size_t step : {size_t(1), size_t(7), size_t(4096), bytes.size()}) {
            LiveFrames frames;
            std::vector<LiveFrame> all;
            for (size_t at = 0; at < bytes.size(); at += step) {
                frames.add(std::string_view(bytes).substr(at, step));
                while (auto frame = frames.next())
                    all.push_back(std::move(*frame));
            }
            QCOMPARE(all.size(), size_t(3));
            QCOMPARE(all[0].kind, "file");
            QCOMPARE(textAt(all[0].head, "name"), "a\nb");
            QCOMPARE(all[0].payload, "line\nline");
            QCOMPARE(all[1].payload, "");
            QCOMPARE(all[2].payload.size(), size_t(100'000));
            QCOMPARE(frames.bufferedBytes(), size_t(0));
            QVERIFY(!frames.isBroken());
        }
    }

    void invalidFrameEndsTheStream_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("text") << QByteArray("Permission denied\n");
        QTest::newRow("no kind") << QByteArray("{\"bytes\":0}\n");
        QTest::newRow("no size") << QByteArray("{\"kind\":\"lag\"}\n");
        QTest::newRow("negative") << QByteArray("{\"kind\":\"block\",\"bytes\":-1}\n");
        QTest::newRow("too much") << QByteArray("{\"kind\":\"block\",\"bytes\":18446744073709551615}\n");
        QTest::newRow("100 MB") << QByteArray("{\"kind\":\"block\",\"bytes\":100000000}\n");
        QTest::newRow("list") << QByteArray("[1,2,3]\n");
        QTest::newRow("deeply nested") << QByteArray(60'000, '[') + "\n";
        QTest::newRow("endless head") << QByteArray(200'000, 'x');
    }
    void invalidFrameEndsTheStream()
    {
        QFETCH(QByteArray, bytes);
        LiveFrames frames;
        for (qsizetype at = 0; at < bytes.size(); at += 1000)
            frames.add(bytes.mid(at, 1000).toStdString());
        QVERIFY(!frames.next());
        QVERIFY(frames.isBroken() && !frames.problem().empty());
        frames.add(liveFrame("lag", Json::object()));
        QVERIFY(!frames.next());
        QCOMPARE(frames.bufferedBytes(), size_t(0)); // nothing after it is stored
    }
};

LOCKSTEP_TEST(LiveStreamTest, "live_stream_test")
#include "live_stream_test.moc"
