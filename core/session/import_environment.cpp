// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_environment.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/hydra_override.h"
#include "core/session/recipes/recipe_import.h"
#include "core/session/typed_value.h"

namespace lockstep {

ImportedSession importEnvironment(TextPairs environment)
{
    if (const LaunchRecipe* recipe = recipeOfEnvironment(environment); recipe != nullptr)
        return importRecipeLaunch(*recipe, environment, {});
    ImportedSession made;
    made.config.environment = std::move(environment);
    return made;
}

std::string stepListText(const std::vector<int64_t>& steps)
{
    constexpr size_t kShown = 12;
    std::string text;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (steps.size() > kShown && i == 2) text += ", ...";
        if (steps.size() > kShown && i >= 2 && i + 1 < steps.size()) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(steps[i]);
    }
    return steps.size() > kShown ? text + " (" + std::to_string(steps.size()) + " steps)" : text;
}

namespace {

constexpr std::string_view kWorkerVariables = "ray_kwargs.ray_init.runtime_env.env_vars.";

bool isInjectionName(std::string_view name)
{
    return name == "CUDA_INJECTION64_PATH" || name == "NVTX_INJECTION64_PATH";
}

bool isOwnLibrary(std::string_view path)
{
    return baseName(path) == "liblockstep_capture.so";
}

// Returns NAME for LOCKSTEP_CAPTURE_NAME or LOCKSTEP_NAME; "" for other variables.
std::string_view settingOf(std::string_view variable)
{
    for (const std::string_view prefix : {"LOCKSTEP_CAPTURE_", "LOCKSTEP_"}) {
        if (variable.starts_with(prefix)) return variable.substr(prefix.size());
    }
    return {};
}

std::optional<bool> truthOf(std::string_view text)
{
    if (isOneOf(text, {"1", "true", "yes", "on", "True"})) return true;
    if (isOneOf(text, {"0", "false", "no", "off", "False"})) return false;
    return std::nullopt;
}

// Parses "1,2,5-7" or "[1, 2]".
std::optional<std::vector<int64_t>> numbersOf(std::string_view text)
{
    constexpr int64_t kMax = 100'000;
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    std::vector<int64_t> numbers;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (word.empty()) continue;
        const size_t dash = word.find('-', 1);
        const auto first = parseInt(word.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parseInt(word.substr(dash + 1));
        if (!first || !last || *last < *first || *last - *first > kMax) return std::nullopt;
        for (int64_t number = *first; number <= *last; ++number)
            numbers.push_back(number);
    }
    return numbers;
}

template<class T>
bool setIfKnown(std::optional<T>& target, std::optional<T> value)
{
    if (value) target = std::move(value);
    return target.has_value();
}

// Returns false if the session has no field for the setting, or if its value is invalid.
bool importSetting(SessionConfig& config, std::string_view setting, const std::string& value)
{
    CaptureOptions& capture = config.capture;
    if (setting == "OUTPUT") return config.savePath = value, true;
    if (setting == "RANGE") return capture.range = value, true;
    if (setting == "ROLE") return capture.role = value, true;
    if (setting == "STEPS") return setIfKnown(config.steps, numbersOf(value));
    if (setting == "RANKS") return value == "all" || setIfKnown(capture.ranks, numbersOf(value));
    if (setting == "ALL_RANKS") { // this is the default in a session and in the library
        if (truthOf(value) == false && !capture.ranks) capture.ranks = std::vector<int64_t>{0};
        return truthOf(value).has_value();
    }
    if (setting == "DISCRETE") return setIfKnown(config.discrete, truthOf(value));
    if (setting == "CONTINUOUS") return setIfKnown(config.profileContinuousSteps, truthOf(value));
    if (setting == "CUDA") return setIfKnown(capture.cuda, truthOf(value));
    if (setting == "STEPS_ARE") return setIfKnown(capture.stepsAre, enumFromWord<CaptureSteps>(value));
    if (setting == "GRAPH_TRACE") return setIfKnown(capture.graphTrace, enumFromWord<GraphTrace>(value));
    if (setting == "WHEN_FULL") return setIfKnown(capture.whenFull, enumFromWord<WhenFull>(value));
    return false;
}

// Extracts the overrides that pass a variable to Ray's workers, in the form written by the plan.
TextPairs extractWorkerVariables(std::vector<std::string>& overrides)
{
    TextPairs variables;
    std::erase_if(overrides, [&](const std::string& word) {
        const Result<HydraOverride> parsed = parseHydraOverride(word);
        if (!parsed || !parsed->value || !parsed->value->isScalar() ||
            !parsed->key.starts_with(kWorkerVariables))
            return false;
        const std::string name = parsed->key.substr(kWorkerVariables.size());
        if (settingOf(name).empty() && !(isInjectionName(name) && isOwnLibrary(parsed->value->text)))
            return false;
        variables.emplace_back(name, parsed->value->text);
        return true;
    });
    return variables;
}

} // namespace

void importCaptureEnvironment(ImportedSession& made)
{
    SessionConfig& config = made.config;
    TextPairs all = config.environment;
    std::vector<std::string> overrides = config.otherOverrides;
    for (auto& variable : extractWorkerVariables(overrides))
        all.push_back(std::move(variable));
    const auto library = std::ranges::find_if(
        all, [](const auto& pair) { return isInjectionName(pair.first) && isOwnLibrary(pair.second); });
    if (library == all.end()) return;
    if (config.tool) {
        addFinding(made.findings, Severity::warning, "environment", "import.lost",
                   library->first + " loads Lockstep capture in addition to " +
                       std::string(enumName(*config.tool)) +
                       ": only one of the two can be active; the session keeps the tool",
                   "remove the variable, or choose capture as the tool");
        return;
    }
    config.tool = Tool::capture;
    config.capture.library = library->second;
    config.otherOverrides = std::move(overrides);
    const bool hasCuda =
        std::ranges::any_of(all, [](const auto& pair) { return pair.first == "CUDA_INJECTION64_PATH"; });
    if (!hasCuda) config.capture.cuda = false;
    TextPairs kept;
    for (auto& [name, value] : all) {
        if (isInjectionName(name) && isOwnLibrary(value)) continue;
        const std::string_view setting = settingOf(name);
        if (!setting.empty() && importSetting(config, setting, value)) continue;
        if (!setting.empty())
            addFinding(made.findings, Severity::note, "environment", "import.capture_variable",
                       name + "=" + value + " has no session field; it stays an environment variable", "");
        kept.emplace_back(std::move(name), std::move(value));
    }
    config.environment = std::move(kept);
}

} // namespace lockstep
