// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_environment.h"

#include <algorithm>
#include <array>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/hydra_override.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr int64_t kMaxSteps = 100'000; // a longer range is assumed to be a typo

std::vector<std::string> patternsOf(std::string_view text)
{
    std::vector<std::string> patterns;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        if (const std::string_view one = trimmed(text.substr(0, comma)); !one.empty())
            patterns.emplace_back(one);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return patterns;
}

// Converts the value of NRL_NSYS_EXTRA_OPTIONS, a JSON object of strings, to options.
Result<NsightOptions> optionsOfNrlJson(std::string_view json)
{
    const Json object = jsonFrom(json);
    if (!object.is_object()) return makeError(ErrorKind::invalid, "must be a JSON object with string values");
    NsightOptions options;
    for (const auto& [name, value] : object.items()) {
        if (value.is_structured()) return makeError(ErrorKind::invalid, name + " must be a string");
        const bool isNull = value.is_null();
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        options.push_back({name, isNull ? std::nullopt : std::optional<std::string>(text)});
    }
    return options;
}

Status importVariable(ImportedSession& made, const std::string& name, const std::string& value)
{
    SessionConfig& config = made.config;
    if (name == "NRL_NSYS_WORKER_PATTERNS") {
        config.nemo.workerPatterns = patternsOf(value);
    } else if (name == "NRL_NSYS_PROFILE_STEP_RANGE") {
        config.steps = LOCKSTEP_TRY(stepsOfNrlRange(value));
        config.tool = Tool::nsys;
        made.findings.push_back({Severity::note,
                                 "steps",
                                 "nemo.half_open",
                                 value + " excludes its second number: it records " +
                                     (config.steps->size() == 1 ? "step " : "steps ") +
                                     stepListText(*config.steps),
                                 "add the last step here if it should be recorded too",
                                 {}});
    } else if (name == "NRL_NSYS_EXTRA_OPTIONS") {
        config.nemo.extraOptions = LOCKSTEP_TRY(optionsOfNrlJson(value));
    } else {
        config.environment.emplace_back(name, value);
    }
    return {};
}

} // namespace

Result<ImportedSession> importNrlEnvironment(std::string_view text)
{
    ShellWords pasted = LOCKSTEP_TRY(splitShellWords(text));
    ImportedSession made;
    made.config.framework = Framework::nemoRl;
    for (const std::string& word : pasted.words) {
        const size_t equals = word.find('=');
        const bool isVariable = made.config.command.empty() && equals != std::string::npos &&
                                isEnvironmentName(std::string_view(word).substr(0, equals));
        if (isVariable) {
            const std::string name = word.substr(0, equals);
            const Status imported = importVariable(made, name, word.substr(equals + 1));
            if (!imported) return tl::make_unexpected(withContext(imported.error(), name));
        } else if (!made.config.command.empty() || (word != "export" && word != "env")) {
            made.config.command.push_back(word);
        }
    }
    if (pasted.hasExpansion) {
        made.findings.push_back(
            {Severity::warning,
             "environment",
             "import.expansion",
             "the pasted text contains $ or `, which a shell would expand; they are kept as written",
             "replace the variables with their values",
             {}});
    }
    return made;
}

ImportedSession importNrlLaunch(const TextPairs& environment, std::vector<std::string> words)
{
    ImportedSession made;
    made.config.framework = Framework::nemoRl;
    made.config.command = std::move(words);
    for (const auto& [name, value] : environment) {
        const Status imported = importVariable(made, name, value);
        if (imported) continue;
        made.config.environment.emplace_back(name, value);
        made.findings.push_back({Severity::error,
                                 "environment",
                                 "import.variable",
                                 name + ": " + imported.error().message,
                                 "it is kept as written",
                                 {}});
    }
    return made;
}

ImportedSession importEnvironment(TextPairs environment)
{
    const bool isNrl = std::any_of(environment.begin(), environment.end(),
                                   [](const auto& pair) { return pair.first.starts_with("NRL_"); });
    if (isNrl) return importNrlLaunch(environment, {});
    ImportedSession made;
    made.config.environment = std::move(environment);
    return made;
}

Result<std::vector<int64_t>> stepsOfNrlRange(std::string_view range)
{
    const size_t colon = range.find(':');
    const std::optional<int64_t> begin = parseInt(trimmed(range.substr(0, colon)));
    const std::optional<int64_t> end =
        colon == std::string_view::npos ? std::nullopt : parseInt(trimmed(range.substr(colon + 1)));
    if (!begin || !end || *begin < 1 || *begin >= *end) {
        return makeError(ErrorKind::invalid,
                         "'" + std::string(range) + "' must be start:stop with 1 <= start < stop");
    }
    if (*end - *begin > kMaxSteps) return makeError(ErrorKind::invalid, "more than 100000 steps");
    std::vector<int64_t> steps;
    for (int64_t step = *begin; step < *end; ++step)
        steps.push_back(step);
    return steps;
}

std::optional<std::string> nrlRangeOfSteps(const std::vector<int64_t>& steps)
{
    std::vector<int64_t> sorted = steps;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (sorted.empty() || sorted.front() < 1 || sorted.back() >= kAllTime.end.ns) return std::nullopt;
    if (sorted.back() - sorted.front() + 1 != static_cast<int64_t>(sorted.size())) return std::nullopt;
    return std::to_string(sorted.front()) + ":" + std::to_string(sorted.back() + 1);
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

std::string nrlJsonOfOptions(const NsightOptions& options)
{
    Json object = Json::object();
    for (const NsightOption& option : options)
        object[option.name] = option.value ? Json(*option.value) : Json();
    return jsonLine(object);
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
