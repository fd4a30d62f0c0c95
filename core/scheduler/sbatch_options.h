// SPDX-License-Identifier: Apache-2.0
// The options that sbatch is given, on its command line and in #SBATCH lines, looked through for those that
// would make something else of a run than one job that can be watched. Source: sbatch(1) of Slurm 22.05 and
// src/sbatch/opt.c. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

struct SbatchOptions {
    std::vector<std::string> words; // what is left
    std::vector<std::string> notes; // for people: what was taken out, and why
};
// Takes --wait, --parsable and --quiet out, with a note each. invalid: an array, --test-only, --wrap,
// --requeue. where: "launcher.slurm_options", "train.sbatch line 4"; begins each message.
Result<SbatchOptions> watchableOptions(std::span<const std::string> words, std::string_view where);

struct SbatchScript {
    std::vector<std::string> directives; // "#SBATCH ..." lines to keep, in their order
    std::vector<std::string> notes;
    int components = 1;   // of a heterogeneous job: one more than its "#SBATCH hetjob" lines
    std::string exported; // the value of --export in them; "" = not given
};
// The lines that sbatch itself would read: up to the first that is neither a comment nor empty. invalid as
// above; also a text without "#!" in its first line, which sbatch refuses.
Result<SbatchScript> sbatchScriptFrom(std::string_view text, std::string_view name);

} // namespace lockstep
