// SPDX-License-Identifier: Apache-2.0
// Tests every format on one table with all kinds of columns, awkward texts, other time units, row limits and
// provenance.
#include "core/export/table_writer.h"

#include "core/export/delimited_text.h"
#include "core/export/json_text.h"
#include "core/export/markdown_text.h"
#include "core/export/provenance.h"
#include "core/export/svg_marks.h"
#include "tests/support/job_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Raw strings are kept out of Qt's macros, because moc cannot read them there.
constexpr const char* kJson = R"json({"tables": [{"name": "made:base", "title": "Made table", "columns": [
  {"header": "Time (%)", "type": "percent", "unit": "%", "doc": "of all"},
  {"header": "Total Time (ns)", "type": "time", "unit": "ns", "doc": "sum"},
  {"header": "Avg (ns)", "type": "time", "unit": "ns", "doc": "mean"},
  {"header": "Name", "type": "text", "doc": "name"}], "rows": [
  {"Time (%)": 95.0, "Total Time (ns)": 1074732935, "Avg (ns)": 2487807.7, "Name": "void f<int, 3>(float*)"},
  {"Time (%)": 5.0, "Total Time (ns)": 12, "Avg (ns)": null, "Name": "say \"hi\"\n|\ttab\\"}]}]}
)json";

constexpr const char* kProvenanceJson =
    R"json({"program": "lockstep 0.1.0", "time_unit": "ms", "axis_zero_utc_ns": 4990, "inputs": [
  {"path": "a.sqlite", "sha256": "cafe", "size_bytes": 4096, "kind": "made", "producer": "a test", "schema": "", )json"
    R"json("alignment": {"method": "wallclock", "offset_ns": 10, "drift_ppb": 0, "bound_ns": null, )json"
    R"json("reason": "the test says so; clocks of different hosts may disagree by milliseconds or more"}},
  {"path": "b", "sha256": "", "size_bytes": 0, "error": "b: no such file"}], "tables": [
  {"name": "made:base", "rows": "slices of kind made", "rules": ["a rule"], "filters": ["rank=1"]}]})json";

Table awkwardTable()
{
    Table table("made:base", "Made table");
    table.addColumn({"Time", "%", ColumnType::percent, 1, "of all"});
    table.addColumn({"Total Time", "ns", ColumnType::time, 0, "sum"});
    table.addColumn({"Avg", "ns", ColumnType::time, 1, "mean"});
    table.addColumn({"Name", "", ColumnType::text, 0, "name"});
    const auto add = [&](int64_t percent, int64_t total, int64_t average, std::string_view name) {
        table.addRow();
        table.setNumber(0, percent);
        table.setNumber(1, total);
        table.setNumber(2, average);
        table.setText(3, name);
    };
    add(950, 1'074'732'935, 24'878'077, "void f<int, 3>(float*)");
    add(50, 12, kNoNumber, "say \"hi\"\n|\ttab\\");
    table.source = {"slices of kind made", {"a rule"}, {"rank=1"}};
    return table;
}

std::string written(TableFormat format, const WriteOptions& options = {}, size_t copies = 1)
{
    const Table table = awkwardTable();
    const std::vector<const Table*> tables(copies, &table);
    std::string out;
    writeTables(tables, format, options, [&](std::string_view text) { out += text; });
    return out;
}

// Names that would be executed where an export is opened: formulas, links, pictures, scripts, control
// characters.
constexpr const char* kNames[] = {"=cmd|' /C calc'!A0",
                                  "+1+cmd",
                                  "-2+3",
                                  "@SUM(1)",
                                  "\t=1",
                                  "<script>alert(1)</script>",
                                  "[link](javascript:alert(1))",
                                  "![p](http://evil.example/p.png)",
                                  "www.evil.example a@b.example https://evil.example/",
                                  "\x1B]0;title\x07\x1B[2J\x1B[31mred",
                                  "\u202Egnp.exe \u2066x\u200F \u0085 \u009B2J \x7F",
                                  "a\nb"};

std::string writtenHostile(TableFormat format)
{
    Table table("made", "=1 \u202E<b>[x](http://y)");
    table.addColumn({"Name", "", ColumnType::text, 0, "name"});
    table.addColumn({"Count", "", ColumnType::integer, 0, "count"});
    for (const char* name : kNames) {
        table.addRow();
        table.setText(0, name);
        table.setNumber(1, -5);
    }
    const Table* const tables[] = {&table};
    std::string out;
    writeTables(tables, format, {}, [&](std::string_view text) { out += text; });
    return out;
}

} // namespace

class TableWriterTest : public QObject {
    Q_OBJECT

  private slots:
    void csv()
    {
        QCOMPARE(written(TableFormat::csv),
                 std::string("Time (%),Total Time (ns),Avg (ns),Name\n"
                             "95.0,1074732935,2487807.7,\"void f<int, 3>(float*)\"\n"
                             "5.0,12,,\"say \"\"hi\"\"\n|\ttab\\\"\n"));
        QCOMPARE(csvCell("# no comment"), std::string("\"# no comment\""));
        QCOMPARE(csvCell(" a"), std::string("\" a\""));
        QCOMPARE(csvCell(""), std::string(""));
    }

    void tsv()
    {
        QCOMPARE(written(TableFormat::tsv),
                 std::string("Time (%)\tTotal Time (ns)\tAvg (ns)\tName\n"
                             "95.0\t1074732935\t2487807.7\tvoid f<int, 3>(float*)\n"
                             "5.0\t12\t\tsay \"hi\"\\n|\\ttab\\\\\n"));
    }

    void json() { QCOMPARE(written(TableFormat::json), std::string(kJson)); }

    void jsonLines()
    {
        WriteOptions options;
        options.rows = 1;
        options.provenanceJson = "{\"a\": 1}";
        QCOMPARE(
            written(TableFormat::jsonl, options, 2),
            std::string("{\"provenance\": {\"a\": 1}}\n"
                        "{\"table\": \"made:base\", \"Time (%)\": 95.0, \"Total Time (ns)\": 1074732935, "
                        "\"Avg (ns)\": 2487807.7, \"Name\": \"void f<int, 3>(float*)\"}\n"
                        "{\"table\": \"made:base\", \"Time (%)\": 95.0, \"Total Time (ns)\": 1074732935, "
                        "\"Avg (ns)\": 2487807.7, \"Name\": \"void f<int, 3>(float*)\"}\n"));
    }

    void markdown()
    {
        QCOMPARE(written(TableFormat::markdown),
                 std::string("### Made table\n\n"
                             "| Time (%) | Total Time (ns) | Avg (ns) | Name |\n"
                             "| ---: | ---: | ---: | --- |\n"
                             "| 95.0 | 1074732935 | 2487807.7 | void f\\<int, 3>(float\\*) |\n"
                             "| 5.0 | 12 |  | say \"hi\" \\| tab\\\\ |\n"));
    }

    void alignedText()
    {
        QCOMPARE(written(TableFormat::table),
                 std::string("Made table\n\n"
                             "Time (%)  Total Time (ns)     Avg (ns)  Name\n"
                             "--------  ---------------  -----------  ----------------------\n"
                             "    95.0    1,074,732,935  2,487,807.7  void f<int, 3>(float*)\n"
                             "     5.0               12               say \"hi\" | tab\\\n"));
    }

    void longTextsAreElidedInTheMiddle()
    {
        Table table("t", "T");
        table.addColumn({"Name", "", ColumnType::text, 0, ""});
        table.addRow();
        table.setText(0, std::string(60, 'a') + "\u00E9" + std::string(60, 'b'));
        const Table* const only = &table;
        std::string out;
        writeTables({&only, 1}, TableFormat::table, {}, [&](std::string_view text) { out += text; });
        QVERIFY(out.ends_with(std::string(50, 'a') + "\u2026" + std::string(49, 'b') + "\n"));
    }

    void wideTablesBecomeBlocks()
    {
        Table table("t", "T");
        table.headerStyle = HeaderStyle::identifier;
        for (const char* name : {"first", "second", "third", "fourth"}) {
            table.addColumn({name, "", ColumnType::text, 0, ""});
        }
        table.addRow();
        table.setText(0, std::string(120, 'x'));
        table.setText(1, std::string(120, 'y'));
        table.setText(3, std::string(120, 'z'));
        const Table* const only = &table;
        std::string out;
        writeTables({&only, 1}, TableFormat::table, {}, [&](std::string_view text) { out += text; });
        QCOMPARE(out, "T\n\nfirst   " + std::string(120, 'x') + "\nsecond  " + std::string(120, 'y') +
                          "\nfourth  " + std::string(120, 'z') + "\n");
    }

    void timeUnitsKeepAllDigits_data()
    {
        QTest::addColumn<int>("unit");
        QTest::addColumn<QString>("text");
        QTest::newRow("us") << int(TimeUnit::us) << "Total Time (us),Avg (us)|1074732.935,2487.8077";
        QTest::newRow("ms") << int(TimeUnit::ms) << "Total Time (ms),Avg (ms)|1074.732935,2.4878077";
        QTest::newRow("s") << int(TimeUnit::s) << "Total Time (s),Avg (s)|1.074732935,0.0024878077";
    }
    void timeUnitsKeepAllDigits()
    {
        QFETCH(int, unit);
        QFETCH(QString, text);
        WriteOptions options;
        options.timeUnit = static_cast<TimeUnit>(unit);
        const QString csv = QString::fromStdString(written(TableFormat::csv, options));
        QVERIFY2(csv.contains(text.split('|')[0]) && csv.contains(text.split('|')[1]), qPrintable(csv));
    }

    void provenanceNamesEverySource()
    {
        Workspace workspace;
        workspace.add(test::jobReport({.path = "a.sqlite", .utcAtZero_ns = 5000}));
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        const std::vector<InputFile> inputs{
            {"a.sqlite", 4096, "cafe", ReportKey(0u), {}, {}},
            {"b", 0, "", {}, Error{ErrorKind::notFound, "b: no such file"}, {}}};
        const Table table = awkwardTable();
        const Table* const only = &table;
        const ExportProvenance provenance{inputs, *scene, TimeUnit::ms};
        QCOMPARE(provenanceJson(provenance, {&only, 1}), std::string(kProvenanceJson));
        WriteOptions options;
        options.provenanceLines = provenanceLines(provenance, {&only, 1});
        options.rows = 1;
        QCOMPARE(written(TableFormat::csv, options),
                 std::string("# lockstep 0.1.0\n"
                             "# input: a.sqlite sha256=cafe\n"
                             "#   kind: made, by a test\n"
                             "#   alignment: wallclock, offset_ns=10, drift_ppb=0, bound_ns=unknown\n"
                             "# input: b sha256=\n"
                             "#   failed: b: no such file\n"
                             "# table: made:base from slices of kind made\n"
                             "#   rule: a rule\n"
                             "#   filter: rank=1\n"
                             "Time (%),Total Time (ns),Avg (ns),Name\n"
                             "95.0,1074732935,2487807.7,\"void f<int, 3>(float*)\"\n"));
    }

    void noControlCharactersAreWritten_data()
    {
        QTest::addColumn<int>("format");
        for (const TableFormat format : {TableFormat::table, TableFormat::csv, TableFormat::tsv,
                                         TableFormat::json, TableFormat::jsonl, TableFormat::markdown})
            QTest::newRow(std::string(tableFormatName(format)).c_str()) << static_cast<int>(format);
    }
    void noControlCharactersAreWritten()
    {
        QFETCH(int, format);
        const std::string text = writtenHostile(static_cast<TableFormat>(format));
        for (const char* raw : {"\x1B", "\x07", "\x7F", "\u202E", "\u2066", "\u200F", "\u0085", "\u009B"})
            QVERIFY2(text.find(raw) == text.npos, text.c_str());
        QVERIFY2(text.find("\\u202e") != text.npos, text.c_str());
    }

    void spreadsheetsEvaluateNothing()
    {
        for (const TableFormat format : {TableFormat::csv, TableFormat::tsv}) {
            const std::string text = writtenHostile(format);
            for (const char* line : {"\n'=cmd|' /C calc'!A0", "\n'+1+cmd", "\n'-2+3", "\n'@SUM(1)"})
                QVERIFY2(text.find(line) != text.npos, text.c_str());
            QVERIFY2(text.find(format == TableFormat::csv ? ",-5\n" : "\t-5\n") != text.npos, text.c_str());
        }
        QVERIFY(writtenHostile(TableFormat::csv).find("\n\"'\t=1\"") ==
                std::string::npos); // no quotes are needed
        QCOMPARE(spreadsheetText("-1.5"), std::string("-1.5"));
        QCOMPARE(spreadsheetText("-1.5x"), std::string("'-1.5x"));
        QCOMPARE(spreadsheetText("aten::add"), std::string("aten::add"));
    }

    void markdownHasNoLinksAndPictures()
    {
        QCOMPARE(markdownCell("[link](javascript:alert(1))"), std::string("\\[link\\](javascript:alert(1))"));
        QCOMPARE(markdownCell("![p](http://e/p.png)"), std::string("\\!\\[p\\](http\\://e/p.png)"));
        QCOMPARE(markdownCell("www.e.org a@b.c"), std::string("www\\.e.org a\\@b.c"));
        QCOMPARE(markdownCell("<img src=x>&lt;|`c`"), std::string("\\<img src=x>\\&lt;\\|\\`c\\`"));
        QCOMPARE(markdownCell("a\nb\tc"), std::string("a b c"));
        QCOMPARE(markdownCell("void f_g::h(int)"), std::string("void f_g::h(int)"));
    }

    void markupSpellsControls()
    {
        QCOMPARE(escapedMarkup("\u202E<b>\x1B[31m\u009B"), std::string("\\u202e&lt;b&gt;\\u009b"));
        QCOMPARE(jsonString("\u202E\x7F\u00E4\n"), std::string("\"\\u202e\\u007f\u00E4\\n\""));
    }
};

LOCKSTEP_TEST(TableWriterTest, "table_writer_test")
#include "table_writer_test.moc"
