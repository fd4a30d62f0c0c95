// SPDX-License-Identifier: Apache-2.0
#include "tests/support/demo_files.h"

namespace lockstep::test {

Result<std::vector<std::filesystem::path>> writeDemoFiles(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> paths;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return makeError(ErrorKind::io, folder.string() + ": cannot create: " + error.message());
    for (int rank = 0; rank < kDemoRanks; ++rank) {
        for (int step = 1; step <= kDemoSteps; ++step) {
            const DemoPart training = demoTraining(rank, step);
            paths.push_back(folder / ("node" + std::to_string(training.node) + "_worker_process_" +
                                      std::to_string(training.pid) + "." + std::to_string(step) + ".sqlite"));
            LOCKSTEP_TRY(writeNsysExport(training, paths.back()));
            const DemoPart rollout = demoRollout(rank, step);
            paths.push_back(folder / ("rollout_step" + std::to_string(step) + "_rank" + std::to_string(rank) +
                                      "-of-" + std::to_string(kDemoRanks) + "_pid" +
                                      std::to_string(rollout.pid) + "_20251120120431000.json"));
            LOCKSTEP_TRY(writeKinetoTrace(rollout, paths.back()));
        }
    }
    return paths;
}

} // namespace lockstep::test
