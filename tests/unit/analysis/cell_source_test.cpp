// SPDX-License-Identifier: Apache-2.0
// Tests CellSource: the description of a cell covers its row and column, the reports in scope and their
// clocks; the query offered for a table gives the same table.
#include "core/analysis/cell_source.h"

#include "core/analysis/analysis.h"
#include "core/sql/sql_query.h"
#include "tests/support/made_reports.h"
#include "tests/support/sql_form_check.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class CellSourceTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_scene = test::madeScene(test::madeWorkspace(2, 1)); }

    void aSumNamesItsReports()
    {
        const Table table = *runAnalysis("cuda_gpu_kern_sum", *m_scene, {}, Progress());
        const size_t total = table.columnNamed("Total Time");
        const CellSource source = cellSourceOf(table, total, 0, *m_scene, {});
        QCOMPARE(source.value, table.cell(total, 0) + " ns");
        QCOMPARE(source.definition, table.column(total).doc);
        QCOMPARE(source.inputs, m_scene->shown.keys());
        QVERIFY(source.of.find(table.cell(table.columnNamed("Name"), 0)) != source.of.npos);
        QCOMPARE(source.filter, std::string("none: all visible reports"));
        QVERIFY2(source.bound.find("without alignment") != source.bound.npos, source.bound.c_str());
        Scope one;
        one.ranks = {{0, 0}};
        const CellSource narrow = cellSourceOf(table, total, 0, *m_scene, one);
        QCOMPARE(narrow.inputs.size(), size_t(1));
    }

    // Only the borders of a range are aligned; they are as exact as the worst clock, and a clock without a
    // bound is included.
    void alignedTimesStateTheirErrorBound()
    {
        Scope scope;
        scope.time = TimeRange{{0}, {10'000'000}};
        const Table table = *runAnalysis("cuda_gpu_kern_sum", *m_scene, scope, Progress());
        auto scene = std::make_shared<Scene>(*m_scene);
        const auto keys = scene->shown.keys();
        for (const ReportKey key : keys)
            scene->alignment.maps[key].bound_ns = 4100;
        QVERIFY(cellSourceOf(table, 1, 0, *scene, scope).bound.find("error at most \u00B14.1") !=
                std::string::npos);
        scene->alignment.maps[keys[1]].bound_ns.reset();
        const std::string bound = cellSourceOf(table, 1, 0, *scene, scope).bound;
        QVERIFY2(bound.find("for 1 of 4 reports") != bound.npos, bound.c_str());
        for (const ReportKey key : keys)
            scene->alignment.maps[key].bound_ns.reset();
        QVERIFY(cellSourceOf(table, 1, 0, *scene, scope).bound.find("no error bound can be given") !=
                std::string::npos);
    }

    void aRowOfOneReportIsFromIt()
    {
        const Table table = *runAnalysis("temporal_breakdown", *m_scene, {}, Progress());
        const CellSource source = cellSourceOf(table, 1, 1, *m_scene, {});
        QCOMPARE(source.inputs.size(), size_t(1));
        QCOMPARE(m_scene->shown.report(source.inputs[0]).provenance.path.string(),
                 table.cell(table.columnNamed("report"), 1));
    }

    // What a column means is declared with the column, and agrees with its description.
    void columnsDeclareTheirMeaning()
    {
        for (const Analysis& analysis : analyses()) {
            const auto table = runAnalysis(analysis.name, *m_scene, {}, Progress());
            for (size_t i = 0; table && i < table->columnCount(); ++i) {
                const TableColumn& column = table->column(i);
                const std::string at = std::string(analysis.name) + " " + column.name + ": " + column.doc;
                const bool isOnAxis = column.doc.find("aligned axis") != column.doc.npos;
                const bool isAligned = column.meaning == ColumnMeaning::alignedTime ||
                                       column.meaning == ColumnMeaning::alignedDuration;
                QVERIFY2(isAligned || !isOnAxis, at.c_str());
                QVERIFY2(!isAligned || column.type == ColumnType::time, at.c_str());
                QVERIFY2((column.meaning == ColumnMeaning::report) == column.doc.starts_with("path of ") ||
                             column.doc == "path as given",
                         at.c_str());
                QVERIFY2((column.meaning == ColumnMeaning::severity) == (column.name == "severity"),
                         at.c_str());
            }
        }
    }

    // Columns of the tables keep their definition and clock in the result of a query.
    void cellsOfQueries()
    {
        auto scene = std::make_shared<Scene>(*m_scene);
        for (const ReportKey key : scene->shown.keys())
            scene->alignment.maps[key].bound_ns = 4100;
        const auto tables = runQuery("SELECT start_ns, s.end_ns AS last, duration_ns, end_ns - start_ns AS d "
                                     "FROM (SELECT * FROM slice) AS s LIMIT 1",
                                     scene, {}, Progress());
        QVERIFY(tables);
        const auto sourceOf = [&](size_t column) {
            return cellSourceOf(tables->front(), column, 0, *scene, {});
        };
        for (const size_t time : {size_t(0), size_t(1)}) {
            QVERIFY(sourceOf(time).bound.starts_with("aligned time: error at most \u00B14.1"));
            QVERIFY(sourceOf(time).definition.find("on the aligned axis") != std::string::npos);
        }
        QVERIFY(sourceOf(2).definition.starts_with("duration on the report's own clock"));
        QCOMPARE(sourceOf(3).definition, std::string("computed by the query"));
        for (const size_t other : {size_t(2), size_t(3)}) {
            const std::string bound = sourceOf(other).bound;
            QVERIFY2(bound.find("times in the query are aligned times: error at most") != bound.npos &&
                         bound.find("durations in the tables use the clock of their own report") !=
                             bound.npos,
                     bound.c_str());
        }
    }

    void emptyCellsAreDescribed()
    {
        Table table("made", "");
        table.addColumn({"count", "", ColumnType::integer, 0, ""});
        table.addRow();
        const CellSource source = cellSourceOf(table, 0, 0, *m_scene, {});
        QCOMPARE(source.value, std::string("no value"));
        QCOMPARE(source.definition, std::string("this column has no definition"));
    }

    void queryGivesTheSameTable()
    {
        for (const char* const what :
             {"cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base", "cuda_api_sum", "cuda_gpu_mem_time_sum",
              "cuda_gpu_mem_size_sum", "nvtx_pushpop_sum"}) {
            for (const GroupBy by :
                 {GroupBy::total, GroupBy::rank, GroupBy::role, GroupBy::step, GroupBy::host}) {
                Scope scope;
                scope.by = by;
                const auto query = sqlFormOf(what, scope);
                QVERIFY(query.has_value());
                QCOMPARE(test::sumsOfQuery(*query, m_scene), test::sumsOfTable(what, m_scene, scope));
            }
        }
        Scope part;
        part.time = TimeRange{{0}, {1}};
        QVERIFY(!sqlFormOf("cuda_gpu_kern_sum", part));
        QVERIFY(!sqlFormOf("cuda_gpu_kern_sum:mangled", {}));
        QVERIFY(!sqlFormOf("stragglers", {}));
    }

  private:
    ScenePtr m_scene;
};

LOCKSTEP_TEST(CellSourceTest, "cell_source_test")
#include "cell_source_test.moc"
