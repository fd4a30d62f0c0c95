// SPDX-License-Identifier: Apache-2.0
// Tests that conditions and groupings that are pushed down to the passes find the same rows as SQLite's own
// scan. A unary plus prevents the push-down of a condition, and changes nothing else.
#include <algorithm>

#include <rapidcheck.h>

#include "core/align/alignment.h"
#include "core/sql/sql_query.h"
#include "core/sql/sql_table.h"
#include "tests/support/random_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string answerText(const ScenePtr& scene, const std::string& query)
{
    const auto tables = runQuery(query, scene, {}, Progress());
    if (!tables) RC_FAIL(tables.error().message + " in " + query);
    const std::string text = tableText(tables->front());
    return text.substr(text.find('\n')); // without the headers
}

ScenePtr randomScene()
{
    Workspace workspace;
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
        Identity stated;
        if (*rc::gen::arbitrary<bool>())
            stated.rank.learn(*rc::gen::inRange(0, 3), "test", Confidence::stated);
        workspace.add(randomReport(), stated);
    }
    AlignOptions options;
    for (const ReportKey key : workspace.keys())
        options.shifts_ns[key] = *rc::gen::inRange<int64_t>(-5'000, 5'000);
    return makeHeadlessScene(workspace, alignReports(workspace, options));
}

SqlTable someTable()
{
    std::vector<SqlTable> tables;
    for (const SqlTable& table : sqlTables()) {
        const auto isKeyed = [](const SqlColumn& column) { return column.key != SqlKey::none; };
        if (std::ranges::any_of(table.columns, isKeyed)) tables.push_back(table);
    }
    // Half of the time the table of all slices: the other tables are parts of it.
    return *rc::gen::arbitrary<bool>() ? *std::ranges::find(tables, "slice", &SqlTable::name)
                                       : *rc::gen::elementOf(tables);
}

// Returns values of some row's column, and numbers near them.
std::string someValue(const ScenePtr& scene, const SqlTable& table, const SqlColumn& column)
{
    const auto rows =
        runQuery("SELECT DISTINCT quote(" + std::string(column.name) + ") FROM \"" + std::string(table.name) +
                     "\" WHERE " + std::string(column.name) + " IS NOT NULL",
                 scene, {}, Progress())
            .value();
    const Table& values = rows.front();
    if (values.rowCount() == 0) return "0";
    const std::string value = values.cell(0, *rc::gen::inRange<size_t>(0, values.rowCount()));
    if (column.type == SqlType::text) return value;
    if (*rc::gen::inRange(0, 8) == 0)
        return *rc::gen::element<std::string>("9223372036854775807", "-9223372036854775807",
                                              "(-9223372036854775807 - 1)", "9000000000000000000",
                                              "-9000000000000000000", "9e18", "-1e19");
    return "(" + value + *rc::gen::element<std::string>("", " + 1", " - 1", " + 0.5", " - 1000", "0") + ")";
}

// Mostly returns a condition that can be pushed down.
SqlColumn someColumn(const SqlTable& table)
{
    const bool anyAtAll = *rc::gen::inRange(0, 5) == 0;
    return *rc::gen::suchThat(
        rc::gen::elementOf(std::vector<SqlColumn>(table.columns.begin(), table.columns.end())),
        [anyAtAll](const SqlColumn& column) { return anyAtAll || column.key != SqlKey::none; });
}

std::string allColumns(const SqlTable& table)
{
    std::string columns;
    for (const SqlColumn& column : table.columns)
        columns += (columns.empty() ? "" : ", ") + std::string(column.name);
    return columns;
}

// Returns any conditions on any table, with and without push-down.
void compareOne(const ScenePtr& scene)
{
    const SqlTable table = someTable();
    std::string down, looked;
    const int conditions = *rc::gen::inRange(1, 4);
    for (int i = 0; i < conditions; ++i) {
        const SqlColumn column = someColumn(table);
        const auto op = *rc::gen::element<std::string>(" = ", " < ", " <= ", " > ", " >= ", " IN ");
        std::string value = someValue(scene, table, column);
        if (op == " IN ") value = "(" + value + ", " + someValue(scene, table, column) + ")";
        const std::string name(column.name);
        down += (i > 0 ? " AND " : "") + name + op + value;
        looked += (i > 0 ? " AND +" : "+") + name + op + value;
    }
    const std::string select =
        "SELECT " + allColumns(table) + " FROM \"" + std::string(table.name) + "\" WHERE ";
    // The order is the pass's own; IN may visit rows in another order.
    const std::string order = " ORDER BY " + allColumns(table);
    RC_LOG() << down;
    RC_ASSERT(answerText(scene, select + down + order) == answerText(scene, select + looked + order));
}

} // namespace

class SqlPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void pushedDownConditionsLoseNoRow()
    {
        QVERIFY(rc::check("with and without going down", [] {
            const ScenePtr scene = randomScene();
            for (int i = 0; i < 20; ++i)
                compareOne(scene);
        }));
    }

    void groupsByNameAreComplete()
    {
        QVERIFY(rc::check("grouped by the pass and by SQLite", [] {
            const ScenePtr scene = randomScene();
            const auto table = *rc::gen::element<std::string>("slice", "kernel", "memcpy", "range", "api");
            const std::string from =
                ", count(*), sum(duration_ns), min(id), max(end_ns) FROM " + table + " GROUP BY ";
            RC_ASSERT(answerText(scene, "SELECT name" + from + "name ORDER BY name") ==
                      answerText(scene, "SELECT name" + from + "name || '' ORDER BY name || ''"));
            RC_ASSERT(answerText(scene, "SELECT DISTINCT name FROM " + table) ==
                      answerText(scene, "SELECT DISTINCT name || '' FROM " + table + " ORDER BY 1"));
        }));
    }

    // Joins use ids: both join orders give the same pairs.
    void joinsFindEachLink()
    {
        QVERIFY(rc::check("joined by ids", [] {
            const ScenePtr scene = randomScene();
            const std::string order = " ORDER BY 1, 2";
            const std::string joined = answerText(
                scene,
                "SELECT c.id, e.id FROM link l JOIN slice c ON c.id = l.cause JOIN slice e ON e.id = l.effect" +
                    order);
            RC_ASSERT(joined == answerText(scene, "SELECT cause, effect FROM link" + order));
            RC_ASSERT(
                joined ==
                answerText(scene,
                           "SELECT c.id, l.effect FROM slice c CROSS JOIN link l ON l.cause = c.id" + order));
            RC_ASSERT(
                joined ==
                answerText(scene,
                           "SELECT l.cause, e.id FROM slice e CROSS JOIN link l ON l.effect = e.id" + order));
        }));
    }
};

LOCKSTEP_TEST(SqlPropertyTest, "sql_property_test")
#include "sql_property_test.moc"
