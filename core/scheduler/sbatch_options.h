// SPDX-License-Identifier: Apache-2.0
// Checks sbatch options, on the command line and in #SBATCH lines, for options that would prevent the run
// from being a single job that can be monitored. Source: sbatch(1) of Slurm 22.05 and src/sbatch/opt.c. Pure;
// any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

struct SbatchOptions {
    std::vector<std::string> words; // remaining options
    std::vector<std::string> notes; // messages: options that were removed, and why
};
// Removes --wait, --parsable, --quiet and --requeue, and adds a note for each. Returns invalid for an array,
// --test-only or --wrap. Each message begins with `where`: "launcher.slurm_options", "train.sbatch line 4".
Result<SbatchOptions> watchableOptions(std::span<const std::string> words, std::string_view where);

struct SbatchScript {
    std::vector<std::string> directives; // "#SBATCH ..." lines to keep, in their original order
    std::vector<std::string> notes;
    int components = 1;   // number of components of a heterogeneous job: its "#SBATCH hetjob" lines plus one
    std::string exported; // value of --export in these lines; "" = not given
};
// Reads the lines that sbatch itself would read: all lines before the first one that is neither empty nor a
// comment. Returns invalid in the same cases as watchableOptions(), and also if the first line does not begin
// with "#!", because sbatch rejects such a script.
Result<SbatchScript> sbatchScriptFrom(std::string_view text, std::string_view name);

} // namespace lockstep
