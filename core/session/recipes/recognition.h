// SPDX-License-Identifier: Apache-2.0
// Recognition of a training launch in a command. Wrappers around the training program, such as `env`, `srun`,
// `uv run` or `torchrun`, are skipped, so that the patterns of a recipe describe only the program itself. The
// command is a list of arguments, as passed to exec(). Pure. Thread: any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/recipes/launch_recipe.h"

namespace lockstep {

// What a command runs after its wrappers.
struct LaunchedProgram {
    LaunchWord word = LaunchWord::program;
    std::string name;     // module, path of a script, or program; "" if nothing remains
    size_t at = 0;        // index of the name in the command
    std::string launcher; // torchrun, accelerate, deepspeed, or ""
    // Index of the first word that a profiler can be placed before: the words before it only choose where and
    // how the rest runs (env, srun, docker exec, ...). uv, launchers and interpreters belong to the rest.
    size_t start = 0;
    // A wrapper before `start` does not pass all variables on: a container, sudo, mpirun, or a job of Ray.
    bool losesEnvironment = false;
    bool isRayJob = false;   // Ray joins the words of the command without quotes
    bool startsNsys = false; // `nsys profile` is one of the wrappers
};

LaunchedProgram launchedProgram(std::span<const std::string> command);

struct RecognizedLaunch {
    const LaunchRecipe* recipe = nullptr;
    std::string entry;
};

// Selects the patterns that are tried. `any` includes loose patterns, for the command of a session, which is
// always the training. `certain` excludes them, for programs that a script starts.
enum class LaunchEvidence : uint8_t { any, certain };
// Returns the first pattern of the recipe that matches the command, or nullptr.
const LaunchPattern* matchingPattern(const LaunchRecipe& recipe, std::span<const std::string> command,
                                     LaunchEvidence evidence = LaunchEvidence::any);
// Returns the first recipe with a pattern that matches, or nullopt.
std::optional<RecognizedLaunch> recognizedLaunch(std::span<const LaunchRecipe> recipes,
                                                 std::span<const std::string> command,
                                                 LaunchEvidence evidence = LaunchEvidence::any);

} // namespace lockstep
