// SPDX-License-Identifier: Apache-2.0
#include "core/session/preflight_rules.h"

#include <algorithm>
#include <set>

#include "core/base/host_reference.h"
#include "core/session/secrets.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

// A session text in which the host resolves references.
struct ReferenceText {
    std::string field;
    std::string text;
};

std::vector<ReferenceText> referenceTexts(const SessionConfig& config)
{
    std::vector<ReferenceText> texts{{"working_folder", config.workingFolder}};
    for (std::string& word : withLiteralShellTexts(config.command))
        texts.push_back({"command", std::move(word)});
    for (const std::string& word : config.otherOverrides)
        texts.push_back({"other_overrides", word});
    for (const auto& [name, value] : openEnvironment(config))
        texts.push_back({"environment", value});
    if (config.savePath) texts.push_back({"save_path", *config.savePath});
    for (const RoleProfile& role : config.roles) {
        if (role.savePath) texts.push_back({"save_path", *role.savePath});
    }
    return texts;
}

// Returns the names of $NAME and ${NAME} that stay in the text because the host does not resolve them.
std::vector<std::string> unresolvedNames(std::string_view text)
{
    std::vector<std::string> names;
    for (size_t at = 0; (at = text.find('$', at)) != std::string_view::npos;) {
        std::string_view rest = text.substr(++at);
        if (rest.starts_with('$')) {
            ++at;
            continue;
        }
        const bool isBraced = rest.starts_with('{');
        if (isBraced) rest.remove_prefix(1);
        size_t length = 0;
        while (length < rest.size() && isEnvironmentName(rest.substr(0, length + 1)))
            ++length;
        const std::string_view name = rest.substr(0, length);
        if (!name.empty() && !isHostVariable(name) && !name.starts_with(kArgumentSecret) &&
            (!isBraced || rest.substr(length).starts_with('}')))
            names.emplace_back(name);
    }
    return names;
}

// Returns why a reference cannot be resolved, or "" if it can. isCertain: false if it may be set on the host.
std::string unresolvedReason(const RecipeInput& input, std::string_view field, std::string_view name,
                             bool& isCertain)
{
    const LauncherKind launcher = input.config.launcher.kind;
    const bool isSlurm = name.starts_with("SLURM_");
    if (!isSlurm && !name.starts_with("RAY_")) return {};
    isCertain = isSlurm && launcher == LauncherKind::slurm && field == "working_folder";
    if (isCertain) return "Slurm sets it only inside the job";
    if (isSlurm && launcher == LauncherKind::slurm) return {};
    if (!isSlurm && launcher == LauncherKind::rayJob) return {};
    std::string missing;
    bool isKnown =
        !input.hosts.empty() && launcher != LauncherKind::slurm && launcher != LauncherKind::rayJob;
    for (const Host& host : input.hosts) {
        const HostFacts* const facts = findHostFacts(input.facts, host.name);
        isKnown &= facts != nullptr;
        if (facts == nullptr) continue;
        const bool isSet =
            std::ranges::any_of(facts->environment, [name](const auto& pair) { return pair.first == name; });
        if (!isSet) missing += (missing.empty() ? "" : ", ") + host.name;
    }
    if (isKnown && missing.empty()) return {};
    isCertain = !missing.empty();
    if (isCertain) return "it is not set on " + missing;
    return "the launcher does not set it, and the hosts were not checked";
}

} // namespace

void checkReferences(const RecipeInput& input, Findings& findings)
{
    std::set<std::string, std::less<>> reported;
    for (const ReferenceText& one : referenceTexts(input.config)) {
        for (const HostReference& reference : hostReferences(one.text)) {
            bool isCertain = false;
            const std::string reason = unresolvedReason(input, one.field, reference.name, isCertain);
            if (reason.empty() || !reported.insert(one.field + std::string(reference.name)).second) continue;
            addFinding(findings, isCertain ? Severity::error : Severity::warning, one.field,
                       "reference.unresolved", "$" + std::string(reference.name) + ": " + reason,
                       "write the value; $$ is a literal dollar");
        }
        for (const std::string& name : unresolvedNames(one.text)) {
            if (!reported.insert(one.field + name).second) continue;
            addFinding(findings, Severity::warning, one.field, "reference.literal",
                       "$" + name +
                           " is passed on unchanged: hosts resolve only ~, $HOME, $USER, $PWD, "
                           "$SLURM_... and $RAY_...",
                       "write the value, or $$" + name + " if the program reads it");
        }
    }
}

} // namespace lockstep
