// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_import.h"

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/session/hydra_override.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/recognition.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/shell_quote.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

// The names in an import rule: the groups of its pattern, and the whole value.
class MatchScope final : public RecipeScope {
  public:
    MatchScope(const Pattern::Groups& groups, std::string_view whole) : m_groups(groups), m_whole(whole) {}

    RecipeValue value(std::string_view name) const override
    {
        const std::string_view text = name == "value" ? m_whole : m_groups[name];
        if (const std::optional<int64_t> number = parseInt(text); number)
            return RecipeValue::fromInt(*number);
        return RecipeValue::fromText(text);
    }
    bool isSet(std::string_view name) const override { return !m_groups[name].empty(); }
    RecipeValue isEra(std::string_view) const override { return RecipeValue::unknown(); }

  private:
    const Pattern::Groups& m_groups;
    std::string_view m_whole;
};

// Sets the fields of an import rule. Errors: invalid with the rule's message if the value does not fit.
Status applyImport(SessionConfig& config, const RecipeImport& rule, std::string_view value)
{
    const Status wrong = makeError(ErrorKind::invalid, "'" + std::string(value) + "' " + rule.message);
    const std::optional<Pattern::Groups> groups = rule.match.fullMatch(value);
    if (!groups) return wrong;
    SessionConfig changed = config;
    const MatchScope scope(*groups, value);
    for (const auto& [field, expression] : rule.values) {
        const RecipeValue made = expression.evaluate(scope);
        if (!made.isKnown()) return wrong;
        if (findSessionField(field) == nullptr) {
            changed.settings.set(field, made.config());
        } else {
            LOCKSTEP_TRY(setSessionField(changed, field, made.config()));
        }
    }
    config = std::move(changed);
    return {};
}

const RecipeSetting* settingOfVariable(const LaunchRecipe& recipe, std::string_view variable)
{
    const auto found = std::ranges::find_if(recipe.settings, [&](const RecipeSetting& setting) {
        return std::ranges::any_of(setting.to, [&](const RecipeTo& to) {
            return to.form == RecipeTo::Form::environment && to.name == variable;
        });
    });
    return found == recipe.settings.end() ? nullptr : &*found;
}

const RecipeImport* importOfVariable(const LaunchRecipe& recipe, std::string_view variable)
{
    const auto found = std::ranges::find(recipe.imports, variable, &RecipeImport::variable);
    return found == recipe.imports.end() ? nullptr : &*found;
}

// Returns true if the plan writes the setting, so that its variable needs not be kept.
bool isWritten(const LaunchRecipe& recipe, const RecipeSetting& setting, const SessionConfig& config)
{
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, {}, hosts, eraOf(config, {}), 0};
    return SessionScope(recipe, input).writtenSetting(setting).has_value();
}

// Sets a setting from its variable. Errors: invalid for a value that is not of the setting's type.
Status applySetting(SessionConfig& config, const RecipeSetting& setting, const std::string& text)
{
    const bool isMap = setting.type == RecipeType::textMap || setting.type == RecipeType::integerMap;
    std::optional<ConfigValue> value = typedRecipeValue(setting.type, text);
    // Variables with a map are JSON, of which YAML accepts more than a JSON parser does.
    if (isMap && !jsonFrom(text).is_object()) return makeError(ErrorKind::invalid, "must be a JSON object");
    if (isMap) value = LOCKSTEP_TRY(readYaml(text));
    if (!value)
        return makeError(ErrorKind::invalid, "must be of type " + std::string(enumName(setting.type)));
    if (findSessionField(setting.name) != nullptr) return setSessionField(config, setting.name, *value);
    config.settings.set(setting.name, std::move(*value));
    return {};
}

void importVariable(const LaunchRecipe& recipe, const std::string& name, const std::string& value,
                    ImportedSession& made)
{
    SessionConfig& config = made.config;
    const RecipeImport* rule = importOfVariable(recipe, name);
    // The plan computes a setting from the fields of a rule, unless the rule only selects the tool.
    const bool isWhole = rule != nullptr && rule->values.size() > 1;
    const RecipeSetting* setting = isWhole ? nullptr : settingOfVariable(recipe, name);
    SessionConfig changed = config;
    Status done;
    if (rule != nullptr) done = applyImport(changed, *rule, value);
    if (done && setting != nullptr) done = applySetting(changed, *setting, value);
    if (!done) {
        addFinding(made.findings, Severity::error, "environment", "import.variable",
                   name + ": " + done.error().message, "it is kept as written");
    }
    const bool isSetting = setting != nullptr ? isWritten(recipe, *setting, changed) : rule != nullptr;
    if (!done || !isSetting) {
        config.environment.emplace_back(name, value);
        return;
    }
    config = std::move(changed);
    if (rule != nullptr && !rule->note.empty())
        addFinding(made.findings, Severity::note, rule->values.back().first, "import.note",
                   name + "=" + value + ": " + rule->note, rule->remedy);
}

void importEnvironmentOf(const LaunchRecipe& recipe, const TextPairs& environment, ImportedSession& made)
{
    // Import rules come first, because they may select the tool on which settings depend.
    for (const bool isRule : {true, false}) {
        for (const auto& [name, value] : environment) {
            if ((importOfVariable(recipe, name) != nullptr) == isRule)
                importVariable(recipe, name, value, made);
        }
    }
}

std::string keyOfWord(std::string_view word)
{
    const size_t begin = std::min(word.find_first_not_of("+~"), word.size());
    return std::string(word.substr(begin, word.find('=') - begin));
}

// Imports the overrides of a command: known profiler settings become fields, the others are kept as written.
class OverridesImport {
  public:
    OverridesImport(const LaunchRecipe& recipe, ImportedSession& made, std::span<const std::string> words)
        : m_recipe(recipe), m_made(made), m_entry(entryOfCommand(recipe, made.config.command))
    {
        std::vector<std::string> keys;
        for (const std::string& word : words)
            keys.push_back(keyOfWord(word));
        const std::optional<size_t> era = eraOfKeys(recipe, m_entry, keys);
        m_era = era.value_or(0);
        if (era) made.config.schema = recipe.eras[*era].id;
    }

    void import(const std::string& word)
    {
        const Result<HydraOverride> parsed = parseHydraOverride(word);
        const std::string key(word.substr(0, word.find('=')));
        if (!parsed) {
            const bool isBroken = parsed.error().kind == ErrorKind::invalid;
            return keep(
                word, isBroken ? Severity::error : Severity::warning, "override.syntax",
                key + ": cannot read the value: " + parsed.error().message,
                "it is kept as written; put double quotes around the value, inside the shell's quotes");
        }
        if (parsed->value && isBlock(*parsed) && importBlock(*parsed)) return;
        if (!parsed->value || !isProfilingKey(m_recipe, parsed->key)) return keepOther(word, *parsed);
        const Result<bool> imported = importKey(m_made.config, m_recipe, m_era, parsed->key, *parsed->value);
        if (!imported) {
            return keep(word, Severity::error, "override.type", parsed->key + " " + imported.error().message,
                        "it is kept as written");
        }
        if (!*imported) {
            return keep(word, Severity::warning, "override.unknown",
                        unreadKeyReason(m_recipe, m_era, m_entry, parsed->key),
                        "it is kept as written; check it against the framework's own YAML");
        }
        checkPrefix(*parsed);
    }

    void finish() { normalizeImport(m_made.config, m_recipe, m_era); }

  private:
    void keep(const std::string& word, Severity severity, std::string rule, std::string reason,
              std::string fix)
    {
        m_made.config.otherOverrides.push_back(word);
        if (!reason.empty())
            addFinding(m_made.findings, severity, "other_overrides", std::move(rule), std::move(reason),
                       std::move(fix));
    }

    void keepOther(const std::string& word, const HydraOverride& parsed)
    {
        const std::string option = parsed.key.substr(parsed.key.rfind('.') + 1);
        const bool isFatal = parsed.prefix == OverridePrefix::remove &&
                             m_recipe.findSetting("nsys.worker_options." + option) != nullptr;
        keep(word, Severity::error, "override.removed",
             isFatal ? m_recipe.label + " always reads " + option + ": removing the key makes the launch fail"
                     : "",
             "remove this override; the plan sets the option");
    }

    // Returns whether an override contains a map of settings, such as ...profiler={enable:true,ranks:[0]}.
    bool isBlock(const HydraOverride& parsed) const
    {
        return parsed.value->kind == ConfigValue::Kind::map && !parsed.value->items.empty() &&
               isProfilingKey(m_recipe, parsed.key + ".") && !isKeyRead(m_recipe, m_era, m_entry, parsed.key);
    }

    // Imports all leaves of the map as fields. If that is not possible for one of them, imports none and
    // keeps the override.
    bool importBlock(const HydraOverride& parsed)
    {
        SessionConfig changed = m_made.config;
        if (!importLeaves(changed, parsed.key, *parsed.value)) return false;
        m_made.config = std::move(changed);
        return true;
    }

    bool importLeaves(SessionConfig& config, const std::string& key, const ConfigValue& map) const
    {
        for (size_t i = 0; i < map.keys.size(); ++i) {
            const std::string below = key + "." + map.keys[i];
            const ConfigValue& value = map.items[i];
            if (value.kind == ConfigValue::Kind::map && !isKeyRead(m_recipe, m_era, m_entry, below)) {
                if (!importLeaves(config, below, value)) return false;
                continue;
            }
            const Result<bool> imported = importKey(config, m_recipe, m_era, below, value);
            if (!imported || !*imported) return false;
        }
        return true;
    }

    // Checks the prefix (none, + or ++) of an override whose key exists in the YAML. Hydra's + can replace
    // null, a list and a map.
    void checkPrefix(const HydraOverride& parsed)
    {
        if (parsed.prefix != OverridePrefix::add) return;
        const auto known = settingOfKey(m_recipe, m_era, m_entry, parsed.key);
        if (!known || known->isOptionMap() || !known->setting->defaultValue) return;
        const ConfigValue& standard = *known->setting->defaultValue;
        if (!standard.isScalar() || standard.kind == ConfigValue::Kind::null) return;
        addFinding(m_made.findings, Severity::warning, known->field, "override.plus",
                   "+" + parsed.key + " makes Hydra fail: the key already exists, and + only adds new keys",
                   "the plan writes ++, which adds or replaces");
    }

    const LaunchRecipe& m_recipe;
    ImportedSession& m_made;
    std::string m_entry;
    size_t m_era = 0;
};

} // namespace

ImportedSession importRecipeLaunch(const LaunchRecipe& recipe, const TextPairs& environment,
                                   std::vector<std::string> command)
{
    ImportedSession made;
    made.config.framework = enumFromWord<Framework>(recipe.name).value_or(Framework::plain);
    std::vector<std::string> overrides;
    for (std::string& word : command) {
        const bool isOverride = recipe.profiling && looksLikeOverride(word);
        (isOverride ? overrides : made.config.command).push_back(std::move(word));
    }
    importEnvironmentOf(recipe, environment, made);
    if (!recipe.profiling) return made;
    OverridesImport import(recipe, made, overrides);
    for (const std::string& word : overrides)
        import.import(word);
    import.finish();
    return made;
}

const LaunchRecipe* recipeOfEnvironment(const TextPairs& environment)
{
    for (const LaunchRecipe& recipe : launchRecipes()) {
        const bool isIts = std::ranges::any_of(
            environment, [&](const auto& pair) { return importOfVariable(recipe, pair.first) != nullptr; });
        if (isIts) return &recipe;
    }
    return nullptr;
}

namespace {

std::string joinedKey(const std::vector<std::string>& path)
{
    std::string key;
    for (const std::string& part : path)
        key += (key.empty() ? "" : ".") + part;
    return key;
}

// Imports the framework's own file: profiler settings become fields, everything else is kept.
class YamlFileImport {
  public:
    YamlFileImport(const LaunchRecipe& recipe, const ConfigValue& root) : m_recipe(recipe)
    {
        SessionConfig& config = m_made.config;
        config.framework = enumFromWord<Framework>(recipe.name).value_or(Framework::plain);
        config.importedYaml = ConfigValue::emptyMap();
        assumeCommand(root);
        m_entry = entryOfCommand(recipe, config.command);
        std::vector<std::string> path, keys;
        listKeys(root, path, keys);
        const std::optional<size_t> era = eraOfKeys(recipe, m_entry, keys);
        m_era = era.value_or(0);
        if (era) config.schema = recipe.eras[*era].id;
        walk(root, path);
        if (config.importedYaml.items.empty()) config.importedYaml = {};
        normalizeImport(config, recipe, m_era);
        if (config.importedYaml.kind == ConfigValue::Kind::map)
            addFinding(m_made.findings, Severity::note, "imported_yaml", "yaml.other_keys",
                       "the file has keys beyond profiling; they are kept but not added to the command line",
                       "pass that file to the command");
    }

    ImportedSession made() { return std::move(m_made); }

  private:
    // The entry point is normally determined by the command, but the file has no command.
    void assumeCommand(const ConfigValue& root)
    {
        for (const LaunchRecipe::FileCommand& one : m_recipe.fileCommands) {
            const bool isOther = std::ranges::any_of(
                one.lacks, [&](const std::string& key) { return root.find(key) != nullptr; });
            if (root.find(one.has) == nullptr || isOther) continue;
            m_made.config.command = one.command;
            addFinding(m_made.findings, Severity::note, "command", "yaml.command",
                       "the command here is the default for this kind of file",
                       "replace it with the command you use");
            return;
        }
    }

    static void listKeys(const ConfigValue& map, std::vector<std::string>& path,
                         std::vector<std::string>& keys)
    {
        for (size_t i = 0; i < map.keys.size(); ++i) {
            path.push_back(map.keys[i]);
            if (map.items[i].kind == ConfigValue::Kind::map) {
                listKeys(map.items[i], path, keys);
            } else {
                keys.push_back(joinedKey(path));
            }
            path.pop_back();
        }
    }

    void walk(const ConfigValue& map, std::vector<std::string>& path)
    {
        for (size_t i = 0; i < map.keys.size(); ++i) {
            path.push_back(map.keys[i]);
            const ConfigValue& value = map.items[i];
            if (value.kind == ConfigValue::Kind::map && !value.items.empty()) {
                walk(value, path);
            } else {
                importLeaf(path, value);
            }
            path.pop_back();
        }
    }

    void importLeaf(const std::vector<std::string>& path, const ConfigValue& value)
    {
        const std::string key = joinedKey(path);
        const bool isInterpolation =
            value.kind == ConfigValue::Kind::text && value.text.find("${") != std::string::npos;
        if (!isProfilingKey(m_recipe, key) || isInterpolation || path.back().starts_with('_')) {
            importLength(key, value);
            return keep(path, value);
        }
        const Result<bool> imported = importKey(m_made.config, m_recipe, m_era, key, value);
        if (imported && *imported) {
            const auto known = settingOfKey(m_recipe, m_era, m_entry, key);
            if (known && known->isOptionMap() && value.kind == ConfigValue::Kind::boolean)
                noteOption(*known, key, value);
            return;
        }
        if (!imported)
            addFinding(m_made.findings, Severity::error, "other_overrides", "yaml.type",
                       key + ": " + imported.error().message, "it is kept as written");
        if (!isHydraKey(key)) return keep(path, value);
        m_made.config.otherOverrides.push_back("++" + key + "=" + hydraText(value));
    }

    void importLength(const std::string& key, const ConfigValue& value)
    {
        const RecipeVariable* length = m_recipe.findVariable("total_steps");
        const bool isLength = length != nullptr && length->source == RecipeVariable::Source::key &&
                              std::ranges::find(length->keys, key) != length->keys.end();
        if (!isLength || value.kind == ConfigValue::Kind::null) return;
        const Status done = assign(m_made.config.totalSteps, value);
        if (!done)
            addFinding(m_made.findings, Severity::warning, "total_steps", "import.lost",
                       key + ": " + done.error().message, "set the length of the run");
    }

    // Ray passes str(value) to nsys, so true becomes "True", which nsys does not accept.
    void noteOption(const SpelledSetting& known, const std::string& key, const ConfigValue& value)
    {
        const std::string lower = lowerAscii(value.text);
        static_cast<void>(importKey(m_made.config, m_recipe, m_era, key, ConfigValue::fromText(lower)));
        addFinding(m_made.findings, Severity::warning, known.field, "yaml.option_type",
                   locationText(value.place) + ": " + key + " is a boolean; nsys would receive " +
                       (lower == "true" ? "True" : "False") + " and fail",
                   "the plan writes it as text, \"" + lower + "\"");
    }

    void keep(const std::vector<std::string>& path, const ConfigValue& value)
    {
        ConfigValue* at = &m_made.config.importedYaml;
        for (size_t i = 0; i + 1 < path.size(); ++i) {
            const ConfigValue* found = at->find(path[i]);
            at = found != nullptr ? const_cast<ConfigValue*>(found)
                                  : &at->set(path[i], ConfigValue::emptyMap());
        }
        at->set(path.back(), value);
    }

    const LaunchRecipe& m_recipe;
    std::string m_entry;
    size_t m_era = 0;
    ImportedSession m_made;
};

} // namespace

ImportedSession importRecipeYaml(const LaunchRecipe& recipe, const ConfigValue& root)
{
    return YamlFileImport(recipe, root).made();
}

const LaunchRecipe* recipeOfYaml(const ConfigValue& root)
{
    const auto found = std::ranges::find_if(launchRecipes(), [&](const LaunchRecipe& recipe) {
        return std::ranges::any_of(recipe.configurationKeys,
                                   [&](const std::string& key) { return root.find(key) != nullptr; });
    });
    return found == launchRecipes().end() ? nullptr : &*found;
}

namespace {

// HYDRA_FULL_ERROR=1 also looks like an override. Before a command, a name without dots and lower-case
// letters is treated as a variable.
bool isLeadingVariable(const std::string& word)
{
    const size_t equals = word.find('=');
    if (equals == std::string::npos || !isEnvironmentName(word.substr(0, equals))) return false;
    return std::none_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                        [](char c) { return c >= 'a' && c <= 'z'; });
}

// Returns the recipe that recognizes the command, otherwise the first one with a profiler key among the
// words, otherwise the first one whose framework takes overrides.
const LaunchRecipe* recipeOfOverrides(std::span<const std::string> words)
{
    const std::optional<RecognizedLaunch> found = recognizedLaunch(launchRecipes(), words);
    if (found && found->recipe->profiling) return found->recipe;
    const LaunchRecipe* first = nullptr;
    for (const LaunchRecipe& recipe : launchRecipes()) {
        if (!recipe.profiling) continue;
        if (first == nullptr) first = &recipe;
        const bool isIts = std::ranges::any_of(
            words, [&](const std::string& word) { return recipe.profiling->matches(keyOfWord(word)); });
        if (isIts) return &recipe;
    }
    return first;
}

} // namespace

Result<ImportedSession> importOverrideList(std::string_view text)
{
    ShellWords pasted = LOCKSTEP_TRY(splitShellWords(text));
    std::vector<std::string>& words = pasted.words;
    const bool hasCommand =
        std::ranges::any_of(words, [](const std::string& word) { return !looksLikeOverride(word); });
    TextPairs environment;
    size_t at = 0;
    for (; hasCommand && at < words.size() && isLeadingVariable(words[at]); ++at) {
        const size_t equals = words[at].find('=');
        environment.emplace_back(words[at].substr(0, equals), words[at].substr(equals + 1));
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
    const LaunchRecipe* recipe = recipeOfOverrides(words);
    if (recipe == nullptr) return makeError(ErrorKind::unsupported, "no framework with overrides is known");
    ImportedSession made = importRecipeLaunch(*recipe, environment, std::move(words));
    if (pasted.hasExpansion)
        addFinding(made.findings, Severity::warning, "command", "import.expansion",
                   "the pasted text contains $ or `, which a shell would expand; they are kept as written",
                   "replace the variables with their values");
    return made;
}

} // namespace lockstep
