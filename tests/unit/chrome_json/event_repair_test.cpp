// SPDX-License-Identifier: Apache-2.0
// Tests that events that violate the JSON grammar are repaired to what their writer meant.
#include "core/readers/chrome_json/event_repair.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class EventRepairTest : public QObject {
    Q_OBJECT

  private slots:
    // PyTorch writes a process group's description verbatim: empty, unquoted, or with a quote missing.
    void bareValues_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("repaired");
        const auto row = [](QString text, QString repaired) { // ' stands for "
            QTest::newRow(text.toUtf8().constData())
                << text.replace(QChar(39), QChar(34)) << repaired.replace(QChar(39), QChar(34));
        };
        row("{'a': , 'b': 1}", "{'a': null, 'b': 1}");
        row("{'a':  , 'b': 1}", "{'a':  null, 'b': 1}");
        row("{'a': ,, 'b': 1}", "{'a': null, 'b': 1}");
        row("{'a': default pg, 'b': 1}", "{'a': 'default pg', 'b': 1}");
        row("{'a': null pg', 'b': 1}", "{'a': 'null pg', 'b': 1}");
        row("{'a': one, two, 'b': 1}", "{'a': 'one, two', 'b': 1}");
        row("{'a': }", "{'a': null}");
        row("{'a': bare", "{'a': 'bare'}");
        row("{'a': nan, 'b': -Infinity, 'c': 1e5, 'd': true}", "{'a': null, 'b': null, 'c': 1e5, 'd': true}");
        row("{'a': -1.5, 'b': [1, NaN]}", "{'a': -1.5, 'b': [1, null]}");
    }

    void bareValues()
    {
        QFETCH(QString, text);
        QFETCH(QString, repaired);
        QCOMPARE(QString::fromStdString(repairedEvent(text.toStdString())), repaired);
    }
};

LOCKSTEP_TEST(EventRepairTest, "event_repair_test")
#include "event_repair_test.moc"
