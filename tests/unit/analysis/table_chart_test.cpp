// SPDX-License-Identifier: Apache-2.0
// Tests TableChart: the chart of each table, and the content of heat maps and step series, including missing
// values, names and steps.
#include "core/analysis/table_chart.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/analysis.h"
#include "tests/support/made_reports.h"
#include "tests/support/made_table.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

TableColumn text(const char* name)
{
    return {name, "", ColumnType::text, 0, ""};
}

TableColumn number(const char* name, ColumnType type = ColumnType::integer)
{
    return {name, type == ColumnType::time ? "ns" : "", type, 0, ""};
}

Table utilization()
{
    Table table("cuda_gpu_time_util_map:bins=2", "Map");
    table.addColumn(number("Rank"));
    table.addColumn(number("PID"));
    table.addColumn(number("DeviceID"));
    table.addColumn(number("Start", ColumnType::time));
    table.addColumn(number("In-Use", ColumnType::percent));
    const auto row = [&](int64_t rank, int64_t pid, int64_t start_ns, int64_t use) {
        table.addRow();
        table.setNumber(0, rank);
        table.setNumber(1, pid);
        table.setNumber(2, 0);
        table.setNumber(3, start_ns);
        if (use >= 0) table.setNumber(4, use);
    };
    row(1, 11, 0, 40);
    row(1, 11, 500, 80);
    row(0, 12, 500, 7);
    row(0, 12, 0, -1);
    row(0, 12, 500, 9); // on the same cell
    return table;
}

Table stepSeries(std::initializer_list<std::pair<int64_t, const char*>> values)
{
    Table table("step_statistics:series", "Steps");
    table.addColumn(number("step"));
    table.addColumn(text("counts"));
    table.addColumn(number("wall", ColumnType::time));
    int64_t step = 10;
    for (const auto& [value, counts] : values) {
        table.addRow();
        if (value >= 0) table.setNumber(0, step++);
        table.setText(1, counts);
        table.setNumber(2, std::abs(value));
    }
    return table;
}

} // namespace

class TableChartTest : public QObject {
    Q_OBJECT

  private slots:
    void rowsWithTheSameNameAreDistinguished()
    {
        Table steps("step_breakdown", "Steps");
        steps.addColumn(number("step"));
        steps.addColumn(text("step_from"));
        steps.addColumn(number("span", ColumnType::time));
        for (const auto& [step, from] : {std::pair(1, "report"), std::pair(1, "capture")}) {
            steps.addRow();
            steps.setNumber(0, step);
            steps.setText(1, from);
            steps.setNumber(2, 7);
        }
        auto chart = chartOfTable(steps);
        QVERIFY(chart.has_value());
        QCOMPARE(chartLabel(steps, *chart, 0), std::string("step 1 · report"));
        QCOMPARE(chartLabel(steps, *chart, 1), std::string("step 1 · capture"));
        steps.addRow(); // unambiguous: no other column is added to its name
        steps.setNumber(0, 1);
        steps.setText(1, "capture");
        steps.setNumber(2, 7);
        chart = chartOfTable(steps);
        QCOMPARE(chartLabel(steps, *chart, 2), std::string("step 1 · capture"));
    }

    // Two series on the same steps are two lines; one series needs no name.
    void repeatedStepsAreTwoLines()
    {
        Table series("step_statistics:series", "Steps");
        series.addColumn(number("step"));
        series.addColumn(text("step_from"));
        series.addColumn(text("counts"));
        series.addColumn(number("wall", ColumnType::time));
        for (int row = 0; row < 4; ++row) {
            series.addRow();
            series.setNumber(0, 1 + row % 2);
            series.setText(1, row < 2 ? "report" : "capture");
            series.setText(2, "yes");
            series.setNumber(3, 10 + row);
        }
        const auto chart = chartOfTable(series);
        QVERIFY(chart.has_value());
        const StepCurves curves = stepCurvesOf(series, *chart);
        QCOMPARE(curves.curves.size(), size_t(2));
        QCOMPARE(curves.curves[0].name, std::string("report"));
        QCOMPARE(curves.curves[0].points.size(), size_t(2));
        QCOMPARE(curves.curves[1].points[0].step, 1.0);
    }

    // Every column that an analysis draws exists in its table.
    void chartsOfAnalyses_data()
    {
        QTest::addColumn<size_t>("analysis");
        QTest::addColumn<size_t>("chart");
        for (size_t i = 0; i < analyses().size(); ++i) {
            for (size_t chart = 0; chart < analyses()[i].charts.size(); ++chart)
                QTest::addRow("%s %d", std::string(analyses()[i].name).c_str(), int(chart)) << i << chart;
        }
    }
    void chartsOfAnalyses()
    {
        QFETCH(size_t, analysis);
        QFETCH(size_t, chart);
        const Analysis& of = analyses()[analysis];
        const ChartRule& rule = of.charts[chart];
        static const ScenePtr scene = test::madeScene(test::madeWorkspace(2, 1));
        // Some charts exist only if rows are grouped by step, or with the argument `series`.
        Scope bySteps;
        bySteps.by = GroupBy::step;
        const auto hasColumns = [&](const std::string& what, const Scope& scope) {
            const auto table = runAnalysis(what, *scene, scope, Progress());
            if (!table) return false;
            const auto isThere = [&](std::string_view name) {
                for (size_t i = 0; i < table->columnCount(); ++i) {
                    const QString column = QString::fromStdString(table->column(i).name);
                    if (column.compare(QString::fromUtf8(name.data(), qsizetype(name.size())),
                                       Qt::CaseInsensitive) == 0)
                        return true;
                }
                return name.empty();
            };
            return std::ranges::all_of(rule.values, isThere) &&
                   (rule.kind == ChartKind::series || std::ranges::any_of(rule.labels, isThere)) &&
                   isThere(rule.along) && isThere(rule.until) && isThere(rule.low) && isThere(rule.high);
        };
        const std::string name(of.name);
        QVERIFY(hasColumns(name, {}) || hasColumns(name, bySteps) || hasColumns(name + ":series", {}));
    }

    void sumsAreBars()
    {
        const auto chart = chartOfTable(*test::madeTable());
        QVERIFY(chart.has_value());
        QVERIFY(chart->kind == ChartKind::bars);
        QCOMPARE(chart->values, std::vector<size_t>{1});
        QCOMPARE(chartLabel(*test::madeTable(), *chart, 0), std::string("gemm"));
    }

    void nothingToDrawGivesNoChart()
    {
        QVERIFY(!chartOfTable(Table("cuda_gpu_kern_sum", "Kernels")));
        Table without("cuda_gpu_kern_sum", "Kernels");
        without.addColumn(text("Name"));
        without.addColumn(number("Total Time", ColumnType::time));
        without.addRow();
        without.setText(0, "gemm");
        QVERIFY(!chartOfTable(without)); // a row without a value
        without.setNumber(1, 0);
        QVERIFY(!chartOfTable(without));
        Table renamed("stragglers", "Late");
        renamed.addColumn(number("rank"));
        renamed.addColumn(number("some_wait", ColumnType::time));
        renamed.addRow();
        renamed.setNumber(1, 5);
        QVERIFY(!chartOfTable(renamed));
    }

    // Split by step, stragglers are a matrix; otherwise bars.
    void stragglersBySteps()
    {
        for (const bool isByStep : {false, true}) {
            Table table("stragglers", "Late");
            if (isByStep) table.addColumn(number("Step"));
            const size_t rank = table.addColumn(number("rank"));
            const size_t wait = table.addColumn(number("caused_wait", ColumnType::time));
            table.addRow();
            if (isByStep) table.setNumber(0, 3);
            table.setNumber(rank, 5);
            table.setNumber(wait, 100);
            const auto chart = chartOfTable(table);
            QVERIFY(chart.has_value());
            QVERIFY(chart->kind == (isByStep ? ChartKind::heatMap : ChartKind::bars));
            QCOMPARE(chartLabel(table, *chart, 0), std::string("rank 5"));
        }
    }

    void heatMapOfRanksAndTimes()
    {
        const Table table = utilization();
        const auto chart = chartOfTable(table);
        QVERIFY(chart.has_value());
        QVERIFY(chart->kind == ChartKind::heatMap);
        const HeatGrid grid = heatGridOf(table, *chart);
        QCOMPARE(grid.lines, (std::vector<std::string>{"Rank 1", "Rank 0"})); // only the ranks differ
        QCOMPARE(grid.moments, (std::vector<int64_t>{0, 500}));
        QCOMPARE(grid.at(0, 1).value, 80.0);
        QCOMPARE(grid.at(1, 1).value, 9.0);
        QCOMPARE(grid.at(1, 1).row, size_t(4));
        QVERIFY(std::isnan(grid.at(1, 0).value));
        QCOMPARE(grid.joined, size_t(1));
        QCOMPARE(grid.largest, 100.0);
    }

    // Two ranks that are both 0 in two jobs are distinguished by their processes.
    void equalRanksKeepTheirOwnLines()
    {
        Table table = utilization();
        table.addRow();
        table.setNumber(0, 0);
        table.setNumber(1, 13);
        table.setNumber(2, 0);
        table.setNumber(3, 0);
        table.setNumber(4, 1);
        const HeatGrid grid = heatGridOf(table, *chartOfTable(table));
        QCOMPARE(grid.lines,
                 (std::vector<std::string>{"Rank 1 · PID 11", "Rank 0 · PID 12", "Rank 0 · PID 13"}));
    }

    void stepsWithTheirInterval()
    {
        const Table table =
            stepSeries({{900, "warm-up"}, {100, "yes"}, {110, "yes"}, {120, "outlier"}, {-5, "yes"}});
        const auto chart = chartOfTable(table);
        QVERIFY(chart.has_value());
        QVERIFY(chart->kind == ChartKind::series);
        const StepCurves curves = stepCurvesOf(table, *chart);
        QCOMPARE(curves.rowsWithoutStep, size_t(1));
        QCOMPARE(curves.curves.size(), size_t(1));
        const StepCurves::Curve& curve = curves.curves[0];
        QCOMPARE(curve.points.size(), size_t(4));
        QVERIFY(!curve.points[0].counts);
        QCOMPARE(*curve.mean, 110.0);
        // t(0.975, 2) = 4.30265, s = 10, n = 3
        QVERIFY(std::abs(curve.interval->low - (110 - 4.30265 * 10 / std::sqrt(3))) < 1e-3);
        QVERIFY(std::abs(curve.interval->high - (110 + 4.30265 * 10 / std::sqrt(3))) < 1e-3);
    }

    void oneStepHasNoInterval()
    {
        const Table table = stepSeries({{100, "yes"}});
        const StepCurves curves = stepCurvesOf(table, *chartOfTable(table));
        QCOMPARE(*curves.curves[0].mean, 100.0);
        QVERIFY(!curves.curves[0].interval);
        const Table warm = stepSeries({{100, "warm-up"}});
        QVERIFY(!stepCurvesOf(warm, *chartOfTable(warm)).curves[0].mean);
    }
};

LOCKSTEP_TEST(TableChartTest, "table_chart_test")
#include "table_chart_test.moc"
