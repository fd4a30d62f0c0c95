// SPDX-License-Identifier: Apache-2.0
// Tests the details that a report stores of its rows beyond the columns of a slice: from every format that
// has them, plain and compressed, absent where not recorded, complete after the file is gone, equal after a
// workspace stored them, and checked when a workspace is opened.
#include "core/trace/row_facts.h"

#include <algorithm>

#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/gzip_text.h"
#include "tests/support/launch_run.h"
#include "tests/support/made_spool.h"
#include "tests/support/report_compare.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
using enum RowFact;

namespace {

using Number = std::optional<int64_t>;

std::vector<SliceId> rowsOf(const Report& report, RowKind kind)
{
    std::vector<SliceId> rows;
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.slices.kind[row] == kind) rows.push_back(SliceId(row));
    }
    return rows;
}

RowFacts firstFacts(const Report& report, RowKind kind)
{
    return report.factsOf(rowsOf(report, kind).at(0));
}

LaunchRun variedRun(int64_t rows)
{
    LaunchRun run;
    for (int64_t n = 0; n < rows; ++n)
        run.rows.push_back(variedLaunch(n));
    return run;
}

std::shared_ptr<const Report> opened(const std::filesystem::path& path)
{
    return readReport(path, Progress(test::workers())).value();
}

// Each row has the facts of the launch that its correlation id names.
void compareFacts(const Report& report, const LaunchRun& run)
{
    std::vector<SliceId> rows = rowsOf(report, RowKind::kernel);
    std::ranges::copy(rowsOf(report, RowKind::memcpy), std::back_inserter(rows));
    QCOMPARE(rows.size(), run.rows.size());
    for (const SliceId slice : rows) {
        const RowFacts facts = report.factsOf(slice);
        const auto id = static_cast<size_t>(facts.number(correlation).value());
        const LaunchedRow& row = run.rows.at(id - 1);
        QCOMPARE(report.slices.start_ns[slice.value], row.start_ns);
        const bool isKernel = !row.name.empty();
        const auto ofKernel = [&](int64_t value) { return isKernel ? Number(value) : Number(); };
        QVERIFY(facts.number(gridX) == ofKernel(row.grid[0]));
        QVERIFY(facts.number(gridY) == ofKernel(row.grid[1]));
        QVERIFY(facts.number(blockX) == ofKernel(row.block[0]));
        QVERIFY(facts.number(blockZ) == ofKernel(row.block[2]));
        QVERIFY(facts.number(registers) == ofKernel(row.registers));
        QVERIFY(facts.number(context) == Number(1));
        QVERIFY(!facts.number(dynamicShared) && !facts.number(address) && !facts.number(result));
    }
}

} // namespace

class RowFactsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyFormat_data()
    {
        QTest::addColumn<QString>("format");
        for (const char* const format : {"sqlite", "json", "json.gz"})
            QTest::newRow(format) << format;
    }
    void everyFormat()
    {
        QFETCH(QString, format);
        const LaunchRun run = variedRun(4'000);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / ("run." + format.toStdString());
        if (format == "sqlite") QVERIFY(runSql(path, run.nsysSql()));
        if (format == "json") folder.write(path.filename(), run.kinetoText());
        if (format == "json.gz") folder.write(path.filename(), gzipped(run.kinetoText()));
        const auto report = opened(path);
        std::filesystem::remove(path);
        compareFacts(*report, run);
        // The number of sets depends on the shapes, not on the rows.
        QVERIFY(report->rowFacts.values.size() < report->rowFacts.rows.size());
    }

    void anyNumberOfWorkers()
    {
        const LaunchRun run = variedRun(20'000);
        const TempDir folder;
        const std::filesystem::path sqlite = folder.path() / "run.sqlite", json = folder.path() / "run.json";
        QVERIFY(runSql(sqlite, run.nsysSql()));
        folder.write("run.json", run.kinetoText());
        for (const auto& path : {sqlite, json}) {
            const auto one = readReport(path, Progress()).value();
            QCOMPARE(firstDifference(*one, *opened(path)), "");
        }
    }

    void onlyNsys()
    {
        const LaunchRun run = variedRun(30);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / "run.sqlite";
        QVERIFY(runSql(path, run.nsysSql()));
        const auto report = opened(path);
        QCOMPARE(firstFacts(*report, RowKind::kernel).number(staticShared), Number(2000));
        for (const SliceId kernel : rowsOf(*report, RowKind::kernel)) {
            const RowFacts facts = report->factsOf(kernel);
            const auto id = static_cast<size_t>(facts.number(correlation).value());
            QCOMPARE(facts.text(mangledName), "_Z" + run.rows[id - 1].name);
        }
        const RowFacts copy = firstFacts(*report, RowKind::memcpy);
        QCOMPARE(copy.number(sourceKind), Number(0));
        QCOMPARE(copy.number(destinationKind), Number(2));
        QVERIFY(!copy.number(gridX));
        const RowFacts call = firstFacts(*report, RowKind::runtimeApi);
        QCOMPARE(call.number(result), Number(0));
        QCOMPARE(call.number(priority), Number(20));
    }

    // Values that the writer recorded; a field that an older writer did not have is absent, not 0.
    void captures()
    {
        MadeSpool spool;
        spool.meta().thread(7);
        const uint64_t name = spool.text("_Z4gemmPf");
        spool.record(LOCKSTEP_KIND_KERNEL,
                     {1'000'000'100, 50, 0, 1, 7, 21, name, 4, 3, 2, 128, 1, 1, 40, 512, 0});
        spool.record(LOCKSTEP_KIND_MEMCPY, {1'000'000'200, 50, 0, 1, 7, 22, 1, 1, 3, 4096});
        const uint64_t call = spool.text("cudaLaunchKernel");
        spool.record(LOCKSTEP_KIND_API, {1'000'000'050, 9, 7, 21, 0, call, 700});
        spool.closeBlock().finish();
        const TempDir folder;
        const auto report = opened(folder.write("a.lsc", spool.bytes()));
        const RowFacts kernel = firstFacts(*report, RowKind::kernel);
        QCOMPARE(kernel.number(correlation), Number(21));
        QCOMPARE(kernel.number(gridX), Number(4));
        QCOMPARE(kernel.number(gridZ), Number(2));
        QCOMPARE(kernel.number(staticShared), Number(512));
        QCOMPARE(kernel.number(dynamicShared), Number(0));
        QVERIFY(!kernel.number(graphNode));
        QCOMPARE(firstFacts(*report, RowKind::memcpy).number(correlation), Number(22));
        QCOMPARE(firstFacts(*report, RowKind::runtimeApi).number(result), Number(700));
    }

    // Arguments as other writers spell them. IDs over 31 bits are shown as recorded, not as they are joined.
    void spellings()
    {
        const auto facts = [](const std::string& arguments) {
            const TempDir folder;
            const auto report = opened(folder.write(
                "a.json", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,)"
                          R"("dur":2,"args":{)" +
                              arguments + "}}]}"));
            std::vector<Number> out;
            for (const RowFact fact : {correlation, gridX, gridZ, blockX, registers, graphNode})
                out.push_back(report->factsOf(SliceId(0u)).number(fact));
            return out;
        };
        const Number none;
        QVERIFY(facts(R"("grid":[ 4 ,5,
            6 ],"correlation":21474836481)") == (std::vector<Number>{21474836481, 4, 6, none, none, none}));
        QVERIFY(facts(R"("grid":[4,5],"block":[1,2,3],"registers per thread":40.5,"correlation":3)") ==
                (std::vector<Number>{3, none, none, 1, none, none}));
        QVERIFY(facts(R"("grid":"[4,5,6]","graph node id":"12","registers per thread":7)") ==
                (std::vector<Number>{none, none, none, none, 7, 12}));
        QVERIFY(facts(R"("grid":[4,5,-6],"block":[1,2,99999999999999999999])") ==
                std::vector<Number>(6, none));
    }

    void stored()
    {
        const LaunchRun run = variedRun(300);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / "run.sqlite", saved = folder.path() / "a.lockstep";
        QVERIFY(runSql(path, run.nsysSql()));
        Workspace workspace;
        workspace.add(opened(path));
        QVERIFY(saveWorkspaceFile(saved, workspace, {}, Progress()).has_value());
        std::filesystem::remove(path);
        compareFacts(*opened(saved), run);
    }

    void damagedTables()
    {
        RowFactTable table;
        const auto holds = [&] { return table.holds(3, 5); };
        table.values = {{4, gridX, false}, {2, mangledName, true}};
        table.rows = {{SliceId(0u), 7, 0}, {SliceId(2u), 8, FactRow::kNoValues}};
        QVERIFY(holds());
        table.rows[1].slice = SliceId(3u);
        QVERIFY(!holds()); // no such slice
        table.rows[1] = {SliceId(2u), 8, 2};
        QVERIFY(!holds()); // no such value
        table.rows[1] = {SliceId(0u), 8, 1};
        QVERIFY(!holds()); // one slice twice
        table.rows[1].slice = SliceId(1u);
        QVERIFY(holds());
        table.values[1].value = 5;
        QVERIFY(!holds()); // no such string
        table.values[1] = {2, registers, false};
        QVERIFY(!holds()); // the last set does not end
    }
};

LOCKSTEP_TEST(RowFactsTest, "row_facts_test")
#include "row_facts_test.moc"
