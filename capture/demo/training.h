// SPDX-License-Identifier: Apache-2.0
// The training of the demo: what one of its ranks does. It consists of three steps of post-training
// (generate, score, judge, update), with the role of every phase annotated as a stage, and with collectives
// between all ranks. Numbers are computed, but nothing is learned. Rank 2 takes half as long again as the
// other ranks for everything. This is the problem that the demo lets users find.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::demo {

struct TrainingRank {
    uint32_t rank = 0, ranks = 4, localRank = 0;
    std::string socketName; // name of the ranks' socket
};

inline constexpr int kSteps = 3;
inline constexpr uint32_t kStraggler = 2;
inline constexpr int kStragglerPercent = 150; // percentage of the time that other ranks take

// Returns the exit status of the rank's process: 1 if another rank has exited. Prints steps to standard
// output, like verl, and errors to standard error. Takes about 6 s.
int train(const TrainingRank& place);

} // namespace lockstep::demo
