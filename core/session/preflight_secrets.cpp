// SPDX-License-Identifier: Apache-2.0
// Preflight rules about secrets.
#include <algorithm>
#include <array>

#include "core/session/preflight_rules.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

void checkClearValues(const SessionConfig& config, Findings& findings)
{
    for (const auto& [name, value] : config.environment) {
        if (!isSecret(config, name) || isSecretReference(name, value)) continue;
        addFinding(findings, Severity::warning, "environment", "secret.in_clear",
                   "the session contains the value of " + name +
                       " or a password in it; processes receive it, but it is not saved",
                   "remove it from the file and set it in the environment from which lockstep is started",
                   [key = name](SessionConfig& c) {
                       for (auto& [one, text] : c.environment) {
                           if (one == key) text = secretReference(key);
                       }
                   });
    }
}

void checkArguments(const std::vector<std::string>& words, const std::string& field, Findings& findings)
{
    for (const auto& pieces : findSecretsInArguments(words)) {
        for (const SecretSpan& piece : pieces) {
            addFinding(findings, Severity::warning, field, "secret.in_words",
                       "a secret (" + piece.label +
                           ") is part of a command line, which process lists on the hosts show; files "
                           "written by Lockstep contain a reference instead",
                       "pass it in the environment");
        }
    }
}

bool holdsProgram(const std::vector<std::string>& words, std::string_view program)
{
    return std::ranges::any_of(
        words, [program](const std::string& word) { return word.substr(word.rfind('/') + 1) == program; });
}

// Programs that pass on their environment, or that receive the names of the variables; see launch_plan.cpp.
constexpr std::array<std::string_view, 8> kPassing{"docker",      "podman", "nerdctl", "apptainer",
                                                   "singularity", "srun",   "enroot",  "env"};

void checkContainer(const SessionConfig& config, Findings& findings)
{
    const std::vector<std::string>& prefix = config.containerPrefix;
    if (prefix.empty()) return;
    const bool passes = std::ranges::any_of(
        kPassing, [&prefix](std::string_view program) { return holdsProgram(prefix, program); });
    if (passes && !holdsProgram(prefix, "sudo")) return;
    addFinding(findings, Severity::warning, "container", "secret.container",
               "secrets are set in the environment of " + prefix.front() +
                   ", not in its arguments; whether it passes them on is unknown",
               "make sure that " + prefix.front() + " passes its environment on");
}

} // namespace

void checkSecrets(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkArguments(config.command, "command", findings);
    checkArguments(config.containerPrefix, "container", findings);
    checkArguments(config.otherOverrides, "other_overrides", findings);
    const std::vector<std::string> names = secretNames(hideSecrets(config).config);
    if (names.empty()) return;
    checkClearValues(config, findings);
    checkContainer(config, findings);
    if (config.launcher.kind == LauncherKind::rayJob) {
        addFinding(findings, Severity::warning, "environment", "secret.ray_job",
                   "Ray stores and shows the environment of a job in clear text, so " + names.front() +
                       " is not passed to it; the job fails unless the cluster sets the variable",
                   "set it where Ray is started");
    }
}

} // namespace lockstep
