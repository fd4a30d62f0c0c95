// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_nrl_environment.h"

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell_quote.h"

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
    const Json object = Json::parse(json, nullptr, false);
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

Status takeVariable(ImportedSession& made, const std::string& name, const std::string& value)
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
            const Status taken = takeVariable(made, name, word.substr(equals + 1));
            if (!taken) return tl::make_unexpected(withContext(taken.error(), name));
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
        const Status taken = takeVariable(made, name, value);
        if (taken) continue;
        made.config.environment.emplace_back(name, value);
        made.findings.push_back({Severity::error,
                                 "environment",
                                 "import.variable",
                                 name + ": " + taken.error().message,
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

} // namespace lockstep
