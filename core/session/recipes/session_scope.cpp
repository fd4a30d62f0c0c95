// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/session_scope.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/session/hydra_override.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

std::string_view withoutQuotes(std::string_view text)
{
    const bool isQuoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.front() == text.back();
    return isQuoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<ConfigValue> typedList(RecipeType type, std::string_view text)
{
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    ConfigValue list = ConfigValue::emptyList();
    while (!text.empty()) {
        const size_t end = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, end);
        while (item.starts_with(' '))
            item.remove_prefix(1);
        while (item.ends_with(' '))
            item.remove_suffix(1);
        const RecipeType itemType = type == RecipeType::integers ? RecipeType::integer : RecipeType::text;
        const std::optional<ConfigValue> value = typedRecipeValue(itemType, item);
        if (!value) return std::nullopt;
        list.items.push_back(*value);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

// Returns the words after a flag that belong to it: up to the next word that begins with "--".
std::vector<std::string> valuesAfter(std::span<const std::string> command, size_t at)
{
    std::vector<std::string> values;
    for (size_t i = at + 1; i < command.size() && !command[i].starts_with("--"); ++i)
        values.push_back(command[i]);
    return values;
}

std::optional<ConfigValue> argumentValue(const RecipeTo& to, RecipeType type,
                                         std::span<const std::string> command)
{
    std::optional<ConfigValue> last;
    for (size_t i = 0; i < command.size(); ++i) {
        const std::string& word = command[i];
        const bool isJoined =
            word.size() > to.name.size() && word.starts_with(to.name) && word[to.name.size()] == '=';
        if (word != to.name && !isJoined) continue;
        if (type == RecipeType::flag || to.style == RecipeTo::Style::flag) {
            last = ConfigValue::fromBool(true);
        } else if (isJoined) {
            last = typedRecipeValue(type, std::string_view(word).substr(to.name.size() + 1));
        } else if (const bool isList = type == RecipeType::integers || type == RecipeType::texts; isList) {
            std::string joined;
            for (const std::string& value : valuesAfter(command, i))
                joined += (joined.empty() ? "" : ",") + value;
            last = typedRecipeValue(type, joined);
        } else if (i + 1 < command.size()) {
            last = typedRecipeValue(type, command[i + 1]);
        }
    }
    return last;
}

std::optional<ConfigValue> overriddenValue(std::string_view key, RecipeType type,
                                           std::span<const std::string> command)
{
    std::optional<ConfigValue> last;
    for (std::string_view word : command) {
        while (word.starts_with('+') || word.starts_with('-'))
            word.remove_prefix(1);
        if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
            last = typedRecipeValue(type, word.substr(key.size() + 1));
    }
    return last;
}

} // namespace

std::optional<ConfigValue> typedRecipeValue(RecipeType type, std::string_view written)
{
    const std::string_view text = withoutQuotes(written);
    switch (type) {
    case RecipeType::integer: {
        std::string digits(text);
        std::erase(digits, '_');
        const std::optional<int64_t> number = parseInt(digits);
        return number ? std::optional(ConfigValue::fromInt(*number)) : std::nullopt;
    }
    case RecipeType::boolean:
    case RecipeType::flag: {
        const std::string word = lowerAscii(text);
        const bool isOn = word == "true" || word == "1" || word == "yes" || word == "on";
        const bool isOff = word == "false" || word == "0" || word == "no" || word == "off";
        return isOn || isOff ? std::optional(ConfigValue::fromBool(isOn)) : std::nullopt;
    }
    case RecipeType::integers:
    case RecipeType::texts:
        return typedList(type, text);
    case RecipeType::text:
    case RecipeType::path:
        return text == "null" || text == "None" ? ConfigValue() : ConfigValue::fromText(std::string(text));
    case RecipeType::textMap:
    case RecipeType::integerMap:
        break;
    }
    return std::nullopt;
}

std::optional<ConfigValue> valueInCommand(const RecipeTo& to, RecipeType type,
                                          std::span<const std::string> command, const TextPairs& environment)
{
    switch (to.form) {
    case RecipeTo::Form::argument:
        return argumentValue(to, type, command);
    case RecipeTo::Form::override:
        return overriddenValue(to.name, type, command);
    case RecipeTo::Form::environment: {
        std::optional<ConfigValue> value;
        for (const auto& [name, text] : environment) {
            if (name == to.name) value = typedRecipeValue(type, text);
        }
        return value;
    }
    case RecipeTo::Form::file:
        break;
    }
    return std::nullopt;
}

static std::vector<std::string> commandWords(const SessionConfig& config)
{
    std::vector<std::string> words = config.command;
    words.insert(words.end(), config.otherOverrides.begin(), config.otherOverrides.end());
    return words;
}

// Returns what the session sets below `settings:`, or nullptr. A null value counts as not set.
static const ConfigValue* givenSetting(const SessionConfig& config, std::string_view name)
{
    const ConfigValue* given = config.settings.find(name);
    return given != nullptr && given->kind != ConfigValue::Kind::null ? given : nullptr;
}

SessionScope::SessionScope(const LaunchRecipe& recipe, const RecipeInput& input)
    : m_recipe(recipe), m_input(input)
{
}

RecipeValue SessionScope::value(std::string_view name) const
{
    if (const auto found = m_known.find(name); found != m_known.end()) return found->second;
    // A value that depends on its own name sees the field of the session, or nothing.
    const auto entry = m_known.emplace(std::string(name), RecipeValue::unknown(name)).first;
    if (const SessionField* field = findSessionField(name); field != nullptr) {
        const std::optional<ConfigValue> written = field->write(m_input.config);
        entry->second = written ? RecipeValue::fromConfig(*written) : RecipeValue::null();
    }
    RecipeValue made = compute(name);
    if (!made.isKnown() && made.text.empty()) made.text = name;
    entry->second = made;
    return made;
}

RecipeValue SessionScope::compute(std::string_view name) const
{
    const RecipeVariable* variable = m_recipe.findVariable(name);
    if (variable != nullptr && hasEra(variable->era)) return variableValue(*variable);
    const RecipeSetting* setting = m_recipe.findSetting(name);
    const auto names = std::array<std::string_view, 2>{"tool", "steps"};
    const bool isOwn = std::ranges::find(names, name) != names.end();
    if (setting != nullptr && !isOwn) return settingValue(*setting);
    if (name.starts_with("env.")) {
        const std::string_view wanted = name.substr(4);
        for (const auto& [key, text] : m_input.config.environment) {
            if (key == wanted) return RecipeValue::fromText(text);
        }
        return RecipeValue::unknown(wanted);
    }
    return builtIn(name);
}

RecipeValue SessionScope::variableValue(const RecipeVariable& variable) const
{
    const SessionConfig& config = m_input.config;
    if (const ConfigValue* given = givenSetting(config, variable.name); given != nullptr)
        return RecipeValue::fromConfig(*given);
    const std::vector<std::string> command = commandWords(config);
    std::optional<ConfigValue> found;
    using Source = RecipeVariable::Source;
    switch (variable.source) {
    case Source::expression:
        return variable.expression.evaluate(*this);
    case Source::ask:
        break;
    case Source::key:
    case Source::argument:
    case Source::environment:
        for (const std::string& key : variable.keys) {
            RecipeTo to;
            to.name = key;
            to.form = variable.source == Source::key        ? RecipeTo::Form::override
                      : variable.source == Source::argument ? RecipeTo::Form::argument
                                                            : RecipeTo::Form::environment;
            const std::optional<ConfigValue> value =
                valueInCommand(to, variable.type, command, config.environment);
            if (value) found = value;
        }
        break;
    }
    if (found) return RecipeValue::fromConfig(*found);
    // A script chooses the command on the host, so the default may not apply.
    if (!config.script.empty() && config.command.empty() && variable.source != Source::ask)
        return RecipeValue::unknown(variable.name);
    if (variable.type == RecipeType::flag && !variable.defaultValue) return RecipeValue::fromBool(false);
    if (variable.defaultValue) return RecipeValue::fromConfig(*variable.defaultValue);
    // A size that the command does not give is the session's.
    return builtIn(variable.name);
}

ConfigValue SessionScope::userValue(const RecipeSetting& setting) const
{
    if (const ConfigValue* given = givenSetting(m_input.config, setting.name); given != nullptr)
        return *given;
    const SessionField* field = findSessionField(setting.name);
    return field == nullptr ? ConfigValue() : field->write(m_input.config).value_or(ConfigValue());
}

std::optional<ConfigValue> SessionScope::writtenSetting(const RecipeSetting& setting) const
{
    if (!hasEra(setting.era) || !isTrue(setting.when)) return std::nullopt;
    ConfigValue value = userValue(setting);
    if (value.kind != ConfigValue::Kind::null) return value;
    if (setting.value) value = setting.value->evaluate(*this).config();
    // A switch can only be added, so one that the recipe does not need keeps its state in the command.
    const bool isOff = setting.to.style == RecipeTo::Style::flag && value == ConfigValue::fromBool(false);
    if (value.kind == ConfigValue::Kind::null || isOff) return std::nullopt;
    return value;
}

RecipeValue SessionScope::settingValue(const RecipeSetting& setting) const
{
    // A field of the session keeps its value for other settings where this one is not written.
    if (const ConfigValue given = userValue(setting);
        given.kind != ConfigValue::Kind::null && findSessionField(setting.name) != nullptr)
        return RecipeValue::fromConfig(given);
    if (const std::optional<ConfigValue> written = writtenSetting(setting); written)
        return RecipeValue::fromConfig(*written);
    const std::optional<ConfigValue> given =
        valueInCommand(setting.to, setting.type, commandWords(m_input.config), m_input.config.environment);
    if (given) return RecipeValue::fromConfig(*given);
    if (setting.defaultValue) return RecipeValue::fromConfig(*setting.defaultValue);
    if (setting.type == RecipeType::flag) return RecipeValue::fromBool(false);
    return RecipeValue::null();
}

RecipeValue SessionScope::recordedRanks() const
{
    const SessionConfig& config = m_input.config;
    std::vector<int64_t> ranks = config.ranks.value_or(std::vector<int64_t>());
    for (const RoleProfile& role : config.roles) {
        if (role.enable.value_or(false) && role.ranks)
            ranks.insert(ranks.end(), role.ranks->begin(), role.ranks->end());
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return RecipeValue::fromInts(ranks);
}

std::optional<int64_t> SessionScope::processesPerHost() const
{
    if (m_recipe.cluster != RecipeCluster::torchrun) return std::nullopt;
    if (m_input.config.torchrun.processesPerNode) return m_input.config.torchrun.processesPerNode;
    for (const char* flag : {"--nproc-per-node", "--nproc_per_node"}) {
        RecipeTo to;
        to.name = flag;
        const auto found = valueInCommand(to, RecipeType::integer, m_input.config.command, {});
        if (found) return parseInt(found->text);
    }
    return std::nullopt;
}

RecipeValue SessionScope::worldSize() const
{
    const bool isStated = m_recipe.findVariable("hosts") != nullptr ||
                          m_recipe.findVariable("gpus_per_host") != nullptr || processesPerHost();
    if (!isStated) {
        int64_t total = 0;
        for (const Host& host : m_input.hosts) {
            if (!host.gpus || *host.gpus < 1 || *host.gpus > INT32_MAX)
                return RecipeValue::unknown("gpus_per_host");
            total += *host.gpus;
        }
        return total > 0 ? RecipeValue::fromInt(total) : RecipeValue::unknown("gpus_per_host");
    }
    const RecipeValue hosts = value("hosts"), gpus = value("gpus_per_host");
    int64_t product = 0;
    if (hosts.kind != RecipeValue::Kind::integer) return RecipeValue::unknown("hosts");
    if (gpus.kind != RecipeValue::Kind::integer) return RecipeValue::unknown("gpus_per_host");
    const bool overflowed = __builtin_mul_overflow(hosts.number, gpus.number, &product);
    return overflowed ? RecipeValue::unknown("world") : RecipeValue::fromInt(product);
}

RecipeValue SessionScope::builtIn(std::string_view name) const
{
    const SessionConfig& config = m_input.config;
    const auto textOrNull = [](const std::string& text) {
        return text.empty() ? RecipeValue::null() : RecipeValue::fromText(text);
    };
    if (name == "tool")
        return config.tool ? RecipeValue::fromText(enumName(*config.tool)) : RecipeValue::null();
    if (name == "steps") return RecipeValue::fromInts(sortedSteps(config));
    if (name == "continuous") return RecipeValue::fromBool(config.profileContinuousSteps.value_or(false));
    if (name == "discrete") return RecipeValue::fromBool(config.discrete.value_or(false));
    if (name == "ranks") return recordedRanks();
    if (name == "world") return worldSize();
    if (name == "working_folder") return textOrNull(config.workingFolder);
    if (name == "save_path") return textOrNull(config.savePath.value_or(""));
    if (name == "launcher") return RecipeValue::fromText(enumName(config.launcher.kind));
    if (name == "first_step") {
        const ConfigValue* given = givenSetting(config, name);
        return given != nullptr ? RecipeValue::fromConfig(*given) : RecipeValue::unknown(name);
    }
    if (name == "total_steps")
        return config.totalSteps ? RecipeValue::fromInt(*config.totalSteps) : RecipeValue::unknown(name);
    if (name == "roles" || name == "all_ranks") {
        std::vector<std::string> enabled;
        bool isAll = false;
        for (const Role role : kRoles) {
            if (!config.role(role).enable.value_or(false)) continue;
            enabled.emplace_back(enumName(role));
            isAll = isAll || config.role(role).allRanks.value_or(false);
        }
        return name == "roles" ? RecipeValue::fromTexts(enabled) : RecipeValue::fromBool(isAll);
    }
    if (name == "hosts") {
        const auto count = static_cast<int64_t>(m_input.hosts.size());
        return count > 0 ? RecipeValue::fromInt(count) : RecipeValue::unknown(name);
    }
    if (name == "gpus_per_host") {
        if (const std::optional<int64_t> stated = processesPerHost(); stated)
            return RecipeValue::fromInt(*stated);
        const bool isSame = std::ranges::all_of(
            m_input.hosts, [&](const Host& host) { return host.gpus && host.gpus == m_input.hosts[0].gpus; });
        return isSame && !m_input.hosts.empty() ? RecipeValue::fromInt(*m_input.hosts[0].gpus)
                                                : RecipeValue::unknown(name);
    }
    if (name == "entry") {
        const LaunchPattern* pattern = matchingPattern(m_recipe, config.command);
        return pattern != nullptr ? textOrNull(pattern->entry) : RecipeValue::unknown(name);
    }
    static const std::array<std::pair<std::string_view, RecipeExpression>, 2> kComputed{
        {{"gated",
          RecipeExpression::parse("if(all_ranks, world, if(len(ranks) > 0, len(ranks), 1))").value()},
         {"windows", RecipeExpression::parse("if(continuous, runs(steps), len(steps))").value()}}};
    for (const auto& [computed, expression] : kComputed) {
        if (name == computed) return expression.evaluate(*this);
    }
    const SessionField* field = findSessionField(name);
    if (field == nullptr) return RecipeValue::unknown(name);
    const std::optional<ConfigValue> written = field->write(config);
    return written ? RecipeValue::fromConfig(*written) : RecipeValue::null();
}

bool SessionScope::isSet(std::string_view name) const
{
    const SessionConfig& config = m_input.config;
    if (givenSetting(config, name) != nullptr) return true;
    if (name.starts_with("env.")) return value(name).isKnown();
    if (const SessionField* field = findSessionField(name); field != nullptr && field->write(config))
        return true;
    if (name == "ranks") return !recordedRanks().items.empty();
    if (const RecipeSetting* setting = m_recipe.findSetting(name); setting != nullptr) {
        if (userValue(*setting).kind != ConfigValue::Kind::null) return true;
        return valueInCommand(setting->to, setting->type, commandWords(config), config.environment)
            .has_value();
    }
    const RecipeVariable* variable = m_recipe.findVariable(name);
    if (variable != nullptr && variable->source != RecipeVariable::Source::expression) {
        RecipeVariable bare = *variable;
        bare.defaultValue.reset();
        const RecipeValue found = variableValue(bare);
        return found.isKnown() && found.kind != RecipeValue::Kind::null &&
               !(variable->type == RecipeType::flag && !found.isTrue());
    }
    const RecipeValue found = value(name);
    return found.isKnown() && found.kind != RecipeValue::Kind::null;
}

RecipeValue SessionScope::isEra(std::string_view condition) const
{
    return RecipeValue::fromBool(hasEra(condition));
}

bool SessionScope::isTrue(const std::optional<RecipeExpression>& condition) const
{
    return !condition || condition->evaluate(*this).isTrue();
}

std::string SessionScope::expanded(std::string_view text, std::string_view unknown) const
{
    std::string made;
    while (!text.empty()) {
        const size_t open = std::min(text.find('{'), text.size());
        made += text.substr(0, open);
        text.remove_prefix(open);
        const size_t close = text.find('}');
        if (text.empty() || close == std::string_view::npos) break;
        const RecipeValue found = value(text.substr(1, close - 1));
        const bool isKnown = found.isKnown() && found.kind != RecipeValue::Kind::null;
        made += isKnown ? found.message() : std::string(unknown);
        text.remove_prefix(close + 1);
    }
    return made;
}

} // namespace lockstep
