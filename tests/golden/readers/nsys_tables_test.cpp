// SPDX-License-Identifier: Apache-2.0
// Tests tables that only some captures export, in the layouts of old and new versions.
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

#include <algorithm>

#include "tests/support/nsys_sql.h"
#include "tests/support/report_text.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::kSessionSql;
using lockstep::test::reportText;
using lockstep::test::runSql;
using lockstep::test::TempDir;

namespace {

const char* const kThread = "281476654432356"; // thread 100 of process 100
const char* const kProcess = "281476654432256";

std::shared_ptr<const Report> exportOf(const TempDir& folder, const std::string& sql)
{
    const auto path = folder.path() / "made.sqlite";
    std::filesystem::remove(path);
    if (!runSql(path, kSessionSql + sql)) return nullptr;
    auto report = readReport(path, Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

// Returns the report's lines that begin with one of the words for rows, counts and notes.
QString rowsOf(const Report& report)
{
    QString out;
    for (const QString& line : QString::fromStdString(reportText(report)).split('\n')) {
        const QString word = line.trimmed().section(' ', 0, 0);
        if (QStringList{"track", "slice", "counter", "sample", "count", "note"}.contains(word))
            out += line.trimmed() + "\n";
    }
    return out;
}

} // namespace

class NsysTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void tables_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("expected");
        const QString thread = kThread, process = kProcess;
        QTest::newRow("samples with stacks")
            << "CREATE TABLE COMPOSITE_EVENTS(id INTEGER PRIMARY KEY, start INT, cpu INT, threadState INT, "
               "globalTid INT);"
               "INSERT INTO COMPOSITE_EVENTS VALUES(1, 10, 0, 1, " +
                   thread + "), (2, 20, 0, 1, " + thread +
                   ");"
                   "CREATE TABLE SAMPLING_CALLCHAINS(id INT, symbol INT, module INT, stackDepth INT);"
                   "INSERT INTO SAMPLING_CALLCHAINS VALUES(1, 8, 9, 0), (1, 9, 9, 1);"
            << "track scheduling 100/100 lane 1 \"samples\" slices 2 rows 1\n"
               "slice 10 +0 depth 0 instant/scheduling \"read\" instant\n"
               "slice 20 +0 depth 0 instant/scheduling \"CPU sample\" instant\n"
               "count sample 2\n";
        QTest::newRow("generic events of 2024 on")
            << "CREATE TABLE GENERIC_EVENTS(genericEventId INTEGER PRIMARY KEY, rawTimestamp INT, timestamp "
               "INT, typeId INT,"
               " globalTid INT, data TEXT);"
               "CREATE TABLE GENERIC_EVENT_TYPES(typeId INT, sourceId INT, nameId INT);"
               "CREATE TABLE GENERIC_EVENT_TYPE_FIELDS(typeId INT, fieldIdx INT, fieldNameId INT, type INT);"
               "CREATE TABLE GENERIC_EVENT_DATA(genericEventId INT, fieldIdx INT, intVal INT, uintVal INT, "
               "floatVal REAL,"
               " doubleVal REAL);"
               "INSERT INTO StringIds VALUES(40, 'NVML'), (41, 'Power [W]');"
               "INSERT INTO GENERIC_EVENT_TYPES VALUES(7, 1, 40), (8, 1, 40);"
               "INSERT INTO GENERIC_EVENT_TYPE_FIELDS VALUES(7, 0, 41, 3);"
               "INSERT INTO GENERIC_EVENTS(genericEventId, timestamp, typeId) VALUES(5, 100, 7), (6, 200, "
               "7), (9, 300, 8),"
               " (10, NULL, 8);"
               "INSERT INTO GENERIC_EVENT_DATA VALUES(6, 0, NULL, NULL, NULL, 99.5), (5, 0, 70, NULL, NULL, "
               "NULL),"
               " (5, 1, NULL, 3, NULL, NULL);"
            << "track other machine lane 8 \"NVML\" slices 1 rows 1\n"
               "slice 300 +0 depth 0 instant/other \"NVML\" instant\n"
               "counter \"NVML: Power [W]\" unit \"W\" of machine\nsample 100 70\nsample 200 99.5\n"
               "counter \"NVML: field 1\" unit \"\" of machine\nsample 100 3\n"
               "count generic_event 4\nnote counter.bad_time data loss 1 (GENERIC_EVENTS row 10)\n";
        QTest::newRow("network metrics with ports")
            << "CREATE TABLE NET_NIC_METRIC(start INT, end INT, globalId INT, portId INT, metricsListId INT, "
               "metricsIdx INT,"
               " value INT);"
               "INSERT INTO NET_NIC_METRIC VALUES(0, 100, 77, 1, 3, 0, 500), (100, 200, 77, 1, 3, 0, 0), "
               "(200, 200, 77, 1, 3, 0, 1);"
               "CREATE TABLE TARGET_INFO_NIC_INFO(GUID INT, stateName TEXT, nicId INT, name TEXT);"
               "INSERT INTO TARGET_INFO_NIC_INFO VALUES(1, 'Local', 2, 'mlx5_0');"
               "CREATE TABLE NIC_ID_MAP(nicId INT, globalId INT); INSERT INTO NIC_ID_MAP VALUES(2, 77);"
               "CREATE TABLE TARGET_INFO_NETWORK_METRICS(metricsListId INT, metricsIdx INT, name TEXT, "
               "description TEXT,"
               " unit TEXT); INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES(3, 0, 'Bytes sent', '', 'B');"
            << "counter \"mlx5_0 port 1: Bytes sent [B/s]\" unit \"B/s\" of machine\nsample 0 "
               "5000000000\nsample 100 0\n"
               "count network_metric 3\nnote counter.bad_time data loss 1 (NET_NIC_METRIC row 3)\n";
        QTest::newRow("network metrics before ports")
            << "CREATE TABLE NET_NIC_METRIC(start INT, end INT, globalId INT, metricsListId INT, metricsIdx "
               "INT, value INT);"
               "INSERT INTO NET_NIC_METRIC VALUES(0, 1000, 171, 3, 0, 1);"
               "CREATE TABLE TARGET_INFO_NIC_INFO(globalId INT, stateName TEXT, nicId INT, name TEXT);"
               "INSERT INTO TARGET_INFO_NIC_INFO VALUES(171, 'Local', 2, 'mlx4_0');"
            << "counter \"mlx4_0: metric 3/0 [1/s]\" unit \"1/s\" of machine\nsample 0 1000000\ncount "
               "network_metric 1\n";
        QTest::newRow("page faults and pools")
            << "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INT, globalPid INT, address INT, "
               "CpuInstruction INT);"
               "INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES(5, " +
                   process +
                   ", 4096, 8);"
                   "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start INT, end INT, globalPid INT, deviceId "
                   "INT, address INT,"
                   " numberOfPageFaults INT, faultAccessType INT);"
                   "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES(6, 9, " +
                   process +
                   ", 1, 4096, 2, 2);"
                   "CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS(start INT, globalPid INT, deviceId INT, address "
                   "INT,"
                   " operationType INT, poolType INT);"
                   "INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS VALUES(7, " +
                   process + ", 0, 4096, 3, 1);"
            << "track memoryEvents 100/0 lane 1 \"CPU page faults\" slices 1 rows 1\n"
               "slice 5 +0 depth 0 memory_event/other \"read\" instant\n"
               "track memoryEvents 100/0 lane 2 \"memory pools\" slices 1 rows 1\n"
               "slice 7 +0 depth 0 memory_event/other \"memory pool trimmed, GPU 0\" instant\n"
               "track memoryEvents 100/0 lane 17 \"GPU 1 page faults\" slices 1 rows 1\n"
               "slice 6 +3 depth 0 memory_event/other \"GPU page fault, write\"\n"
               "count page_fault 2\ncount memory_pool 1\n";
    }

    void tables()
    {
        QFETCH(QString, sql);
        QFETCH(QString, expected);
        const TempDir folder;
        const auto report = exportOf(folder, sql.toStdString());
        QVERIFY(report != nullptr);
        QCOMPARE(rowsOf(*report), expected);
    }

    void callsAndFiles_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("expected");
        const QString thread = kThread, process = kProcess;
        QTest::newRow("files")
            << "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS(fileAccessId INT, processId INT, openedAt INT, "
               "closedAt INT,"
               " filePath TEXT); INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES(1, 100, 0, 0, 'data.bin');"
               "CREATE TABLE OSRT_FILE_ACCESS_EVENTS(fileAccessId INT, threadId INT, startedAt INT, endedAt "
               "INT, eventType"
               " INT, apiCallId INT, bytesProcessed INT);"
               "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES(1, 101, 10, 20, 3, 8, 64), (1, 101, 30, 20, 3, 8, "
               "64);"
            << "track osRuntime 100/101 lane 1 \"file access\" slices 1 rows 1\n"
               "slice 10 +10 depth 0 file_access/OS runtime \"read data.bin\"\n"
               "count file_access 2\nnote file_access.bad_time data loss 1 (OSRT_FILE_ACCESS_EVENTS row 2)\n";
        QTest::newRow("context switches, system calls")
            << "CREATE TABLE FECS_EVENTS(tag INT, vmId INT, seqNo INT, contextId INT, timestamp INT, "
               "globalPid INT, gpuId INT);"
               "INSERT INTO FECS_EVENTS VALUES(3, 0, 0, 0, 50, " +
                   process +
                   ", 1);"
                   "CREATE TABLE SYSCALL(start INT, end INT, eventClass INT, globalTid INT, nameId INT);"
                   "INSERT INTO SYSCALL VALUES(1, 2, 107, " +
                   thread + ", 8);"
            << "track other 100/0 lane 65537 \"GPU 1 context switches\" slices 1 rows 1\n"
               "slice 50 +0 depth 0 instant/other \"context switch, tag 3\" instant\n"
               "track osRuntime 100/100 lane 2 \"system calls\" slices 1 rows 1\n"
               "slice 1 +1 depth 0 system_call/OS runtime \"read\"\n"
               "count os_runtime 1\ncount context_switch 1\n";
        QTest::newRow("unknown table of calls")
            << "CREATE TABLE CUFFT_EVENTS(start INT, end INT, eventClass INT, globalTid INT, nameId INT);"
               "INSERT INTO CUFFT_EVENTS VALUES(1, 2, 1, " +
                   thread +
                   ", 8);"
                   "CREATE TABLE NO_CALLS(start INT, end INT, globalTid INT); INSERT INTO NO_CALLS VALUES(1, "
                   "2, 3);"
            << "track libraryApi 100/100 lane 200 \"CUFFT_EVENTS\" slices 1 rows 1\n"
               "slice 1 +1 depth 0 library_api/other \"read\"\n"
               "count other_call 1\nnote table.not_shown warning 1 (NO_CALLS)\n";
    }
    void callsAndFiles() { tables(); }

    void detailsOfOtherTables()
    {
        const TempDir folder;
        const std::string thread = kThread, process = kProcess;
        const auto report = exportOf(
            folder,
            "CREATE TABLE OSRT_API(start INT, end INT, globalTid INT, nameId INT, callchainId INT);"
            "INSERT INTO OSRT_API VALUES(5, 9, " +
                thread +
                ", 8, 3);"
                "CREATE TABLE OSRT_CALLCHAINS(id INT, symbol INT, module INT, stackDepth INT);"
                "INSERT INTO OSRT_CALLCHAINS VALUES(3, 8, 9, 0), (3, 7, 9, 1), (4, 8, 9, 0);"
                "CREATE TABLE MPI_COLLECTIVES_EVENTS(start INT, end INT, globalTid INT, textId INT, "
                "commHandle INT);"
                "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(6, 7, " +
                thread +
                ", 7, 55);"
                "CREATE TABLE MPI_RANKS(globalTid INT, rank INT); INSERT INTO MPI_RANKS VALUES(" +
                thread +
                ", 3);"
                "CREATE TABLE MPI_COMMUNICATORS(rank INT, timestamp INT, commHandle INT, localRank INT, "
                "size INT, members TEXT);"
                "INSERT INTO MPI_COMMUNICATORS VALUES(3, 0, 55, 1, 2, '2,3'), (4, 0, 55, 7, 9, 'x');"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId "
                "INT, streamId INT,"
                " correlationId INT, globalPid INT, demangledName INT, shortName INT, graphNodeId INT);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(8, 9, 0, 1, 7, 50, " +
                process +
                ", 1, 2, 902);"
                "CREATE TABLE CUDA_GRAPH_NODE_EVENTS(start INT, end INT, eventClass INT, globalTid INT, "
                "nameId INT, graphNodeId"
                " INT, originalGraphNodeId INT);"
                "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(2, 2, 77, " +
                thread + ", 5, 901, NULL), (3, 3, 77, " + thread + ", 5, 902, 901);");
        QVERIFY(report != nullptr);
        const auto ask = [&](int64_t start_ns, size_t last) {
            const auto row =
                std::ranges::find(report->slices.start_ns, start_ns) - report->slices.start_ns.begin();
            const auto details = readSliceDetails(*report, SliceId(static_cast<size_t>(row)));
            std::string text;
            for (size_t i = details->arguments.size() - last; i < details->arguments.size(); ++i)
                text += details->arguments[i].first + "=" + details->arguments[i].second + "|";
            return text;
        };
        QCOMPARE(ask(5, 2), std::string("frame 0=read in main thread|frame 1=registered in main thread|"));
        QCOMPARE(ask(6, 3), std::string("communicator size=2|communicator rank=1|communicator members=2,3|"));
        QCOMPARE(ask(8, 1), std::string("graph node created by=cudaLaunchKernel_v7000 at 2 ns, node 901|"));
        QVERIFY(std::ranges::find(report->facts, Fact("MPI communicators", "2")) != report->facts.end());
    }
};

LOCKSTEP_TEST(NsysTablesTest, "nsys_tables_test")
#include "nsys_tables_test.moc"
