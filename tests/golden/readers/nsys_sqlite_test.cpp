// SPDX-License-Identifier: Apache-2.0
// Compares reports that are read from small exports made from SQL text.
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

#include <algorithm>
#include <map>

#include "tests/support/nsys_sql.h"
#include "tests/support/report_text.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::kCpuSql;
using lockstep::test::kGpuSql;
using lockstep::test::kSessionSql;
using lockstep::test::reportText;
using lockstep::test::runSql;
using lockstep::test::TempDir;

namespace {

const char* const kGpuReport = R"report(track cudaApi 100/100 lane 0 "" slices 5 rows 3
  slice 90 +9 depth 0 runtime_api/CUDA API "cudaLaunchKernel_v7000"
  slice 91 +4 depth 1 driver_api/CUDA API "cuLaunchKernel"
  slice 92 +2 depth 2 span/CUDA API "cudaLaunchKernel_v7000"
  slice 294 +2 depth 0 runtime_api/CUDA API "cudaEventRecord_v3020"
  slice 299 +13 depth 0 runtime_api/CUDA API "cudaStreamSynchronize_v3020"
track gpuStream 100 gpu 0 lane 7 context 1 "stream 7 (default)" slices 3 rows 1
  slice 100 +50 depth 0 kernel/compute kernel "gemm<float>(float*)"
  slice 210 +20 depth 0 memcpy/copy to device "Memcpy HtoD"
  slice 240 +1 depth 0 memset/memset "Memset"
track gpuStream 100 gpu 0 lane 13 context 1 "stream 13" slices 1 rows 1
  slice 160 +40 depth 0 kernel/communication "ncclDevKernel_AllReduce(args)"
track gpuGraph 100 gpu 0 lane 7 context 1 "stream 7 (default)" slices 1 rows 1
  slice 260 +30 depth 0 graph_launch/CUDA graph "CUDA graph 2"
track gpuSync 100 gpu 0 lane -1 context 1 "no stream" slices 1 rows 1
  slice 320 +10 depth 0 synchronization/synchronization "Stream wait event"
track gpuSync 100 gpu 0 lane 7 context 1 "stream 7 (default)" slices 1 rows 1
  slice 300 +10 depth 0 synchronization/synchronization "Stream synchronize"
track gpuStream 200 gpu 0 lane 7 context 1 "stream 7" slices 1 rows 1
  slice 120 +10 depth 0 kernel/compute kernel "gemm<float>(float*)"
link launch CUPTI_ACTIVITY_KIND_RUNTIME:1 -> CUPTI_ACTIVITY_KIND_KERNEL:1
link launch CUPTI_ACTIVITY_KIND_RUNTIME:2 -> CUPTI_ACTIVITY_KIND_KERNEL:2
link recordWait CUPTI_ACTIVITY_KIND_RUNTIME:4 -> CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:2
link launch CUPTI_ACTIVITY_KIND_RUNTIME:5 -> CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:1
copy CUPTI_ACTIVITY_KIND_MEMCPY:1 [CUDA memcpy Host-to-Device] Pinned -> Device 4096 B
copy CUPTI_ACTIVITY_KIND_MEMSET:1 [CUDA memset] Unknown -> Device 512 B
short "gemm<float>(float*)" = "gemm"
short "ncclDevKernel_AllReduce(args)" = "ncclDevKernel_AllReduce"
count kernel 5
count memcpy 1
count memset 1
count graph_launch 1
count synchronization 2
count cuda_event 1
count runtime_api 3
count driver_api 1
count other_api 1
note kernel.bad_time data loss 2 (CUPTI_ACTIVITY_KIND_KERNEL row 4)
note cuda_event.no_time info 1 (CUPTI_ACTIVITY_KIND_CUDA_EVENT row 1)
note graph.kernels_unseen info 1 (CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
)report";

const char* const kCpuReport =
    R"report(identity host=node-7 (TARGET_INFO_SYSTEM_ENV Hostname) rank=3 (MPI_RANKS.rank) localRank=1 (META_DATA_CAPTURE environment variable LOCAL_RANK) worldSize=8 (META_DATA_CAPTURE environment variable WORLD_SIZE)
fact Host: "node-7"
fact Command: "python train.py"
fact CUDA driver: "12.4"
fact Profiler warning: "Not all events might have been collected."
device 100/0 "" uuid "" memory 0 sm 0
device machine/0 "" uuid "" memory 0 sm 0
device machine/1 "" uuid "" memory 0 sm 0
process -1 ""
process 100 "python" rank=3 (MPI_RANKS.rank)
thread -1/0 ""
thread 100/100 "main thread"
thread 100/101 "loader"
track other machine lane 512 "generic type 512" slices 1 rows 1
  slice 110 +0 depth 0 instant/other "generic type 512" instant
track nvtx 100/100 lane 0 "" slices 5 rows 3
  slice -5 +705 depth 0 nvtx_startend/NVTX range "startend"
  slice 10 +490 depth 1 nvtx_pushpop/NVTX range "step"
  slice 20 +80 depth 2 nvtx_pushpop/NVTX range "registered"
  slice 600 +400 depth 1 nvtx_pushpop/NVTX range "open" open
  slice 610 +0 depth 2 nvtx_mark/NVTX range "" instant
track nvtx 100/100 lane 1 "NCCL" slices 1 rows 1
  slice 30 +10 depth 0 nvtx_pushpop/NVTX range "allreduce"
track nvtx 100/100 lane 3 "Domain 3" slices 1 rows 1
  slice 620 +10 depth 0 nvtx_pushpop/NVTX range "b�a"
track scheduling 100/100 lane 0 "" slices 2 rows 1
  slice 10 +20 depth 0 scheduling/scheduling "CPU 3"
  slice 40 +960 depth 0 scheduling/scheduling "CPU 5" open
track libraryApi 100/100 lane 100 "MPI" slices 1 rows 1
  slice 80 +5 depth 0 library_api/other "registered"
track overhead 100/100 lane 0 "" slices 1 rows 1
  slice 50 +10 depth 0 overhead/profiler overhead "read"
track graphEvents 100/100 lane 0 "" slices 1 rows 1
  slice 70 +0 depth 0 graph_event/CUDA graph "read" instant
track osRuntime 100/101 lane 0 "" slices 2 rows 1
  slice 5 +4 depth 0 os_runtime/OS runtime "read"
  slice 990 +10 depth 0 os_runtime/OS runtime "read" open
track scheduling 100/101 lane 0 "" slices 1 rows 1
  slice 15 +985 depth 0 scheduling/scheduling "CPU 4" open
track diagnostics -1/0 lane 0 "" slices 1 rows 1
  slice 0 +0 depth 0 diagnostic/other "Profiling has started." instant
counter "Allocated memory, Device" unit "B" of 100
  sample 10 100
  sample 20 150
  sample 30 50
counter "SMs Active [Throughput %]" unit "%" of machine
  sample 100 40
  sample 200 60
counter "metric 13" unit "" of machine
  sample 100 1
counter "SM Active" unit "" of machine
  sample 100 12
color NVTX_EVENTS:2 00FF00
count nvtx_pushpop 5
count nvtx_startend 2
count nvtx_mark 1
count nvtx_other 4
count os_runtime 2
count scheduling 5
count sample 3
count overhead 1
count memory_usage 4
count gpu_metric 3
count generic_event 2
count graph_event 1
count library_api 1
count diagnostic 2
note nvtx.unknown_type warning 1 (NVTX_EVENTS row 10)
note nvtx_startend.bad_time data loss 1 (NVTX_EVENTS row 11)
note text.repaired warning 1 (NVTX_EVENTS row 12)
note scheduling.no_start info 1 (SCHED_EVENTS row 1)
note memory_usage.unknown_release info 1 (CUDA_GPU_MEMORY_USAGE_EVENTS row 4)
note nsys.warning warning 1 (DIAGNOSTIC_EVENT row 2)
note diagnostic.host_time info 1 (DIAGNOSTIC_EVENT row 2)
note sample.counted_only info 3 (COMPOSITE_EVENTS row 1)
note rows.open_end info 4 (NVTX_EVENTS row 6)
note table.not_shown warning 1 (VULKAN_API)
)report";

std::shared_ptr<const Report> made(const TempDir& folder, const std::string& sql)
{
    const auto path = folder.path() / "made.sqlite";
    std::filesystem::remove(path);
    if (!runSql(path, sql)) return nullptr;
    auto report = readReport(path, Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

// Returns the lines from the first one that begins with `from`.
std::string linesFrom(const std::string& text, const std::string& from)
{
    const size_t at = text.find("\n" + from);
    return at == std::string::npos ? text : text.substr(at + 1);
}

} // namespace

class NsysSqliteTest : public QObject {
    Q_OBJECT

  private slots:
    void gpuTables()
    {
        const TempDir folder;
        const auto report = made(folder, kSessionSql + kGpuSql);
        QVERIFY(report != nullptr);
        QCOMPARE(linesFrom(reportText(*report), "track "), std::string(kGpuReport));
        QCOMPARE(report->strings.at(report->devices[0].name), std::string_view("NVIDIA H100"));
        QVERIFY(
            !report->identity.rank.isKnown()); // two processes did GPU work: one environment doesn't decide
    }

    void cpuTables()
    {
        const TempDir folder;
        const auto report = made(folder, kSessionSql + kCpuSql);
        QVERIFY(report != nullptr);
        QCOMPARE(linesFrom(reportText(*report), "identity "), std::string(kCpuReport));
    }

    void rankOfTheOnlyProcess()
    {
        const TempDir folder;
        const std::string drop = "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = 281478332153856;";
        const auto report = made(folder, kSessionSql + kGpuSql + drop);
        QVERIFY(report != nullptr);
        QCOMPARE(report->identity.rank.value.value_or(-1), 3);
        QCOMPARE(report->identity.localRank.value.value_or(-1), 1);
        QCOMPARE(report->identity.worldSize.value.value_or(-1), 8);
        QCOMPARE(report->processes[0].identity.rank.value.value_or(-1), 3);
    }

    void clocks_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("clock");
        QTest::newRow("shift") << "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PARAM_TIME_SHIFT', '100');"
                               << "utc 1699999999999999900 resolution 1 system 4900 session 100 1100";
        QTest::newRow("normalized")
            << "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PARAM_TIME_NORMALIZE', 'true');"
            << "utc 0 resolution 1 system -1699999999999995000 session 1700000000000000000 "
               "1700000000000001000";
        QTest::newRow("text") << "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = NULL;"
                              << "utc 1700000000000000000 resolution 1000000000 system 5000 session 0 1000";
        QTest::newRow("start time of 3.24")
            << "UPDATE TARGET_INFO_SESSION_START_TIME SET systemClockNs = NULL; UPDATE META_DATA_EXPORT SET "
               "value = '24' "
               "WHERE name = 'EXPORT_SCHEMA_VERSION_MINOR';"
            << "utc 1700000000000000000 resolution 1 system 77 session 0 1000";
        QTest::newRow("start time before 3.24")
            << "UPDATE TARGET_INFO_SESSION_START_TIME SET systemClockNs = NULL;"
            << "utc 1700000000000000000 resolution 1 system - session 0 1000";
        QTest::newRow("none") << "DROP TABLE TARGET_INFO_SESSION_START_TIME; DROP TABLE ANALYSIS_DETAILS;"
                              << "utc - resolution 0 system - session 0 0";
    }

    void clocks()
    {
        QFETCH(QString, sql);
        QFETCH(QString, clock);
        const TempDir folder;
        const auto report = made(folder, kSessionSql + sql.toStdString());
        QVERIFY(report != nullptr);
        const auto text = [](std::optional<int64_t> value) {
            return value ? std::to_string(*value) : std::string("-");
        };
        const ClockDomain& domain = report->clock;
        const std::string found =
            "utc " + text(domain.utcAtZero_ns) + " resolution " + std::to_string(domain.utcResolution_ns) +
            " system " + text(domain.systemAtZero_ns) + " session " +
            std::to_string(report->session.begin.ns) + " " + std::to_string(report->session.end.ns);
        QCOMPARE(found, clock.toStdString());
    }

    // "Not captured" differs from "no rows".
    void missingTablesAndColumns()
    {
        const TempDir folder;
        const auto report =
            made(folder, "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                         "CREATE TABLE OSRT_API(start INT, end INT);"
                         "INSERT INTO OSRT_API VALUES(1, 2);"
                         "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INT, end INT);"
                         "CREATE TABLE GPU_METRICS(value INT); INSERT INTO GPU_METRICS VALUES(1);");
        QVERIFY(report != nullptr);
        QCOMPARE(linesFrom(reportText(*report), "track "),
                 std::string("track osRuntime 0/0 lane 0 \"\" slices 1 rows 1\n"
                             "  slice 1 +1 depth 0 os_runtime/OS runtime \"\"\n"
                             "count memset 0\ncount os_runtime 1\ncount gpu_metric 0\n"
                             "note clock.no_wall_clock warning 1 (TARGET_INFO_SESSION_START_TIME)\n"
                             "note clock.no_window info 1 (ANALYSIS_DETAILS.duration)\n"
                             "note table.unreadable data loss 1 (GPU_METRICS has no column timestamp)\n"));
    }

    void synchronizationsBeforeAndAfterTheSwap()
    {
        const TempDir folder;
        for (const auto& [minor, name] : std::map<std::string, std::string>{
                 {"16", "Stream wait event"}, {"20", "Stream synchronize"}, {"25", "Stream wait event"}}) {
            const auto report =
                made(folder, kSessionSql + kGpuSql +
                                 "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; UPDATE META_DATA_EXPORT SET "
                                 "value = '" +
                                 minor + "' WHERE name = 'EXPORT_SCHEMA_VERSION_MINOR';");
            QVERIFY(report != nullptr);
            const auto row =
                std::ranges::find(report->slices.start_ns, 300) - report->slices.start_ns.begin();
            QCOMPARE(report->nameOf(SliceId(static_cast<size_t>(row))), std::string_view(name));
        }
    }

    void detailsOfARow()
    {
        const TempDir folder;
        const auto report = made(folder, kSessionSql + kGpuSql);
        const auto row =
            std::ranges::find(report->slices.kind, RowKind::memcpy) - report->slices.kind.begin();
        const SliceId copy(static_cast<size_t>(row));
        const auto details = readSliceDetails(*report, copy);
        QVERIFY(details.has_value());
        std::string text = details->source + ":";
        for (const auto& [name, value] : details->arguments)
            text += " " + name + "=" + value;
        QCOMPARE(text,
                 std::string(
                     "CUPTI_ACTIVITY_KIND_MEMCPY row 1: start=210 end=230 deviceId=0 contextId=1 streamId=7 "
                     "correlationId=54 globalPid=pid 100 bytes=4096 copyKind=Host-to-Device (1) "
                     "srcKind=Pinned (1) dstKind=Device (2)"));
        QVERIFY(runSql(report->provenance.path, "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = 211"));
        QCOMPARE(readSliceDetails(*report, copy).error().kind, ErrorKind::corrupt);
        QVERIFY(runSql(report->provenance.path, "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY"));
        QCOMPARE(readSliceDetails(*report, copy).error().kind, ErrorKind::notFound);
    }

    void readingCanBeCanceled()
    {
        const TempDir folder;
        const auto report = made(folder, kSessionSql + kGpuSql);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(readReport(report->provenance.path, Progress(stop.get_token())).error().kind,
                 ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(NsysSqliteTest, "nsys_sqlite_test")
#include "nsys_sqlite_test.moc"
