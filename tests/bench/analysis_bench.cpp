// SPDX-License-Identifier: Apache-2.0
// Measures all tables that `nsys stats` prints by default, over 10^7 slices of a training run (kernels, the
// API calls that launch them, ranges around them, copies). The baseline is one plain pass over the columns on
// one thread, in the same run. Arguments: [--smoke] [slices].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/analysis/analysis.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/workers.h"

namespace lockstep::analysis_bench {

namespace {

constexpr int kKernelNames = 200;
constexpr int64_t kEvery_ns = 2'000;
constexpr int kTries = 3;
constexpr const char* kTables[] = {"nvtx_sum",
                                   "osrt_sum",
                                   "cuda_api_sum",
                                   "cuda_gpu_kern_sum",
                                   "cuda_gpu_mem_time_sum",
                                   "cuda_gpu_mem_size_sum"};

double elapsed_ms(const auto& work)
{
    double best = 1e300;
    for (int i = 0; i < kTries; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(
            best,
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

class CreatedRun {
  public:
    CreatedRun()
        : m_process(m_builder.process(1, 1)), m_device(m_builder.device(m_process, 0)),
          m_thread(m_builder.thread(m_process, 1))
    {
        for (int i = 0; i < kKernelNames; ++i)
            m_kernels.push_back(
                m_builder.intern("void namespace_of_kernels::kernel_" + std::to_string(i) + "<float>(T1 *)"));
    }

    // Of twenty rows, nine are kernels, nine are API calls, one is a range, and one is a copy or a system
    // call.
    std::shared_ptr<const Report> finish(uint64_t slices)
    {
        const TrackKey gpu{TrackKind::gpuStream, m_process, {}, m_device, 7, 1};
        const TrackKey api{TrackKind::cudaApi, m_process, m_thread, {}, 0, 0};
        const TrackKey ranges{TrackKind::nvtx, m_process, m_thread, {}, 0, 0};
        const TrackKey system{TrackKind::osRuntime, m_process, m_thread, {}, 0, 0};
        for (uint64_t i = 0; i < slices / 2; ++i) {
            const int64_t at = int64_t(i) * kEvery_ns;
            if (i % 10 != 9) {
                add(gpu, RowKind::kernel, m_kernels[i * 31 % kKernelNames], at,
                    int64_t(200 + i * 7919 % 1'500));
                add(api, RowKind::runtimeApi, m_builder.intern("cudaLaunchKernel"), at - 1'000,
                    int64_t(300 + i % 400));
                continue;
            }
            add(ranges, RowKind::nvtxPushPop, m_builder.intern("layer " + std::to_string(i % 96)),
                at - 10 * kEvery_ns, 9 * kEvery_ns);
            if (i % 20 == 9) {
                add(system, RowKind::osRuntime, m_builder.intern("poll"), at, 900);
                continue;
            }
            const SourceRow copy =
                add(gpu, RowKind::memcpy, m_builder.intern("Memcpy HtoD (Pinned -> Device)"), at, 700);
            MemoryOp op;
            op.kind = CopyKind::hostToDevice;
            op.size_bytes = 1'000 + i % 4'096;
            m_batch.addMemoryOp(copy, op);
        }
        m_builder.adopt(std::move(m_batch));
        return m_builder.freeze(Progress(test::workers())).value();
    }

  private:
    SourceRow add(const TrackKey& track, RowKind kind, StringId name, int64_t start_ns, int64_t duration_ns)
    {
        SliceRow row;
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.name = name;
        row.kind = kind;
        row.source = SourceRow::of(0, ++m_rows);
        m_batch.add(m_builder.track(track), row);
        return row.source;
    }

    ReportBuilder m_builder;
    ProcessId m_process;
    DeviceId m_device;
    ThreadId m_thread;
    std::vector<StringId> m_kernels;
    SliceBatch m_batch;
    uint64_t m_rows = 0;
};

// Reads every byte of every column once.
uint64_t barePass(const SliceTable& slices)
{
    uint64_t sum = 0;
    const auto over = [&](const auto& column, const auto& valueOf) {
        for (size_t i = 0; i < column.size(); ++i)
            sum += static_cast<uint64_t>(valueOf(column[i]));
    };
    const auto plain = [](auto value) { return value; };
    over(slices.start_ns, plain);
    over(slices.duration_ns, plain);
    over(slices.source, [](SourceRow row) { return row.packed; });
    over(slices.name, [](StringId id) { return id.value; });
    over(slices.parent, [](SliceId id) { return id.value; });
    over(slices.depth, plain);
    over(slices.kind, plain);
    over(slices.category, plain);
    over(slices.flags, plain);
    return sum;
}

int bench(int argc, char** argv)
{
    uint64_t count = 10'000'000;
    for (int i = 1; i < argc; ++i)
        count = std::strcmp(argv[i], "--smoke") == 0 ? 20'000 : std::strtoull(argv[i], nullptr, 10);
    Workspace workspace;
    const ReportKey key = workspace.add(CreatedRun().finish(count));
    const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
    const SliceTable& slices = scene->shown.report(key).slices;
    volatile uint64_t sink = 0;
    const double bare_ms = elapsed_ms([&] { sink = barePass(slices); });
    std::printf("%zu slices; one bare pass over the columns: %.1f ms\n", slices.size(), bare_ms);
    double all_ms = 0;
    for (const char* const name : kTables) {
        size_t rows = 0;
        const double ms = elapsed_ms([&] {
            const auto table = runAnalysis(name, *scene, {}, Progress(test::workers()));
            rows = table ? table->rowCount() : 0;
        });
        if (rows == 0) {
            std::fprintf(stderr, "%s has no rows\n", name);
            return 1;
        }
        all_ms += ms;
        std::printf("%-24s %8.1f ms  %6.2f bare passes  %zu rows\n", name, ms, ms / bare_ms, rows);
    }
    std::printf("all                      %8.1f ms  %6.2f bare passes (target: at most 6)\n", all_ms,
                all_ms / bare_ms);
    return 0;
}

const test::Bench kBench("analysis_bench", bench);

} // namespace

} // namespace lockstep::analysis_bench
