// SPDX-License-Identifier: Apache-2.0
// Preflight rules for the Ascend tools: the NPU profiler and msprobe's precision debugger.
#include <algorithm>

#include "core/session/preflight_rules.h"
#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 6> kContents{"npu", "cpu", "memory", "shapes", "module", "stack"};
constexpr std::array<std::string_view, 4> kLevels{"level_none", "level0", "level1", "level2"};
constexpr std::array<std::string_view, 6> kStages{"actor_update",         "actor_compute_log_prob",
                                                  "ref_compute_log_prob", "compute_values",
                                                  "critic_update",        "compute_rm_score"};

bool isOneOf(std::span<const std::string_view> words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string noneOf(std::span<const std::string_view> words)
{
    return "not " + choiceText(words);
}

// The settings from the session, or from one role.
struct Part {
    std::optional<Role> role;
    std::string path; // "" or "roles.actor."

    NpuOptions& npu(SessionConfig& config) const { return role ? config.role(*role).npu : config.npu; }
    PrecisionOptions& precision(SessionConfig& config) const
    {
        return role ? config.role(*role).precision : config.precision;
    }
};

void checkNpuWords(const NpuOptions& npu, const Part& part, Findings& findings)
{
    const std::vector<std::string> words = npu.contents.value_or(std::vector<std::string>());
    for (const std::string& word : words) {
        if (isOneOf(kContents, word)) continue;
        addFinding(findings, Severity::error, part.path + "npu.contents", "npu.contents",
                   "'" + word + "' is " + noneOf(kContents), "remove it",
                   [part, word](SessionConfig& c) { std::erase(*part.npu(c).contents, word); });
    }
    if (!words.empty() && std::find(words.begin(), words.end(), "npu") == words.end()) {
        addFinding(
            findings, Severity::warning, part.path + "npu.contents", "npu.no_device",
            "no device work is recorded unless the contents include npu", "add npu",
            [part](SessionConfig& c) { part.npu(c).contents->insert(part.npu(c).contents->begin(), "npu"); });
    }
    if (npu.level && !isOneOf(kLevels, *npu.level)) {
        addFinding(findings, Severity::error, part.path + "npu.level", "npu.level",
                   "'" + *npu.level + "' is " + noneOf(kLevels), "use level0",
                   [part](SessionConfig& c) { part.npu(c).level = "level0"; });
    }
    if (npu.analysis == false) {
        addFinding(
            findings, Severity::warning, part.path + "npu.analysis", "npu.analysis_off",
            "the raw data stays unparsed and cannot be opened until torch_npu's analyse() has parsed it",
            "turn it on", [part](SessionConfig& c) { part.npu(c).analysis.reset(); });
    }
}

void checkNpuWindow(const RecipeInput& input, const NpuOptions& npu, const Part& part, Findings& findings)
{
    if (!npu.tokenStart && !npu.tokenEnd) return;
    const int64_t start = npu.tokenStart.value_or(0);
    if (start < 0 || (npu.tokenEnd && *npu.tokenEnd <= start)) {
        addFinding(findings, Severity::error, part.path + "npu.profile_token_end", "npu.tokens",
                   "the token window is empty: its start must be 0 or more, and its end after its start",
                   "raise the end");
    }
    if (isVerlFamily(input.config.framework) && input.schema < VerlSchema::v0_9_0) {
        addFinding(findings, Severity::error, part.path + "npu.profile_token_start", "npu.tokens_unsupported",
                   "token windows need verl 0.9.0 or newer; the plan omits this one", "remove the window",
                   [part](SessionConfig& c) {
                       part.npu(c).tokenStart.reset();
                       part.npu(c).tokenEnd.reset();
                   });
    }
}

// verl 0.5.0 has one set of NPU settings for the run, but reads discrete from the roles' blocks.
void checkOldNpu(const RecipeInput& input, const NpuOptions& npu, const Part& part, Findings& findings)
{
    if (input.schema != VerlSchema::v0_5_0 || input.config.framework != Framework::verl) return;
    if (part.role && npu.isSet()) {
        addFinding(findings, Severity::error, part.path + "npu", "npu.one_set",
                   "verl 0.5.0 has one set of NPU settings for all roles; the plan omits these",
                   "remove them", [part](SessionConfig& c) { part.npu(c) = {}; });
    } else if (npu.discrete) {
        addFinding(findings, Severity::error, "npu.discrete", "npu.old_discrete",
                   "verl 0.5.0 reads discrete from the roles; the plan omits this one",
                   "set discrete of the session", [](SessionConfig& c) {
                       c.discrete = c.npu.discrete;
                       c.npu.discrete.reset();
                   });
    }
}

void checkPrecision(const RecipeInput& input, const PrecisionOptions& precision, const Part& part,
                    Findings& findings)
{
    const std::string path = part.path + "precision_debugger.";
    for (const std::string& stage : precision.stages.value_or(std::vector<std::string>())) {
        if (isOneOf(kStages, stage)) continue;
        addFinding(findings, Severity::error, path + "stages", "precision.stages",
                   "'" + stage + "' is " + noneOf(kStages), "remove it",
                   [part, stage](SessionConfig& c) { std::erase(*part.precision(c).stages, stage); });
    }
    if (precision.steps) {
        addFinding(findings, Severity::warning, path + "steps", "precision.steps",
                   "verl ignores these and uses the session's steps", "remove them",
                   [part](SessionConfig& c) { part.precision(c).steps.reset(); });
    }
    if (part.role || input.config.tool != Tool::precisionDebugger) return;
    const bool named = precision.configPath || std::any_of(kRoles.begin(), kRoles.end(), [&](Role role) {
                           return input.config.role(role).precision.configPath.has_value();
                       });
    if (!named) {
        addFinding(findings, Severity::error, path + "config_path", "precision.config_path",
                   "without msprobe's JSON file nothing is dumped, and verl reports no error",
                   "enter the path of the file on the hosts");
    }
    addFinding(
        findings, Severity::note, "tool", "precision.dumps",
        "this tool dumps tensors into the save path; they are not profiles, so Lockstep does not collect them",
        "");
}

} // namespace

void checkAscend(const RecipeInput& input, Findings& findings)
{
    std::vector<Part> parts{{std::nullopt, ""}};
    for (const Role role : kRoles)
        parts.push_back({role, "roles." + std::string(enumName(role)) + "."});
    for (const Part& part : parts) {
        const NpuOptions& npu = part.role ? input.config.role(*part.role).npu : input.config.npu;
        checkNpuWords(npu, part, findings);
        checkNpuWindow(input, npu, part, findings);
        checkOldNpu(input, npu, part, findings);
        checkPrecision(input, part.role ? input.config.role(*part.role).precision : input.config.precision,
                       part, findings);
    }
}

} // namespace lockstep
