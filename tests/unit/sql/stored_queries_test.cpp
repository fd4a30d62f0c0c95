// SPDX-License-Identifier: Apache-2.0
// Tests the stored history and saved queries: their order, their limits, and text that is damaged.
#include "core/sql/stored_queries.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class StoredQueriesTest : public QObject {
    Q_OBJECT

  private slots:
    void historyIsNewestFirstWithoutDuplicates()
    {
        StoredQueries history;
        for (const char* query : {"SELECT 1", "SELECT 2", "SELECT 1", "", " \n"})
            addToHistory(history, query);
        QCOMPARE(history, (StoredQueries{{"", "SELECT 1"}, {"", "SELECT 2"}}));
        QCOMPARE(parseHistory(storedText(history)), history);
    }

    void historyIsLimited()
    {
        StoredQueries history;
        for (size_t i = 0; i < kMaxHistory + 5; ++i)
            addToHistory(history, "SELECT " + std::to_string(i));
        addToHistory(history, std::string(kMaxStoredQuery_bytes + 1, 'x'));
        QCOMPARE(history.size(), kMaxHistory);
        QCOMPARE(history.front().query, "SELECT " + std::to_string(kMaxHistory + 4));
        StoredQueries more = history; // a file that was edited by hand
        more.insert(more.end(), {{"", "SELECT a"}, {"", "SELECT b"}});
        const StoredQueries read = parseHistory(storedText(more));
        QCOMPARE(read, history);
    }

    void savedQueriesAreSortedAndReplacedByName()
    {
        StoredQueries saved;
        QVERIFY(saveQuery(saved, {"copies", "SELECT 2"}));
        QVERIFY(saveQuery(saved, {"calls", "SELECT 1"}));
        QVERIFY(saveQuery(saved, {"copies", "SELECT 3\n-- \"quoted\", μs"}));
        QVERIFY(!saveQuery(saved, {"", "SELECT 4"}));
        QVERIFY(!saveQuery(saved, {"empty", " "}));
        QVERIFY(!saveQuery(saved, {"long", std::string(kMaxStoredQuery_bytes + 1, 'x')}));
        QCOMPARE(saved, (StoredQueries{{"calls", "SELECT 1"}, {"copies", "SELECT 3\n-- \"quoted\", μs"}}));
        QCOMPARE(storedText(saved).find('\n'), std::string::npos);
        QCOMPARE(parseSavedQueries(storedText(saved)), saved);
    }

    void damagedTextIsSkipped_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("readable");
        QTest::newRow("empty") << QByteArray() << 0;
        QTest::newRow("no JSON") << QByteArray("SELECT 1") << 0;
        QTest::newRow("cut off") << QByteArray(R"([{"name":"a","query":"SELECT 1"}])").chopped(1) << 0;
        QTest::newRow("not a list") << QByteArray(R"({"name":"a","query":"SELECT 1"})") << 0;
        QTest::newRow("not UTF-8") << QByteArray("[{\"name\":\"\xff\",\"query\":\"SELECT 1\"}]") << 0;
        QTest::newRow("other types")
            << QByteArray(R"([1,null,[],"x",{"name":2,"query":3},{"name":"a","query":"SELECT 1"}])") << 1;
        QTest::newRow("missing fields")
            << QByteArray(R"([{"name":"b"},{},{"name":"a","query":"SELECT 1","more":[]}])") << 1;
        QTest::newRow("same name")
            << QByteArray(R"([{"name":"a","query":"SELECT 1"},{"name":"a","query":"SELECT 1"}])") << 1;
        QTest::newRow("deep") << QByteArray(1 << 17, '[') << 0;
    }
    void damagedTextIsSkipped()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, readable);
        const std::string_view stored(text.data(), size_t(text.size()));
        QCOMPARE(parseSavedQueries(stored).size(), size_t(readable));
        QCOMPARE(parseHistory(stored).size(), size_t(readable));
    }
};

LOCKSTEP_TEST(StoredQueriesTest, "stored_queries_test")
#include "stored_queries_test.moc"
