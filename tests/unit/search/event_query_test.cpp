// SPDX-License-Identifier: Apache-2.0
// Tests the query language of the search: which words are filters and which are names, the message and
// position of an error, and that a query can be written as text again.
#include <QtTest>

#include "core/search/event_query.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Returns the clauses, each as "key text".
QString shown(const EventQuery& query)
{
    QStringList out;
    for (const EventClause& clause : query.clauses) {
        const QString key = QStringList{"name", "lane", "arg", "dur", "rank"}[static_cast<int>(clause.key)];
        const QString text = QString::fromStdString(clause.text);
        QString line = (clause.isBare ? "" : key + ' ') + (clause.isRegex ? '/' + text + '/' : text);
        if (clause.key == EventKey::duration)
            line = QString("dur %1 %2").arg(static_cast<int>(clause.limit)).arg(clause.duration.ns);
        for (const auto& [first, last] : clause.ranks)
            line += QString("%1-%2 ").arg(first).arg(last);
        out << line.trimmed();
    }
    return out.join(" | ");
}

} // namespace

class EventQueryTest : public QObject {
    Q_OBJECT

  private slots:
    void filtersAndNames_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("clauses");
        QTest::newRow("words") << "nccl  sum"
                               << "nccl | sum";
        QTest::newRow("operators keep their colons") << "aten::add"
                                                     << "aten::add";
        QTest::newRow("c10d names too") << "nccl:all_reduce"
                                        << "nccl:all_reduce";
        QTest::newRow("a label with a number") << "Torch-Compiled Region: 0/0"
                                               << "Torch-Compiled | Region: | 0/0";
        QTest::newRow("quotes keep blanks") << "\"Region: 0/0\" x"
                                            << "Region: 0/0 | x";
        QTest::newRow("quoted keys are names") << "\"rank:3\""
                                               << "rank:3";
        QTest::newRow("escapes in quotes") << "\"a\\\"b\\\\c\\d\""
                                           << "a\"b\\c\\d";
        QTest::newRow("a pattern with a blank") << "/^a b$/ c"
                                                << "/^a b$/ | c";
        QTest::newRow("a path is not a pattern") << "/usr/lib"
                                                 << "/usr/lib";
        QTest::newRow("an escaped slash") << "/a\\/ b/"
                                          << "/a\\/ b/";
        QTest::newRow("keys") << "name:nccl lane:/stream 7/ arg:\"stream=7\""
                              << "name nccl | lane /stream 7/ | arg stream=7";
        QTest::newRow("durations") << "dur>200us dur<=1.5ms dur>=3ns dur<2s"
                                   << "dur 0 200000 | dur 3 1500000 | dur 1 3 | dur 2 2000000000";
        QTest::newRow("micro, both letters")
            << QString::fromUtf8("dur>2\u00B5s dur>3\u03BCs") << "dur 0 2000 | dur 0 3000";
        QTest::newRow("ranks") << QString::fromUtf8("rank:0-15,32 rank:3\u20135")
                               << "rank 0-15 32-32 | rank 3-5";
        QTest::newRow("nothing") << "  \t "
                                 << "";
        QTest::newRow("capital letters are not a key") << "Name:x"
                                                       << "Name:x";
    }
    void filtersAndNames()
    {
        QFETCH(QString, text);
        QFETCH(QString, clauses);
        const auto query = parseEventQuery(text.toStdString());
        QVERIFY2(query.has_value(), query ? "" : query.error().message.c_str());
        QCOMPARE(shown(*query), clauses);
    }

    void errorsAndTheirPositions_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("says");
        QTest::newRow("a typo in a key") << "x nmae:y"
                                         << "character 3"
                                         << "name: lane: arg: rank: dur>";
        QTest::newRow("a key with another name") << "duration:3"
                                                 << "character 1"
                                                 << "is not a filter";
        QTest::newRow("no unit") << "dur>200"
                                 << "character 5"
                                 << "200us";
        QTest::newRow("no duration") << "a dur>"
                                     << "character 7"
                                     << "needs a duration";
        QTest::newRow("a negative duration") << "dur>-2us"
                                             << "character 5"
                                             << "not a duration";
        QTest::newRow("an invalid rank") << "rank:0-15,x"
                                         << "character 11"
                                         << "is not a valid rank";
        QTest::newRow("ranks backwards") << "rank:5-3"
                                         << "character 6"
                                         << "is not a valid rank";
        QTest::newRow("a negative rank") << "rank:-1"
                                         << "character 6"
                                         << "is not a valid rank";
        QTest::newRow("missing rank") << "rank:1,"
                                      << "character 8"
                                      << "missing";
        QTest::newRow("an open quote") << QString::fromUtf8("\u00E4 \"b") << "character 3"
                                       << "not closed";
        QTest::newRow("text after a quote") << "\"a\"b"
                                            << "character 4"
                                            << "missing space";
        QTest::newRow("an empty quote") << "\"\""
                                        << "character 1"
                                        << "empty quotes";
        QTest::newRow("no text") << "lane: x"
                                 << "character 6"
                                 << "needs text";
        QTest::newRow("no pattern") << "a /(/"
                                    << "character 3"
                                    << "(";
    }
    void errorsAndTheirPositions()
    {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, says);
        const auto query = parseEventQuery(text.toStdString());
        QVERIFY(!query.has_value());
        QCOMPARE(query.error().kind, ErrorKind::invalid);
        const QString message = QString::fromStdString(query.error().message);
        QVERIFY2(message.startsWith(place + ':') && message.contains(says), qPrintable(message));
    }

    void switchesMakePatternsAndCaseCount()
    {
        const auto found = [](const char* text, SearchSwitches switches, const char* name) {
            return EventMatcher::make(parseEventQuery(text, switches).value()).value().matchesName(name);
        };
        QVERIFY(found("REDUCE_?scatter", {false, true}, "ncclReduceScatter"));
        QVERIFY(!found("REDUCE_?scatter", {true, true}, "ncclReduceScatter"));
        QVERIFY(!found("Reduce.Scatter", {}, "ReduceXScatter"));
        QVERIFY(found("reduce SCATTER", {}, "ReduceScatter") && !found("reduce gather", {}, "ReduceScatter"));
        QVERIFY(found("Scatter", {true, false}, "ReduceScatter") &&
                !found("scatter", {true, false}, "ReduceScatter"));
        QVERIFY(!parseEventQuery("(", {false, true}).has_value() && parseEventQuery("(").has_value());
    }

    void rankAndDurationClausesAreAllRequired()
    {
        const auto made =
            EventMatcher::make(parseEventQuery("rank:0-3 rank:2-9 dur>=5ns dur<8ns").value()).value();
        QVERIFY(made.matchesRank(2) && made.matchesRank(3));
        QVERIFY(!made.matchesRank(1) && !made.matchesRank(4) && !made.matchesRank(std::nullopt));
        QVERIFY(made.matchesDuration(5) && made.matchesDuration(7));
        QVERIFY(!made.matchesDuration(4) && !made.matchesDuration(8));
    }

    // Two words with slashes are not one pattern between slashes.
    void wordsDoNotBecomeAPattern()
    {
        for (const char* const text : {"/ \"/\"", "/a b \"c/\"", "lane:/a \"b/\""}) {
            const EventQuery query = parseEventQuery(text).value();
            QVERIFY(!query.clauses.front().isRegex);
            QVERIFY2(parseEventQuery(eventQueryText(query)).value() == query, eventQueryText(query).c_str());
        }
    }

    void clausesAreRemovedFromTheText()
    {
        const std::string text = "sum  rank:3 dur>2us";
        const EventQuery query = parseEventQuery(text).value();
        QCOMPARE(withoutClause(text, query.clauses[0]), std::string("rank:3 dur>2us"));
        QCOMPARE(withoutClause(text, query.clauses[1]), std::string("sum  dur>2us"));
        QCOMPARE(withoutClause(text, query.clauses[2]), std::string("sum  rank:3"));
        QCOMPARE(eventQueryText(query), std::string("sum rank:3 dur>2us"));
        QCOMPARE(withoutClause("", query.clauses[2]), std::string()); // a text that has changed since
    }
};

LOCKSTEP_TEST(EventQueryTest, "event_query_test")
#include "event_query_test.moc"
