// SPDX-License-Identifier: Apache-2.0
// DemoRun is a fictitious post-training run of 2 nodes x 2 ranks x 2 steps, as the events of each process.
// Deterministic. demo_files.h writes it as report files. Times are ns since the start of the run on a true
// clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::test {

inline constexpr int kDemoNodes = 2;
inline constexpr int kDemoRanks = 4; // two per node
inline constexpr int kDemoSteps = 2;
inline constexpr int64_t kDemoStepLength_ns = 42'000'000;
inline constexpr int64_t kDemoStart_utc_ns = 1'763'640'271'000'000'000; // 2025-11-20 12:04:31 UTC
inline constexpr int64_t kDemoClockError_ns = 1'300'000; // the wall clock of node1 is ahead by this much

struct DemoKernel {
    int64_t launch_ns; // start of the API call
    int64_t start_ns;
    int64_t duration_ns;
    int stream; // 7 compute, 20 NCCL
    std::string name;
    std::string shortName;
    uint64_t sequence = 0; // number of an NCCL operation in its group, across steps; 0 = another kernel
    uint64_t elements = 0;
};

struct DemoCopy {
    int64_t launch_ns;
    int64_t start_ns;
    int64_t duration_ns;
    int kind; // 1 host to device, 2 device to host
    int64_t size_bytes;
};

struct DemoRange {
    int64_t start_ns;
    int64_t end_ns;
    std::string name;
    uint32_t rgb;
    bool isStartEnd; // else push/pop
};

// Events of one process in one step: a worker's training part, or its rollout engine's part.
struct DemoPart {
    int node, rank, step; // step counts from 1
    int64_t pid;
    int64_t begin_ns, end_ns;
    std::vector<DemoKernel> kernels; // by start
    std::vector<DemoCopy> copies;
    std::vector<DemoRange> ranges; // outer before inner
};

// Returns the training part (log-probs and the actor update), to be written as an nsys export.
DemoPart demoTraining(int rank, int step);
// Returns the generation part, to be written as a PyTorch trace.
DemoPart demoRollout(int rank, int step);

} // namespace lockstep::test
