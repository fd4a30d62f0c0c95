// SPDX-License-Identifier: Apache-2.0
// ManyRanks is a small run of many ranks as a scene: eight steps, each with computation and one all-reduce
// that ends for all at once. In each step, one rank computes longest. Some ranks have no report.
#pragma once

#include "core/scene/scene.h"
#include "core/trace/process_groups.h"
#include "tests/support/rank_report.h"
#include "tests/support/workers.h"

namespace lockstep::test {

struct ManyRanks {
    int ranks = 128;
    int late = 77;
    int missing = -1;
    int perHost = 8;
    int lateRanks = 1;    // number of consecutive ranks, `late` and the ones after it, that take turns at
                          // being late
    int missingRanks = 1; // number of ranks without a report: every other rank, starting with `missing`
    int64_t beforeLast_ns = 0; // pause before the last step

    bool isMissing(int rank) const
    {
        const int after = rank - missing;
        return missing >= 0 && after >= 0 && after % 2 == 0 && after / 2 < missingRanks;
    }
};

inline std::shared_ptr<const Report> oneOfMany(const ManyRanks& of, int rank)
{
    constexpr int64_t kStep_ns = 10'000'000;
    RankReport made(rank, "node" + std::to_string(rank / of.perHost), 1'700'000'000'000'000'000);
    for (int step = 0; step < 8; ++step) {
        const int64_t begin = step * kStep_ns + (step == 7 ? of.beforeLast_ns : 0);
        const int64_t compute_ns =
            rank == of.late + step % of.lateRanks ? 8'000'000 : 4'000'000 + rank * 1'000;
        made.addKernel(begin, begin + compute_ns, "gemm");
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(step);
        op.groupSize = static_cast<uint32_t>(of.ranks);
        made.addCollective(begin + compute_ns, begin + 9'000'000, "allreduce", "0", op);
    }
    return made.finish();
}

// Aligned in the automatic mode.
inline ScenePtr manyRanks(const ManyRanks& of)
{
    Workspace workspace;
    for (int rank = 0; rank < of.ranks; ++rank) {
        if (!of.isMissing(rank)) workspace.add(oneOfMany(of, rank));
    }
    completeIdentities(workspace);
    const Alignment alignment = alignReports(workspace, {});
    return makeScene(workspace, alignment, workers());
}

} // namespace lockstep::test
