// SPDX-License-Identifier: Apache-2.0
// Reads a recipe in two passes: the YAML tree becomes a LaunchRecipe, then the names in its expressions are
// checked. Maps are read through RecipeMap, which reports every key that nobody asked for.
#include "core/session/recipes/launch_recipe.h"

#include <algorithm>
#include <array>

#include "core/session/recipes/framework_names.h"
#include "core/session/recipes/recipe_map.h"
#include "core/session/recipes/recipe_names.h"
#include "core/session/session_fields.h"
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
    static constexpr std::array<std::string_view, 5> kWords{"override", "arg", "env", "file", "inherit"};
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
    LOCKSTEP_TRY(map.read("loose", made.isLoose));
    return made;
}

Result<RecipeEra> eraFrom(RecipeMap& map)
{
    RecipeEra made;
    LOCKSTEP_TRY(map.require("id", made.id));
    const ConfigValue* condition = map.find("if");
    if (condition == nullptr) return made;
    ConfigValue one = ConfigValue::emptyList();
    one.items = {*condition};
    for (const ConfigValue& item :
         condition->kind == ConfigValue::Kind::list ? condition->items : one.items) {
        RecipeMap inner = LOCKSTEP_TRY(RecipeMap::of(item, "a map"));
        RecipeEra::File& file = made.files.emplace_back();
        LOCKSTEP_TRY(inner.require("path", file.path));
        LOCKSTEP_TRY(inner.read("contains", file.contains));
        LOCKSTEP_TRY(inner.read("lacks", file.lacks));
        LOCKSTEP_TRY(inner.read("absent", file.isAbsent));
        LOCKSTEP_TRY(inner.readPattern("match", file.match));
        LOCKSTEP_TRY(inner.finish());
    }
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

Status readLimits(RecipeMap& map, RecipeLimits& limits)
{
    LOCKSTEP_TRY(map.read("era", limits.era));
    LOCKSTEP_TRY(map.read("entry", limits.only));
    return map.read("not_entry", limits.excluded);
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
    LOCKSTEP_TRY(map.read("plain", made.plain));
    LOCKSTEP_TRY(map.readExpression("write", made.write));
    LOCKSTEP_TRY(map.readExpression("read", made.read));
    LOCKSTEP_TRY(readLimits(map, made.limits));
    LOCKSTEP_TRY(map.finish());
    return made;
}

Result<std::vector<RecipeTo>> destinationsFrom(const ConfigValue& value)
{
    std::vector<RecipeTo> made;
    if (value.kind != ConfigValue::Kind::list) {
        made.push_back(LOCKSTEP_TRY(destinationFrom(value)));
        return made;
    }
    for (const ConfigValue& item : value.items)
        made.push_back(LOCKSTEP_TRY(destinationFrom(item)));
    return made;
}

Result<RecipeSetting> settingFrom(RecipeMap& map, const std::string& name, bool isOfRole)
{
    RecipeSetting made;
    made.place = map.value().place;
    made.name = name;
    if (const ConfigValue* to = map.find("to")) made.to = LOCKSTEP_TRY(destinationsFrom(*to));
    const bool isOption = made.to.empty() && name.find('.') != std::string::npos;
    if (made.to.empty() && !isOption) return tl::make_unexpected(map.missing("to").error());
    LOCKSTEP_TRY(map.read("field", made.field));
    if (made.field.empty()) made.field = name;
    // A field of the session has its own type.
    if (findSessionField(made.field) == nullptr && !isOfRole) {
        LOCKSTEP_TRY(map.require("type", made.type));
    } else {
        LOCKSTEP_TRY(map.read("type", made.type));
    }
    if (const ConfigValue* value = map.find("default")) made.defaultValue = *value;
    LOCKSTEP_TRY(map.read("choices", made.choices));
    LOCKSTEP_TRY(map.readExpression("value", made.value));
    LOCKSTEP_TRY(map.readExpression("when", made.when));
    if (isOfRole) LOCKSTEP_TRY(map.read("roles", made.roles));
    LOCKSTEP_TRY(readLimits(map, made.limits));
    LOCKSTEP_TRY(map.read("comment", made.comment));
    LOCKSTEP_TRY(map.read("formerly", made.formerly));
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
    static constexpr std::array<std::pair<std::string_view, ReportKind>, 5> kKinds{
        {{"nsys", ReportKind::nsysReport},
         {"torch", ReportKind::torchTrace},
         {"memory", ReportKind::memorySnapshot},
         {"npu", ReportKind::npuProfile},
         {"samples", ReportKind::samples}}};
    RecipeWriter made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("id", made.id));
    std::string kind;
    LOCKSTEP_TRY(map.require("kind", kind));
    const auto found = std::ranges::find(kKinds, kind, [](const auto& pair) { return pair.first; });
    if (found != kKinds.end()) made.kind = found->second;
    if (!made.kind && kind != "other")
        return valueError(*map.find("kind"), "one of nsys, torch, memory, npu, samples, other");
    LOCKSTEP_TRY(map.readExpression("when", made.when));
    LOCKSTEP_TRY(readLimits(map, made.limits));
    LOCKSTEP_TRY(map.read("roles", made.roles));
    LOCKSTEP_TRY(map.read("role", made.role));
    LOCKSTEP_TRY(map.read("process", made.process));
    LOCKSTEP_TRY(map.require("ranks", made.ranks));
    LOCKSTEP_TRY(map.require("dir", made.folder));
    const ConfigValue* name = map.find("name");
    if (name == nullptr) return tl::make_unexpected(map.missing("name").error());
    made.names = LOCKSTEP_TRY(fileNamesFrom(*name));
    LOCKSTEP_TRY(map.readExpression("count", made.count));
    LOCKSTEP_TRY(map.readExpression("each", made.each));
    LOCKSTEP_TRY(map.readExpression("certain", made.certain));
    LOCKSTEP_TRY(map.readExpression("stage", made.stage));
    std::string certainty = "exact";
    LOCKSTEP_TRY(map.read("count_is", certainty));
    if (certainty != "exact" && certainty != "upper_bound")
        return valueError(*map.find("count_is"), "exact or upper_bound");
    made.isUpperBound = certainty == "upper_bound";
    LOCKSTEP_TRY(map.read("whole_run", made.isWholeRun));
    return made;
}

Status readExpressions(RecipeMap& map, std::string_view key,
                       std::vector<std::pair<std::string, RecipeExpression>>& target)
{
    const ConfigValue* value = map.find(key);
    if (value == nullptr) return {};
    if (value->kind != ConfigValue::Kind::map) return valueError(*value, "a map of fields to expressions");
    for (size_t i = 0; i < value->keys.size(); ++i)
        target.emplace_back(value->keys[i],
                            LOCKSTEP_TRY(RecipeMap::expressionFrom(value->items[i], value->keys[i])));
    return {};
}

Result<RecipeImport> importFrom(RecipeMap& map)
{
    RecipeImport made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("env", made.variable));
    const ConfigValue* match = map.find("match");
    if (match == nullptr) return tl::make_unexpected(map.missing("match").error());
    made.match = LOCKSTEP_TRY(RecipeMap::patternFrom(*match));
    LOCKSTEP_TRY(readExpressions(map, "set", made.values));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.read("note", made.note));
    LOCKSTEP_TRY(map.read("remedy", made.remedy));
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
    LOCKSTEP_TRY(map.read("roles", made.roles));
    LOCKSTEP_TRY(map.requireExpression("when", made.when));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.read("remedy", made.remedy));
    LOCKSTEP_TRY(readExpressions(map, "fix", made.fixes));
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
    LOCKSTEP_TRY(map.read("search", recipe.search));
    LOCKSTEP_TRY(map.read("unsets", recipe.unsets));
    LOCKSTEP_TRY(map.read("configuration", recipe.configurationKeys));
    LOCKSTEP_TRY(map.read("steps", recipe.stepsHint));
    LOCKSTEP_TRY(map.read("steps_from", recipe.firstStep));
    LOCKSTEP_TRY(map.read("entry", recipe.entry));
    LOCKSTEP_TRY(map.read("version", recipe.version));
    LOCKSTEP_TRY(map.readPattern("profiling", recipe.profiling));
    LOCKSTEP_TRY(map.readPattern("starts", recipe.starters));
    LOCKSTEP_TRY(map.readExpression("implied_tool", recipe.impliedTool));
    return map.read("command", recipe.command);
}

Result<RecipeRole> roleFrom(const std::string& role, const ConfigValue& value)
{
    RecipeRole made;
    made.role = role;
    if (value.isScalar()) {
        made.key = value.text;
        return made;
    }
    RecipeMap map = LOCKSTEP_TRY(RecipeMap::of(value, "a key, or a map"));
    LOCKSTEP_TRY(map.require("key", made.key));
    LOCKSTEP_TRY(map.read("copies", made.copies));
    LOCKSTEP_TRY(readLimits(map, made.limits));
    LOCKSTEP_TRY(map.finish());
    return made;
}

Status readRoles(RecipeMap& map, LaunchRecipe& recipe)
{
    const ConfigValue* roles = map.find("roles");
    if (roles == nullptr) return {};
    if (roles->kind != ConfigValue::Kind::map) return valueError(*roles, "a map");
    for (size_t i = 0; i < roles->keys.size(); ++i) {
        const std::string& role = roles->keys[i];
        const ConfigValue& value = roles->items[i];
        if (!enumFromWord<Role>(role)) return valueError(*roles, "a map of " + choiceText(enumNames(Role{})));
        ConfigValue one = ConfigValue::emptyList();
        one.items = {value};
        for (const ConfigValue& item : value.kind == ConfigValue::Kind::list ? value.items : one.items)
            recipe.roles.push_back(LOCKSTEP_TRY(roleFrom(role, item)));
    }
    return {};
}

Result<RecipeMapKey> mapKeyFrom(RecipeMap& map)
{
    RecipeMapKey made;
    LOCKSTEP_TRY(map.require("key", made.key));
    LOCKSTEP_TRY(readLimits(map, made.limits));
    LOCKSTEP_TRY(map.read("roles", made.roles));
    LOCKSTEP_TRY(map.read("like", made.like));
    if (const ConfigValue* with = map.find("with")) made.with = *with;
    if (const ConfigValue* parts = map.find("parts")) made.parts = *parts;
    return made;
}

Result<LaunchRecipe::FileCommand> fileCommandFrom(RecipeMap& map)
{
    LaunchRecipe::FileCommand made;
    LOCKSTEP_TRY(map.require("has", made.has));
    LOCKSTEP_TRY(map.read("lacks", made.lacks));
    LOCKSTEP_TRY(map.require("command", made.command));
    return made;
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
    const auto readSettings = [&map](std::string_view key, std::vector<RecipeSetting>& target,
                                     bool isOfRole) {
        return forEachRecipePart(map, key, true, [&](RecipeMap& part, const auto& name) -> Status {
            target.push_back(LOCKSTEP_TRY(settingFrom(part, name, isOfRole)));
            return {};
        });
    };
    LOCKSTEP_TRY(readSettings("settings", recipe.settings, false));
    LOCKSTEP_TRY(readSettings("role_settings", recipe.roleSettings, true));
    LOCKSTEP_TRY(readSettings("off", recipe.off, true));
    LOCKSTEP_TRY(forEachRecipePart(map, "maps", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.maps.push_back(LOCKSTEP_TRY(mapKeyFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "file_commands", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.fileCommands.push_back(LOCKSTEP_TRY(fileCommandFrom(part)));
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
    LOCKSTEP_TRY(forEachRecipePart(map, "log", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.logSigns.push_back(LOCKSTEP_TRY(logSignFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "import", false, [&](RecipeMap& part, const auto&) -> Status {
        recipe.imports.push_back(LOCKSTEP_TRY(importFrom(part)));
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

const RecipeSetting* LaunchRecipe::findRoleSetting(std::string_view setting) const
{
    const auto found = std::ranges::find(roleSettings, setting, &RecipeSetting::name);
    return found == roleSettings.end() ? nullptr : &*found;
}

std::optional<size_t> LaunchRecipe::eraIndex(std::string_view id) const
{
    const auto found = std::ranges::find(eras, id, &RecipeEra::id);
    return found == eras.end() ? std::nullopt : std::optional(static_cast<size_t>(found - eras.begin()));
}

bool LaunchRecipe::applies(const RecipeLimits& limits, size_t era, std::string_view entryPoint) const
{
    const auto lists = [&](const std::vector<std::string>& list) {
        return std::ranges::find(list, entryPoint) != list.end();
    };
    return includesEra(limits.era, era) && (limits.only.empty() || lists(limits.only)) &&
           !lists(limits.excluded);
}

const RecipeTo* LaunchRecipe::destination(const std::vector<RecipeTo>& to, size_t era,
                                          std::string_view entryPoint) const
{
    const auto found =
        std::ranges::find_if(to, [&](const RecipeTo& one) { return applies(one.limits, era, entryPoint); });
    return found == to.end() ? nullptr : &*found;
}

const RecipeRole* LaunchRecipe::findRole(std::string_view role, size_t era, std::string_view entryPoint) const
{
    const auto found = std::ranges::find_if(roles, [&](const RecipeRole& one) {
        return one.role == role && applies(one.limits, era, entryPoint);
    });
    return found == roles.end() ? nullptr : &*found;
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
    if (const ConfigValue* workers = map.find("workers"); workers != nullptr) {
        if (workers->text == "inherit")
            recipe.workers.emplace_back().form = RecipeTo::Form::inherit;
        else
            recipe.workers = LOCKSTEP_TRY(destinationsFrom(*workers));
    }
    if (const ConfigValue* nsys = map.find("nsys")) {
        LOCKSTEP_TRY(assign(recipe.nsysOptions, *nsys));
        recipe.startsNsys = true;
    }
    if (const ConfigValue* names = map.find("names"))
        LOCKSTEP_TRY(frameworkNamesFrom(*names)); // frameworkNames() keeps them
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
