// SPDX-License-Identifier: Apache-2.0
// ComparedRun is a run of some ranks and three steps as PyTorch traces, for comparisons in a window. Step 2
// is longer than step 1, its collectives are later, and rank 1 misses a kernel in the middle of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace lockstep::test {

struct ComparedRun {
    int ranks = 64;
    int steps = 3;
    int64_t shift_us = 0; // added to all stamps
    int64_t extra_us = 0; // added to the duration of each gemm
};

inline std::string tracedRank(const ComparedRun& run, int rank)
{
    std::string text = R"({"distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank) +
                       R"(,"world_size":)" + std::to_string(run.ranks) + R"(},"deviceProperties":[{"id":0,)" +
                       R"("name":"NVIDIA H100 80GB HBM3"}],"traceEvents":[)";
    bool isFirst = true;
    const auto add = [&](int64_t at_us, int64_t us, const std::string& rest) {
        text += (isFirst ? "" : ",\n") + std::string(R"({"ph":"X","ts":)") +
                std::to_string(1'700'000'000'000'000 + run.shift_us + at_us) + R"(,"dur":)" +
                std::to_string(us) + "," + rest + "}";
        isFirst = false;
    };
    const auto kernel = [&](int64_t at_us, int64_t us, const std::string& name, int stream,
                            const std::string& more = {}) {
        add(at_us, us,
            R"("pid":0,"tid":)" + std::to_string(stream) + R"(,"name":")" + name +
                R"(","cat":"kernel","args":{"device":0,"stream":)" + std::to_string(stream) + more + "}");
    };
    for (int step = 1; step <= run.steps; ++step) {
        const int64_t begin = (step - 1) * 10'000, late = step == 2 ? 300 : 0;
        add(begin, 9'000 + late,
            R"("pid":1,"tid":1,"name":"ProfilerStep#)" + std::to_string(step) +
                R"(","cat":"user_annotation")");
        for (int i = 0; i < 12; ++i) {
            const bool isMissing = rank == 1 && step == 2 && i == 5; // in the middle
            if (!isMissing)
                kernel(begin + 100 + i * 500, 300 + rank + run.extra_us + (step == 2 ? 20 : 0), "gemm_kernel",
                       7);
            kernel(begin + 450 + i * 500, 40, "norm_kernel", 7);
        }
        for (int i = 0; i < 4; ++i)
            kernel(begin + 6'400 + i * 600 + late, 400 + late / 10, "ncclDevKernel_ReduceScatter_Sum_bf16",
                   20,
                   R"(,"Collective name":"reduce_scatter","Group size":)" + std::to_string(run.ranks) +
                       R"(,"Process Group Name":"0","dtype":"BFloat16","In msg nelems":1024)");
    }
    return text + "]}";
}

inline std::vector<std::filesystem::path> writeComparedRun(const TempDir& folder, const std::string& name,
                                                           const ComparedRun& run)
{
    std::vector<std::filesystem::path> paths;
    for (int rank = 0; rank < run.ranks; ++rank)
        paths.push_back(
            folder.write(name + "/rank" + std::to_string(rank) + ".pt.trace.json", tracedRank(run, rank)));
    return paths;
}

} // namespace lockstep::test
