// SPDX-License-Identifier: Apache-2.0
// Tests rules that hold for every table, including tables added later. The same run gives the same table as
// an nsys export and as a PyTorch trace. Empty, idle and crossing reports give correct rows or none. Any
// number of workers gives the same table. No share exceeds the whole.
#include <map>
#include <set>

#include "core/analysis/analysis.h"
#include "core/analysis/table_header.h"
#include "core/readers/reader.h"
#include "tests/support/launch_run.h"
#include "tests/support/many_ranks.h"
#include "tests/support/row_report.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Result<Table> anyTable(std::string_view what, const Workspace& workspace,
                       const Workers& workers = test::workers())
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(workers));
}

// One run as a file of the given tool.
Workspace runFrom(const TempDir& folder, const char* name)
{
    Identity stated;
    stated.rank.learn(1, "test", Confidence::stated);
    stated.role.learn("actor", "test", Confidence::stated);
    stated.step.learn(2, "test", Confidence::stated);
    stated.host.learn("node0", "test", Confidence::stated);
    Workspace workspace;
    workspace.add(readReport(folder.path() / name, Progress()).value(), stated);
    return workspace;
}

// Returns the rows without these columns, one line each, in the table's order.
std::vector<std::string> linesWithout(const Table& table, const std::set<std::string>& dropped)
{
    std::vector<std::string> lines(table.rowCount());
    for (size_t row = 0; row < table.rowCount(); ++row) {
        for (size_t column = 0; column < table.columnCount(); ++column) {
            if (!dropped.contains(table.column(column).name))
                lines[row] += fileHeader(table, column) + "=" + table.cell(column, row) + " | ";
        }
    }
    return lines;
}

// Unusual reports, by what is unusual about them.
std::map<std::string, Workspace> oddReports()
{
    std::map<std::string, Workspace> all;
    all["none"] = Workspace();
    all["nothing in it"] = RowReport().made();
    RowReport ranges;
    ranges.range("step 1", 0, 100);
    ranges.openRange("never closed", 50, 100);
    all["ranges only"] = ranges.made();
    RowReport one;
    one.kernel("one", 7, 8);
    all["one row"] = one.made();
    RowReport points;
    points.range("step 1", 10, 10);
    points.call("cudaLaunchKernel", 3, 3);
    points.op(1, "aten::mm", 4, 4);
    points.launch("k", 5, 5, 5);
    points.kernel("ncclDevKernel_AllReduce", 7, 7, SliceCategory::communication);
    all["no lengths"] = points.made();
    RowReport crossing; // on one stream, and a kernel before its call
    for (int64_t n = 0; n < 20; ++n)
        crossing.launch(n % 3 == 0 ? "ncclDevKernel_AllReduce" : "gemm", n * 10 + 60, n * 10, n * 10 + 95);
    crossing.range("step 1", 0, 150);
    crossing.range("step 2", 100, 300);
    crossing.kernel("copy", 0, 300, SliceCategory::communication);
    all["crossing"] = crossing.made();
    RowReport before; // on a clock with negative times
    before.launch("k", -500, -400, -300);
    before.range("step 1", -600, -200);
    all["below zero"] = before.made();
    return all;
}

// Columns that may be negative or exceed the whole: differences, positions on a clock, and changes.
bool isDifference(const TableColumn& column)
{
    for (const char* const word :
         {"offset", "delta", "change", "Delta", "start", "Start", "End", "end", "delay", "earliest", "latest",
          "low", "correction", "drift", "Marker", "slack"}) {
        if (column.name.find(word) != std::string::npos) return true;
    }
    return false;
}

QByteArray falseCell(const Table& table)
{
    for (size_t at = 0; at < table.columnCount(); ++at) {
        const TableColumn& column = table.column(at);
        if (column.type == ColumnType::text || isDifference(column)) continue;
        for (size_t row = 0; row < table.rowCount(); ++row) {
            if (!table.hasNumber(at, row)) continue;
            const double value = table.value(at, row);
            const bool isShare =
                column.type == ColumnType::percent && column.doc.find("may exceed 100") == std::string::npos;
            if (value < 0 || (isShare && value > 100.001))
                return QByteArray::fromStdString(column.name + " = " + table.cell(at, row));
        }
    }
    return {};
}

} // namespace

class EveryTableTest : public QObject {
    Q_OBJECT

  private slots:
    void twoToolsGiveTheSame()
    {
        LaunchRun run;
        for (int64_t n = 0; n < 500; ++n)
            run.rows.push_back(variedLaunch(n));
        for (size_t n = 5; n < run.rows.size(); n += 7) {
            if (!run.rows[n].name.empty()) run.rows[n].name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";
        }
        const TempDir folder;
        folder.write("a.json", run.kinetoText());
        QVERIFY(runSql(folder.path() / "a.sqlite", run.nsysSql()));
        const Workspace nsys = runFrom(folder, "a.sqlite"), kineto = runFrom(folder, "a.json");
        // Columns that PyTorch does not record, and the file's own name.
        const std::set<std::string> onlyNsys{"StcSMem", "DymSMem", "Result", "T-Pri", "report"};
        size_t withRows = 0;
        for (const Analysis& analysis : analyses()) {
            if (analysis.name == "inventory" || analysis.name == "alignment")
                continue; // from files and clocks
            const auto theirs = anyTable(analysis.name, nsys), ours = anyTable(analysis.name, kineto);
            QVERIFY2(theirs && ours, analysis.name.data());
            const std::vector<std::string> expected = linesWithout(*theirs, onlyNsys),
                                           got = linesWithout(*ours, onlyNsys);
            for (size_t row = 0; row < std::min(got.size(), expected.size()); ++row) {
                QVERIFY2(got[row] == expected[row],
                         (std::string(analysis.name) + "\n" + expected[row] + "\n" + got[row]).c_str());
            }
            QCOMPARE(got.size(), expected.size());
            withRows += !got.empty();
        }
        QVERIFY2(withRows >= 26, QByteArray::number(static_cast<qulonglong>(withRows)));
    }

    void oddReportsMakeCorrectRowsOrNone()
    {
        for (const auto& [odd, workspace] : oddReports()) {
            for (const Analysis& analysis : analyses()) {
                const QByteArray where = QByteArray::fromStdString(std::string(analysis.name) + " of " + odd);
                const auto table = anyTable(analysis.name, workspace);
                QVERIFY2(table, where + ": " + (table ? "" : table.error().message.c_str()));
                const QByteArray wrong = falseCell(*table);
                QVERIFY2(wrong.isEmpty(), where + ": " + wrong);
                if (odd == "none") QVERIFY2(table->rowCount() == 0, where);
                QVERIFY2(table->columnCount() > 0, where);
            }
        }
    }

    void anyNumberOfWorkersGivesTheSame()
    {
        ManyRanks of;
        of.ranks = 24;
        of.late = 5;
        const ScenePtr scene = manyRanks(of);
        const Workspace& workspace = scene->shown;
        const Workers one, eight(std::make_shared<TaskPool>(8));
        for (const Analysis& analysis : analyses()) {
            const auto alone = anyTable(analysis.name, workspace, one);
            const auto together = anyTable(analysis.name, workspace, eight);
            QVERIFY2(alone && together, analysis.name.data());
            QVERIFY2(tableText(*alone) == tableText(*together), analysis.name.data());
            const QByteArray wrong = falseCell(*alone);
            QVERIFY2(wrong.isEmpty(), analysis.name.data() + (": " + wrong));
        }
    }
};

LOCKSTEP_TEST(EveryTableTest, "every_table_test")
#include "every_table_test.moc"
