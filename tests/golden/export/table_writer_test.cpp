// SPDX-License-Identifier: Apache-2.0
// Every format of one table with all kinds of columns, awkward texts, other time units, row limits and
// provenance.
#include "core/export/table_writer.h"

#include "core/export/delimited_text.h"
#include "core/export/provenance.h"
#include "tests/support/job_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Raw strings stay outside of Qt's macros, where moc cannot read them.
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
                             "| 5.0 | 12 |  | say \"hi\" \\|\ttab\\\\ |\n"));
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

    void longTextsLoseTheirMiddle()
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
        const ScenePtr scene = makeUndrawnScene(workspace, alignReports(workspace, {}));
        const std::vector<InputFile> inputs{{"a.sqlite", 4096, "cafe", ReportKey(0u), {}},
                                            {"b", 0, "", {}, Error{ErrorKind::notFound, "b: no such file"}}};
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
                             "# table: made:base of slices of kind made\n"
                             "#   rule: a rule\n"
                             "#   filter: rank=1\n"
                             "Time (%),Total Time (ns),Avg (ns),Name\n"
                             "95.0,1074732935,2487807.7,\"void f<int, 3>(float*)\"\n"));
    }
};

LOCKSTEP_TEST(TableWriterTest, "table_writer_test")
#include "table_writer_test.moc"
