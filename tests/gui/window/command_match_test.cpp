// SPDX-License-Identifier: Apache-2.0
// Tests commandMatch(): which texts match, and the order of the matches.
#include "ui/window/command_match.h"

#include <algorithm>

#include <QtTest>

#include "tests/support/test_registry.h"
#include "ui/window/command_table.h"

using namespace lockstep;

namespace {

// Returns the titles that match, best first.
QStringList found(const QString& typed)
{
    std::vector<std::pair<int, QString>> all;
    for (const CommandSpec& spec : commandSpecs()) {
        const QString title = commandTitle(spec.id);
        if (const auto score = commandMatch(typed, title)) all.emplace_back(-*score, title);
    }
    std::ranges::stable_sort(all, {}, &std::pair<int, QString>::first);
    QStringList titles;
    for (const auto& [score, title] : all)
        titles << title;
    return titles;
}

} // namespace

class CommandMatchTest : public QObject {
    Q_OBJECT

  private slots:
    void best_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("first");
        QTest::newRow("whole title") << "zoom to fit"
                                     << "Zoom to fit";
        QTest::newRow("start") << "meas"
                               << "Measure between two points";
        QTest::newRow("words in any order") << "fit zoom"
                                            << "Zoom to fit";
        QTest::newRow("letters") << "zfit"
                                 << "Zoom to fit";
        QTest::newRow("initials") << "hcp"
                                  << "Highlight critical path";
        QTest::newRow("field's term") << "clock alignment"
                                      << "Clock alignment";
        QTest::newRow("case") << "CRITICAL"
                              << "Highlight critical path";
        QTest::newRow("inside a word") << "ompare"
                                       << "Compare with\u2026";
    }

    void best()
    {
        QFETCH(QString, typed);
        QFETCH(QString, first);
        QCOMPARE(found(typed).value(0), first);
    }

    void unrelatedTextsDoNotMatch()
    {
        QCOMPARE(found("no such thing at all"), QStringList());
        QVERIFY(!commandMatch(u"zz", u"Zoom to fit"));  // two letters have to be next to each other
        QVERIFY(!commandMatch(u"oof", u"Zoom to fit")); // scattered letters begin at a word
        QVERIFY(!commandMatch(u"fit zoom x", u"Zoom to fit"));
        QVERIFY(commandMatch(u"", u"Zoom to fit"));
        QVERIFY(commandMatch(u"csv", u"Save table", u"Save the rows as CSV"));
        QVERIFY(commandMatch(u"table csv", u"Save table", u"Save the rows as CSV"));
        QVERIFY(!commandMatch(u"ows", u"Save table", u"Save the rows as CSV")); // inside a word
        QVERIFY(*commandMatch(u"save", u"Save table", {}) >
                *commandMatch(u"rows", u"Save table", u"Save the rows"));
    }

    void wordStartsComeBeforeTheInsideOfWords()
    {
        QVERIFY(*commandMatch(u"fit", u"Zoom to fit") > *commandMatch(u"fit", u"Profit of x"));
        QVERIFY(*commandMatch(u"sel", u"Selection") > *commandMatch(u"sel", u"Zoom to selection"));
        QVERIFY(*commandMatch(u"sel", u"Zoom to selection") > *commandMatch(u"sel", u"Show early laps"));
    }
};

LOCKSTEP_TEST(CommandMatchTest, "command_match_test")
#include "command_match_test.moc"
