// SPDX-License-Identifier: Apache-2.0
// Tests TimeColumn: one unit for each column, errors rounded up, and long times.
#include "ui/models/time_column.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class TimeColumnTest : public QObject {
    Q_OBJECT

  private slots:
    void unit_data()
    {
        QTest::addColumn<qlonglong>("longest_ns");
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("text"); // of 9,999 ns
        QTest::newRow("empty") << 0LL << "Offset (ns)"
                               << "+9,999";
        QTest::newRow("below 10 us") << 9'999LL << "Offset (ns)"
                                     << "+9,999";
        QTest::newRow("10 us") << 10'000LL << QString::fromUtf8("Offset (\u00B5s)") << "+9.999";
        QTest::newRow("10 ms") << 10'000'000LL << "Offset (ms)"
                               << "+0.010";
        QTest::newRow("1,000 s") << 1'000'000'000'000LL << "Offset (s)"
                                 << "+0.000";
        QTest::newRow("an hour") << 3'600'000'000'000LL << "Offset" << QString::fromUtf8("+9.999 \u00B5s");
    }

    void unit()
    {
        QFETCH(qlonglong, longest_ns);
        QFETCH(QString, header);
        QFETCH(QString, text);
        const TimeColumn column(longest_ns);
        QCOMPARE(column.header("Offset"), header);
        QCOMPARE(column.signedText(9'999), text);
        QCOMPARE(column.signedText(-9'999), "\u2212" + text.mid(1));
        QCOMPARE(column.signedText(0), QString("0"));
    }

    void errorsAreNeverUnderstated()
    {
        QCOMPARE(TimeColumn(20'000'000).errorText(311'001), QString("0.312"));
        QCOMPARE(TimeColumn(20'000'000).errorText(311'000), QString("0.311"));
        QCOMPARE(TimeColumn(20'000'000).errorText(1), QString("0.001"));
        QCOMPARE(TimeColumn(500).errorText(311), QString("311"));
    }

    void positionsShowNanoseconds()
    {
        const TimeColumn column = TimeColumn::positions(2'000'000'000);
        QCOMPARE(column.header("Time"), QString("Time (s)"));
        QCOMPARE(column.text(1'204'118'402), QString::fromUtf8("1.204\u2009118\u2009402"));
        QCOMPARE(column.text(-5), QString::fromUtf8("\u22120.000\u2009000\u2009005"));
    }
};

LOCKSTEP_TEST(TimeColumnTest, "time_column_test")
#include "time_column_test.moc"
