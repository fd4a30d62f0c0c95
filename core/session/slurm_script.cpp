// SPDX-License-Identifier: Apache-2.0
#include "core/session/slurm_script.h"

#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

constexpr std::string_view kHead =
    "head=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\"\n";

std::string rayStart(const SessionConfig& config)
{
    std::string ray = bashLine(config.containerPrefix);
    ray += ray.empty() ? "ray " : " ray ";
    return std::string(kHead) + "srun --nodes=1 --ntasks=1 --nodelist=\"$head\" " + ray +
           "start --head --port=6379 --block &\n"
           "until " +
           ray +
           "status --address=\"$head:6379\" > /dev/null 2>&1; do sleep 1; done\n"
           "if [ \"$SLURM_NNODES\" -gt 1 ]; then\n"
           "  srun --nodes=$((SLURM_NNODES - 1)) --ntasks=$((SLURM_NNODES - 1)) --exclude=\"$head\" " +
           ray +
           "start --address=\"$head:6379\" --block &\n"
           "fi\n";
}

} // namespace

std::string slurmScript(const RecipeInput& input, const Recipe& recipe, const RecipeProgram& program)
{
    const SessionConfig& config = input.config;
    std::string script = "#!/bin/bash\n#SBATCH --ntasks-per-node=1\n";
    if (!config.hosts.empty()) script += "#SBATCH --nodes=" + std::to_string(config.hosts.size()) + "\n";
    script += "set -euo pipefail\n";
    if (!config.workingFolder.empty()) script += shellEnter(config.workingFolder) + "\n";
    for (const auto& [name, value] : program.environment)
        script += "export " + shellAssignment(name, value) + "\n";
    if (!program.folder.empty()) script += "srun mkdir -p -- " + bashQuoted(program.folder) + "\n";
    if (recipe.framework == Framework::torchrun) {
        script += std::string(kHead) +
                  "export PET_NNODES=\"$SLURM_NNODES\" PET_MASTER_ADDR=\"$head\" PET_MASTER_PORT=29500\n"
                  "srun --kill-on-bad-exit=1 bash -c 'export PET_NODE_RANK=\"$SLURM_NODEID\"; exec \"$@\"' "
                  "lockstep \\\n  ";
    } else if (recipe.runsOnEveryHost) {
        script += "srun --kill-on-bad-exit=1 \\\n  ";
    } else if (recipe.usesRay && config.launcher.startRay.value_or(false)) {
        script += rayStart(config);
    }
    return script + shellBlock(program.argv) + "\n";
}

} // namespace lockstep
