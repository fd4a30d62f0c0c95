// SPDX-License-Identifier: Apache-2.0
// LaunchWords: the training command inside one command of a script, without what stands around it: nohup,
// env, srun, docker exec, bash -c, ray job submit, sbatch with a COMMAND, nsys profile. Made by
// import_script.cpp. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session_config.h"
#include "core/session/shell/script.h"

namespace lockstep {

// What a command starts, the likelier a training run the higher.
enum class LaunchKind : uint8_t {
    other,         // mkdir, pip, another script: no launch
    program,       // python or a program of one's own
    torchrun,      // torchrun, python -m torch.distributed.run
    reinforcement, // verl, VeRL-Omni
    nemo           // NeMo RL
};

struct LaunchWords {
    LaunchKind kind = LaunchKind::other;
    int line = 0;
    bool isCertain = true;
    std::vector<std::string> words;
    TextPairs environment;
    std::string folder;
    std::vector<std::string> container; // words in front that enter one
    Launcher launcher;                  // of ray job submit, sbatch
    bool isUnderNsys = false;
    NsightOptions nsysOptions;
    NsysPlacement nsysPlacement = NsysPlacement::node; // outside or inside torchrun
    std::vector<shell::Note> notes;                    // about what stood around it
    std::vector<LaunchWords> others;                   // launches beside it in a bash -c
};

LaunchWords launchWordsOf(const shell::Command& command);

} // namespace lockstep
