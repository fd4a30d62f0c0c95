// SPDX-License-Identifier: Apache-2.0
// Measures resident bytes per slice, all included: columns, names, links, tracks. Names are pooled: 2,000
// distinct ones.
#include <cstdio>
#include <cstring>

#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/workers.h"

namespace lockstep::store_bench {

namespace {

void addThread(ReportBuilder& builder, ProcessId process, int thread, size_t count)
{
    const TrackId ops = builder.track({TrackKind::ops, process, builder.thread(process, thread), {}, 0, 0});
    const TrackId api =
        builder.track({TrackKind::cudaApi, process, builder.thread(process, thread), {}, 0, 0});
    const TrackId gpu =
        builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), thread, 1});
    SliceBatch batch;
    for (size_t i = 0; i < count; ++i) {
        SliceRow row;
        row.start_ns = int64_t(i) * 1000;
        row.duration_ns = 900;
        row.source = SourceRow::of(0, uint64_t(thread) * count + i);
        row.name = StringId(uint32_t(1 + i % 2000));
        row.kind = i % 3 == 0 ? RowKind::op : i % 3 == 1 ? RowKind::runtimeApi : RowKind::kernel;
        if (i % 3 != 0) row.correlation = uint32_t(size_t(thread) * count + i / 3);
        batch.add(i % 3 == 0 ? ops : i % 3 == 1 ? api : gpu, row);
    }
    builder.adopt(std::move(batch));
}

int bench(int argc, char** argv)
{
    const size_t count = argc > 1 && std::strcmp(argv[1], "--smoke") == 0 ? 100'000 : 1'000'000;
    ReportBuilder builder;
    for (int i = 0; i < 2000; ++i) {
        builder.intern(
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "at::detail::Array<char*, 3> >(int, Array<char*, " +
            std::to_string(i) + ">)");
    }
    const ProcessId process = builder.process(1, 1);
    for (int thread = 0; thread < 4; ++thread)
        addThread(builder, process, thread, count / 4);
    const auto report = builder.freeze(Progress(test::machineWorkers()));
    if (!report) return 1;
    const double bytes = double((*report)->residentBytes()) / double((*report)->slices.size());
    std::printf("store: %.1f bytes a slice of %zu, %zu links (target 64)\n", bytes, (*report)->slices.size(),
                (*report)->links.size());
    return bytes <= 80 ? 0 : 1;
}

const test::Bench kBench("store_bench", bench);

} // namespace

} // namespace lockstep::store_bench
