// SPDX-License-Identifier: Apache-2.0
// BatchPlan describes a `lockstep --batch` run, read from YAML: reports, tables, output and launcher. The
// text is untrusted. Used by the batch command and its tasks. Value type; pure; any thread. Paths are
// relative to the plan's folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// How tasks run: as processes on this machine, or as one Slurm job array submitted from this machine.
enum class BatchLauncher : uint8_t { local, slurm };
std::span<const std::string_view> enumNames(BatchLauncher);

// What each task requests from Slurm. Empty fields use Slurm's default.
struct SlurmRequest {
    std::string partition, account, time;
    std::vector<std::string> options; // additional arguments for sbatch
    std::vector<std::string> notes;   // messages: options that were ignored, and why
};

struct BatchPlan {
    std::vector<std::string> inputs;  // reports, folders, patterns (* ? [), or "-"
    std::string inputList;            // path of a file with a list of paths; empty = none
    std::vector<std::string> what;    // names of tables, as for --export
    std::vector<std::string> options; // command-line arguments: "--by", "rank"
    std::string output;               // path of a folder
    int64_t tasks = 0;                // 0 = not given
    int64_t reportsPerTask = 0;       // 0 = not given
    BatchLauncher launcher = BatchLauncher::local;
    SlurmRequest slurm;
    int64_t retries = 2;     // maximum number of retries for reports that have no result
    int64_t jobs = 0;        // number of concurrent tasks; 0 = one per core, or as many as Slurm allows
    std::string memoryLimit; // for all tasks on one machine together, and for the merge; empty = the
                             // program's default
};

// Parses a plan. Returns invalid with line and column. For an unknown key, the message also contains the most
// similar known key.
Result<BatchPlan> batchPlanFromYaml(std::string_view text);

// Distributes the indexes of `sizes` over at most `tasks` tasks. The largest size comes first, and each is
// assigned to the task with the smallest total. Each index appears once, in ascending order within a task. No
// task is empty. Deterministic.
std::vector<std::vector<uint32_t>> distributeTasks(std::span<const uint64_t> sizes, size_t tasks);

} // namespace lockstep
