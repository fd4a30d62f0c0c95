// SPDX-License-Identifier: Apache-2.0
// Tests sums of library calls and of unified memory: on a generated export, compared with plain SQL and with
// what nsys prints for the same rows; and on files without such rows.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char* kCallsSql = R"(
CREATE TABLE MPI_P2P_EVENTS(start INT, end INT, globalTid INT, textId INT);
INSERT INTO MPI_P2P_EVENTS VALUES(10, 30, 281476654432356, 7), (40, 45, 281476654432356, 7),
  (50, 51, 281476654432357, 8), (60, 60, 281476654432356, 8);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start INT, end INT, globalTid INT, textId INT);
INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(100, 200, 281476654432356, 7);
CREATE TABLE MPI_START_WAIT_EVENTS(start INT, end INT, globalTid INT, textId INT);
CREATE TABLE MPI_OTHER_EVENTS(start INT, end INT, globalTid INT, textId INT);
INSERT INTO MPI_OTHER_EVENTS VALUES(300, 303, 281476654432356, 9);
CREATE TABLE CUDNN_EVENTS(start INT, end INT, globalTid INT, nameId INT);
INSERT INTO CUDNN_EVENTS VALUES(10, 14, 281476654432356, 7), (20, 30, 281476654432356, 8);
CREATE TABLE CUBLAS_EVENTS(start INT, end INT, globalTid INT, nameId INT);
INSERT INTO CUBLAS_EVENTS VALUES(400, 407, 281476654432356, 9);
)";

// The rows of the comparison with nsys itself (tests/nsys/stats_test.cpp), plus one without an address.
constexpr const char* kUnifiedSql = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, bytes INT, copyKind INT, virtualAddress INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
  (100000, 101000, 0, 1, 7, 0, 281476654432256, 65536, 11, 140000000000),
  (102000, 103500, 0, 1, 7, 0, 281476654432256, 131072, 11, 140000000000),
  (104000, 104700, 0, 1, 7, 0, 281476654432256, 4096, 12, 140000000000),
  (105000, 105333, 0, 1, 7, 0, 281476654432256, 2097152, 12, 140000065536),
  (106000, 106000, 0, 1, 7, 0, 281476654432256, 4096, 11, 140000131072),
  (107000, 108000, 0, 1, 7, 0, 281476654432256, 4096, 11, NULL),
  (109000, 110000, 0, 1, 7, 0, 281476654432256, 4096, 1, 140000131072);
CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INT, globalPid INT, address INT, CpuInstruction INT, module INT);
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES(100, 281476654432256, 140000000000, 7, 7),
  (200, 281476654432256, 140000000000, 7, 7), (300, 281476654432256, 999, 7, 7);
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start INT, end INT, globalPid INT, deviceId INT, address INT,
  numberOfPageFaults INT, faultAccessType INT);
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES(100, 200, 281476654432256, 0, 140000065536, 7, 1),
  (300, 400, 281476654432256, 0, 140000065536, 3, 2), (300, 400, 281476654432256, 0, 140000000000, 5, 2);
)";

Table sumOfSql(std::string_view what, const std::string& sql, const Scope& scope = {})
{
    const TempDir folder;
    const std::filesystem::path path = folder.path() / "made.sqlite";
    if (!runSql(path, kSessionSql + sql)) qFatal("no export was made");
    Workspace workspace;
    workspace.add(readReport(path, Progress(test::workers())).value());
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

} // namespace

class LibrarySumsTest : public QObject {
    Q_OBJECT

  private slots:
    void messagePassing()
    {
        QCOMPARE(
            tableText(sumOfSql("mpi_event_sum", kCallsSql)),
            std::string(
                "Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) "
                "| Source | Name\n"
                "77.5 | 100 | 1 | 100.0 | 100.0 | 100 | 100 | 0.0 | collectives | registered\n"
                "19.4 | 25 | 2 | 12.5 | 12.5 | 5 | 20 | 10.6 | p2p | registered\n"
                "2.3 | 3 | 1 | 3.0 | 3.0 | 3 | 3 | 0.0 | other | main thread\n"
                "0.8 | 1 | 2 | 0.5 | 0.5 | 0 | 1 | 0.7 | p2p | read\n"));
    }

    void libraries()
    {
        QCOMPARE(
            tableText(sumOfSql("cudnn_api_sum", kCallsSql)),
            std::string(
                "Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) "
                "| Name\n"
                "71.4 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | read\n"
                "28.6 | 4 | 1 | 4.0 | 4.0 | 4 | 4 | 0.0 | registered\n"));
        QCOMPARE(columnCells(sumOfSql("cublas_api_sum", kCallsSql), "Total Time"),
                 (std::vector<std::string>{"7"}));
    }

    void unifiedMemory()
    {
        const Table table = sumOfSql("um_sum", kUnifiedSql);
        QCOMPARE(
            tableText(table),
            std::string(
                "Virtual Address | HtoD Migration Size (MB) | DtoH Migration Size (MB) | CPU Page Faults | "
                "GPU Page Faults | Migration Throughput (MB/s)\n"
                "0x2098A77800 |  | 2.097 |  | 10 | 6297753.754\n"
                "0x2098A67800 | 0.197 | 0.004 | 2 | 5 | 62720.000\n"
                "0x3E7 |  |  | 1 |  | \n"
                "0x2098A87800 | 0.004 |  |  |  | \n"));
        QCOMPARE(table.source.rules, (std::vector<std::string>{"1 rows without an address are left out"}));
        const Table first = sumOfSql("um_sum:rows=1", kUnifiedSql);
        QCOMPARE(first.rowCount(), size_t(1));
        QVERIFY(first.source.rules.at(0).find("of 4; rows=-1 lists all") != std::string::npos);
        QCOMPARE(sumOfSql("um_sum:rows=-1", kUnifiedSql).rowCount(), size_t(4));
        QCOMPARE(sumOfSql("um_sum:rows=0", kUnifiedSql).source.whenEmpty,
                 std::string("The limit is 0 (4 found). Raise the limit (option rows)."));
    }

    void filesWithoutSuchRows()
    {
        for (const char* const what : {"mpi_event_sum", "cudnn_api_sum", "cublas_api_sum", "um_sum"}) {
            QCOMPARE(sumOfSql(what, kGpuSql).rowCount(), size_t(0));
            QCOMPARE(sumOfSql(what, "").rowCount(), size_t(0));
        }
    }
};

LOCKSTEP_TEST(LibrarySumsTest, "library_sums_test")
#include "library_sums_test.moc"
