// SPDX-License-Identifier: Apache-2.0
// Recipe: what one framework needs to be launched and profiled. Each framework is one pair of files beside
// this one and one line in registry.cpp. Pure functions; any thread.
#pragma once

#include <span>
#include <string_view>

#include "core/session/expected_files.h"
#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/session_config.h"

namespace lockstep {

// What a recipe is asked about. One object for a whole plan; hostIndex moves for programs that run on every
// host.
struct RecipeInput {
    const SessionConfig& config;
    std::span<const HostFacts> facts;
    std::span<const Host> hosts;
    VerlSchema schema = VerlSchema::head;
    size_t hostIndex = 0;
};

struct RecipeProgram {
    std::vector<std::string> argv; // entry command with what the recipe adds, without container prefix
    TextPairs environment;         // beyond the session's own
    std::vector<std::string> overrides;
    std::string folder; // made before the command: where reports go, since nsys makes none; "" = none
};

struct Recipe {
    Framework framework;
    std::string_view label; // for people: "NeMo RL"
    bool runsOnEveryHost;   // else on the first, and Ray carries it to the others
    bool usesRay;
    std::span<const Tool> tools; // those it can use
    Result<RecipeProgram> (*program)(const RecipeInput& input);
    void (*forecast)(const RecipeInput& input, std::vector<ExpectedFile>& files);
    // Rules that hold for this framework alone; the rest is in preflight.cpp.
    void (*check)(const RecipeInput& input, Findings& findings);
};

std::span<const Recipe> recipes();
const Recipe& recipeFor(Framework framework);

} // namespace lockstep
