// SPDX-License-Identifier: Apache-2.0
// Reports with a small memory snapshot, created in memory, and with kernels of the same process: for tests of
// how the timeline shows them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/trace/report_builder.h"

namespace lockstep::test {

inline constexpr int64_t kMemoryUtc_ns =
    1'795'176'271'000'000'000; // UTC of time zero on the clocks of both reports

// Per device: a segment of 64 MiB, weights of 16 MiB that stay, and waves of activations of 8 and 4 MiB, one
// entry each `step_ns`, 14 entries in all, from begin_ns on. Device d has d + 1 MiB more weights.
struct MadeMemory {
    std::string host = "node0";
    int rank = 0;
    int64_t pid = 77;
    int devices = 1;
    bool hasHost = false;   // pinned host memory too
    bool hasTimes = true;   // else by index, and no wall clock
    bool hasHistory = true; // else the dump only
    bool hasSteps = false; // annotated: "step 1" from the first wave on, "step 2" from the second, and others
    bool runsOut = false;  // an allocation of 80 MiB fails in the second wave
    bool knowsPid = true;
    int64_t begin_ns = 100;
    int64_t step_ns = 50;
    std::string file = "torch_memory_rank0_pid77.pickle";
};
std::shared_ptr<const Report> madeMemory(const MadeMemory& of);

// The same process as recorded by a tool: kernels of `length_ns` on stream 7 of each of `devices` GPUs, one
// every `step_ns` from begin_ns on.
struct MadeKernels {
    std::string host = "node0";
    int rank = 0;
    int64_t pid = 77;
    int devices = 1;
    std::string tool = "nsys";
    int count = 14;
    int64_t begin_ns = 110;
    int64_t step_ns = 50;
    int64_t length_ns = 30;
    // Also adds recorded memory of GPU 0: blocks of 1, 2 and 4 MiB at `memoryBegin_ns` and every 100 ns after
    // it, the first of which is freed 300 ns later. With totals, 8 MiB exist before them.
    std::optional<MemoryRecorder> memory = {};
    int64_t memoryBegin_ns = 120;
};
std::shared_ptr<const Report> madeKernels(const MadeKernels& of);

} // namespace lockstep::test
