// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/session_scope.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/session/hydra_override.h"
#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/recognition.h"
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
    case RecipeTo::Form::inherit:
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

std::string entryOfCommand(const LaunchRecipe& recipe, std::span<const std::string> command)
{
    const LaunchPattern* pattern = matchingPattern(recipe, command);
    return pattern != nullptr ? pattern->entry : recipe.entry;
}

SessionScope::SessionScope(const LaunchRecipe& recipe, const RecipeInput& input)
    : m_recipe(recipe), m_input(input), m_entry(entryOfCommand(recipe, input.config.command))
{
}

SessionScope::SessionScope(const SessionScope& session, std::string role)
    : m_recipe(session.m_recipe), m_input(session.m_input), m_session(&session), m_role(std::move(role)),
      m_entry(session.m_entry)
{
}

std::vector<std::string> SessionScope::roleNames() const
{
    std::vector<std::string> names;
    for (const Role role : kRoles) {
        if (m_recipe.findRole(enumName(role), m_input.era, m_entry) != nullptr)
            names.emplace_back(enumName(role));
    }
    return names;
}

const SessionScope* SessionScope::forRole(std::string_view role) const
{
    if (!enumFromWord<Role>(role)) return nullptr;
    if (m_session != nullptr) return m_session->forRole(role);
    const auto found = m_roles.find(role);
    if (found != m_roles.end()) return &found->second;
    return &m_roles.try_emplace(std::string(role), *this, std::string(role)).first->second;
}

const RecipeTo* SessionScope::destination(const RecipeSetting& setting) const
{
    if (!applies(setting.limits)) return nullptr;
    if (!setting.to.empty()) return m_recipe.destination(setting.to, m_input.era, m_entry);
    const RecipeSetting* owner =
        m_recipe.findSetting(std::string_view(setting.name).substr(0, setting.name.rfind('.')));
    return owner == nullptr || owner == &setting ? nullptr : destination(*owner);
}

// Returns the path of a role's field for "role.NAME", otherwise the name itself.
static std::string fieldPath(const std::string& role, std::string_view name)
{
    return name.starts_with("role.") ? "roles." + role + std::string(name.substr(4)) : std::string(name);
}

RecipeValue SessionScope::value(std::string_view name) const
{
    if (const auto found = m_known.find(name); found != m_known.end()) return found->second;
    // A value that depends on its own name sees the field of the session, or nothing.
    const auto entry = m_known.emplace(std::string(name), RecipeValue::unknown(name)).first;
    if (const SessionField* field = findSessionField(fieldPath(m_role, name)); field != nullptr) {
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
    if (name == "role") return m_role.empty() ? RecipeValue::unknown(name) : RecipeValue::fromText(m_role);
    if (name.starts_with("role.")) return builtIn(fieldPath(m_role, name));
    const RecipeVariable* variable = m_recipe.findVariable(name);
    if (variable != nullptr && hasEra(variable->era)) return variableValue(*variable);
    // The session's own settings are the same for all roles.
    if (m_session != nullptr && variable == nullptr) return m_session->value(name);
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

std::optional<ConfigValue> SessionScope::statedValue(const RecipeVariable& variable) const
{
    using Source = RecipeVariable::Source;
    const SessionConfig& config = m_input.config;
    if (const ConfigValue* given = givenSetting(config, variable.name); given != nullptr) return *given;
    if (variable.source == Source::expression || variable.source == Source::ask) return std::nullopt;
    const std::vector<std::string> command = commandWords(config);
    std::optional<ConfigValue> found;
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
    return found;
}

RecipeValue SessionScope::variableValue(const RecipeVariable& variable) const
{
    if (const std::optional<ConfigValue> stated = statedValue(variable); stated)
        return RecipeValue::fromConfig(*stated);
    if (variable.source == RecipeVariable::Source::expression) return variable.expression.evaluate(*this);
    // A script chooses the command on the host, so the default may not apply.
    const SessionConfig& config = m_input.config;
    if (!config.script.empty() && config.command.empty() && variable.source != RecipeVariable::Source::ask)
        return RecipeValue::unknown(variable.name);
    if (variable.type == RecipeType::flag && !variable.defaultValue) return RecipeValue::fromBool(false);
    if (variable.defaultValue) return RecipeValue::fromConfig(*variable.defaultValue);
    // A size that the command does not give is the session's.
    return builtIn(variable.name);
}

ConfigValue SessionScope::userValue(const RecipeSetting& setting) const
{
    if (const ConfigValue* given = givenSetting(m_input.config, setting.name);
        given != nullptr && m_role.empty())
        return *given;
    const SessionField* field =
        findSessionField(m_role.empty() ? setting.field : "roles." + m_role + "." + setting.field);
    return field == nullptr ? ConfigValue() : field->write(m_input.config).value_or(ConfigValue());
}

std::optional<ConfigValue> SessionScope::writtenSetting(const RecipeSetting& setting) const
{
    const RecipeTo* to = destination(setting);
    if (to == nullptr || !isTrue(setting.when)) return std::nullopt;
    ConfigValue value = to->write ? ConfigValue() : userValue(setting);
    if (value.kind != ConfigValue::Kind::null) return value;
    if (to->write) {
        value = to->write->evaluate(*this).config();
    } else if (setting.value) {
        value = setting.value->evaluate(*this).config();
    }
    // A switch can only be added, so one that the recipe does not need keeps its state in the command.
    const bool isOff = to->style == RecipeTo::Style::flag && value == ConfigValue::fromBool(false);
    if (value.kind == ConfigValue::Kind::null || isOff) return std::nullopt;
    return value;
}

std::optional<ConfigValue> SessionScope::valueInLaunch(const RecipeSetting& setting) const
{
    const RecipeTo* to = destination(setting);
    if (to == nullptr || to->read) return std::nullopt;
    return valueInCommand(*to, setting.type, commandWords(m_input.config), m_input.config.environment);
}

RecipeValue SessionScope::settingValue(const RecipeSetting& setting) const
{
    // A field of the session keeps its value for other settings where this one is not written.
    if (const ConfigValue given = userValue(setting);
        given.kind != ConfigValue::Kind::null && findSessionField(setting.field) != nullptr)
        return RecipeValue::fromConfig(given);
    if (const std::optional<ConfigValue> written = writtenSetting(setting); written)
        return RecipeValue::fromConfig(*written);
    if (const std::optional<ConfigValue> given = valueInLaunch(setting); given)
        return RecipeValue::fromConfig(*given);
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
    const auto isStated = [this](std::string_view name) {
        const RecipeVariable* variable = m_recipe.findVariable(name);
        return variable != nullptr && (variable->source == RecipeVariable::Source::expression ||
                                       variable->defaultValue || statedValue(*variable));
    };
    if (!isStated("hosts") && !isStated("gpus_per_host") && !processesPerHost()) {
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

// Returns the value of an nsys option, or the number of ranges after which nsys ends; null if it is not set.
static RecipeValue optionValue(const SessionConfig& config, std::string_view name)
{
    const bool isLimit = name == "range_limit";
    const NsightOptions& options =
        name.starts_with("nsys.controller") ? config.controllerOptions : config.workerOptions;
    const NsightOption* option =
        findOption(options, isLimit ? "capture-range-end" : name.substr(name.rfind('.') + 1));
    if (option == nullptr || !option->value) return RecipeValue::null();
    if (!isLimit) return RecipeValue::fromText(*option->value);
    const std::optional<int64_t> count = repeatCount(*option->value);
    if (!count && option->value->starts_with("repeat")) return RecipeValue::null();
    return RecipeValue::fromInt(count.value_or(1));
}

// Returns the enabled roles, or whether one of them records all ranks.
static RecipeValue enabledRoles(const SessionConfig& config, bool areNamesWanted)
{
    std::vector<std::string> enabled;
    bool isAll = false;
    for (const Role role : kRoles) {
        if (!config.role(role).enable.value_or(false)) continue;
        enabled.emplace_back(enumName(role));
        isAll = isAll || config.role(role).allRanks.value_or(false);
    }
    return areNamesWanted ? RecipeValue::fromTexts(enabled) : RecipeValue::fromBool(isAll);
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
    if (name == "version") return RecipeValue::fromText(eraName(config, m_input.era));
    const bool isOption =
        name.starts_with("nsys.worker_options.") || name.starts_with("nsys.controller_options.");
    if (name == "range_limit" || isOption) return optionValue(config, name);
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
    if (name == "roles" || name == "all_ranks") return enabledRoles(config, name == "roles");
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
    if (name == "entry") return m_entry.empty() ? RecipeValue::unknown(name) : RecipeValue::fromText(m_entry);
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
    if (m_session != nullptr && !name.starts_with("role.")) return m_session->isSet(name);
    const SessionConfig& config = m_input.config;
    if (givenSetting(config, name) != nullptr) return true;
    if (name.starts_with("env.")) return value(name).isKnown();
    const std::string path = fieldPath(m_role, name);
    const bool isOwn = m_recipe.findSetting(name) != nullptr || m_recipe.findVariable(name) != nullptr;
    for (const SessionField& field : sessionFields()) {
        const bool isInside = field.path == path || (!isOwn && field.path.starts_with(path + "."));
        if (isInside && field.write(config)) return true;
    }
    if (name == "ranks") return !recordedRanks().items.empty();
    if (const RecipeSetting* setting = m_recipe.findSetting(name); setting != nullptr) {
        if (userValue(*setting).kind != ConfigValue::Kind::null) return true;
        return valueInLaunch(*setting).has_value();
    }
    const RecipeVariable* variable = m_recipe.findVariable(name);
    if (variable != nullptr && variable->source != RecipeVariable::Source::expression) {
        const std::optional<ConfigValue> found = statedValue(*variable);
        const bool isOff = variable->type == RecipeType::flag && found == ConfigValue::fromBool(false);
        return found && found->kind != ConfigValue::Kind::null && !isOff;
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

// Returns a positive number that the session's recipe computes, or nullopt.
static std::optional<int64_t> recipeNumber(const SessionConfig& config, std::string_view name)
{
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, {}, hosts, eraOf(config, {}), 0};
    const RecipeValue value = SessionScope(*recipeFor(config.framework).data, input).value(name);
    const bool isNumber = value.kind == RecipeValue::Kind::integer && value.number > 0;
    return isNumber ? std::optional(value.number) : std::nullopt;
}

std::optional<int64_t> knownTotalSteps(const SessionConfig& config)
{
    if (recipeFor(config.framework).data != nullptr) return recipeNumber(config, "total_steps");
    return config.totalSteps;
}

std::optional<int64_t> knownWorldSize(const SessionConfig& config)
{
    constexpr int64_t kMax = 10'000'000; // larger than any cluster; prevents the product from overflowing
    if (recipeFor(config.framework).data != nullptr) {
        const std::optional<int64_t> size = recipeNumber(config, "world");
        return size && *size <= kMax ? size : std::nullopt;
    }
    int64_t total = 0;
    for (const Host& host : config.hosts) {
        if (!host.gpus || *host.gpus < 1 || *host.gpus > kMax) return std::nullopt;
        total += *host.gpus;
    }
    return total > 0 ? std::optional<int64_t>(total) : std::nullopt;
}

} // namespace lockstep
