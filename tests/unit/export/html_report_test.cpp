// SPDX-License-Identifier: Apache-2.0
// Tests htmlReport(): the findings section, empty columns, the rows of the critical path, and markup in
// names.
#include "core/export/html_report.h"

#include <QRegularExpression>
#include <QXmlStreamReader>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kTag = "<script>alert('1')</script>&";
constexpr const char* kEscapedTag = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";

QString htmlOf(std::vector<Table> tables, RunFindings findings = {})
{
    HtmlReport report;
    report.title = "run & co";
    report.tables = std::move(tables);
    report.findings = std::move(findings);
    return QString::fromStdString(htmlReport(std::move(report)));
}

// Rows by step, then by time. Row i of each step takes 1000 - i µs.
Table pathTable(int64_t steps, int64_t rowsPerStep)
{
    Table table("critical_path", "Critical path");
    table.addColumn({"step", "", ColumnType::integer, 0, ""});
    table.addColumn({"name", "", ColumnType::text, 0, ""});
    table.addColumn({"time", "ns", ColumnType::time, 0, ""});
    for (int64_t step = 0; step < steps; ++step) {
        for (int64_t i = 0; i < rowsPerStep; ++i) {
            table.addRow();
            table.setNumber(0, step);
            table.setText(1, "op" + std::to_string(i));
            table.setNumber(2, (1000 - i) * 1000);
        }
    }
    return table;
}

RunFinding lateRank(int ranks)
{
    RunFinding late;
    late.severity = FindingSeverity::high;
    late.rule = "stragglers";
    late.sentence = std::string("Rank 1 arrives last ") + kTag;
    late.advice = {std::string("Compare ") + kTag, "Check what the rank did"};
    late.fix = late.advice.front();
    late.caption = "Wait caused (ms)";
    late.unit = "ms";
    late.threshold = 2.5;
    late.cost_ns = 9'000'000;
    late.reasons = {{"rule", std::string("last to arrive ") + kTag}, {"seen in", std::string(400, 'x')}};
    for (int rank = 0; rank < ranks; ++rank)
        late.bars.push_back({"rank " + std::to_string(rank), rank == 1 ? 9.0 : 1.0, rank == 1});
    late.lost = IntervalSet::unionOf({{TraceTime{0}, TraceTime{9'000'000}}});
    return late;
}

// Two findings in three steps; the second one has no threshold and no times.
RunFindings twoFindings(int ranks = 2)
{
    RunFindings all;
    RunFinding blocking;
    blocking.severity = FindingSeverity::low;
    blocking.sentence = "88 blocking synchronization calls";
    blocking.advice = {"Synchronize on an event"};
    blocking.caption = "Time (ms)";
    blocking.bars = {{"rank 0", 0, true}};
    all.found = {lateRank(ranks), blocking};
    all.ran = {"stragglers", "cuda_api_sync:rows=-1"};
    all.steps = 3;
    all.lost_ns = 9'000'000;
    all.untimedFindings = 1;
    all.reports = 2;
    return all;
}

} // namespace

class HtmlReportTest : public QObject {
    Q_OBJECT

  private slots:
    void titleIsTheRun()
    {
        const QString html = htmlOf({});
        QVERIFY(html.contains("<title>run &amp; co \u2014 Lockstep</title>"));
        QVERIFY(html.contains("<h1>run &amp; co</h1>"));
    }

    void findingsInFull()
    {
        const QString html = htmlOf({}, twoFindings());
        const QString script(kEscapedTag);
        QVERIFY(!html.contains(kTag));
        const QStringList parts{"2 findings; estimated cost 3 ms/step, overlaps counted once; "
                                "not included: 1 finding without a time range",
                                "<article class=\"finding high\">",
                                ">high</span>, finding 1 of 2, 3 ms/step</p>",
                                "<h3>Rank 1 arrives last " + script + "</h3>",
                                "Wait caused (ms), 2 reports",
                                "rank 1: 9 ms</title>",
                                "rank 0 to rank 1",
                                "threshold 2.5 ms",
                                "<dt>rule</dt><dd>last to arrive " + script + "</dd>",
                                "<dt>seen in</dt><dd>" + QString(400, 'x') + "</dd>",
                                "<li>Compare " + script + "</li><li>Check what the rank did</li>",
                                "<article class=\"finding low\">",
                                "<h3>88 blocking synchronization calls</h3>",
                                "Time (ms), 1 report<",
                                "<li>Synchronize on an event</li>",
                                "Rules checked: stragglers, cuda_api_sync:rows=-1"};
        qsizetype at = 0;
        for (const QString& part : parts) {
            at = html.indexOf(part, at);
            QVERIFY2(at > 0, qPrintable(part));
        }
    }

    void costsWithoutStepsOrTimes()
    {
        RunFindings findings = twoFindings();
        findings.steps = 0;
        QString html = htmlOf({}, std::move(findings));
        QVERIFY(html.contains("estimated cost 9 ms, overlaps counted once; costs are for the whole range "
                              "because no steps are known"));
        QVERIFY(html.contains(", finding 1 of 2, 9 ms</p>"));
        findings = twoFindings();
        findings.untimedFindings = 2;
        html = htmlOf({}, std::move(findings));
        QVERIFY(html.contains("2 findings; no total cost: no finding has a time range"));
    }

    void noFindings()
    {
        RunFindings findings;
        findings.reports = 1;
        findings.ran = {"bottlenecks", "stragglers"};
        const QString html = htmlOf({}, std::move(findings));
        QVERIFY(html.contains("No findings in 1 report<"));
        QVERIFY(html.contains("Rules checked: bottlenecks, stragglers"));
        QVERIFY(!html.contains("<article"));
    }

    // Of thousands of ranks, the bar of the late one is drawn.
    void chartsOfManyRanks()
    {
        for (const int ranks : {1, 2, 240, 241, 10'000}) {
            const QString html = htmlOf({}, twoFindings(ranks));
            static const QRegularExpression kChart("<svg class=\"chart\".*?</svg>",
                                                   QRegularExpression::DotMatchesEverythingOption);
            const QString chart = kChart.match(html).captured();
            QVERIFY(chart.size() > 300 && chart.size() < 50'000);
            QCOMPARE(chart.count("class=\"bar high\""), ranks > 1 ? 1 : 0);
            QCOMPARE(chart.count("class=\"bar "), std::min(ranks, 240));
            QXmlStreamReader xml(chart);
            while (!xml.atEnd())
                xml.readNext();
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        }
    }

    void emptyColumnsAreListed()
    {
        Table table("inventory", "Inputs");
        for (const char* const name : {"rank", "rank_from", "host", "role"})
            table.addColumn({name, "", ColumnType::text, 0, ""});
        table.addRow();
        table.setText(0, "3");
        table.setText(1, "file name");
        Table full("full", "Full");
        full.addColumn({"a", "", ColumnType::text, 0, ""});
        full.addColumn({"<b>", "", ColumnType::text, 0, ""});
        full.addRow();
        full.setText(0, "x");
        std::vector<Table> tables;
        tables.push_back(std::move(table));
        tables.push_back(std::move(full));
        const QString html = htmlOf(std::move(tables));
        QVERIFY(html.contains(">rank</th>") && html.contains(">rank_from</th>"));
        QVERIFY(html.contains("2 of 4 columns have no values and are not shown: host, role<"));
        QVERIFY(html.contains("1 of 2 columns has no values and is not shown: &lt;b&gt;<"));
        QCOMPARE(html.count("no values"), 2);
    }

    void criticalPathShowsTheLongestRows()
    {
        std::vector<Table> tables;
        tables.push_back(pathTable(3, 50));
        const QString html = htmlOf(std::move(tables));
        QCOMPARE(html.count("<tr><td"), 20);
        // The longest of all steps: op0 to op5 of each, and op6 of two.
        QCOMPARE(html.count(">op0</td>"), 3);
        QCOMPARE(html.count(">op6</td>"), 2);
        QVERIFY(!html.contains(">op7</td>"));
        // 3 x (1000 + ... + 951) = 146,325 µs without 3 x (1000 + ... + 995) + 2 x 994 = 19,943 µs
        QVERIFY2(
            html.contains("The 20 longest of 150 rows. The other 130 rows take 126.382 ms, 86.4 % of the "
                          "critical path."),
            qPrintable(html.mid(html.indexOf("longest of"), 200)));
    }

    void shortCriticalPathIsComplete()
    {
        std::vector<Table> tables;
        tables.push_back(pathTable(2, 10));
        QString html = htmlOf(std::move(tables));
        QCOMPARE(html.count("<tr><td"), 20);
        QVERIFY(!html.contains("longest of"));
        tables.clear();
        tables.push_back(pathTable(1, 21));
        html = htmlOf(std::move(tables));
        QVERIFY(html.contains("The 20 longest of 21 rows. The other row takes 980 \u00B5s, 4.7 % of the"));
    }

    // Wide tables scroll in their own box, and the page itself is as wide as the window.
    void tablesScroll()
    {
        std::vector<Table> tables;
        tables.push_back(pathTable(1, 3));
        const QString html = htmlOf(std::move(tables));
        QVERIFY(
            html.contains("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Critical path\">"
                          "<table>"));
        QVERIFY(html.contains("main { padding:"));
    }
};

LOCKSTEP_TEST(HtmlReportTest, "html_report_test")
#include "html_report_test.moc"
