// SPDX-License-Identifier: Apache-2.0
// Tests chartSvg() for every kind of chart with unusual data: no value, one value, equal or negative values,
// markup in names, and tables so large that rows share a position.
#include "core/export/svg_chart.h"

#include <QXmlStreamReader>

#include "core/export/svg_marks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr size_t kLargest_bytes = 200'000;
constexpr const char* kMarkup = "<b a='1' c=\"2\">&\x01";

TableColumn textOf(const char* name)
{
    return {name, "", ColumnType::text, 0, ""};
}

TableColumn numberOf(const char* name, ColumnType type = ColumnType::integer)
{
    return {name, type == ColumnType::time ? "ns" : type == ColumnType::percent ? "%" : "", type, 0, ""};
}

struct HeatValue {
    int64_t rank, start_ns, use;
};

Table heatTable(const std::vector<HeatValue>& values)
{
    Table table("cuda_gpu_time_util_map", "Map");
    table.addColumn(numberOf("Rank"));
    table.addColumn(numberOf("Start", ColumnType::time));
    table.addColumn(numberOf("In-Use", ColumnType::percent));
    for (const HeatValue& value : values) {
        table.addRow();
        table.setNumber(0, value.rank);
        table.setNumber(1, value.start_ns);
        table.setNumber(2, value.use);
    }
    return table;
}

Table binTable(size_t bins, int64_t most, const char* name = "gemm")
{
    Table table("cuda_gpu_kern_hist", "Durations");
    table.addColumn(textOf("Name"));
    table.addColumn(numberOf("From", ColumnType::time));
    table.addColumn(numberOf("To", ColumnType::time));
    table.addColumn(numberOf("Instances"));
    for (size_t i = 0; i < bins; ++i) {
        table.addRow();
        table.setText(0, name);
        table.setNumber(1, static_cast<int64_t>(i) * 1000);
        table.setNumber(2, static_cast<int64_t>(i + 1) * 1000);
        table.setNumber(3, i == bins / 2 ? most : 1);
    }
    return table;
}

// Makes a table with the same wall time for all ranks but one, and the first step as warm-up.
Table seriesTable(int ranks, int steps, int slow = -1)
{
    Table table("step_statistics:series", "Steps");
    table.addColumn(numberOf("rank"));
    table.addColumn(numberOf("step"));
    table.addColumn(textOf("counts"));
    table.addColumn(numberOf("wall", ColumnType::time));
    for (int rank = 0; rank < ranks; ++rank) {
        for (int step = 0; step < steps; ++step) {
            table.addRow();
            table.setNumber(0, rank);
            table.setNumber(1, step);
            table.setText(2, step == 0 && steps > 1 ? "warm-up" : "yes");
            table.setNumber(3, (rank == slow ? 9'000'000 : 5'000'000) + step % 3);
        }
    }
    return table;
}

Table barTable(const std::vector<int64_t>& values, const char* name = "rank")
{
    Table table("comm_comp_overlap", "Overlap");
    table.addColumn(textOf(name));
    table.addColumn(numberOf("exposed_time", ColumnType::time));
    for (size_t i = 0; i < values.size(); ++i) {
        table.addRow();
        table.setText(0, "r" + std::to_string(i));
        table.setNumber(1, values[i]);
    }
    return table;
}

std::string svgOf(const Table& table, size_t most = 24)
{
    const auto chart = chartOfTable(table);
    return chart ? chartSvg(table, *chart, most) : std::string();
}

bool isWellFormed(const std::string& svg)
{
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    while (!xml.atEnd())
        xml.readNext();
    return !svg.empty() && !xml.hasError();
}

bool has(const std::string& svg, std::string_view text)
{
    return svg.find(text) != svg.npos;
}

} // namespace

class SvgChartTest : public QObject {
    Q_OBJECT

  private slots:
    void noRowsGiveNoChart()
    {
        QVERIFY(svgOf(heatTable({})).empty() && svgOf(binTable(0, 1)).empty());
        QVERIFY(svgOf(seriesTable(0, 0)).empty() && svgOf(barTable({})).empty());
        // A chart description made for another table must not read beyond this one.
        const auto heat = chartOfTable(heatTable({{0, 0, 1}}));
        QVERIFY(chartSvg(heatTable({}), *heat, 24).empty());
        const auto series = chartOfTable(seriesTable(1, 2));
        QVERIFY(chartSvg(seriesTable(0, 0), *series, 24).empty());
    }

    void heatMap()
    {
        const std::string svg = svgOf(heatTable({{0, 0, 100}, {0, 500, 0}, {1, 0, 40}, {1, 500, kNoNumber}}));
        QVERIFY(isWellFormed(svg));
        QVERIFY(has(svg, "Rank 0<") && has(svg, "Rank 1<") && has(svg, "In-Use (%)"));
        QVERIFY(has(svg, "class=\"h7\" d=") && has(svg, "class=\"h0\" d="));
        QVERIFY(has(svg, "class=\"absent\" d=")); // a missing value is not 0
        QVERIFY(!has(svg, "below 0") && !has(svg, "nan"));
        QVERIFY(!has(svgOf(heatTable({{0, 0, 5}})), "class=\"absent\" d="));
    }

    void negativeValuesAreLabeled()
    {
        const std::string svg = svgOf(heatTable({{0, 0, 50}, {1, 0, -3}}));
        QVERIFY(isWellFormed(svg) && has(svg, "values below 0, drawn as 0: 1"));
        QVERIFY(isWellFormed(svgOf(barTable({5, -3}))));
        Table below = seriesTable(1, 3);
        below.setNumber(3, -2'000'000);
        QVERIFY(isWellFormed(svgOf(below)) && has(svgOf(below), "step 2: \u22122 ms"));
    }

    void oneValueAndEqualOnes()
    {
        for (const Table& table : {heatTable({{0, 7, 3}}), binTable(1, 1), seriesTable(1, 1),
                                   heatTable({{0, 7, 3}, {1, 7, 3}}), seriesTable(2, 4), barTable({4, 4})}) {
            const std::string svg = svgOf(table);
            QVERIFY2(isWellFormed(svg) && !has(svg, "nan") && !has(svg, "inf"), svg.c_str());
        }
        QVERIFY(!has(svgOf(seriesTable(1, 1)), "class=\"band")); // one step has no interval
        QVERIFY(has(svgOf(seriesTable(1, 5)), "class=\"band"));
    }

    void histogramOfTheFirstName()
    {
        const std::string svg = svgOf(binTable(10, 80));
        QVERIFY(isWellFormed(svg) && has(svg, "duration (\u00B5s)") && has(svg, ": 80</title>"));
        Table two = binTable(3, 5);
        two.addRow();
        two.setText(0, "other");
        two.setNumber(1, 0);
        two.setNumber(2, 9);
        two.setNumber(3, 900);
        QVERIFY(has(svgOf(two), "rows with other names, not drawn: 1"));
    }

    void seriesLabelsWarmUpAndUnit()
    {
        const std::string svg = svgOf(seriesTable(1, 6));
        QVERIFY(isWellFormed(svg) && has(svg, "wall (ms)") && has(svg, ", warm-up</title>"));
        Table unnumbered = seriesTable(1, 3);
        unnumbered.setNumber(1, kNoNumber);
        QVERIFY(has(svgOf(unnumbered), "values without a step, not drawn: 1"));
    }

    void markupInNames()
    {
        Table heat = binTable(4, 9, kMarkup);
        QVERIFY(isWellFormed(svgOf(heat)) && has(svgOf(heat), "&lt;b a="));
        Table bars("comm_comp_overlap", "Overlap & <more>");
        bars.addColumn(textOf("report"));
        bars.addColumn(numberOf("exposed_time", ColumnType::time));
        bars.addRow();
        bars.setText(0, kMarkup);
        bars.setNumber(1, 5);
        QVERIFY(isWellFormed(svgOf(bars)));
    }

    // The one slow rank is visible, and shared places are noted.
    void aThousandRanks()
    {
        std::vector<HeatValue> cells;
        for (int64_t rank = 0; rank < 1000; ++rank)
            for (int64_t moment = 0; moment < 200; ++moment)
                cells.push_back(
                    {rank, moment * 500, rank == 617 && moment == 33 ? 100 : (rank * moment) % 50});
        const std::string heat = svgOf(heatTable(cells));
        QVERIFY(isWellFormed(heat) && has(heat, "class=\"h7\" d=") && has(heat, "the largest value of each"));
        const std::string series = svgOf(seriesTable(1000, 40, 617));
        QVERIFY(has(series, "rank 617") && has(series, "curves shown: those farthest from their median"));
        std::vector<int64_t> values(1000, 100);
        values[617] = 3;
        const std::string bars = svgOf(barTable(values));
        QVERIFY(has(bars, ">r617<") && has(bars, "rows on 24 bars"));
        for (const std::string& svg :
             {heat, series, bars, svgOf(seriesTable(6, 20'000)), svgOf(binTable(5000, 9))})
            QVERIFY2(isWellFormed(svg) && svg.size() <= kLargest_bytes, std::to_string(svg.size()).c_str());
        QVERIFY(has(svgOf(binTable(5000, 9)), ": 9</title>"));
    }

    void sortedTablesShowTheirLargest()
    {
        std::vector<int64_t> values;
        for (int64_t i = 0; i < 100; ++i)
            values.push_back(1000 - i);
        const std::string svg = svgOf(barTable(values));
        QVERIFY(has(svg, ">r0<") && has(svg, ">r23<") && !has(svg, ">r24<"));
        QVERIFY(has(svg, "the largest 24 of 100 rows"));
    }

    // Two labels may differ in the middle: each segment keeps its ends.
    void longLabelsKeepEverySegment()
    {
        const std::string letters(60, 'x');
        QCOMPARE(shortenedText("rank 0 · step 1 · " + letters, 44),
                 "rank 0 · step 1 · " + std::string(12, 'x') + "…" + std::string(12, 'x'));
        QCOMPARE(shortenedText(letters + " · busy · " + letters, 31), "xxxx…xxxx · busy · xxxx…xxxx");
        QCOMPARE(shortenedText("rank 0 · busy", 13), "rank 0 · busy");
        QCOMPARE(shortenedText(letters, 11), "xxxxx…xxxxx");
        // Too many segments to keep any: the ends of the whole text remain.
        QCOMPARE(shortenedText("aaaaaaaaa · bbbbbbbbb · ccccccccc · ddddddddd", 15), "aaaaaaa…ddddddd");
        QCOMPARE(shortenedText("", 5), "");
        QCOMPARE(shortenedText(" · ", 5), " · ");
    }
};

LOCKSTEP_TEST(SvgChartTest, "svg_chart_test")
#include "svg_chart_test.moc"
