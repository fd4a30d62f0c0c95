// Decimal text to ns, and the texts people read.
#include "core/base/text.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class TextTest : public QObject {
    Q_OBJECT

  private slots:
    void microseconds_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<qint64>("ns");
        const auto row = [](const char* text, bool valid, qint64 ns) {
            QTest::newRow(text) << QByteArray(text) << valid << ns;
        };
        row("0", true, 0);
        row("12", true, 12'000);
        row("1694128201426556", true, 1'694'128'201'426'556'000);
        row("1712195496034123.457", true, 1'712'195'496'034'123'457); // a double loses the last digits
        row("4458677009853.123", true, 4'458'677'009'853'123);
        row("0.0005", true, 1);
        row("0.00049", true, 0);
        row("-1.5", true, -1'500);
        row("3e3", true, 3'000'000);
        row("1.5E+2", true, 150'000);
        row("25e-1", true, 2'500);
        row(".5", true, 500);
        row("5.", true, 5'000);
        row("", false, 0);
        row("-", false, 0);
        row(".", false, 0);
        row("1e", false, 0);
        row("1.2.3", false, 0);
        row("12a", false, 0);
        row("99999999999999999999", false, 0);
        row("1e99", false, 0);
        row("0e9999", true, 0);
    }
    void microseconds()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, valid);
        QFETCH(qint64, ns);
        const auto parsed = nsFromMicrosecondText({text.data(), size_t(text.size())});
        QCOMPARE(parsed.has_value(), valid);
        if (valid) QCOMPARE(qint64(*parsed), ns);
    }

    void durations()
    {
        QCOMPARE(parseDuration("1.5s"), std::optional<int64_t>(1'500'000'000));
        QCOMPARE(parseDuration("250us"), std::optional<int64_t>(250'000));
        QCOMPARE(parseDuration("-2ms"), std::optional<int64_t>(-2'000'000));
        QCOMPARE(parseDuration("7"), std::optional<int64_t>(7));
        QCOMPARE(parseDuration("7 s"), std::nullopt);
        QCOMPARE(parseDuration("s"), std::nullopt);
    }

    void readableDurations()
    {
        QCOMPARE(durationText({0}), std::string("0 ns"));
        QCOMPARE(durationText({512}), std::string("512 ns"));
        QCOMPARE(durationText({4'100}), std::string("4.1 \u00B5s"));
        QCOMPARE(durationText({38'200'000}), std::string("38.2 ms"));
        QCOMPARE(durationText({1'204'118'402}, 9), std::string("1.204\u2009118\u2009402 s"));
        QCOMPARE(durationText({1'204'118'402}), std::string("1.204 s"));
        QCOMPARE(durationText({12'345'000'000'000}), std::string("12\u2009345 s"));
        QCOMPARE(durationText({-1'500}), std::string("\u22121.5 \u00B5s"));
    }

    void wallClock()
    {
        QCOMPARE(utcTimeText(1'754'324'972'242'076'786), std::string("16:29:32.242\u2009076\u2009786"));
        QCOMPARE(utcDateText(1'754'324'972'242'076'786), std::string("2025-08-04"));
        QCOMPARE(utcTimeText(-1), std::string("23:59:59.999\u2009999\u2009999"));
    }

    void bytes()
    {
        QCOMPARE(byteText(512), std::string("512 B"));
        QCOMPARE(byteText(65'712'345'678), std::string("61.2 GiB"));
        QCOMPARE(byteText(1'048'576), std::string("1.00 MiB"));
        QCOMPARE(groupedText(-16'782), std::string("\u221216\u2009782"));
    }

    void utf8()
    {
        bool repaired = false;
        QCOMPARE(repairedUtf8("h\u00E9", &repaired), std::string("h\u00E9"));
        QVERIFY(!repaired);
        QCOMPARE(repairedUtf8(std::string_view("a\xFF\0b", 4), &repaired), std::string("a\uFFFD\uFFFDb"));
        QVERIFY(repaired);
        QVERIFY(!isValidUtf8("\xED\xA0\x80")); // a surrogate
        QVERIFY(!isValidUtf8("\xC0\x80"));     // overlong
        QVERIFY(!isValidUtf8("\xE2\x82"));     // cut short
        QVERIFY(isValidUtf8("\U0001F600"));
    }
};

LOCKSTEP_TEST(TextTest, "text_test")
#include "text_test.moc"
