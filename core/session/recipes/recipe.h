// SPDX-License-Identifier: Apache-2.0
// Recipe describes how one framework is launched and profiled. Most frameworks are data, see launch_recipe.h;
// the others have a file in this folder and a line in the list at the end of this header. Pure functions.
// Thread: any.
#pragma once

#include <span>
#include <string_view>

#include "core/session/expected_files.h"
#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/session_config.h"

namespace lockstep {

// RecipeInput is the input to a recipe. One object is used for a whole plan; hostIndex changes for programs
// that run on every host.
struct RecipeInput {
    const SessionConfig& config;
    std::span<const HostFacts> facts;
    std::span<const Host> hosts;
    size_t era = 0; // of the framework's recipe, counted from the newest
    size_t hostIndex = 0;
};

struct RecipeProgram {
    std::vector<std::string> argv; // the command with the recipe's additions, without the container prefix
    TextPairs environment;         // variables that are set in addition to the session's environment
    std::vector<std::string> overrides;
    std::string
        folder; // report folder, created before the command because nsys does not create it; "" = none
};

struct LaunchRecipe;

struct Recipe {
    Framework framework;
    std::string_view label; // display name
    bool runsOnEveryHost;   // if false, the program runs only on the first host, and Ray distributes the work
    bool usesRay;
    std::span<const Tool> tools; // supported tools
    Result<RecipeProgram> (*program)(const RecipeInput& input);
    void (*forecast)(const RecipeInput& input, std::vector<ExpectedFile>& files);
    // Checks rules that apply only to this framework; the common rules are in preflight.cpp.
    void (*check)(const RecipeInput& input, Findings& findings);
    const LaunchRecipe* data = nullptr; // nullptr: C++ describes the framework
    bool usesTorchrun = false;          // torchrun connects the hosts; by Lockstep or by the command itself
};

std::span<const Recipe> recipes();
const Recipe& recipeFor(Framework framework);

// The functions that return the recipes, in the order of the Framework enumerators.
#define LOCKSTEP_RECIPES(X)                                                                                  \
    X(torchrunRecipe)                                                                                        \
    X(plainRecipe)

#define LOCKSTEP_DECLARATION(function) Recipe function();
LOCKSTEP_RECIPES(LOCKSTEP_DECLARATION)
#undef LOCKSTEP_DECLARATION

} // namespace lockstep
