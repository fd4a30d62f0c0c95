// SPDX-License-Identifier: Apache-2.0
// Builds sessions of verl and VeRL-Omni from a few arguments, and checks the resulting plans.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <string>
#include <vector>

#include "core/session/expected_files.h"
#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/session_yaml.h"

namespace lockstep::test {

// schema and further lines of YAML; command is the content of a YAML list.
inline SessionConfig sessionOf(const std::string& schema, const std::string& rest,
                               const std::string& command = "main_ppo")
{
    const Result<SessionConfig> config =
        sessionFromYaml("framework: verl\nschema: \"" + schema + "\"\ncommand: [" + command + "]\n" + rest);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

inline SessionConfig omniOf(const std::string& rest, const std::string& command = "main_diffusion")
{
    const Result<SessionConfig> config =
        sessionFromYaml("framework: verl_omni\ncommand: [" + command + "]\n" + rest);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

inline std::vector<std::string> overridesOf(const SessionConfig& config)
{
    const Result<LaunchPlan> plan = planLaunch(config, {});
    if (!plan) qFatal("%s", plan.error().message.c_str());
    return plan->overrides;
}

// Returns the computed capture-range-end for nsys, "" if there is none.
inline std::string rangeEndOf(const SessionConfig& config)
{
    return computedNsysOption(config, eraOf(config, {}), "capture-range-end").value_or("");
}

inline bool has(const std::vector<std::string>& words, const std::string& word)
{
    return std::ranges::find(words, word) != words.end();
}

inline bool says(const std::vector<std::string>& words, const std::string& part)
{
    return std::ranges::any_of(words, [&](const std::string& word) { return word.find(part) != word.npos; });
}

inline const Finding* findRule(const Findings& findings, std::string_view rule)
{
    const auto found = std::ranges::find(findings, rule, &Finding::rule);
    return found == findings.end() ? nullptr : &*found;
}

// Checks that the rule is reported as an error, and that the fixes of all its findings clear it.
inline bool isRefused(const SessionConfig& config, std::string_view rule)
{
    SessionConfig fixed = config;
    for (int i = 0; i < 20; ++i) {
        const Findings findings = preflight(fixed, {});
        const Finding* found = findRule(findings, rule);
        if (found == nullptr) return i > 0;
        if (found->severity != Severity::error || !found->apply) return false;
        found->apply(fixed);
    }
    return false;
}

inline const ExpectedFile* fileOf(const std::vector<ExpectedFile>& files, std::string_view role)
{
    const auto found = std::ranges::find(files, role, &ExpectedFile::role);
    return found == files.end() ? nullptr : &*found;
}

} // namespace lockstep::test
