// SPDX-License-Identifier: Apache-2.0
// Reads a recipe in two passes: the YAML tree becomes a LaunchRecipe, then the names in its expressions are
// checked. Maps are read through RecipeMap, which reports every key that nobody asked for.
#include "core/session/recipes/launch_recipe.h"

#include <algorithm>
#include <array>

#include "core/session/recipes/recipe_names.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

std::span<const std::string_view> enumNames(RecipeCluster)
{
    static constexpr std::array<std::string_view, 3> kWords{"ray", "torchrun", "none"};
    return kWords;
}

std::span<const std::string_view> enumNames(RecipeType)
{
    static constexpr std::array<std::string_view, 9> kWords{
        "int", "bool", "switch", "string", "path", "int_list", "string_list", "string_map", "int_map"};
    return kWords;
}

std::span<const std::string_view> enumNames(LaunchWord)
{
    static constexpr std::array<std::string_view, 3> kWords{"module", "script", "program"};
    return kWords;
}

std::span<const std::string_view> enumNames(RecipeTo::Form)
{
    static constexpr std::array<std::string_view, 4> kWords{"override", "arg", "env", "file"};
    return kWords;
}

std::span<const std::string_view> enumNames(RecipeTo::Style)
{
    static constexpr std::array<std::string_view, 7> kWords{"value", "equals", "switch", "list",
                                                            "comma", "repeat", "json"};
    return kWords;
}

static std::span<const std::string_view> enumNames(RecipeNeed::Kind)
{
    static constexpr std::array<std::string_view, 4> kWords{"module", "program", "env", "path"};
    return kWords;
}

namespace {

// RecipeMap reads the keys of one map. finish() reports the keys that were not read.
class RecipeMap {
  public:
    explicit RecipeMap(const ConfigValue& map) : m_map(map), m_used(map.keys.size(), false) {}

    static Result<RecipeMap> of(const ConfigValue& value, std::string_view what)
    {
        if (value.kind != ConfigValue::Kind::map) return valueError(value, what);
        return RecipeMap(value);
    }

    const ConfigValue* find(std::string_view key)
    {
        const auto found = std::ranges::find(m_map.keys, key);
        if (found == m_map.keys.end()) return nullptr;
        const auto at = static_cast<size_t>(found - m_map.keys.begin());
        m_used[at] = true;
        return &m_map.items[at];
    }

    // Reads a key that may be absent.
    template<class T>
    Status read(std::string_view key, T& target)
    {
        const ConfigValue* value = find(key);
        if (value == nullptr) return {};
        const Status done = assign(target, *value);
        if (!done) return tl::make_unexpected(withContext(done.error(), key));
        return {};
    }

    template<class T>
    Status require(std::string_view key, T& target)
    {
        if (m_map.find(key) == nullptr) return missing(key);
        return read(key, target);
    }

    Status readExpression(std::string_view key, std::optional<RecipeExpression>& target)
    {
        const ConfigValue* value = find(key);
        if (value == nullptr) return {};
        target = LOCKSTEP_TRY(expressionFrom(*value, key));
        return {};
    }

    Status requireExpression(std::string_view key, RecipeExpression& target)
    {
        std::optional<RecipeExpression> read;
        LOCKSTEP_TRY(readExpression(key, read));
        if (!read) return missing(key);
        target = std::move(*read);
        return {};
    }

    static Result<RecipeExpression> expressionFrom(const ConfigValue& value, std::string_view key)
    {
        if (!value.isScalar()) return valueError(value, "an expression");
        Result<RecipeExpression> made = RecipeExpression::parse(value.text);
        if (made) return made;
        return makeError(ErrorKind::invalid,
                         locationText(value.place) + ": " + std::string(key) + ": " + made.error().message);
    }

    static Result<Pattern> patternFrom(const ConfigValue& value)
    {
        if (value.kind == ConfigValue::Kind::list || value.kind == ConfigValue::Kind::map)
            return valueError(value, "a pattern");
        Result<Pattern> made = Pattern::compile(value.text);
        if (made) return made;
        return makeError(ErrorKind::invalid, locationText(value.place) + ": " + made.error().message);
    }

    Result<std::vector<Pattern>> patterns(std::string_view key)
    {
        std::vector<Pattern> made;
        const ConfigValue* value = find(key);
        if (value == nullptr) return made;
        if (value->kind != ConfigValue::Kind::list) return valueError(*value, "a list of patterns");
        for (const ConfigValue& item : value->items)
            made.push_back(LOCKSTEP_TRY(patternFrom(item)));
        return made;
    }

    Status missing(std::string_view key) const
    {
        return makeError(ErrorKind::invalid,
                         locationText(m_map.place) + ": '" + std::string(key) + "' is missing");
    }

    Status finish() const
    {
        for (size_t i = 0; i < m_used.size(); ++i) {
            if (m_used[i]) continue;
            return makeError(ErrorKind::invalid, locationText(m_map.items[i].keyLocation) +
                                                     ": unknown key '" + m_map.keys[i] + "'");
        }
        return {};
    }

    const ConfigValue& value() const { return m_map; }

  private:
    const ConfigValue& m_map;
    std::vector<bool> m_used;
};

// Reads each element of the list `key`, or of the map, with read(element, name).
template<class Read>
Status forEachRecipePart(RecipeMap& map, std::string_view key, bool isMap, Read read)
{
    const ConfigValue* value = map.find(key);
    if (value == nullptr) return {};
    const ConfigValue::Kind kind = isMap ? ConfigValue::Kind::map : ConfigValue::Kind::list;
    if (value->kind != kind) {
        const Status wrong = valueError(*value, isMap ? "a map" : "a list");
        return tl::make_unexpected(withContext(wrong.error(), key));
    }
    for (size_t i = 0; i < value->items.size(); ++i) {
        RecipeMap part = LOCKSTEP_TRY(RecipeMap::of(value->items[i], "a map"));
        LOCKSTEP_TRY(read(part, isMap ? value->keys[i] : std::string()));
        LOCKSTEP_TRY(part.finish());
    }
    return {};
}

Result<LaunchPattern> launchPatternFrom(RecipeMap& map)
{
    LaunchPattern made;
    const ConfigValue* found = nullptr;
    for (const LaunchWord word : {LaunchWord::module, LaunchWord::script, LaunchWord::program}) {
        const ConfigValue* one = map.find(enumName(word));
        if (one != nullptr && found != nullptr)
            return valueError(*one, "alone: one of module, script, program");
        if (one == nullptr) continue;
        found = one;
        made.word = word;
    }
    if (found == nullptr) return tl::make_unexpected(map.missing("module, script or program").error());
    made.pattern = LOCKSTEP_TRY(RecipeMap::patternFrom(*found));
    made.has = LOCKSTEP_TRY(map.patterns("has"));
    made.lacks = LOCKSTEP_TRY(map.patterns("lacks"));
    LOCKSTEP_TRY(map.read("entry", made.entry));
    return made;
}

Result<RecipeEra> eraFrom(RecipeMap& map)
{
    RecipeEra made;
    LOCKSTEP_TRY(map.require("id", made.id));
    const ConfigValue* condition = map.find("if");
    if (condition == nullptr) return made;
    RecipeMap inner = LOCKSTEP_TRY(RecipeMap::of(*condition, "a map"));
    LOCKSTEP_TRY(inner.require("path", made.path));
    LOCKSTEP_TRY(inner.read("contains", made.contains));
    LOCKSTEP_TRY(inner.read("lacks", made.lacks));
    LOCKSTEP_TRY(inner.finish());
    return made;
}

Status readKeys(const ConfigValue& value, std::vector<std::string>& keys)
{
    if (value.kind == ConfigValue::Kind::list) return assign(keys, value);
    keys.emplace_back();
    return assign(keys.back(), value);
}

Result<RecipeVariable> variableFrom(RecipeMap& map, const std::string& name)
{
    using Source = RecipeVariable::Source;
    static constexpr std::array<std::pair<std::string_view, Source>, 4> kSources{
        {{"key", Source::key},
         {"arg", Source::argument},
         {"env", Source::environment},
         {"ask", Source::ask}}};
    RecipeVariable made;
    made.place = map.value().place;
    made.name = name;
    size_t count = 0;
    for (const auto& [key, source] : kSources) {
        const ConfigValue* value = map.find(key);
        if (value == nullptr) continue;
        ++count;
        made.source = source;
        LOCKSTEP_TRY(readKeys(*value, made.keys));
    }
    std::optional<RecipeExpression> expression;
    LOCKSTEP_TRY(map.readExpression("is", expression));
    if (expression) {
        ++count;
        made.source = Source::expression;
        made.expression = std::move(*expression);
    }
    if (count != 1) {
        return makeError(ErrorKind::invalid, locationText(map.value().place) + ": '" + name +
                                                 "' needs exactly one of key, arg, env, ask, is");
    }
    if (made.source != Source::expression && map.find("type") == nullptr)
        return tl::make_unexpected(map.missing("type").error());
    LOCKSTEP_TRY(map.read("type", made.type));
    if (const ConfigValue* value = map.find("default")) made.defaultValue = *value;
    LOCKSTEP_TRY(map.read("era", made.era));
    return made;
}

Result<RecipeTo> destinationFrom(const ConfigValue& value)
{
    RecipeMap map = LOCKSTEP_TRY(RecipeMap::of(value, "a map"));
    RecipeTo made;
    size_t count = 0;
    for (size_t i = 0; i < enumNames(RecipeTo::Form{}).size(); ++i) {
        const ConfigValue* name = map.find(enumNames(RecipeTo::Form{})[i]);
        if (name == nullptr) continue;
        ++count;
        made.form = static_cast<RecipeTo::Form>(i);
        LOCKSTEP_TRY(assign(made.name, *name));
    }
    if (count != 1) return valueError(value, "a map with exactly one of override, arg, env, file");
    if (made.form == RecipeTo::Form::override) made.prefix = "++";
    LOCKSTEP_TRY(map.read("prefix", made.prefix));
    LOCKSTEP_TRY(map.read("style", made.style));
    LOCKSTEP_TRY(map.finish());
    return made;
}

Result<RecipeSetting> settingFrom(RecipeMap& map, const std::string& name)
{
    RecipeSetting made;
    made.place = map.value().place;
    made.name = name;
    const ConfigValue* to = map.find("to");
    if (to == nullptr) return tl::make_unexpected(map.missing("to").error());
    made.to = LOCKSTEP_TRY(destinationFrom(*to));
    LOCKSTEP_TRY(map.require("type", made.type));
    if (const ConfigValue* value = map.find("default")) made.defaultValue = *value;
    LOCKSTEP_TRY(map.read("choices", made.choices));
    LOCKSTEP_TRY(map.readExpression("value", made.value));
    LOCKSTEP_TRY(map.readExpression("when", made.when));
    LOCKSTEP_TRY(map.read("per_role", made.isPerRole));
    LOCKSTEP_TRY(map.read("era", made.era));
    LOCKSTEP_TRY(map.read("comment", made.comment));
    return made;
}

Result<RecipeNeed> needFrom(RecipeMap& map)
{
    RecipeNeed made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.requireExpression("when", made.when));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.require("remedy", made.remedy));
    const ConfigValue* check = map.find("check");
    if (check == nullptr) return tl::make_unexpected(map.missing("check").error());
    RecipeMap inner = LOCKSTEP_TRY(RecipeMap::of(*check, "a map"));
    for (size_t i = 0; i < enumNames(RecipeNeed::Kind{}).size(); ++i) {
        const ConfigValue* name = inner.find(enumNames(RecipeNeed::Kind{})[i]);
        if (name == nullptr) continue;
        made.kind = static_cast<RecipeNeed::Kind>(i);
        LOCKSTEP_TRY(assign(made.name, *name));
    }
    if (made.name.empty()) return valueError(*check, "a map with one of module, program, env, path");
    LOCKSTEP_TRY(inner.finish());
    return made;
}

Result<std::string> fileNamesFrom(const ConfigValue& value)
{
    std::vector<std::string> names;
    LOCKSTEP_TRY(readKeys(value, names));
    std::string lines;
    for (std::string& name : names) {
        // The whole name must match anyway.
        if (name.starts_with('^')) name.erase(0, 1);
        if (name.ends_with('$') && !name.ends_with("\\$")) name.pop_back();
        if (const Result<Pattern> made = Pattern::compile(name); !made)
            return makeError(ErrorKind::invalid, locationText(value.place) + ": " + made.error().message);
        lines += (lines.empty() ? "" : "\n") + name;
    }
    return lines;
}

Result<RecipeWriter> writerFrom(RecipeMap& map)
{
    static constexpr std::array<std::pair<std::string_view, ReportKind>, 4> kKinds{
        {{"nsys", ReportKind::nsysReport},
         {"torch", ReportKind::torchTrace},
         {"memory", ReportKind::memorySnapshot},
         {"npu", ReportKind::npuProfile}}};
    RecipeWriter made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("id", made.id));
    std::string kind;
    LOCKSTEP_TRY(map.require("kind", kind));
    const auto found = std::ranges::find(kKinds, kind, [](const auto& pair) { return pair.first; });
    if (found != kKinds.end()) made.kind = found->second;
    if (!made.kind && kind != "samples")
        return valueError(*map.find("kind"), "one of nsys, torch, memory, npu, samples");
    LOCKSTEP_TRY(map.readExpression("when", made.when));
    LOCKSTEP_TRY(map.read("era", made.era));
    LOCKSTEP_TRY(map.read("role", made.role));
    LOCKSTEP_TRY(map.read("process", made.process));
    LOCKSTEP_TRY(map.require("ranks", made.ranks));
    LOCKSTEP_TRY(map.require("dir", made.folder));
    const ConfigValue* name = map.find("name");
    if (name == nullptr) return tl::make_unexpected(map.missing("name").error());
    made.names = LOCKSTEP_TRY(fileNamesFrom(*name));
    LOCKSTEP_TRY(map.readExpression("count", made.count));
    std::string certainty = "exact";
    LOCKSTEP_TRY(map.read("count_is", certainty));
    if (certainty != "exact" && certainty != "upper_bound")
        return valueError(*map.find("count_is"), "exact or upper_bound");
    made.isUpperBound = certainty == "upper_bound";
    return made;
}

Result<RecipeRule> ruleFrom(RecipeMap& map, bool isSilentCase)
{
    RecipeRule made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("id", made.id));
    if (!isSilentCase) {
        static constexpr std::array kSeverities{Severity::note, Severity::warning, Severity::error};
        std::string word;
        LOCKSTEP_TRY(map.require("severity", word));
        const auto found = std::ranges::find(kSeverities, word, severityName);
        if (found == kSeverities.end()) return valueError(*map.find("severity"), "note, warning or error");
        made.severity = *found;
    }
    LOCKSTEP_TRY(map.read("field", made.field));
    LOCKSTEP_TRY(map.requireExpression("when", made.when));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.read("remedy", made.remedy));
    const ConfigValue* fix = map.find("fix");
    if (fix == nullptr) return made;
    if (fix->kind != ConfigValue::Kind::map) return valueError(*fix, "a map of fields to expressions");
    for (size_t i = 0; i < fix->keys.size(); ++i)
        made.fixes.emplace_back(fix->keys[i],
                                LOCKSTEP_TRY(RecipeMap::expressionFrom(fix->items[i], fix->keys[i])));
    return made;
}

Result<RecipeFailure> failureFrom(RecipeMap& map)
{
    RecipeFailure made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("id", made.id));
    const ConfigValue* log = map.find("log");
    if (log == nullptr) return tl::make_unexpected(map.missing("log").error());
    made.log = LOCKSTEP_TRY(RecipeMap::patternFrom(*log));
    LOCKSTEP_TRY(map.read("era", made.era));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.read("remedy", made.remedy));
    return made;
}

Status readHead(RecipeMap& map, LaunchRecipe& recipe)
{
    int64_t version = 0;
    LOCKSTEP_TRY(map.require("lockstep_recipe", version));
    if (version != 1) return valueError(*map.find("lockstep_recipe"), "1");
    LOCKSTEP_TRY(map.require("name", recipe.name));
    const bool isWord =
        !recipe.name.empty() &&
        recipe.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!isWord) return valueError(*map.find("name"), "a word of lower-case letters, digits and _");
    LOCKSTEP_TRY(map.require("label", recipe.label));
    LOCKSTEP_TRY(map.read("help", recipe.help));
    std::string place;
    LOCKSTEP_TRY(map.require("runs_on", place));
    if (place != "first_host" && place != "every_host")
        return valueError(*map.find("runs_on"), "first_host or every_host");
    recipe.runsOnEveryHost = place == "every_host";
    LOCKSTEP_TRY(map.require("cluster", recipe.cluster));
    const ConfigValue* tools = map.find("tools");
    if (tools == nullptr) return map.missing("tools");
    if (tools->kind != ConfigValue::Kind::list) return valueError(*tools, "a list of tools");
    for (const ConfigValue& tool : tools->items)
        LOCKSTEP_TRY(assign(recipe.tools.emplace_back(), tool));
    return map.read("command", recipe.command);
}

Status readRoles(RecipeMap& map, LaunchRecipe& recipe)
{
    const ConfigValue* roles = map.find("roles");
    if (roles == nullptr) return {};
    TextPairs pairs;
    LOCKSTEP_TRY(assign(pairs, *roles));
    for (const auto& [role, key] : pairs) {
        if (!enumFromWord<Role>(role)) return valueError(*roles, "a map of " + choiceText(enumNames(Role{})));
    }
    recipe.roles = std::move(pairs);
    return {};
}

Status readParts(RecipeMap& map, LaunchRecipe& recipe)
{
    LOCKSTEP_TRY(forEachRecipePart(map, "recognize", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.patterns.push_back(LOCKSTEP_TRY(launchPatternFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "eras", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.eras.push_back(LOCKSTEP_TRY(eraFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "vars", true, [&](RecipeMap& part, const auto& name) -> Status {
        recipe.variables.push_back(LOCKSTEP_TRY(variableFrom(part, name)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "settings", true, [&](RecipeMap& part, const auto& name) -> Status {
        recipe.settings.push_back(LOCKSTEP_TRY(settingFrom(part, name)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "needs", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.needs.push_back(LOCKSTEP_TRY(needFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "writers", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.writers.push_back(LOCKSTEP_TRY(writerFrom(part)));
        return {};
    }));
    for (const bool isSilent : {false, true}) {
        LOCKSTEP_TRY(forEachRecipePart(map, isSilent ? "silent" : "rules", false,
                                       [&](RecipeMap& part, const auto&) -> Status {
                                           recipe.rules.push_back(LOCKSTEP_TRY(ruleFrom(part, isSilent)));
                                           return {};
                                       }));
    }
    return forEachRecipePart(map, "failures", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.failures.push_back(LOCKSTEP_TRY(failureFrom(part)));
        return {};
    });
}

} // namespace

const RecipeVariable* LaunchRecipe::findVariable(std::string_view variable) const
{
    const auto found = std::ranges::find(variables, variable, &RecipeVariable::name);
    return found == variables.end() ? nullptr : &*found;
}

const RecipeSetting* LaunchRecipe::findSetting(std::string_view setting) const
{
    const auto found = std::ranges::find(settings, setting, &RecipeSetting::name);
    return found == settings.end() ? nullptr : &*found;
}

bool LaunchRecipe::includesEra(std::string_view condition, size_t era) const
{
    if (condition.empty()) return true;
    const auto indexOf = [this](std::string_view id) {
        return static_cast<size_t>(std::ranges::find(eras, id, &RecipeEra::id) - eras.begin());
    };
    if (condition.starts_with(">=")) return era <= indexOf(condition.substr(2));
    if (condition.starts_with("<=")) return era >= indexOf(condition.substr(2));
    const size_t dots = condition.find("..");
    if (dots == std::string_view::npos) return era == indexOf(condition);
    return era <= indexOf(condition.substr(0, dots)) && era >= indexOf(condition.substr(dots + 2));
}

static Result<LaunchRecipe> recipeFrom(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    RecipeMap map = LOCKSTEP_TRY(RecipeMap::of(root, "a map"));
    LaunchRecipe recipe;
    LOCKSTEP_TRY(readHead(map, recipe));
    LOCKSTEP_TRY(readRoles(map, recipe));
    LOCKSTEP_TRY(readParts(map, recipe));
    if (const ConfigValue* workers = map.find("workers"); workers != nullptr && workers->text != "inherit")
        recipe.workers = LOCKSTEP_TRY(destinationFrom(*workers));
    if (const ConfigValue* nsys = map.find("nsys")) {
        LOCKSTEP_TRY(assign(recipe.nsysOptions, *nsys));
        recipe.startsNsys = true;
    }
    LOCKSTEP_TRY(map.finish());
    LOCKSTEP_TRY(checkRecipeNames(recipe));
    return recipe;
}

Result<LaunchRecipe> readRecipe(std::string_view text, std::string_view file)
{
    Result<LaunchRecipe> recipe = recipeFrom(text);
    if (!recipe) return tl::make_unexpected(withContext(recipe.error(), file));
    recipe->file = file;
    return recipe;
}

} // namespace lockstep
