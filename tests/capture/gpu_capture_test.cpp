// SPDX-License-Identifier: Apache-2.0
// Compares the library's recordings of CUDA and PyTorch programs with their launches: stored recordings of an
// H100 (tests/data/capture, made by tests/capture/gpu/run_on_gpu.sh with PyTorch 2.11 and CUDA 13.0), and
// live ones if this machine has a GPU.
#include <set>

#include <QStandardPaths>

#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::shared_ptr<const Report> reportOf(const std::filesystem::path& file)
{
    auto report = readReport(file, Progress());
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

// Returns "kernel scaleFirst", "copy 4096", "set 16384" of each stream in execution order; streams are
// ordered by id.
std::vector<std::vector<std::string>> workOf(const Report& report)
{
    std::map<int64_t, std::vector<std::string>> streams;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::gpuStream) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId id{track.firstSlice.value + i};
            const RowKind kind = report.slices.kind[id.value];
            std::string line = "kernel " + std::string(report.shortNameOf(id));
            if (const MemoryOp* const op = report.memoryOpOf(id))
                line = (kind == RowKind::memset ? "set " : "copy ") + std::to_string(op->size_bytes);
            streams[track.key.lane].push_back(line);
        }
    }
    std::vector<std::vector<std::string>> work;
    for (auto& [stream, lines] : streams)
        work.push_back(std::move(lines));
    return work;
}

// Returns the launches that the program logged, by stream; one entry for each of its capture ranges.
std::vector<std::vector<std::vector<std::string>>> launchedBy(const std::filesystem::path& log)
{
    std::vector<std::vector<std::vector<std::string>>> parts(1);
    for (const std::string& line : linesOf(contentOf(log))) {
        const QStringList words = QString::fromStdString(line).split('\t');
        if (words[0] == "range") {
            parts.emplace_back();
            continue;
        }
        const size_t stream = words[2].toUInt();
        if (parts.back().size() <= stream) parts.back().resize(stream + 1);
        parts.back()[stream].push_back((words[0] + " " + words[1]).toStdString());
    }
    return parts;
}

std::filesystem::path recordedData()
{
    return sourceFolder() / "tests/data/capture";
}

} // namespace

class GpuCaptureTest : public QObject {
    Q_OBJECT

  private slots:
    void kernelsMatchTheLaunchesInOrder()
    {
        compareAll(recordedData() / "all.lsc", recordedData() / "all.txt");
        const std::filesystem::path files[] = {recordedData() / "profiler.1.lsc",
                                               recordedData() / "profiler.2.lsc"};
        compareRanges(files, recordedData() / "profiler.txt");
    }

    void kernelsAreLinkedToCallsAndRanges()
    {
        const auto report = reportOf(recordedData() / "torch_step.lsc");
        QVERIFY(report != nullptr);
        QCOMPARE(countOf(*report, "kernel"), 27u);
        QCOMPARE(*report->identity.step.value, 3);
        QCOMPARE(*report->identity.rank.value, 0);
        QCOMPARE(std::string(report->strings.at(report->devices.at(0).name)),
                 std::string("NVIDIA H100 80GB HBM3"));
        std::set<std::string> ranges;
        for (const std::string& line : rangeLines(*report))
            ranges.insert(line.substr(line.rfind('\t') + 1));
        QCOMPARE(ranges, (std::set<std::string>{"step 3", "forward", "backward", "optimizer"}));
        size_t linked = 0;
        for (uint32_t row = 0; row < report->slices.size(); ++row) {
            if (report->slices.kind[row] != RowKind::kernel) continue;
            const Link* const link = report->links.to(SliceId{row});
            QVERIFY(link != nullptr && link->kind == LinkKind::launch);
            QVERIFY(isCudaApi(report->slices.kind[link->cause.value]));
            QVERIFY(report->slices.start_ns[link->cause.value] < report->slices.start_ns[row]);
            ++linked;
        }
        QCOMPARE(linked, 27u);
        QVERIFY(!report->notes.hasDataLoss());
    }

    void pythonInterfaceAndNccl()
    {
        const auto report = reportOf(recordedData() / "torch_interface.lsc");
        QVERIFY(report != nullptr);
        std::multiset<std::string> ranges;
        for (const std::string& line : rangeLines(*report))
            ranges.insert(line.substr(line.find('\t') + 1));
        for (const char* const line : {"\tse\tstep 1", "\tse\tstep 2", "\tse\tactor/update_policy"})
            QVERIFY2(ranges.count(line) > 0, line);
        QCOMPARE(ranges.count("NCCL\t0\tncclAllReduce"), 2u);
        QCOMPARE(report->collectives.size(), 2u);
        const CollectiveOp& op = report->collectives[1];
        QCOMPARE(std::string(report->strings.at(op.collective)), std::string("ncclAllReduce"));
        QCOMPARE(op.message_bytes, uint64_t(4) << 20);
        QCOMPARE(op.groupSize, 1u);
        QCOMPARE(op.rankInGroup, 0u);
        QVERIFY(report->counters.size() > 2);
        QVERIFY(std::ranges::any_of(report->counterTracks, [&](const CounterTrack& track) {
            return report->strings.at(track.name) == "loss" && track.sampleCount == 2;
        }));
    }

    void cuptiOfAnotherToolIsNotUsed()
    {
        const auto report = reportOf(recordedData() / "held.lsc");
        QVERIFY(report != nullptr);
        QCOMPARE(countOf(*report, "nvtx_pushpop"), 1u);
        // The recorded file has the wording of an earlier version.
        QCOMPARE(factOf(*report, "CUDA"),
                 std::string("CUPTI is held by CUPTI for Earlier Tool; NVTX is recorded, CUDA is not"));
    }

    // Label gpu: the same checks with a live recording.
    void live()
    {
        if (!std::filesystem::exists("/dev/nvidiactl") || QStandardPaths::findExecutable("nvcc").isEmpty())
            QSKIP("no NVIDIA GPU, or no nvcc, on this machine");
        const TempDir folder;
        QProcess script;
        script.start("bash", {QString::fromStdString(sourceFolder() / "tests/capture/gpu/run_on_gpu.sh"),
                              captureLibrary(), QString::fromStdString(folder.path())});
        QVERIFY(script.waitForFinished(280'000));
        qInfo("%s", script.readAllStandardOutput().constData());
        CapturedRun all, profiler;
        readReports(all, folder.path() / "all");
        readReports(profiler, folder.path() / "profiler");
        QCOMPARE(all.names.size(), 1u);
        QCOMPARE(profiler.names.size(), 2u);
        compareAll(folder.path() / "all" / all.names[0], folder.path() / "all.txt");
        const std::filesystem::path files[] = {folder.path() / "profiler" / profiler.names[0],
                                               folder.path() / "profiler" / profiler.names[1]};
        compareRanges(files, folder.path() / "profiler.txt");
    }

  private:
    static void compareAll(const std::filesystem::path& file, const std::filesystem::path& log)
    {
        const auto report = reportOf(file);
        QVERIFY(report != nullptr);
        QVERIFY(!report->notes.hasDataLoss());
        QCOMPARE(countOf(*report, "kernel"), 701u);
        QCOMPARE(workOf(*report), launchedBy(log).at(0));
    }
    static void compareRanges(std::span<const std::filesystem::path> files, const std::filesystem::path& log)
    {
        const auto parts = launchedBy(log);
        QCOMPARE(parts.size(), files.size());
        for (size_t i = 0; i < files.size(); ++i) {
            const auto report = reportOf(files[i]);
            QVERIFY(report != nullptr);
            QVERIFY(!report->notes.hasDataLoss());
            QCOMPARE(workOf(*report), parts[i]);
            QCOMPARE(*report->identity.captureIndex.value, static_cast<int>(i) + 1);
        }
    }
};

LOCKSTEP_TEST(GpuCaptureTest, "gpu_capture_test")
#include "gpu_capture_test.moc"
