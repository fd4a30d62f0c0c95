// SPDX-License-Identifier: Apache-2.0
// Tests query results, and what a query can never do: write, access a file, run forever, or fill the
// memory.
#include "core/sql/sql_query.h"

#include <atomic>
#include <thread>

#include "core/analysis/table_header.h"
#include "core/sql/sql_table.h"
#include "tests/support/made_reports.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const ScenePtr& scene()
{
    static const ScenePtr kScene = [] {
        const Workspace workspace = madeWorkspace(1, 1);
        return makeHeadlessScene(workspace, alignReports(workspace, {}));
    }();
    return kScene;
}

Result<std::vector<Table>> ask(std::string_view query, const SqlLimits& limits = {},
                               const Progress& progress = Progress())
{
    return runQuery(query, scene(), limits, progress);
}

QString text(std::string_view query)
{
    const auto tables = ask(query);
    return QString::fromStdString(tables ? tableText(tables->front()) : tables.error().message);
}

} // namespace

class SqlQueryTest : public QObject {
    Q_OBJECT

  private slots:
    // Each table and column can be queried and is documented.
    void everyColumnIsDocumented()
    {
        for (const SqlTable& table : sqlTables()) {
            const auto answer = ask("SELECT * FROM \"" + std::string(table.name) + "\" LIMIT 3");
            QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
            QCOMPARE(answer->front().columnCount(), table.columns.size());
            QVERIFY(!table.doc.empty());
            for (const SqlColumn& column : table.columns) {
                QVERIFY2(!column.doc.empty(), std::string(column.name).c_str());
                QVERIFY(QString::fromStdString(sqlSchemaText())
                            .contains(QString::fromUtf8(column.doc.data(), qsizetype(column.doc.size()))));
            }
        }
    }

    void rowsEqualTheReport()
    {
        uint64_t kernels = 0;
        for (const ReportKey key : scene()->shown.keys()) {
            const Report& report = scene()->shown.report(key);
            kernels += uint64_t(std::ranges::count(report.slices.kind, RowKind::kernel));
        }
        QCOMPARE(text("SELECT count(*) AS n FROM kernel"), "n\n" + QString::number(kernels) + "\n");
        QCOMPARE(text("SELECT host, rank FROM report ORDER BY rank"), "host | rank\nnode0 | 0\nnode1 | 8\n");
        // Times of the second host are aligned too: its kernels begin where its report does.
        QCOMPARE(
            text("SELECT count(*) AS n FROM report r WHERE r.start_ns <> (SELECT min(start_ns) FROM slice s "
                 "WHERE s.report = r.id AND kind <> 'diagnostic')"),
            "n\n0\n");
    }

    void columnsKeepTheirValues()
    {
        QCOMPARE(text("SELECT 1 AS a, 2.5 AS b, NULL AS c, 'x' AS d, x'0aff' AS e"),
                 "a | b | c | d | e\n1 | 2.5 |  | x | x'0aff'\n");
        QCOMPARE(text("SELECT 1 AS a, 2 AS a, 3 AS a"), "a | a_2 | a_3\n1 | 2 | 3\n");
        // A column of mixed types is text, and nothing is rounded.
        QCOMPARE(text("SELECT column1 AS v FROM (VALUES (1), ('b'), (1e300), (NULL))"),
                 "v\n1\nb\n1e+300\n\n");
        QCOMPARE(text("SELECT column1 AS v FROM (VALUES (1.5), (3))"), "v\n1.5\n3.0\n");
        QCOMPARE(text("SELECT -9223372036854775807 - 1 AS v"), "v\n-9223372036854775808\n");
        QCOMPARE(text("SELECT 9e999 AS v"), "v\ninf\n");
        QCOMPARE(text("SELECT 0.0000001 AS v"), "v\n1e-07\n");
        const auto time = ask("SELECT 5 AS total_ns");
        QVERIFY(time->front().column(0).type == ColumnType::time);
        QCOMPARE(QString::fromStdString(fileHeader(time->front(), 0)), QString("total_ns"));
    }

    void rowsLinkToTheirSlices()
    {
        const auto kernels = ask("SELECT name, id FROM kernel ORDER BY start_ns LIMIT 5");
        QCOMPARE(kernels->front().rowCount(), size_t(5));
        for (size_t row = 0; row < 5; ++row) {
            const SliceRef slice = kernels->front().longest(row);
            QVERIFY(scene()->holds(slice));
            QCOMPARE(
                QString::fromStdString(kernels->front().cell(0, row)),
                QString::fromStdString(std::string(scene()->shown.report(slice.report).nameOf(slice.slice))));
        }
        // A number that is not a slice id links to no slice.
        QVERIFY(!ask("SELECT id FROM report")->front().longest(0).isValid());
        QVERIFY(!ask("SELECT count(*) AS id FROM kernel")->front().longest(0).isValid());
    }

    void severalStatements()
    {
        const auto two = ask("-- a remark\nSELECT 1 AS a; ; SELECT 2 AS b; -- behind\n");
        QCOMPARE(two->size(), size_t(2));
        QCOMPARE(QString::fromStdString((*two)[1].name()), QString("sql_2"));
        QVERIFY(!ask("  -- nothing\n"));
    }

    void onlyReadingIsAllowed_data()
    {
        QTest::addColumn<QByteArray>("query");
        for (const char* query :
             {"CREATE TABLE t(a)", "ATTACH '/tmp/x' AS y", "PRAGMA journal_mode",
              "INSERT INTO kernel(id) VALUES (1)", "DELETE FROM slice", "UPDATE slice SET name = 'x'",
              "DROP TABLE slice", "SELECT load_extension('x')", "SELECT * FROM pragma_database_list",
              "VACUUM INTO '/tmp/x'", "BEGIN", "CREATE TEMP VIEW v AS SELECT 1", "REINDEX", "ANALYZE",
              "DETACH main", "SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x', 1)",
              "CREATE VIRTUAL TABLE v USING kernel"})
            QTest::newRow(query) << QByteArray(query);
    }
    void onlyReadingIsAllowed()
    {
        QFETCH(QByteArray, query);
        const auto answer = ask(query.toStdString());
        QVERIFY(!answer);
        QVERIFY(answer.error().kind == ErrorKind::invalid);
    }

    void errorsStateTheirPosition()
    {
        QCOMPARE(
            text("SELECT 1,\n  nonsense FROM kernel"),
            QString(
                "query: line 2, column 3: no such column: nonsense; see --sql-schema or the table list of the SQL panel"));
        QVERIFY(text("SELECT 1 FROM krnel")
                    .startsWith("query: no such table: krnel; available tables: report, process,"));
        QVERIFY(text("SELEC 1").contains("line 1, column 1: near \"SELEC\""));
        QVERIFY(!ask(std::string_view("SELECT 1\0", 9)));
    }

    // An endless query stops when canceled, inside SQLite and inside a pass.
    void endlessQueriesStop_data()
    {
        QTest::addColumn<QByteArray>("query");
        QTest::newRow("recursion") << QByteArray(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
            "count(*) FROM n");
        QTest::newRow("join") << QByteArray("SELECT count(*) FROM slice a, slice b, slice c, slice d");
        QTest::newRow("pass") << QByteArray(
            "SELECT count(*) FROM slice a, slice b, slice c, memcpy d WHERE +d.name = 'nothing'");
    }
    void endlessQueriesStop()
    {
        QFETCH(QByteArray, query);
        std::stop_source source;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            source.request_stop();
        });
        const auto answer = ask(query.toStdString(), {}, Progress(source.get_token()));
        QVERIFY(!answer);
        QVERIFY(answer.error().kind == ErrorKind::canceled);
    }

    void resultsAreLimited()
    {
        const auto cut = ask("SELECT id FROM slice", {10});
        QCOMPARE(cut->front().rowCount(), size_t(10));
        QVERIFY(cut->front().source.rules.back().find("truncated after 10 rows") != std::string::npos);
        const auto whole = ask("SELECT id FROM slice LIMIT 10", {10});
        QVERIFY(whole->front().source.rules.back().find("truncated") == std::string::npos);
        const auto large = ask(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", {0, 1 << 20});
        QVERIFY(!large);
        QVERIFY(large.error().message.find("LIMIT") != std::string::npos);
        QVERIFY(!ask("SELECT zeroblob(200000000)"));
    }

    void noReportOpen()
    {
        const ScenePtr empty = makeHeadlessScene({}, {});
        for (const SqlTable& table : sqlTables()) {
            const auto answer =
                runQuery("SELECT * FROM \"" + std::string(table.name) + "\"", empty, {}, Progress());
            QVERIFY(answer && answer->front().rowCount() == 0);
        }
    }
};

LOCKSTEP_TEST(SqlQueryTest, "sql_query_test")
#include "sql_query_test.moc"
