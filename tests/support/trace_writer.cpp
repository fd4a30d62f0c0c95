// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_writer.h"

#include <array>
#include <cstdio>
#include <memory>

namespace lockstep::test {

namespace {

constexpr std::array kOps{"aten::linear",
                          "aten::addmm",
                          "aten::copy_",
                          "aten::layer_norm",
                          "aten::gelu",
                          "autograd::engine::evaluate_function: AddmmBackward0",
                          "aten::scaled_dot_product_attention"};
constexpr std::array kKernelNames{
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3> "
    ">(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float)"};

class Writer {
  public:
    explicit Writer(const std::filesystem::path& path) : m_file(std::fopen(path.c_str(), "wb"), std::fclose)
    {
        std::setvbuf(m_file.get(), nullptr, _IOFBF, 1 << 20);
    }

    uint64_t write(size_t events)
    {
        std::fprintf(
            m_file.get(),
            "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, "
            "\"world_size\": 8},\n  \"baseTimeNanoseconds\": 1751410836000000000,\n  \"traceEvents\": [");
        for (m_left = events; m_left > 0; ++m_round)
            round();
        std::fprintf(m_file.get(), "\n  ]\n}\n");
        return uint64_t(std::ftell(m_file.get()));
    }

  private:
    // Two nested ops, a launch with its flow, the kernel with its: six events.
    void round()
    {
        const size_t thread = 4000 + m_round % 4;
        const double time = 1419247332000.0 + double(m_round) * 12.5;
        const size_t correlation = 10'000 + m_round;
        const char* const kernel = kKernelNames[m_round % kKernelNames.size()];
        op(kOps[m_round % kOps.size()], thread, time, 40.25);
        op(kOps[(m_round + 3) % kOps.size()], thread, time + 1.125, 20.5);
        if (!begin()) return;
        std::fprintf(m_file.get(),
                     "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
                     "\"pid\": 19392, \"tid\": "
                     "%zu,\n    \"ts\": %.3f, \"dur\": 4.321,\n    \"args\": {\n      \"External id\": %zu, "
                     "\"cbid\": 211, "
                     "\"correlation\": %zu\n    }\n  }",
                     thread, time + 2.5, m_round, correlation);
        flow('s', 19392, thread, time + 2.5, correlation, "");
        if (begin()) {
            std::fprintf(
                m_file.get(),
                "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": %zu,\n  "
                "  \"ts\": "
                "%.3f, \"dur\": 11.264,\n    \"args\": {\n      \"External id\": %zu,\n      \"queued\": 0, "
                "\"device\": 0, \"context\": 1,\n      \"stream\": %zu, \"correlation\": %zu,\n      "
                "\"registers per "
                "thread\": 32,\n      \"shared memory\": 0,\n      \"blocks per SM\": 3.878788,\n      "
                "\"warps per "
                "SM\": 15.515152,\n      \"grid\": [512, 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. "
                "achieved "
                "occupancy %%\": 24\n    }\n  }",
                kernel, 7 + m_round % 6, time + 30.125, m_round, 7 + m_round % 6, correlation);
        }
        flow('f', 0, 7 + m_round % 6, time + 30.125, correlation, ", \"bp\": \"e\"");
    }

    bool begin()
    {
        if (m_left == 0) return false;
        --m_left;
        std::fputs(m_isFirst ? "\n" : ",\n", m_file.get());
        m_isFirst = false;
        return true;
    }

    void op(const char* name, size_t thread, double time, double duration)
    {
        if (!begin()) return;
        std::fprintf(m_file.get(),
                     "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 19392, "
                     "\"tid\": %zu,\n    \"ts\": %.3f, "
                     "\"dur\": %.3f,\n    \"args\": {\n      \"External id\": %zu,\"Record function id\": 0, "
                     "\"Concrete Inputs\": "
                     "[\"\", \"0\", \"\"], \"Input type\": [\"c10::BFloat16\", \"Scalar\", \"\"], \"Input "
                     "Strides\": [[4096, 1], "
                     "[], []], \"Input Dims\": [[8192, 4096], [], []], \"Ev Idx\": %zu\n    }\n  }",
                     name, thread, time, duration, m_round, m_left);
    }

    void flow(char phase, int pid, size_t tid, double time, size_t id, const char* more)
    {
        if (!begin()) return;
        std::fprintf(m_file.get(),
                     "  {\n    \"ph\": \"%c\", \"id\": %zu, \"pid\": %d, \"tid\": %zu, \"ts\": %.3f,\n    "
                     "\"cat\": \"ac2g\", "
                     "\"name\": \"ac2g\"%s\n  }",
                     phase, id, pid, tid, time, more);
    }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_file;
    size_t m_left = 0;
    size_t m_round = 0;
    bool m_isFirst = true;
};

} // namespace

uint64_t writeKinetoTrace(const std::filesystem::path& path, size_t events)
{
    return Writer(path).write(events);
}

} // namespace lockstep::test
