// SPDX-License-Identifier: Apache-2.0
// Small synthetic reports for tests and pictures: always the same, with everything that a timeline shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/align/alignment.h"
#include "core/scene/scene.h"
#include "core/trace/report_builder.h"
#include "core/trace/workspace.h"

namespace lockstep::test {

struct MadeRank {
    std::string run = "verl-grpo 2026-11-20";
    std::string host = "node0";
    std::string role = "actor";
    int rank = 0;
    int64_t utcAtZero_ns = 1'795'176'271'000'000'000; // 0 = no wall clock
    bool losesRows = false;                           // adds a data-loss note
    int steps = 2;                                    // training steps of 20 ms
};

// One rank: GPU 0 with streams 7 (compute), 20 (NCCL), 21 (copies), a memory and an SM counter; main thread
// with NVTX, CUDA API and ops, two threads with OS runtime calls; launches linked by correlation. About 600
// slices per step.
std::shared_ptr<const Report> madeRank(const MadeRank& rank);

// Two hosts with `perHost` ranks each, with ranks 8 apart as on real nodes; the clock of the second host
// starts 3 ms later.
Workspace madeWorkspace(int perHost = 2, int steps = 2);

// Aligned in the automatic mode.
ScenePtr madeScene(const Workspace& workspace, const LaneOptions& options = {});

// A report of one process with `tracks` GPU streams of `slicesPerTrack` kernels each, back to back with
// pseudo-random durations and gaps, for benches: 8 names, all within `length_ns`.
std::shared_ptr<const Report> denseReport(uint32_t tracks, uint32_t slicesPerTrack, int64_t length_ns,
                                          uint32_t seed);

} // namespace lockstep::test
