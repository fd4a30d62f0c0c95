// SPDX-License-Identifier: Apache-2.0
// Tests the public nsys exports: row counts equal plain SQL, and the numbers follow the rules of nsys stats.
#include <algorithm>
#include <map>
#include <set>

#include "core/readers/reader.h"
#include "core/trace/nesting.h"
#include "tests/support/damage_account.h"
#include "tests/support/places.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::askSql;
using lockstep::test::noteCount;
using lockstep::test::sharedData;

namespace {

std::shared_ptr<const Report> openedExport(const std::string& name)
{
    const auto report = readReport(sharedData("nsys") / name, Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

int64_t totalNs(const Report& report, RowKind kind, std::string_view shortName = {})
{
    int64_t total = 0;
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.slices.kind[i] != kind) continue;
        if (shortName.empty() || report.shortNameOf(SliceId(i)) == shortName)
            total += report.slices.duration_ns[i];
    }
    return total;
}

int64_t countOf(const Report& report, RowKind kind)
{
    return std::ranges::count(report.slices.kind, kind);
}

size_t shortNameCount(const Report& report)
{
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.slices.kind[i] == RowKind::kernel) names.insert(report.shortNameOf(SliceId(i)));
    }
    return names.size();
}

// Computes the nesting of the push/pop ranges of one thread over all its domains, as nsys stats counts
// levels.
size_t nvtxLevels(const Report& report)
{
    std::map<uint32_t, std::vector<std::pair<int64_t, int64_t>>> byThread; // (start, -duration)
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::nvtx) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            byThread[track.key.thread.value].push_back(
                {report.slices.start(slice).ns, -report.slices.duration(slice).ns});
        }
    }
    size_t levels = 0;
    for (auto& [thread, ranges] : byThread) {
        std::ranges::sort(ranges);
        std::vector<int64_t> starts, durations;
        for (const auto& [start, negated] : ranges) {
            starts.push_back(start);
            durations.push_back(-negated);
        }
        std::vector<SliceId> parents(starts.size());
        std::vector<uint16_t> depths(starts.size());
        levels = std::max(levels, nestSlices(starts, durations, SliceId(0u), {parents, depths}));
    }
    return levels;
}

} // namespace

class NsysFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void rowCountsEqualSql_data()
    {
        QTest::addColumn<QString>("file");
        if (!lockstep::test::hasSharedData()) return;
        for (const auto& entry : std::filesystem::directory_iterator(sharedData("nsys"))) {
            if (entry.path().extension() != ".sqlite") continue;
            const QString name = QString::fromStdString(entry.path().filename().string());
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    void rowCountsEqualSql()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        const auto report = openedExport(file.toStdString());
        QVERIFY(report != nullptr);
        static const std::map<std::string, std::vector<std::string>> kSql{
            {"kernel", {"CUPTI_ACTIVITY_KIND_KERNEL"}},
            {"memcpy", {"CUPTI_ACTIVITY_KIND_MEMCPY"}},
            {"memset", {"CUPTI_ACTIVITY_KIND_MEMSET"}},
            {"graph_launch", {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}},
            {"synchronization", {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"}},
            {"cuda_event", {"CUPTI_ACTIVITY_KIND_CUDA_EVENT"}},
            {"runtime_api", {"CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 0"}},
            {"driver_api", {"CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 1"}},
            {"other_api", {"CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass NOT IN (0, 1)"}},
            {"nvtx_pushpop", {"NVTX_EVENTS WHERE eventType IN (59, 70)"}},
            {"nvtx_startend", {"NVTX_EVENTS WHERE eventType IN (60, 71)"}},
            {"nvtx_mark", {"NVTX_EVENTS WHERE eventType IN (34, 65)"}},
            {"nvtx_other", {"NVTX_EVENTS WHERE eventType NOT IN (34, 59, 60, 65, 70, 71)"}},
            {"os_runtime", {"OSRT_API", "SYSCALL"}},
            {"scheduling", {"SCHED_EVENTS"}},
            {"sample", {"COMPOSITE_EVENTS"}},
            {"overhead", {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}},
            {"memory_usage", {"CUDA_GPU_MEMORY_USAGE_EVENTS"}},
            {"gpu_metric", {"GPU_METRICS"}},
            {"generic_event", {"GENERIC_EVENTS"}},
            {"graph_event", {"CUDA_GRAPH_EVENTS", "CUDA_GRAPH_NODE_EVENTS"}},
            {"library_api", {"CUDNN_EVENTS", "CUBLAS_EVENTS"}},
            {"network_metric", {"NET_NIC_METRIC", "NET_IB_SWITCH_METRIC"}},
            {"page_fault", {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS"}},
            {"memory_pool", {"CUDA_GPU_MEMORY_POOL_EVENTS"}},
            {"context_switch", {"GPU_CONTEXT_SWITCH_EVENTS", "FECS_EVENTS"}},
            {"file_access", {"OSRT_FILE_ACCESS_EVENTS"}},
            {"diagnostic", {"DIAGNOSTIC_EVENT"}}};
        std::set<std::string> stated;
        for (const auto& [kind, count] : report->rowCounts) {
            stated.insert(kind);
            int64_t expected = 0;
            for (const std::string& from : kSql.at(kind)) {
                expected += askSql(report->provenance.path, "SELECT count(*) FROM " + from).value_or(0);
            }
            QVERIFY2(int64_t(count) == expected, qPrintable(QString::fromStdString(kind)));
        }
        for (const auto& [kind, tables] : kSql) {
            for (const std::string& from : tables) {
                const bool isThere =
                    askSql(report->provenance.path, "SELECT count(*) FROM " + from).has_value();
                QVERIFY2(!isThere || stated.contains(kind), kind.c_str());
            }
        }
    }

    // Every row is a slice, is used for a name, or is counted in a note.
    void nothingIsLost_data() { rowCountsEqualSql_data(); }
    void nothingIsLost()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        const auto report = openedExport(file.toStdString());
        QVERIFY(report != nullptr);
        uint64_t rows = 0;
        for (const auto& [kind, count] : report->rowCounts)
            rows += count;
        const auto ask = [&](const char* sql) {
            return static_cast<uint64_t>(askSql(report->provenance.path, sql).value_or(0));
        };
        const uint64_t switchesOut = ask("SELECT count(*) FROM SCHED_EVENTS WHERE isSchedIn = 0");
        const uint64_t naming = ask("SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (33, 39, 75, 76)");
        const uint64_t noted =
            noteCount(*report, "cuda_event.no_time") + noteCount(*report, "diagnostic.host_time");
        QCOMPARE(uint64_t(report->slices.size()) + switchesOut + naming + noted, rows);
        QVERIFY(!report->notes.hasDataLoss());
        QCOMPARE(noteCount(*report, "table.not_shown"), uint64_t(0));
    }

    // Communications as plain SQL counts them: ranges with a payload, and kernels with NCCL's name.
    void collectivesEqualSql_data() { rowCountsEqualSql_data(); }
    void collectivesEqualSql()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        const auto report = openedExport(file.toStdString());
        QVERIFY(report != nullptr);
        const auto ask = [&](const char* sql) { return askSql(report->provenance.path, sql).value_or(0); };
        const int64_t payloads =
            ask("SELECT count(*) FROM NVTX_EVENTS WHERE binaryData IS NOT NULL OR jsonText IS NOT NULL");
        const int64_t kernels = ask("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON "
                                    "s.id = k.shortName WHERE s.value LIKE 'nccl%'");
        QCOMPARE(payloads, int64_t(0)); // none of the public files was exported with its payloads
        QCOMPARE(int64_t(report->collectives.size()), kernels);
        const int64_t schemas = ask("SELECT count(DISTINCT schemaId) FROM NVTX_PAYLOAD_SCHEMAS");
        QCOMPARE(noteCount(*report, "nvtx.payloads_not_exported"), uint64_t(schemas > 0));
        qInfo("%lld NCCL kernels, %lld payloads of %lld schemas", static_cast<long long>(kernels),
              static_cast<long long>(payloads), static_cast<long long>(schemas));
    }

    void powerIteration()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = openedExport("power_iteration_2025.3.sqlite");
        QVERIFY(report != nullptr);
        QCOMPARE(report->provenance.producer, std::string("NVIDIA Nsight Systems 2025.3.1.90"));
        QCOMPARE(report->provenance.schema, std::string("3.20.2"));
        QCOMPARE(countOf(*report, RowKind::kernel), int64_t(3689));
        QCOMPARE(shortNameCount(*report), size_t(10));
        QCOMPARE(totalNs(*report, RowKind::kernel), int64_t(1'131'742'684));
        QCOMPARE(totalNs(*report, RowKind::kernel, "gemv2T_kernel_val"), int64_t(1'074'732'935));
        QCOMPARE(countOf(*report, RowKind::nvtxPushPop), int64_t(786));
        QCOMPARE(nvtxLevels(*report), size_t(4));
        QCOMPARE(countOf(*report, RowKind::scheduling), int64_t(215));
        QCOMPARE(countOf(*report, RowKind::driverApi), int64_t(1696));
        // Value 2 of syncType means "stream" in this version, whatever its ENUM table says.
        std::map<std::string_view, int> waits;
        for (uint32_t i = 0; i < report->slices.size(); ++i) {
            if (report->slices.kind[i] == RowKind::synchronization) ++waits[report->nameOf(SliceId(i))];
        }
        QCOMPARE(waits["Stream wait event"], 0);
        QVERIFY(waits["Stream synchronize"] > 0);
        size_t kernelLinks = 0;
        for (const Link& link : report->links.all()) {
            kernelLinks += report->slices.kind[link.effect.value] == RowKind::kernel;
        }
        QCOMPARE(kernelLinks, size_t(3689));
        QCOMPARE(report->devices.size(), size_t(1));
        QCOMPARE(report->strings.at(report->devices[0].name), std::string_view("Tesla T4"));
        QCOMPARE(report->session, (TimeRange{{0}, {1'814'863'718}}));
        // Diagnostics begin 18.6 s before the session; the recording begins 1.1 ms after its begin.
        QCOMPARE(report->extent.begin.ns, int64_t(1'133'287));
    }

    void h100TwoProcesses()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = openedExport("h100_2gpu_nccl_2026.2.sqlite");
        QVERIFY(report != nullptr);
        QCOMPARE(countOf(*report, RowKind::kernel), int64_t(3442));
        QCOMPARE(shortNameCount(*report), size_t(15));
        QCOMPARE(totalNs(*report, RowKind::kernel), int64_t(44'829'522));
        size_t kernelLinks = 0;
        for (const Link& link : report->links.all()) {
            kernelLinks += report->slices.kind[link.effect.value] == RowKind::kernel;
        }
        QCOMPARE(kernelLinks, size_t(1632));
        QCOMPARE(countOf(*report, RowKind::nvtxPushPop), int64_t(16'782));
        QCOMPARE(nvtxLevels(*report), size_t(5));
        QCOMPARE(report->devices.size(), size_t(2));
        QCOMPARE(report->clock.utcAtZero_ns.value_or(0), int64_t(1'779'630'014'975'716'426));
        QCOMPARE(report->clock.systemAtZero_ns.value_or(0), int64_t(35'255'823'190));
        QCOMPARE(report->identity.host.value.value_or(""), std::string("node-0"));
        QVERIFY(!report->identity.rank.isKnown());
    }

    void graphLaunches()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = openedExport("cuda_graph_2025.5.sqlite");
        QVERIFY(report != nullptr);
        QCOMPARE(countOf(*report, RowKind::graphLaunch), int64_t(2));
        QCOMPARE(noteCount(*report, "cuda_event.no_time"), uint64_t(2));
        size_t graphLinks = 0;
        for (const Link& link : report->links.all()) {
            if (report->slices.kind[link.effect.value] != RowKind::graphLaunch) continue;
            ++graphLinks;
            QVERIFY(report->nameOf(link.cause).starts_with("cudaGraphLaunch"));
        }
        QCOMPARE(graphLinks, size_t(2));
    }

    void oldExports()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto mpi = openedExport("saxpy_mpi_2022.2.sqlite");
        QVERIFY(mpi != nullptr);
        QCOMPARE(mpi->provenance.producer, std::string("NVIDIA Nsight Systems 2022.2.1.31"));
        const auto isMpi = [&](const Track& track) { return mpi->strings.at(track.name) == "MPI"; };
        QVERIFY(std::ranges::any_of(mpi->tracks, isMpi));
        const auto osrt = openedExport("osrt_2021.2.sqlite");
        QVERIFY(osrt != nullptr);
        QVERIFY(!osrt->clock.utcAtZero_ns.has_value());
        QVERIFY(osrt->session.isEmpty());
        QCOMPARE(noteCount(*osrt, "clock.no_wall_clock"), uint64_t(1));
        QCOMPARE(noteCount(*osrt, "clock.no_window"), uint64_t(1));
        QCOMPARE(noteCount(*mpi, "clock.no_window"), uint64_t(mpi->session.isEmpty()));
        QCOMPARE(countOf(*osrt, RowKind::osRuntime), int64_t(12'489));
        const auto slurm = openedExport("cloverleaf_2024.5.sqlite");
        QVERIFY(slurm != nullptr);
        QCOMPARE(slurm->identity.rank.value.value_or(-1), 0);
        QCOMPARE(slurm->identity.rank.confidence, Confidence::guessed);
    }

    void detailsResolve()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = openedExport("power_iteration_2025.3.sqlite");
        QVERIFY(report != nullptr);
        const auto kernel =
            std::ranges::find(report->slices.kind, RowKind::kernel) - report->slices.kind.begin();
        const SliceId slice(static_cast<size_t>(kernel));
        const auto details = readSliceDetails(*report, slice);
        QVERIFY(details.has_value());
        const std::map<std::string, std::string> values(details->arguments.begin(), details->arguments.end());
        QCOMPARE(values.at("demangledName"), std::string(report->nameOf(slice)));
        QCOMPARE(values.at("start"), std::to_string(report->slices.start_ns[slice.value]));
        QCOMPARE(values.at("globalPid"), std::string("pid 9946"));
        QVERIFY(values.contains("registersPerThread"));
        QVERIFY(details->source.starts_with("CUPTI_ACTIVITY_KIND_KERNEL row "));
    }
};

LOCKSTEP_TEST(NsysFilesTest, "nsys_files_test")
#include "nsys_files_test.moc"
