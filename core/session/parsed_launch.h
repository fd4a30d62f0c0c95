// SPDX-License-Identifier: Apache-2.0
// ParsedLaunch is the training command inside a command in a script, without its wrappers: nohup, env, srun,
// docker exec, bash -c, ray job submit, sbatch with a COMMAND, nsys profile. Used by importText(). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session_config.h"
#include "core/session/shell/script.h"

namespace lockstep {

// What a command starts, in increasing order of likelihood that it is a training run.
enum class LaunchKind : uint8_t {
    other,    // not a launch: mkdir, pip, another script
    program,  // python or a custom program
    torchrun, // torchrun, python -m torch.distributed.run
    recipe    // a framework that a recipe describes
};

// Texts contain references as shell::Text does, until finishLaunch() is called.
struct ParsedLaunch {
    LaunchKind kind = LaunchKind::other;
    Framework framework = Framework::plain; // set for LaunchKind::recipe
    int line = 0;
    bool isCertain = true;
    std::vector<std::string> words;
    TextPairs environment;
    std::string folder;
    std::vector<std::string> container; // leading arguments that enter a container
    Launcher launcher;                  // launcher, if the command uses ray job submit or sbatch
    bool isUnderNsys = false;
    NsightOptions nsysOptions;
    NsysPlacement nsysPlacement = NsysPlacement::node; // whether nsys is around or inside torchrun
    std::vector<shell::Note> notes;                    // notes about the wrappers
    std::vector<ParsedLaunch> others;                  // other launches within the same bash -c
};

// Leaves out words and variables with unknown values, with notes.
ParsedLaunch parseLaunch(const shell::Command& command);
// Converts the texts of the launch to the spelling of a session, with notes about what differs from bash.
void finishLaunch(ParsedLaunch& launch);

} // namespace lockstep
