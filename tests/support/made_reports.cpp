// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"

#include <algorithm>
#include <array>

namespace lockstep::test {

namespace {

constexpr int64_t kStep_ns = 20'000'000;

// Pseudorandom numbers that are the same on every machine.
class Noise {
  public:
    explicit Noise(uint64_t seed) : m_state(seed * 0x9E3779B97F4A7C15ull + 1) {}
    int64_t below(int64_t limit)
    {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return static_cast<int64_t>(m_state % static_cast<uint64_t>(limit));
    }

  private:
    uint64_t m_state;
};

class RankMaker {
  public:
    explicit RankMaker(const MadeRank& rank) : m_rank(rank), m_noise(static_cast<uint64_t>(rank.rank) + 1)
    {
        Report& r = m_builder.report();
        r.provenance.path = "made/" + rank.host + "_rank" + std::to_string(rank.rank) + ".sqlite";
        r.provenance.kind = "nsys sqlite";
        r.provenance.tool = "nsys";
        r.identity.run.learn(rank.run, "made", Confidence::stated);
        r.identity.host.learn(rank.host, "made", Confidence::stated);
        r.identity.role.learn(rank.role, "made", Confidence::stated);
        r.identity.rank.learn(rank.rank, "made", Confidence::stated);
        r.sourceTables = {"MADE"};
        if (rank.utcAtZero_ns != 0) {
            r.clock.utcAtZero_ns = rank.utcAtZero_ns;
            r.clock.utcSource = "made";
        }
        r.session = {{0}, {rank.steps * kStep_ns}};
        if (rank.losesRows) {
            r.notes.add("made.lost", NoteSeverity::dataLoss, "some rows were dropped by the profiler",
                        "MADE row 1", 12);
        }
        makeTracks();
    }

    std::shared_ptr<const Report> make()
    {
        for (int step = 0; step < m_rank.steps; ++step)
            makeStep(step, step * kStep_ns);
        makeThreads();
        makeCounters();
        m_builder.adopt(std::move(m_batch));
        return m_builder.freeze(Progress()).value();
    }

  private:
    void makeTracks()
    {
        m_process = m_builder.process(4242, 41613);
        m_builder.report().processes[0].name = m_builder.intern("/usr/bin/python3");
        m_main = m_builder.thread(m_process, 41613);
        m_gpu = m_builder.device(m_process, 0);
        Device& device = m_builder.report().devices[0];
        device.name = m_builder.intern("NVIDIA H100 80GB HBM3");
        device.memory_bytes = 80ull << 30;
        m_compute = m_builder.track({TrackKind::gpuStream, m_process, {}, m_gpu, 7, 1});
        m_nccl = m_builder.track({TrackKind::gpuStream, m_process, {}, m_gpu, 20, 1});
        m_copies = m_builder.track({TrackKind::gpuStream, m_process, {}, m_gpu, 21, 1});
        m_nvtx = m_builder.track({TrackKind::nvtx, m_process, m_main, {}, 0, 0});
        m_api = m_builder.track({TrackKind::cudaApi, m_process, m_main, {}, 0, 0});
        m_ops = m_builder.track({TrackKind::ops, m_process, m_main, {}, 0, 0});
    }

    uint32_t add(TrackId track, int64_t start, int64_t duration, std::string_view name, RowKind kind,
                 SliceCategory category, uint32_t correlation = kNoCorrelation)
    {
        SliceRow row;
        row.start_ns = start;
        row.duration_ns = duration;
        row.source = SourceRow::of(0, ++m_rows);
        row.name = m_builder.intern(name);
        row.kind = kind;
        row.category = category;
        row.correlation = correlation;
        if (kind == RowKind::nvtxMark) row.flags = sliceFlag::kInstant;
        m_batch.add(track, row);
        return m_rows;
    }

    // An API call and the GPU work it launches.
    void launch(TrackId track, int64_t start, int64_t duration, std::string_view name, RowKind kind,
                SliceCategory category)
    {
        const uint32_t correlation = ++m_correlation;
        const bool isKernel = kind == RowKind::kernel;
        m_lastCall = std::max(m_lastCall + 6'000, start - 40'000 - m_noise.below(20'000));
        add(m_api, m_lastCall, 3'000 + m_noise.below(2'500),
            isKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync", RowKind::runtimeApi, SliceCategory::cudaApi,
            correlation);
        const uint32_t row = add(track, start, duration, name, kind, category, correlation);
        if (kind == RowKind::memcpy) {
            m_batch.addMemoryOp(SourceRow::of(0, row), {{},
                                                        CopyKind::hostToDevice,
                                                        MemoryKind::pinned,
                                                        MemoryKind::device,
                                                        static_cast<uint64_t>(duration) * 20});
        }
    }

    void makeStep(int step, int64_t begin)
    {
        struct Phase {
            std::string_view name;
            int64_t length_ns;
            int kernels;
        };
        static constexpr std::array<Phase, 4> kPhases{{{"generate", 8'000'000, 40},
                                                       {"ref log_prob", 3'000'000, 20},
                                                       {"update_actor", 7'000'000, 45},
                                                       {"sync weights", 1'500'000, 4}}};
        add(m_nvtx, begin, kStep_ns - 200'000, "step " + std::to_string(step), RowKind::nvtxPushPop,
            SliceCategory::nvtx);
        add(m_nvtx, begin + 30'000, 0, "step begins", RowKind::nvtxMark, SliceCategory::nvtx);
        int64_t at = begin + 100'000;
        for (const Phase& phase : kPhases) {
            const uint32_t row =
                add(m_nvtx, at, phase.length_ns, phase.name, RowKind::nvtxPushPop, SliceCategory::nvtx);
            if (phase.name == "generate") m_batch.addColor(SourceRow::of(0, row), 0xE69F00);
            makePhase(phase.name, at + 50'000, phase.length_ns - 100'000, phase.kernels);
            at += phase.length_ns;
        }
    }

    void makePhase(std::string_view phase, int64_t begin, int64_t length, int kernels)
    {
        static constexpr std::array<std::string_view, 5> kNames{
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
            "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, false, true>(Flash_fwd_params)",
            "void rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, float, int)",
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
            "at::detail::Array<char*, 1>>"
            "(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
            "silu_and_mul_kernel"};
        const int64_t slot = length / kernels;
        for (int i = 0; i < kernels; ++i) {
            const int64_t start = begin + i * slot + m_noise.below(slot / 8);
            const int64_t duration = slot / 3 + m_noise.below(slot / 2);
            launch(m_compute, start, duration, kNames[static_cast<size_t>(m_noise.below(5))], RowKind::kernel,
                   SliceCategory::compute);
            const std::string layer = std::string(phase) + "/mini_batch " + std::to_string(i / 8);
            if (i % 8 == 0)
                add(m_nvtx, start - 20'000, slot * 7, layer, RowKind::nvtxPushPop, SliceCategory::nvtx);
            add(m_ops, start - 30'000, slot / 2, i % 3 == 0 ? "aten::linear" : "aten::mul", RowKind::op,
                SliceCategory::op);
            if (i % 3 == 0)
                add(m_ops, start - 29'000, slot / 4, "aten::addmm", RowKind::op, SliceCategory::op);
            if (i % 9 == 4) {
                launch(m_nccl, start + slot / 4, slot * 2,
                       "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)",
                       RowKind::kernel, SliceCategory::communication);
            }
            if (i % 11 == 5) {
                launch(m_copies, start, slot / 3, "[CUDA memcpy Host-to-Device]", RowKind::memcpy,
                       i % 2 == 0 ? SliceCategory::copyToDevice : SliceCategory::copyToHost);
            }
        }
    }

    void makeThreads()
    {
        for (const int64_t tid : {41650, 41651}) {
            const ThreadId thread = m_builder.thread(m_process, tid);
            m_builder.report().threads[thread.value].name =
                m_builder.intern(tid == 41650 ? "pin_memory" : "watchdog");
            const TrackId track = m_builder.track({TrackKind::osRuntime, m_process, thread, {}, 0, 0});
            for (int64_t at = 100'000; at < m_rank.steps * kStep_ns - 400'000;
                 at += 350'000 + m_noise.below(300'000)) {
                add(track, at, 30'000 + m_noise.below(250'000), "poll", RowKind::osRuntime,
                    SliceCategory::osRuntime);
            }
        }
    }

    void makeCounters()
    {
        CounterTrack memory;
        memory.name = m_builder.intern("memory used");
        memory.unit = m_builder.intern("B");
        memory.process = m_process;
        memory.device = m_gpu;
        CounterTrack active = memory;
        active.name = m_builder.intern("SMs active");
        active.unit = m_builder.intern("%");
        std::vector<std::pair<int64_t, double>> used, percent;
        double bytes = 40e9;
        for (int64_t at = 0; at < m_rank.steps * kStep_ns; at += 100'000) {
            const int64_t inStep = at % kStep_ns;
            const bool isUpdate = inStep > 11'000'000 && inStep < 18'000'000;
            bytes += ((isUpdate ? 62e9 : 44e9) - bytes) * 0.08;
            used.push_back({at, bytes});
            percent.push_back(
                {at, isUpdate ? 90.0 - double(m_noise.below(10)) : 55.0 + double(m_noise.below(30))});
        }
        m_builder.addSamples(m_builder.addCounterTrack(memory), std::move(used));
        m_builder.addSamples(m_builder.addCounterTrack(active), std::move(percent));
    }

    MadeRank m_rank;
    Noise m_noise;
    ReportBuilder m_builder;
    SliceBatch m_batch;
    ProcessId m_process;
    ThreadId m_main;
    DeviceId m_gpu;
    TrackId m_compute, m_nccl, m_copies, m_nvtx, m_api, m_ops;
    uint32_t m_rows = 0;
    uint32_t m_correlation = 0;
    int64_t m_lastCall = 0;
};

} // namespace

std::shared_ptr<const Report> madeRank(const MadeRank& rank)
{
    return RankMaker(rank).make();
}

Workspace madeWorkspace(int perHost, int steps)
{
    Workspace workspace;
    for (int host = 0; host < 2; ++host) {
        for (int i = 0; i < perHost; ++i) {
            MadeRank rank;
            rank.host = "node" + std::to_string(host);
            rank.rank = host * 8 + i;
            rank.steps = steps;
            rank.utcAtZero_ns += host * 3'000'000;
            workspace.add(madeRank(rank));
        }
    }
    return workspace;
}

ScenePtr madeScene(const Workspace& workspace, const LaneOptions& options)
{
    return makeScene(workspace, alignReports(workspace, {}), workers(), {}, options);
}

std::shared_ptr<const Report> denseReport(uint32_t tracks, uint32_t slicesPerTrack, int64_t length_ns,
                                          uint32_t seed)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    const DeviceId device = builder.device(process, 0);
    std::array<StringId, 8> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = builder.intern("kernel_" + std::to_string(i));
    const int64_t slot = length_ns / slicesPerTrack;
    uint64_t source = 0;
    for (uint32_t t = 0; t < tracks; ++t) {
        SliceBatch batch;
        Noise noise(seed + t);
        const TrackId track = builder.track({TrackKind::gpuStream, process, {}, device, t + 1, 1});
        for (uint32_t i = 0; i < slicesPerTrack; ++i) {
            SliceRow row;
            row.duration_ns = std::max<int64_t>(1, slot / 4 + noise.below(slot / 2 + 1));
            row.start_ns = i * slot + noise.below(slot / 4 + 1);
            row.source = SourceRow::of(0, ++source);
            row.name = names[static_cast<size_t>(noise.below(8))];
            row.kind = RowKind::kernel;
            row.category = noise.below(16) == 0 ? SliceCategory::communication : SliceCategory::compute;
            batch.add(track, row);
        }
        builder.adopt(std::move(batch));
    }
    return builder.freeze(Progress()).value();
}

} // namespace lockstep::test
