// SPDX-License-Identifier: Apache-2.0
// Tests tables that list rows one by one, and kernels by grid and block: every cell of a small export; the
// same run as a PyTorch trace; files that record less, or nothing; more rows than a page; any number of
// workers.
#include <map>
#include <memory>

#include "core/analysis/analysis.h"
#include "core/analysis/rows_by_start.h"
#include "core/analysis/table_header.h"
#include "core/export/table_writer.h"
#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/csv_rows.h"
#include "tests/support/disk_place.h"
#include "tests/support/launch_run.h"
#include "tests/support/row_report.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::array kTraces{"cuda_gpu_trace", "cuda_api_trace", "cuda_kern_exec_trace",
                             "cuda_gpu_kern_gb_sum"};

constexpr std::array kDetailTables{"cuda_gpu_trace:mangled",
                                   "cuda_api_trace",
                                   "cuda_kern_exec_trace",
                                   "cuda_gpu_kern_gb_sum",
                                   "cuda_gpu_kern_sum:mangled",
                                   "memory_bandwidth",
                                   "um_sum"};

Workspace openedRun(const LaunchRun& run, const TempDir& folder, bool isKineto = false)
{
    const std::filesystem::path path = folder.path() / (isKineto ? "run.json" : "run.sqlite");
    if (isKineto)
        folder.write("run.json", run.kinetoText());
    else if (!runSql(path, run.nsysSql()))
        qFatal("no export was made");
    Workspace workspace;
    workspace.add(readReport(path, Progress(test::workers())).value());
    return workspace;
}

Result<Table> asked(std::string_view what, const Workspace& workspace, const Scope& scope = {},
                    const Workers& workers = test::workers())
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(workers));
}

std::string traceText(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return tableText(asked(what, workspace, scope).value());
}

// Returns the table without these columns.
std::vector<Row> rowsWithout(const Table& table, const std::vector<std::string>& dropped)
{
    std::vector<Row> rows(table.rowCount() + 1);
    for (size_t column = 0; column < table.columnCount(); ++column) {
        const std::string header = fileHeader(table, column);
        if (std::ranges::find(dropped, header) != dropped.end()) continue;
        rows[0].push_back(header);
        for (size_t row = 0; row < table.rowCount(); ++row)
            rows[row + 1].push_back(table.cell(column, row));
    }
    return rows;
}

LaunchRun smallRun()
{
    LaunchRun run;
    run.rows = {{.call_ns = 100,
                 .start_ns = 200,
                 .length_ns = 30,
                 .name = "gemm",
                 .grid = {564, 2, 1},
                 .block = {128, 1, 1},
                 .registers = 40},
                {.call_ns = 110, .callLength_ns = 20, .start_ns = 125, .length_ns = 0, .name = "empty"},
                {.call_ns = 140, .start_ns = 210, .length_ns = 7, .size_bytes = 4096, .stream = 9},
                {.call_ns = 150,
                 .start_ns = 215,
                 .length_ns = 30,
                 .name = "gemm",
                 .grid = {1, 1, 1},
                 .block = {64, 2, 1},
                 .registers = 40}};
    run.ranges = {{90, 160}, {105, 115}, {108, 145}, {138, 145}};
    return run;
}

} // namespace

class TraceTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void gpuRows()
    {
        const TempDir folder;
        QCOMPARE(
            traceText("cuda_gpu_trace", openedRun(smallRun(), folder)),
            std::string(
                "Start (ns) | Duration (ns) | CorrId | GrdX | GrdY | GrdZ | BlkX | BlkY | BlkZ | Reg/Trd | "
                "StcSMem (MB) | DymSMem (MB) | Bytes (MB) | Throughput (MB/s) | SrcMemKd | DstMemKd | Device "
                "| Ctx | Strm | Name\n"
                "125 | 0 | 2 | 1 | 1 | 1 | 1 | 1 | 1 | 32 | 0.002 |  |  |  |  |  | Made GPU (0) | 1 | 7 | "
                "empty(int)\n"
                "200 | 30 | 1 | 564 | 2 | 1 | 128 | 1 | 1 | 40 | 0.002 |  |  |  |  |  | Made GPU (0) | 1 | 7 | "
                "gemm(int)\n"
                "210 | 7 | 3 |  |  |  |  |  |  |  |  |  | 0.004 | 585142.857 | Pageable | Device | Made GPU "
                "(0) | 1 | 9 | [CUDA memcpy Host-to-Device]\n"
                "215 | 30 | 4 | 1 | 1 | 1 | 64 | 2 | 1 | 40 | 0.002 |  |  |  |  |  | Made GPU (0) | 1 | 7 | "
                "gemm(int)\n"));
    }

    void callRows()
    {
        const TempDir folder;
        QCOMPARE(traceText("cuda_api_trace", openedRun(smallRun(), folder)),
                 std::string(
                     "Start (ns) | Duration (ns) | Name | Result | CorrID | Pid | Tid | T-Pri | Thread Name\n"
                     "100 | 5 | cudaLaunchKernel | 0 | 1 | 100 | 101 | 20 | main thread\n"
                     "110 | 20 | cudaLaunchKernel | 0 | 2 | 100 | 101 | 20 | main thread\n"
                     "140 | 5 | cudaMemcpyAsync | 0 | 3 | 100 | 101 | 20 | main thread\n"
                     "150 | 5 | cudaLaunchKernel | 0 | 4 | 100 | 101 | 20 | main thread\n"));
    }

    // A kernel that starts before its call has ended has no queue time.
    void launches()
    {
        const TempDir folder;
        const Workspace run = openedRun(smallRun(), folder);
        QCOMPARE(
            traceText("cuda_kern_exec_trace", run),
            std::string(
                "API Start (ns) | API Dur (ns) | Queue Start (ns) | Queue Dur (ns) | Kernel Start (ns) | Kernel "
                "Dur (ns) | Total Dur (ns) | PID | TID | DevId | API Function | GridXYZ | BlockXYZ | Kernel Name\n"
                "100 | 5 | 105 | 95 | 200 | 30 | 130 | 100 | 101 | 0 | cudaLaunchKernel |  564    2    1 |  128  "
                "  1    1 | gemm(int)\n"
                "110 | 20 |  |  | 125 | 0 | 20 | 100 | 101 | 0 | cudaLaunchKernel |    1    1    1 |    1    1  "
                "  1 | empty(int)\n"
                "150 | 5 | 155 | 60 | 215 | 30 | 95 | 100 | 101 | 0 | cudaLaunchKernel |    1    1    1 |   64  "
                "  2    1 | gemm(int)\n"));
        // A filter on kernels applies to the kernel, not to its call.
        Scope late;
        late.time = TimeRange{{110}, {122}}; // the axis begins with the first range, at 90
        QCOMPARE(columnCells(asked("cuda_kern_exec_trace", run, late).value(), "Kernel Start"),
                 (std::vector<std::string>{"200"}));
        Scope stream;
        QVERIFY(stream.addFilter("stream", "9"));
        QCOMPARE(asked("cuda_kern_exec_trace", run, stream)->rowCount(), size_t(0));
        QCOMPARE(columnCells(asked("cuda_gpu_trace", run, stream).value(), "CorrId"),
                 (std::vector<std::string>{"3"}));
    }

    void namesAsRequested()
    {
        const TempDir folder;
        const Workspace run = openedRun(smallRun(), folder);
        using Names = std::vector<std::string>;
        const auto names = [&](const char* what, const char* column) {
            return columnCells(asked(what, run).value(), column);
        };
        const std::string copy = "[CUDA memcpy Host-to-Device]";
        QCOMPARE(names("cuda_gpu_trace:base", "Name"), (Names{"empty", "gemm", copy, "gemm"}));
        QCOMPARE(names("cuda_gpu_trace:mangled", "Name"), (Names{"_Zempty", "_Zgemm", copy, "_Zgemm"}));
        QCOMPARE(names("cuda_gpu_kern_sum:mangled", "Name"), (Names{"_Zgemm", "_Zempty"}));
        QCOMPARE(names("cuda_kern_exec_trace:nvtx-name:base", "Kernel Name"),
                 (Names{":range 0/gemm", ":range 2/empty", ":range 0/gemm"}));
        QCOMPARE(names("cuda_gpu_kern_gb_sum", "GridXYZ"),
                 (Names{"   1    1    1", " 564    2    1", "   1    1    1"}));
        QVERIFY(!asked("cuda_gpu_trace:base:mangled", run));
        Scope named;
        QVERIFY(named.addFilter("name", "^_Zge"));
        QCOMPARE(asked("cuda_gpu_trace:mangled", run, named)->rowCount(), size_t(2));
        QCOMPARE(asked("cuda_gpu_trace", run, named)->rowCount(), size_t(0));
    }

    // A range contains a call if it covers all of the call, both ends included; of crossing ranges the later
    // one is the inner one.
    void innermostRange()
    {
        LaunchRun run = smallRun();
        run.ranges = {{90, 105}, {95, 104}, {100, 131}, {110, 130}, {150, 155}};
        const TempDir folder;
        QCOMPARE(columnCells(asked("cuda_kern_exec_trace:nvtx-name:base", openedRun(run, folder)).value(),
                             "Kernel Name"),
                 (std::vector<std::string>{":range 2/gemm", ":range 3/empty", ":range 4/gemm"}));
    }

    // Columns that only nsys records are empty; all others are equal.
    void sameRunByTwoTools()
    {
        LaunchRun run;
        for (int64_t n = 0; n < 500; ++n)
            run.rows.push_back(variedLaunch(n));
        const TempDir folder;
        const Workspace nsys = openedRun(run, folder), kineto = openedRun(run, folder, true);
        const std::vector<std::string> onlyNsys{"StcSMem (MB)", "DymSMem (MB)", "Result", "T-Pri",
                                                "Thread Name"};
        for (const char* const what : kTraces) {
            const Table theirs = asked(what, nsys).value(), ours = asked(what, kineto).value();
            QVERIFY(theirs.rowCount() > 10);
            const std::vector<Row> expected = rowsWithout(theirs, onlyNsys),
                                   got = rowsWithout(ours, onlyNsys);
            for (size_t row = 0; row < expected.size(); ++row)
                QCOMPARE(joined(got.at(row)), joined(expected[row]));
            QCOMPARE(got.size(), expected.size());
        }
        const Table ours = asked("cuda_api_trace", kineto).value();
        for (const char* const column : {"Result", "T-Pri"}) {
            for (const std::string& cell : columnCells(ours, column))
                QCOMPARE(cell, std::string());
        }
    }

    void filesThatRecordLess()
    {
        const TempDir folder;
        for (const char* const what : kTraces) {
            // A report without rows.
            const Table none = asked(what, openedRun({}, folder, true)).value();
            QCOMPARE(none.rowCount(), size_t(0));
            QVERIFY(none.columnCount() > 8);
        }
        // Reports without a file: the table lists what the columns of the report hold; the rest is empty,
        // with a note.
        RowReport made;
        made.launch("gemm", 100, 150, 160);
        const Table table = asked("cuda_gpu_trace", made.made()).value();
        QCOMPARE(columnCells(table, "Start"), (std::vector<std::string>{"150"}));
        for (const char* const column :
             {"CorrId", "GrdX", "BlkZ", "Reg/Trd", "StcSMem", "Bytes", "Throughput"})
            QCOMPARE(columnCells(table, column), (std::vector<std::string>{""}));
        QVERIFY(table.source.rules.at(0).find("not recorded in 1 of 1 reports") != std::string::npos);
    }

    // The tables need nothing but the report: they are the same after the file is gone, also for a report
    // that comes from the cache and for one that a workspace stores.
    void filesThatAreGone_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("from");
        for (const char* const format : {"sqlite", "json"}) {
            for (const char* const from : {"file", "cache", "workspace"})
                QTest::newRow((std::string(format) + ", " + from).c_str()) << format << from;
        }
    }
    void filesThatAreGone()
    {
        QFETCH(QString, format);
        QFETCH(QString, from);
        LaunchRun run;
        for (int64_t n = 0; n < 500; ++n)
            run.rows.push_back(variedLaunch(n));
        const TempDir folder;
        const DiskPlace disk;
        const std::filesystem::path path = folder.path() / ("run." + format.toStdString());
        Workspace workspace = openedRun(run, folder, format == "json");
        std::map<std::string, std::string> expected;
        for (const char* const what : kDetailTables)
            expected[what] = csvText(asked(what, workspace).value());
        if (from == "cache") {
            for (int opening = 0; opening < 2; ++opening)
                workspace =
                    readReports(path, Progress({}, {}, test::workers(), disk.place().value())).value();
            QVERIFY(workspace.report(workspace.keys()[0]).rowFacts.rows.residentBytes() == 0);
        } else if (from == "workspace") {
            const std::filesystem::path saved = folder.path() / "run.lockstep";
            QVERIFY(saveWorkspaceFile(saved, workspace, {}, Progress(test::workers())).has_value());
            workspace = readReports(saved, Progress(test::workers())).value();
        }
        std::filesystem::remove(path);
        for (const char* const what : kDetailTables)
            QCOMPARE(csvText(asked(what, workspace).value()), expected[what]);
    }

    void severalReportsAndGroups()
    {
        const TempDir folder, other;
        LaunchRun run = smallRun();
        Workspace both = openedRun(run, folder);
        for (LaunchedRow& row : run.rows)
            row.start_ns += 3;
        const Workspace second = openedRun(run, other);
        both.add(second.shared(second.keys()[0]));
        const Table table = asked("cuda_gpu_trace", both).value();
        QCOMPARE(columnCells(table, "Aligned Start"),
                 (std::vector<std::string>{"35", "38", "110", "113", "120", "123", "125", "128"}));
        QCOMPARE(columnCells(table, "Report").at(1), (other.path() / "run.sqlite").string());
        Scope byReport;
        byReport.by = GroupBy::report;
        const Table grouped = asked("cuda_gpu_trace", both, byReport).value();
        QCOMPARE(columnCells(grouped, "Start"),
                 (std::vector<std::string>{"125", "200", "210", "215", "128", "203", "213", "218"}));
    }

    // More rows than a page: they come in order, without duplicates or omissions, for any page size and
    // number of workers; the bytes are the same each time.
    void manyRows()
    {
        LaunchRun run;
        const auto rows = static_cast<int64_t>(kTracePage_rows) + 5'000;
        for (int64_t n = 0; n < rows; ++n)
            run.rows.push_back(variedLaunch(n));
        const TempDir folder;
        const Workspace workspace = openedRun(run, folder);
        const Table all = asked("cuda_gpu_trace", workspace).value();
        QCOMPARE(all.rowCount(), static_cast<size_t>(rows));
        const size_t correlation = all.columnNamed("CorrId"), start = all.columnNamed("Start");
        std::vector<bool> seen(static_cast<size_t>(rows) + 1);
        for (size_t row = 0; row < all.rowCount(); ++row) {
            if (row > 0) QVERIFY(all.number(start, row - 1) <= all.number(start, row));
            const auto id = static_cast<size_t>(all.number(correlation, row));
            QVERIFY(id >= 1 && !seen.at(id));
            seen[id] = true;
            const LaunchedRow& launched = run.rows[id - 1];
            QCOMPARE(all.number(start, row), launched.start_ns);
            if (launched.name.empty()) continue;
            QCOMPARE(all.number(all.columnNamed("GrdX"), row), launched.grid[0]);
            QCOMPARE(all.number(all.columnNamed("Reg/Trd"), row), launched.registers);
        }
    }

    void sameBytesWithAnyWorkers()
    {
        LaunchRun run;
        for (int64_t n = 0; n < 3'000; ++n)
            run.rows.push_back(variedLaunch(n));
        run.ranges = {{0, 100'000}, {5'000, 50'000}, {5'000, 9'000}};
        const TempDir folder;
        for (const char* const what : {"cuda_gpu_trace:nvtx-name", "cuda_api_trace", "cuda_kern_exec_trace",
                                       "cuda_gpu_kern_gb_sum:nvtx-name", "cuda_gpu_kern_hist"}) {
            std::map<bool, std::string> first; // by tool
            for (int round = 0; round < 20; ++round) {
                const bool isKineto = round % 2 == 1;
                std::filesystem::remove(folder.path() / "run.sqlite");
                const Workspace workspace = openedRun(run, folder, isKineto);
                const Workers workers(
                    std::make_shared<TaskPool>(std::array<size_t, 3>{0, 1, 7}[size_t(round) % 3]));
                const std::string text = csvText(asked(what, workspace, {}, workers).value());
                QVERIFY(!text.empty() && text == first.try_emplace(isKineto, text).first->second);
            }
        }
    }
};

LOCKSTEP_TEST(TraceTablesTest, "trace_tables_test")
#include "trace_tables_test.moc"
