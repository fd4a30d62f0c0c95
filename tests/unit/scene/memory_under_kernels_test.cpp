// SPDX-License-Identifier: Apache-2.0
// Tests the reports of one process that nsys, the PyTorch profiler and the allocator snapshot recorded. On
// the run's axis, each allocation is at its true time to the microsecond, before its kernel.
#include <fstream>

#include "core/lanes/memory_lanes.h"
#include "core/readers/reader.h"
#include "core/timeline/memory_pointing.h"
#include "core/trace/process_groups.h"
#include "tests/support/demo_files.h"
#include "tests/support/made_reports.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kAhead_ns = 3'000; // of its kernel's launch an allocation is made
constexpr uint64_t kBlock = 2 << 20;

int64_t madeAt_us(const test::DemoKernel& kernel)
{
    return (test::kDemoStart_utc_ns + kernel.launch_ns - kAhead_ns) / 1000;
}

// Before each kernel's launch a block of 2 MiB is allocated, with the stack of that kernel.
std::string snapshotOf(const test::DemoPart& part, int64_t ahead_ns = 0)
{
    std::vector<const test::DemoKernel*> kernels;
    for (const test::DemoKernel& kernel : part.kernels)
        kernels.push_back(&kernel);
    std::ranges::stable_sort(kernels, {}, [](const auto* kernel) { return kernel->launch_ns; });
    test::PickleWriter pickle;
    pickle.op("}").text("segments").op("]s").text("device_traces").op("](](");
    uint64_t address = uint64_t(1) << 40;
    for (const test::DemoKernel* const kernel : kernels) {
        pickle.op("}").entry("action", "alloc").entry("addr", address += kBlock).entry("size", kBlock);
        pickle.entry("stream", 0)
            .entry("time_us", static_cast<uint64_t>(madeAt_us(*kernel) + ahead_ns / 1000));
        pickle.text("frames").op("](}").entry("name", kernel->shortName).entry("filename", "model.py");
        pickle.entry("line", 7).op("es");
    }
    return pickle.op("ees.").bytes();
}

} // namespace

class MemoryUnderKernelsTest : public QObject {
    Q_OBJECT

  private:
    test::TempDir m_folder;
    test::DemoPart m_part = test::demoTraining(0, 1);

    ScenePtr sceneOf(const std::vector<int>& order)
    {
        const std::string pid = std::to_string(m_part.pid);
        const std::vector<std::filesystem::path> paths{
            m_folder.path() / ("node0_worker_process_" + pid + ".1.sqlite"),
            m_folder.path() / ("actor_step1_rank0-of-4_pid" + pid + "_20251120120431000.json"),
            m_folder.path() / ("torch_memory_rank0_pid" + pid + ".pickle")};
        if (!std::filesystem::exists(paths[0])) {
            if (!test::writeNsysExport(m_part, paths[0]) || !test::writeKinetoTrace(m_part, paths[1]))
                qFatal("cannot write");
            std::ofstream(paths[2], std::ios::binary) << snapshotOf(m_part);
        }
        Workspace workspace;
        for (const int i : order)
            workspace.add(readReport(paths[static_cast<size_t>(i)], Progress(test::workers())).value());
        completeIdentities(workspace);
        return test::madeScene(workspace);
    }

  private slots:
    void allocationsPrecedeTheirKernels()
    {
        for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
            const ScenePtr scene = sceneOf(order);
            QCOMPARE(scene->tree->size() > 0, true);
            size_t lanes = 0, checked = 0;
            for (uint32_t lane = 0; lane < scene->tree->size(); ++lane) {
                if (!scene->tree->lane(lane).data.is<MemoryLaneData>()) continue;
                ++lanes;
                const Lane& gpu = scene->tree->lane(scene->tree->parentOf(lane));
                QCOMPARE(gpu.subject, LaneSubject::gpu);
                QVERIFY(gpu.data.as<GpuLaneData>()->time.busy_ns > 0); // the one with the kernels
                const RowSource& source = scene->tree->lane(lane).sources.front();
                checked += checkReports(*scene, memoryPlaceOf(*scene, lane, source.report).value());
            }
            QCOMPARE(lanes, 1u);
            QCOMPARE(checked, 2 * m_part.kernels.size()); // as recorded by nsys and by the profiler
        }
    }

    // On a host whose wall clock is ahead, the snapshot is corrected together with its process.
    void fastClockIsCorrected()
    {
        const test::TempDir folder;
        Workspace workspace;
        for (int rank = 0; rank < test::kDemoRanks; ++rank) {
            const test::DemoPart part = test::demoTraining(rank, 1);
            const std::string name = "node" + std::to_string(part.node) + "_worker_process_" +
                                     std::to_string(part.pid) + ".1.sqlite";
            QVERIFY(test::writeNsysExport(part, folder.path() / name));
            workspace.add(readReport(folder.path() / name, Progress(test::workers())).value());
        }
        const test::DemoPart last = test::demoTraining(3, 1);
        QCOMPARE(last.node, 1);
        const auto path = folder.path() / ("torch_memory_rank3_pid" + std::to_string(last.pid) + ".pickle");
        std::ofstream(path, std::ios::binary) << snapshotOf(last, test::kDemoClockError_ns);
        const ReportKey key = workspace.add(readReport(path, Progress(test::workers())).value());
        completeIdentities(workspace);
        const Alignment alignment = alignReports(workspace, {});
        const ClockMap& map = alignment.map(key);
        QCOMPARE(map.method, AlignMethod::collectives);
        QVERIFY(std::abs(map.correction_ns + test::kDemoClockError_ns) < 20'000);
        // As exact as its process: within the bounds of the collectives.
        const int64_t first_ns = workspace.report(key).memory->entries.time_ns.front();
        const int64_t truth_ns = first_ns - test::kDemoStart_utc_ns - test::kDemoClockError_ns;
        const int64_t zero_ns = *alignment.utcAtZero_ns - test::kDemoStart_utc_ns;
        QVERIFY(std::abs(map.alignedFromTrace(TraceTime{first_ns}).ns + zero_ns - truth_ns) < 20'000);
        QVERIFY(alignment.errorBetween(key, ReportKey(3u)).guaranteed_ns.has_value());
    }

    // A block that was allocated before a kernel is alive when the kernel starts.
    void liveBytesOfAKernel()
    {
        const ScenePtr scene = sceneOf({0, 1, 2});
        const Report& nsys = scene->shown.report(ReportKey(0u));
        size_t kernels = 0;
        for (uint32_t i = 0; i < nsys.slices.size(); ++i) {
            if (nsys.slices.kind[i] != RowKind::kernel) continue;
            const auto at = memoryAtStart(*scene, {ReportKey(0u), SliceId(i)});
            QCOMPARE(at.size(), 1u);
            if (!at[0].isKnown) continue; // after the last allocation nothing was recorded
            const int64_t start_ns =
                nsys.slices.start_ns[i] + nsys.clock.utcAtZero_ns.value() - test::kDemoStart_utc_ns;
            const auto before = std::ranges::count_if(m_part.kernels, [&](const test::DemoKernel& kernel) {
                return madeAt_us(kernel) * 1000 - test::kDemoStart_utc_ns <= start_ns;
            });
            QCOMPARE(at[0].levels.active, int64_t(before) * int64_t(kBlock));
            ++kernels;
        }
        QVERIFY(kernels > m_part.kernels.size() / 2);
    }

  private:
    // Returns how many kernels of how many files follow their allocation by the true distance.
    size_t checkReports(const Scene& scene, const MemoryPlace& place)
    {
        std::map<int64_t, MemoryMoment> momentOf; // by time, us
        for (MemoryMoment moment = 1; moment <= place.device().lastMoment(); ++moment) {
            const uint32_t row = place.device().rows[moment - 1];
            momentOf[place.report->memory->entries.time_ns[row] / 1000] = moment;
        }
        size_t checked = 0;
        for (const ReportKey key : scene.shown.keys()) {
            if (key == place.source->report) continue;
            const Report& report = scene.shown.report(key);
            std::vector<int64_t> starts_ns;
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                if (report.slices.kind[i] == RowKind::kernel)
                    starts_ns.push_back(
                        scene.alignment.map(key).alignedFromTrace(report.slices.start(SliceId(i))).ns);
            }
            std::ranges::sort(starts_ns);
            std::vector<const test::DemoKernel*> kernels;
            for (const test::DemoKernel& kernel : m_part.kernels)
                kernels.push_back(&kernel);
            std::ranges::stable_sort(kernels, {}, [](const auto* kernel) { return kernel->start_ns; });
            if (starts_ns.size() != kernels.size()) return 0;
            for (size_t n = 0; n < kernels.size(); ++n) {
                const TraceTime made = place.timeOf(momentOf.at(madeAt_us(*kernels[n])));
                const int64_t truth_ns = kernels[n]->start_ns - (kernels[n]->launch_ns - kAhead_ns);
                const int64_t off_ns = starts_ns[n] - made.ns - truth_ns;
                if (off_ns >= 0 && off_ns < 1'000)
                    ++checked; // timestamps of the snapshot are whole microseconds
            }
        }
        return checked;
    }
};

LOCKSTEP_TEST(MemoryUnderKernelsTest, "memory_under_kernels_test")
#include "memory_under_kernels_test.moc"
