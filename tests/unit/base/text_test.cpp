// SPDX-License-Identifier: Apache-2.0
// Tests decimal text to ns, and the texts that people read.
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
        QCOMPARE(durationText({3'599'000'000'000}), std::string("3,599 s"));
        QCOMPARE(durationText({3'600'000'000'000}), std::string("1 h"));
        QCOMPARE(durationText({12'345'600'000'000}), std::string("3 h 25 min 46 s"));
        QCOMPARE(durationText({12'345'600'000'000}, 9), std::string("3 h 25 min 45.6 s"));
        QCOMPARE(durationText({86'399'900'000'000}), std::string("1 d"));
        QCOMPARE(durationText({-129'522'000'000'000'000}), std::string("\u22121,499 d 2 h"));
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
        QCOMPARE(groupedText(-16'782), std::string("\u221216,782"));
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
        QVERIFY(!isValidUtf8("\xE2\x82"));     // truncated
        QVERIFY(isValidUtf8("\U0001F600"));
    }

    void noTerminalControlsRemain_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, std::string_view text, const char* shown) {
            QTest::newRow(name) << QByteArray(text.data(), qsizetype(text.size())) << QByteArray(shown);
        };
        using namespace std::string_view_literals;
        row("plain", "caf\u00e9 \u6f22 \U0001F600 ~", "caf\u00e9 \u6f22 \U0001F600 ~");
        row("colours go", "\x1b[1;31merror\x1b[0m \x1b[mx\x1b[38:5:1my", "error xy");
        row("title", "\x1b]0;owned\x07", "\\u001b]0;owned\\u0007");
        row("clipboard", "\x1b]52;c;cm0gLXJm\x1b\\", "\\u001b]52;c;cm0gLXJm\\u001b\\");
        row("clear", "\x1b[2J\x1b[H", "\\u001b[2J\\u001b[H");
        row("no colour", "\x1b[31", "\\u001b[31");
        row("a colour within a sequence", "\x1b\x1b[0m[2J", "\\u001b[2J");
        row("C1 in UTF-8", "\u009b2J\u009d0;x\u009c", "\\u009b2J\\u009d0;x\\u009c");
        row("C1 in bytes",
            "\x9b"
            "2J",
            "\uFFFD"
            "2J");
        row("bell, delete, backspace", "\x07\x7f\x08", "\\u0007\\u007f\\u0008");
        row("NUL", "a\0b"sv,
            "a\uFFFD"
            "b");
        row("lines", "a\nb\r\nc\td", "a b  c d");
        row("direction", "\u202etxt.exe\u202c \u2066x\u2069 \u200f",
            "\\u202etxt.exe\\u202c \\u2066x\\u2069 \\u200f");
        row("line ends of Unicode", "a\u2028b\u2029", "a\\u2028b\\u2029");
        row("cut", "a\xe2\x80", "a\uFFFD\uFFFD");
    }
    void noTerminalControlsRemain()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
        QCOMPARE(printable(shown.toStdString()), shown.toStdString());
    }

    void plainTextIsUnchanged()
    {
        QCOMPARE(printable("a\n\tb\x1b\rc", "\n\t"), std::string("a\n\tb\\u001b c"));
        // Every byte, and every code point of two bytes: the result has no C0 or C1 control characters.
        for (char32_t code = 0; code < 0x800; ++code) {
            std::string text = code < 0x80 ? std::string(1, static_cast<char>(code))
                                           : std::string{static_cast<char>(0xC0 | (code >> 6)),
                                                         static_cast<char>(0x80 | (code & 0x3F))};
            const QString shown = QString::fromStdString(printable(text));
            for (const QChar c : shown)
                QVERIFY(c.unicode() >= 0x20 && (c.unicode() < 0x7F || c.unicode() >= 0xA0));
        }
    }
};

LOCKSTEP_TEST(TextTest, "text_test")
#include "text_test.moc"
