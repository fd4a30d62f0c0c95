// SPDX-License-Identifier: Apache-2.0
// RlRun is a small run of reinforcement learning: engines generate on one host while the workers of another
// wait, then the workers update while the engines wait. One step takes 100 ms.
#pragma once

#include "core/scene/scene.h"
#include "core/trace/process_groups.h"
#include "tests/support/row_report.h"
#include "tests/support/workers.h"

namespace lockstep::test {

inline constexpr int64_t kRl_ms = 1'000'000;

// Adds kernels of 0.1 ms, one after another.
inline void fillWithKernels(RowReport& report, const char* name, int64_t begin_ms, int64_t end_ms)
{
    for (int64_t at = begin_ms * 10; at < end_ms * 10; ++at)
        report.kernel(name, at * kRl_ms / 10, (at + 1) * kRl_ms / 10);
}

// uuid: of its GPU; "" = not recorded in any file.
inline std::shared_ptr<const Report> rlActor(int rank, const char* uuid = "GPU-actor")
{
    RowReport report(("actor" + std::to_string(rank) + ".sqlite").c_str());
    report.identify(rank, "actor", 1, "node0", uuid);
    report.setUtc(1'700'000'000'000'000'000);
    report.range("step", 0, 100 * kRl_ms);
    report.range("actor_compute_log_prob", 42 * kRl_ms, 55 * kRl_ms);
    fillWithKernels(report, "gemm", 42, 55);
    report.range("actor_update", 55 * kRl_ms, 90 * kRl_ms);
    fillWithKernels(report, "gemm_backward", 55, 90);
    report.range("update_weights", 90 * kRl_ms, 100 * kRl_ms);
    return report.finish();
}

inline std::shared_ptr<const Report> rlRollout(int rank, const char* uuid = "GPU-rollout")
{
    RowReport report(("rollout" + std::to_string(rank) + ".sqlite").c_str());
    report.identify(rank, "rollout", 1, "node1", uuid);
    report.setUtc(1'700'000'000'000'000'000);
    report.range("step", 0, 100 * kRl_ms);
    report.range("generate_sequences", 0, 40 * kRl_ms);
    fillWithKernels(report, "paged_attention", 0, 40);
    report.range("wait_for_enough_samples", 60 * kRl_ms, 90 * kRl_ms);
    return report.finish();
}

inline Workspace rlRun(int ranks = 1)
{
    Workspace workspace;
    for (int rank = 0; rank < ranks; ++rank) {
        workspace.add(rlActor(rank));
        workspace.add(rlRollout(rank));
    }
    completeIdentities(workspace);
    return workspace;
}

inline ScenePtr rlScene(const Workspace& workspace)
{
    const Alignment alignment = alignReports(workspace, {});
    return makeScene(workspace, alignment, workers());
}

} // namespace lockstep::test
