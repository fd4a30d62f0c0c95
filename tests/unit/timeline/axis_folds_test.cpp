// SPDX-License-Identifier: Apache-2.0
// Tests the text that shows the length of a collapsed gap.
#include "core/timeline/axis_folds.h"

#include <QTest>

#include "tests/support/test_registry.h"

using namespace lockstep;

class AxisFoldsTest : public QObject {
    Q_OBJECT

  private slots:
    void lengthOfAGap_data()
    {
        QTest::addColumn<qint64>("length_ms");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* text, qint64 length_ms) {
            QTest::newRow(text) << length_ms << QString(text);
        };
        row("0 s", 400);
        row("4 min 12 s", 252'000);
        row("1 min", 60'200);
        row("1 h", 3'599'600);
        row("3 h 20 min", 12'000'000);
        row("2 d 2 h", 180'000'000);
        row("1,499 d 2 h", 129'520'800'000);
    }

    void lengthOfAGap()
    {
        QFETCH(const qint64, length_ms);
        QTEST(QString::fromStdString(gapText({length_ms * 1'000'000})), "text");
    }
};

LOCKSTEP_TEST(AxisFoldsTest, "axis_folds_test")
#include "axis_folds_test.moc"
