// SPDX-License-Identifier: Apache-2.0
// The demo's training: what one of its ranks does. Three steps of post-training (generate, score, judge,
// update), with every phase's role said as a stage, and collectives between all ranks. Numbers are computed,
// but nothing is learnt; rank 2 takes half as long again for everything, which is what there is to be found.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::demo {

struct TrainingPlace {
    uint32_t rank = 0, ranks = 4, localRank = 0;
    std::string meeting; // the ranks' socket
};

inline constexpr int kSteps = 3;
inline constexpr uint32_t kStraggler = 2;
inline constexpr int kStragglerPercent = 150; // of the others' time

// The exit status of the rank's process: 1 when another rank has left. Tells steps on standard output, as
// verl does, and troubles on standard error. Some 6 s.
int train(const TrainingPlace& place);

} // namespace lockstep::demo
