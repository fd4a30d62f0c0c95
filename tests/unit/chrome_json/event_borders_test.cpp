// SPDX-License-Identifier: Apache-2.0
// Compares the border scan with a bytewise walk; also tests the ends of single objects, and the repair of one
// event.
#include "core/readers/chrome_json/event_borders.h"

#include "core/readers/chrome_json/event_repair.h"
#include "core/readers/chrome_json/json_scalars.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class EventBordersTest : public QObject {
    Q_OBJECT

  private slots:
    void findsTheLastBorder()
    {
        QCOMPARE(findEventBorders("{\"a\":1},{\"b\":2},{\"c\"").end, size_t(15));
        QCOMPARE(findEventBorders("{\"a\":\"}\"}").end, size_t(9));
        QCOMPARE(findEventBorders("{\"a\":\"\\\\\"},{").end, size_t(10));
        QCOMPARE(findEventBorders("{\"a\":\"\\\"},{").end, size_t(0));
        const EventBorders closed = findEventBorders("{\"a\":[{}]} ] }");
        QVERIFY(closed.arrayClosed);
        QCOMPARE(closed.end, size_t(10));
        QCOMPARE(closed.closeAt, size_t(11));
    }

    // Quotes, escapes and braces at every position of a block of 64.
    void blocksJoin()
    {
        for (size_t blanks = 0; blanks < 130; ++blanks) {
            for (const std::string& name :
                 {std::string("}\\\""), std::string("\\\\"), std::string("\\\\\\\"{")}) {
                const std::string event = "{" + std::string(blanks, ' ') + "\"n\":\"" + name + "\"}";
                const EventBorders borders = findEventBorders(event + "," + event + ",{\"open");
                QCOMPARE(borders.end, 2 * event.size() + 1);
                QCOMPARE(objectEnd(event + "}").value_or(0), event.size());
                QCOMPARE(tolerantObjectEnd(event + "}").value_or(0), event.size());
            }
        }
    }

    void tolerantEndPrefersQuotesToSeparators()
    {
        const std::string_view text = "{\"n\": \"a \"b} c\", \"m\": 1}, {}";
        QCOMPARE(tolerantObjectEnd(text).value_or(0), size_t(24));
        QVERIFY(!tolerantObjectEnd("{\"n\": [1, 2").has_value());
    }

    void repairs_data()
    {
        QTest::addColumn<QString>("broken");
        QTest::addColumn<QString>("repaired");
        QTest::newRow("quote") << "{\"n\":\"a \"b\" c\"}"
                               << "{\"n\":\"a \\\"b\\\" c\"}";
        QTest::newRow("escape") << "{\"n\":\"C:\\dir\\u00zz\"}"
                                << "{\"n\":\"C:\\\\dir\\\\u00zz\"}";
        QTest::newRow("newline") << "{\"n\":\"a\nb\"}"
                                 << "{\"n\":\"a\\u000ab\"}";
        QTest::newRow("bare words") << "{\"n\":[NaN,-inf,Infinity,-1,true]}"
                                    << "{\"n\":[null,null,null,-1,true]}";
        QTest::newRow("commas") << "{\"n\":[1,2,],,}"
                                << "{\"n\":[1,2 ] }";
        QTest::newRow("valid") << "{\"n\": {\"a\": \"\\u00e9\"}}"
                               << "{\"n\": {\"a\": \"\\u00e9\"}}";
    }

    void repairs()
    {
        QFETCH(QString, broken);
        QFETCH(QString, repaired);
        QCOMPARE(QString::fromStdString(repairedEvent(broken.toStdString())), repaired);
    }

    void stampsAreExact()
    {
        QCOMPARE(nsFromTimestamp("1711964646123456.789").value_or(0), int64_t(1711964646123456789));
        QCOMPARE(nsFromTimestamp("0.5").value_or(-1), int64_t(500));
        QCOMPARE(nsFromTimestamp("12.").value_or(-1), nsFromTimestamp("12").value_or(-2));
        QCOMPARE(nsFromTimestamp("1.23456").value_or(-1), int64_t(1235));
        QCOMPARE(nsFromTimestamp("1e3").value_or(-1), int64_t(1000000));
        QCOMPARE(nsFromTimestamp("-2.5").value_or(0), int64_t(-2500));
        QVERIFY(!nsFromTimestamp("9999999999999999").has_value());
        QVERIFY(!nsFromTimestamp("abc").has_value());
        QVERIFY(!nsFromTimestamp("").has_value());
    }
};

LOCKSTEP_TEST(EventBordersTest, "event_borders_test")
#include "event_borders_test.moc"
