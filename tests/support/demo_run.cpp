// SPDX-License-Identifier: Apache-2.0
#include "tests/support/demo_run.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::test {

namespace {

// SplitMix64: small, and equal on every machine.
class Random {
  public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    int64_t between(int64_t low, int64_t high) // both included
    {
        m_state += 0x9E3779B97F4A7C15ull;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return low + static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(high - low + 1));
    }

  private:
    uint64_t m_state;
};

struct KernelShape {
    std::string_view name, shortName;
    int64_t shortest_ns, longest_ns;
};

constexpr std::array<KernelShape, 5> kTrainingKernels{{
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", 120'000, 420'000},
    {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, true>(Flash_fwd_params)",
     "flash_fwd_kernel", 90'000, 260'000},
    {"void rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, const c10::BFloat16*, float, int)",
     "rms_norm_kernel", 12'000, 40'000},
    {"void rotary_embedding_kernel<c10::BFloat16, true>(const long*, c10::BFloat16*, int)",
     "rotary_embedding_kernel", 9'000, 30'000},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int, float)",
     "vectorized_elementwise_kernel", 6'000, 20'000},
}};

constexpr std::array<KernelShape, 4> kRolloutKernels{{
    {"void paged_attention_v2_kernel<__nv_bfloat16, 128, 16>(float*, const __nv_bfloat16*)",
     "paged_attention_v2_kernel", 30'000, 80'000},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n",
     25'000, 60'000},
    {"void silu_and_mul_kernel<c10::BFloat16>(c10::BFloat16*, const c10::BFloat16*, int)",
     "silu_and_mul_kernel", 6'000, 14'000},
    {"void topk_sampling_kernel<float>(float*, int*, int)", "topk_sampling_kernel", 8'000, 18'000},
}};

constexpr int64_t kLaunchAhead_ns = 35'000;

// Fills [begin, end) of stream 7 with kernels, one after the other; `slow` lengthens everything by this
// percentage.
template<size_t N>
void fillCompute(DemoPart& part, Random& random, const std::array<KernelShape, N>& shapes, int64_t begin,
                 int64_t end, int64_t slow)
{
    size_t next = 0;
    for (int64_t at = begin; at < end;) {
        const KernelShape& shape = shapes[next++ % N];
        const int64_t length = random.between(shape.shortest_ns, shape.longest_ns) * (100 + slow) / 100;
        if (at + length > end) break;
        part.kernels.push_back({at - kLaunchAhead_ns - random.between(0, 12'000), at, length, 7,
                                std::string(shape.name), std::string(shape.shortName)});
        at += length + random.between(1'500, 30'000);
    }
}

// An operation of all ranks: it ends on each rank once all have arrived and the data is transferred, plus a
// tail per rank.
void addCollective(DemoPart& part, Random& random, std::string_view operation, int64_t arrival,
                   int64_t allArrived, int64_t transfer)
{
    const std::string shortName = "ncclDevKernel_" + std::string(operation) + "_RING_LL";
    const auto sequence =
        static_cast<uint64_t>(1'000 * part.step + std::ranges::count(part.kernels, 20, &DemoKernel::stream));
    part.kernels.push_back({arrival - kLaunchAhead_ns, arrival,
                            allArrived + transfer + random.between(0, 8'000) - arrival, 20,
                            shortName + "(ncclDevKernelArgsStorage<4096>)", shortName, sequence,
                            static_cast<uint64_t>(transfer)});
}

DemoPart partOf(int rank, int step, int64_t pid, int64_t begin, int64_t end)
{
    DemoPart part{rank / 2, rank, step, pid, 0, 0, {}, {}, {}};
    const int64_t stepBegin = (step - 1) * kDemoStepLength_ns;
    part.begin_ns = stepBegin + begin;
    part.end_ns = stepBegin + end;
    return part;
}

void finish(DemoPart& part)
{
    std::ranges::sort(part.kernels, {}, &DemoKernel::start_ns);
}

} // namespace

DemoPart demoTraining(int rank, int step)
{
    DemoPart part = partOf(rank, step, 41'613 + rank % 2, 10'000'000, 40'500'000);
    Random random(static_cast<uint64_t>(rank * 100 + step));
    const int64_t slow = rank == 3 ? 9 : 0; // the run's straggler
    const int64_t refEnd = part.begin_ns + 6'000'000, oldEnd = refEnd + 5'500'000;
    part.ranges.push_back({part.begin_ns, refEnd, "ref_compute_log_prob", 0x7A7A00, true});
    part.ranges.push_back({refEnd, oldEnd, "actor_compute_log_prob", 0x0000FF, true});
    part.ranges.push_back({oldEnd, part.end_ns, "train_batch", 0xCC2222, true});
    fillCompute(part, random, kTrainingKernels, part.begin_ns + 60'000, oldEnd - 100'000, slow);
    constexpr int kMiniBatches = 4, kBuckets = 3;
    const int64_t miniLength = (part.end_ns - oldEnd) / kMiniBatches;
    Random shared(static_cast<uint64_t>(step)); // the same on every rank, as collectives are
    for (int mini = 0; mini < kMiniBatches; ++mini) {
        const int64_t begin = oldEnd + mini * miniLength, end = begin + miniLength - 120'000;
        part.ranges.push_back({begin, end, "mini_batch" + std::to_string(mini), 0, false});
        const int64_t half = begin + miniLength / 2;
        part.ranges.push_back({begin + 20'000, half, "forward", 0, false});
        part.ranges.push_back({half, end - 20'000, "backward", 0, false});
        const int64_t firstLate =
            half + 700'000 + shared.between(50'000, 200'000); // when the slowest rank arrives
        fillCompute(part, random, kTrainingKernels, begin + 50'000, firstLate - 60'000, slow);
        int64_t late = firstLate;
        for (int bucket = 0; bucket < kBuckets; ++bucket) {
            const int64_t transfer = shared.between(80'000, 140'000);
            const int64_t arrival = rank == 3 ? late : late - random.between(20'000, 350'000 / (bucket + 1));
            addCollective(part, random, "ReduceScatter_Sum_bf16", arrival, late, transfer);
            late += transfer + shared.between(60'000, 100'000);
        }
        const int64_t transfer = shared.between(60'000, 90'000);
        addCollective(part, random, "AllGather", late - random.between(10'000, 60'000), late, transfer);
        fillCompute(part, random, kTrainingKernels, late + transfer + 100'000, end - 150'000, slow);
        part.copies.push_back({begin + 10'000, begin + 45'000, 60'000, 1, 8 << 20});
        part.copies.push_back({end - 110'000, end - 80'000, 45'000, 2, 2 << 20});
    }
    finish(part);
    return part;
}

DemoPart demoRollout(int rank, int step)
{
    DemoPart part = partOf(rank, step, 52'200 + rank % 2, 200'000, 9'600'000);
    Random random(static_cast<uint64_t>(rank * 100 + step + 5'000));
    part.ranges.push_back({part.begin_ns, part.end_ns, "rollout_generate", 0, false});
    constexpr int kTokens = 12;
    const int64_t tokenLength = (part.end_ns - part.begin_ns) / kTokens;
    Random shared(static_cast<uint64_t>(step + 900));
    for (int token = 0; token < kTokens; ++token) {
        const int64_t begin = part.begin_ns + token * tokenLength, end = begin + tokenLength;
        part.ranges.push_back({begin, end - 30'000, "decode_step", 0, false});
        fillCompute(part, random, kRolloutKernels, begin + 60'000, end - 330'000, 0);
        int64_t late = end - 290'000; // tensor parallel over all ranks: twice per token
        for (int half = 0; half < 2; ++half) {
            const int64_t transfer = shared.between(22'000, 38'000);
            addCollective(part, random, "AllReduce_Sum_bf16", late - random.between(2'000, 25'000), late,
                          transfer);
            late += transfer + 45'000;
        }
        part.copies.push_back({end - 85'000, end - 60'000, 5'000, 2, 4'096});
    }
    finish(part);
    return part;
}

} // namespace lockstep::test
