// SPDX-License-Identifier: Apache-2.0
// Tests the CUDA half without a GPU: from CUPTI's buffers to the report, with a stand-in. Also tests the
// messages when CUPTI is missing, used by another tool, or finds no device.
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

CapturedRun runWithCupti(const std::filesystem::path& output, const QString& cupti, Settings settings = {},
                         const QStringList& arguments = {})
{
    settings.emplace_back("LOCKSTEP_CAPTURE_CUPTI", cupti);
    return runCaptured(builtProgram("capture-cuda_init"), arguments, output, settings);
}

QString standin()
{
    return builtProgram("../lib/libcapture-cupti_standin.so");
}

const Track* trackOf(const Report& report, TrackKind kind)
{
    for (const Track& track : report.tracks) {
        if (track.key.kind == kind) return &track;
    }
    return nullptr;
}

} // namespace

class CapturedCudaTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
#ifndef LOCKSTEP_HAS_CUPTI
        QSKIP("CUPTI's headers are not here");
#endif
    }

    void buffersBecomeRows_data()
    {
        QTest::addColumn<QString>("version");
        QTest::newRow("CUDA 10.0") << "12";
        QTest::newRow("the headers' version") << "130001";
    }

    void buffersBecomeRows()
    {
        QFETCH(QString, version);
        const TempDir folder;
        const CapturedRun run = runWithCupti(folder.path(), standin(), {{"STANDIN_VERSION", version}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QCOMPARE(countOf(report, "kernel"), 2u);
        QCOMPARE(countOf(report, "memcpy"), 2u);
        QCOMPARE(countOf(report, "memset"), 1u);
        QCOMPARE(countOf(report, "runtime_api"), 4u);
        QCOMPARE(countOf(report, "driver_api"), 1u);
        QCOMPARE(countOf(report, "synchronization"), 1u);
        QCOMPARE(countOf(report, "memory_event"), 1u);
        QCOMPARE(countOf(report, "nvtx_pushpop"), 2u);
        QCOMPARE(noted(report, "spool.gpu_no_time"), 1u);
        QCOMPARE(noted(report, "capture.gpu_dropped"), 3u);
        const Track* const stream = trackOf(report, TrackKind::gpuStream);
        QVERIFY(stream != nullptr);
        QCOMPARE(stream->key.lane, 7);
        QCOMPARE(stream->key.context, 2);
        QCOMPARE(report.devices[stream->key.device.value].ordinal, 1);
        QCOMPARE(std::string(report.strings.at(report.devices[stream->key.device.value].name)),
                 std::string("Stand-in GPU"));
        QCOMPARE(std::string(report.nameOf(stream->firstSlice)),
                 std::string("void ns::someKernel<float>(float*, int)"));
        QCOMPARE(std::string(report.shortNameOf(stream->firstSlice)), std::string("someKernel"));
        QCOMPARE(report.links.size(), 4u);
        const Link* const link = report.links.to(stream->firstSlice);
        QVERIFY(link != nullptr);
        QCOMPARE(std::string(report.nameOf(link->cause)), std::string("cudaLaunchKernel_v7000"));
        QVERIFY(factOf(report, "CUDA").starts_with("CUPTI " + version.toStdString()));
        const auto details = readSliceDetails(report, stream->firstSlice);
        QVERIFY(details.has_value());
        QVERIFY(std::ranges::find(details->arguments, std::pair<std::string, std::string>("grid_x", "80")) !=
                details->arguments.end());
    }

    // Graphs are recorded by node unless whole graphs are requested. A CUPTI without support for nodes is
    // reported, and everything else is recorded.
    void graphsByNodeOrWhole_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("trace");
        QTest::addColumn<quint64>("graphs");
        QTest::addColumn<QString>("told");
        QTest::newRow("default") << "130001"
                                 << "" << quint64(0) << "";
        QTest::newRow("node") << "130001"
                              << "node" << quint64(0) << "";
        QTest::newRow("graph") << "130001"
                               << "graph" << quint64(1) << "";
        QTest::newRow("graph, CUDA 10.0") << "12"
                                          << "graph" << quint64(0) << "no_graph_trace";
        QTest::newRow("neither") << "130001"
                                 << "both" << quint64(0) << "GRAPH_TRACE must be node or graph";
    }

    void graphsByNodeOrWhole()
    {
        QFETCH(QString, version);
        QFETCH(QString, trace);
        QFETCH(quint64, graphs);
        QFETCH(QString, told);
        const TempDir folder;
        Settings settings{{"STANDIN_VERSION", version}};
        if (!trace.isEmpty()) settings.emplace_back("LOCKSTEP_CAPTURE_GRAPH_TRACE", trace);
        const CapturedRun run = runWithCupti(folder.path(), standin(), settings);
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QCOMPARE(quint64(std::ranges::count(report.slices.kind, RowKind::graphLaunch)), graphs);
        QCOMPARE(countOf(report, "kernel"), 2u);
        QVERIFY2(run.log.find(told.toStdString()) != std::string::npos, run.log.c_str());
        if (graphs > 0) {
            const auto at = std::ranges::find(report.slices.kind, RowKind::graphLaunch);
            const SliceId row(static_cast<size_t>(at - report.slices.kind.begin()));
            QCOMPARE(std::string(report.nameOf(row)), std::string("CUDA graph 5"));
            QCOMPARE(report.slices.duration_ns[row.value], int64_t(800));
        }
    }

    void profilerRangeIsTheCaptureRange()
    {
        const TempDir folder;
        const CapturedRun run = runWithCupti(folder.path(), standin(),
                                             {{"LOCKSTEP_CAPTURE_RANGE", "cudaProfilerApi"}}, {standin()});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        QCOMPARE(rangeLines(*run.reports[0]).size(), 1u);
        QVERIFY(rangeLines(*run.reports[0])[0].ends_with("inside"));
        QCOMPARE(countOf(*run.reports[0], "kernel"), 2u);
    }

    void conflictingCuptiToolIsReported()
    {
        const TempDir folder;
        const CapturedRun run = runWithCupti(folder.path(), standin(), {{"STANDIN_HELD", "1"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 2u);
        QVERIFY(factOf(*run.reports[0], "CUDA").find("in use by CUPTI for Another Profiler") !=
                std::string::npos);
        QVERIFY2(run.log.find("cupti_held") != std::string::npos, run.log.c_str());
    }

    void missingCuptiIsReported()
    {
        const TempDir folder;
        const CapturedRun run = runWithCupti(folder.path(), "/nowhere/libcupti.so");
        QCOMPARE(run.status, 0);
        QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 2u);
        QVERIFY(factOf(*run.reports[0], "CUDA").find("/nowhere/libcupti.so") != std::string::npos);
    }

    // The toolkit's own library, if installed: on a machine without a driver it must only cause a message.
    void realCuptiWithoutADevice()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-cuda_init"), {}, folder.path());
        QCOMPARE(run.status, 0);
        QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 2u);
        QVERIFY(!factOf(*run.reports[0], "CUDA").empty());
    }
};

LOCKSTEP_TEST(CapturedCudaTest, "captured_cuda_test")
#include "captured_cuda_test.moc"
