// SPDX-License-Identifier: Apache-2.0
// BatchPlan: what `lockstep --batch` is to do, as one YAML text says it: reports, tables, where they go, and
// who does the work. Made from text that anyone may have written, read by the batch command and its tasks.
// A plain value; pure; any thread. Paths in it are from the plan's own folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Who runs the tasks: processes of this machine, or one Slurm job array, submitted from here.
enum class BatchLauncher : uint8_t { local, slurm };
std::span<const std::string_view> wordsOf(BatchLauncher);

// What is asked of Slurm for each task; empty = its default.
struct SlurmWish {
    std::string partition, account, time;
    std::vector<std::string> options; // further words of sbatch
    std::vector<std::string> notes;   // for people: options that were left out, and why
};

struct BatchPlan {
    std::vector<std::string> inputs;  // reports, folders, patterns (* ? [), or "-"
    std::string inputList;            // a file of paths, as standard input takes them; empty = none
    std::vector<std::string> what;    // words of --export
    std::vector<std::string> options; // words of the command line: "--by", "rank"
    std::string output;               // a folder
    int64_t tasks = 0;                // 0 = not said
    int64_t reportsPerTask = 0;       // 0 = not said
    BatchLauncher launcher = BatchLauncher::local;
    SlurmWish slurm;
    int64_t retries = 2;     // of a task that ends without all its results
    int64_t jobs = 0;        // tasks at a time; 0 = one per core, or as many as Slurm gives
    std::string memoryLimit; // of all tasks of one machine, and of the merge; empty = the program's default
};

// invalid: with line and column, and for a key that nothing reads with the nearest that is.
Result<BatchPlan> batchPlanFromYaml(std::string_view text);

// The positions of `sizes` dealt to so many tasks, each position once, ascending in a task: the largest
// first, each to the task that has least. Never an empty task; the same for the same sizes.
std::vector<std::vector<uint32_t>> dealTasks(std::span<const uint64_t> sizes, size_t tasks);

} // namespace lockstep
