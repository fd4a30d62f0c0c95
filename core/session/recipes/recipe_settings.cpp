// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_settings.h"

#include <algorithm>

#include "core/base/edit_distance.h"
#include "core/session/hydra_override.h"
#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/recipe_import.h"
#include "core/session/recipes/recipe_spelling.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::string_view kRolePart = "{role}";
constexpr std::string_view kOptionPart = "{option}";

std::string withPart(std::string text, std::string_view part, std::string_view value)
{
    if (const size_t at = text.find(part); at != std::string::npos) text.replace(at, part.size(), value);
    return text;
}

bool isOfRole(const RecipeSetting& setting, const std::string& role)
{
    return setting.roles.empty() || std::ranges::find(setting.roles, role) != setting.roles.end();
}

// A key with its value, before maps are merged.
struct WrittenKey {
    std::string key;
    const RecipeTo* to = nullptr;
    ConfigValue value;
};

// Sets a value in a map of maps at the path "a.b.c".
void put(ConfigValue& map, std::string_view path, const ConfigValue& value)
{
    const size_t dot = path.find('.');
    const std::string first(path.substr(0, dot));
    if (dot == std::string_view::npos) {
        map.set(first, value);
        return;
    }
    const ConfigValue* found = map.find(first);
    ConfigValue inner = found != nullptr ? *found : ConfigValue::emptyMap();
    put(inner, path.substr(dot + 1), value);
    map.set(first, std::move(inner));
}

// Returns the options of a map setting: the session's, and those that the recipe computes.
NsightOptions optionsOf(const LaunchRecipe& recipe, const SessionScope& scope, const SpelledSetting& one)
{
    NsightOptions options;
    static_cast<void>(assign(options, scope.userValue(*one.setting)));
    for (const RecipeSetting& setting : recipe.settings) {
        const size_t dot = setting.name.rfind('.');
        if (!setting.to.empty() || setting.name.substr(0, dot) != one.setting->name) continue;
        const std::string option = setting.name.substr(dot + 1);
        const std::optional<ConfigValue> value = scope.writtenSetting(setting);
        if (value && findOption(options, option) == nullptr) options.push_back({option, value->text});
    }
    return options;
}

void addOptions(const NsightOptions& options, const SpelledSetting& one, RecipeProgram& made)
{
    for (const NsightOption& option : options) {
        const bool isPlain = std::ranges::find(one.to->plain, option.name) != one.to->plain.end();
        made.overrides.push_back((isPlain ? std::string() : one.to->prefix) + std::string(one.prefix()) +
                                 option.name + "=" + (option.value ? hydraQuoted(*option.value) : "null"));
    }
}

class MapMerger {
  public:
    MapMerger(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope)
        : m_recipe(recipe), m_input(input), m_scope(scope)
    {
    }

    // Replaces the keys inside each map that must be written whole.
    std::vector<WrittenKey> merged(const std::vector<WrittenKey>& written) const
    {
        std::vector<WrittenKey> keys = written;
        for (const RecipeMapKey& map : m_recipe.maps) {
            if (!m_scope.applies(map.limits)) continue;
            for (const std::string& role : map.roles) {
                const RecipeRole* block = m_recipe.findRole(role, m_input.era, m_scope.entry());
                if (block != nullptr) merge(map, *block, written, keys);
            }
        }
        return keys;
    }

  private:
    void merge(const RecipeMapKey& map, const RecipeRole& block, const std::vector<WrittenKey>& written,
               std::vector<WrittenKey>& keys) const
    {
        const std::string node = withPart(map.key, kRolePart, block.key);
        const auto isInside = [&](const WrittenKey& one) { return one.key.starts_with(node + "."); };
        const auto first = std::ranges::find_if(keys, isInside);
        if (first == keys.end()) return;
        std::vector<WrittenKey> inside;
        std::ranges::copy_if(keys, std::back_inserter(inside), isInside);
        first->value = map.parts.kind == ConfigValue::Kind::map
                           ? partsValue(map, block.role, node, inside, written)
                           : toolValue(map.with, map.like, "", written);
        first->key = node;
        if (map.parts.kind != ConfigValue::Kind::map) {
            for (const WrittenKey& one : inside)
                put(first->value, std::string_view(one.key).substr(node.size() + 1), one.value);
        }
        keys.erase(std::remove_if(first + 1, keys.end(), isInside), keys.end());
    }

    // Returns the values of one tool's map: the fixed ones, and those that are written in other maps.
    static ConfigValue toolValue(const ConfigValue& with, const std::vector<std::string>& like,
                                 const std::string& tool, const std::vector<WrittenKey>& written)
    {
        ConfigValue made = with.kind == ConfigValue::Kind::map ? with : ConfigValue::emptyMap();
        for (const std::string& other : like) {
            const std::string prefix = other + "." + (tool.empty() ? "" : tool + ".");
            for (const WrittenKey& one : written) {
                if (one.key.starts_with(prefix))
                    put(made, std::string_view(one.key).substr(prefix.size()), one.value);
            }
        }
        return made;
    }

    ConfigValue partsValue(const RecipeMapKey& map, const std::string& role, const std::string& node,
                           const std::vector<WrittenKey>& inside,
                           const std::vector<WrittenKey>& written) const
    {
        ConfigValue made = ConfigValue::emptyMap();
        const auto add = [&](const std::string& tool) {
            const ConfigValue* with = map.parts.find(tool);
            if (with != nullptr && made.find(tool) == nullptr)
                made.set(tool, toolValue(*with, map.like, tool, written));
        };
        const RoleProfile& profile = m_input.config.role(*enumFromWord<Role>(role));
        const std::optional<Tool> tool = profile.tool ? profile.tool : m_input.config.tool;
        if (tool) add(std::string(enumName(*tool)));
        for (const WrittenKey& one : inside) {
            const std::string path = one.key.substr(node.size() + 1);
            add(path.substr(0, path.find('.')));
            put(made, path, one.value);
        }
        return made;
    }

    const LaunchRecipe& m_recipe;
    const RecipeInput& m_input;
    const SessionScope& m_scope;
};

std::vector<WrittenKey> writtenKeys(const SessionScope& scope, const std::vector<SpelledSetting>& settings)
{
    std::vector<WrittenKey> written;
    for (const SpelledSetting& one : settings) {
        if (one.isOptionMap() || one.to->form == RecipeTo::Form::file) continue;
        const SessionScope& own = one.role.empty() ? scope : *scope.forRole(one.role);
        if (const std::optional<ConfigValue> value = own.writtenSetting(*one.setting); value)
            written.push_back({one.key, one.to, *value});
    }
    return written;
}

// Adds what turns the framework's own profilers off.
void addOff(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
            RecipeProgram& made)
{
    for (const RecipeSetting& setting : recipe.off) {
        const RecipeTo* to = scope.destination(setting);
        if (to == nullptr) continue;
        const ConfigValue value = setting.value ? setting.value->evaluate(scope).config() : ConfigValue();
        RecipeTo spelled = *to;
        if (to->name.find(kRolePart) == std::string::npos) {
            addSpelling(spelled, value, made);
            continue;
        }
        for (const std::string& role : scope.roleNames()) {
            if (!isOfRole(setting, role)) continue;
            spelled.name =
                withPart(to->name, kRolePart, recipe.findRole(role, input.era, scope.entry())->key);
            addSpelling(spelled, value, made);
        }
    }
}

} // namespace

namespace {

// Returns true if a key can be that of the destination, for any role and option.
bool canSpell(const RecipeTo& to, std::string_view key)
{
    std::string_view tail = to.name;
    if (const size_t role = tail.find(kRolePart); role != std::string_view::npos)
        tail.remove_prefix(role + kRolePart.size());
    if (!tail.ends_with(kOptionPart)) return key.ends_with(tail);
    tail.remove_suffix(kOptionPart.size());
    return key.find(tail) != std::string_view::npos;
}

// Returns those of spelledSettings() that meet a condition. It is checked before any text is created.
template<class Condition>
std::vector<SpelledSetting> spelledIf(const LaunchRecipe& recipe, size_t era, std::string_view entry,
                                      const Condition& isWanted)
{
    std::vector<SpelledSetting> made, last;
    for (const RecipeSetting& setting : recipe.settings) {
        if (!isWanted(setting) || !recipe.applies(setting.limits, era, entry)) continue;
        const RecipeTo* to = recipe.destination(setting.to, era, entry);
        if (to != nullptr)
            (to->name.ends_with(kOptionPart) ? last : made)
                .push_back({&setting, to, to->name, setting.field, ""});
    }
    for (const Role which : kRoles) {
        const std::string role(enumName(which));
        const RecipeRole* block = recipe.findRole(role, era, entry);
        for (const RecipeSetting& setting : recipe.roleSettings) {
            if (block == nullptr || !isWanted(setting) || !isOfRole(setting, role) ||
                !recipe.applies(setting.limits, era, entry))
                continue;
            const RecipeTo* to = recipe.destination(setting.to, era, entry);
            if (to == nullptr) continue;
            made.push_back({&setting, to, withPart(to->name, kRolePart, block->key),
                            "roles." + role + "." + setting.field, role});
        }
    }
    made.insert(made.end(), last.begin(), last.end());
    return made;
}

} // namespace

std::vector<SpelledSetting> spelledSettings(const LaunchRecipe& recipe, size_t era, std::string_view entry)
{
    return spelledIf(recipe, era, entry, [](const RecipeSetting&) { return true; });
}

void addRecipeSettings(const LaunchRecipe& recipe, const RecipeInput& input, RecipeProgram& made)
{
    const SessionScope scope(recipe, input);
    const std::vector<SpelledSetting> settings = spelledSettings(recipe, input.era, scope.entry());
    if (input.config.tool == Tool::capture && !recipe.off.empty()) {
        addOff(recipe, input, scope, made);
        for (const WrittenKey& one : writtenKeys(scope, settings)) {
            if (!recipe.profiling || isProfilingKey(recipe, one.key)) continue;
            RecipeTo to = *one.to;
            to.name = one.key;
            addSpelling(to, one.value, made);
        }
    } else {
        for (const WrittenKey& one : MapMerger(recipe, input, scope).merged(writtenKeys(scope, settings))) {
            RecipeTo to = *one.to;
            to.name = one.key;
            addSpelling(to, one.value, made);
        }
    }
    for (const SpelledSetting& one : settings) {
        if (one.isOptionMap() && scope.isTrue(one.setting->when))
            addOptions(optionsOf(recipe, scope, one), one, made);
    }
}

std::optional<std::string> computedNsysOption(const SessionConfig& config, size_t era,
                                              std::string_view option)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    const RecipeSetting* setting =
        recipe == nullptr ? nullptr : recipe->findSetting("nsys.worker_options." + std::string(option));
    if (setting == nullptr) return std::nullopt;
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, {}, hosts, era, 0};
    const std::optional<ConfigValue> value = SessionScope(*recipe, input).writtenSetting(*setting);
    return value ? std::optional(value->text) : std::nullopt;
}

std::optional<SpelledSetting> settingOfKey(const LaunchRecipe& recipe, size_t era, std::string_view entry,
                                           std::string_view key)
{
    const auto isWanted = [key](const RecipeSetting& setting) {
        return std::ranges::any_of(setting.to, [key](const RecipeTo& to) { return canSpell(to, key); });
    };
    for (const SpelledSetting& one : spelledIf(recipe, era, entry, isWanted)) {
        const bool isOption =
            one.isOptionMap() && key.starts_with(one.prefix()) && key.size() > one.prefix().size();
        if (isOption || (one.key == key && one.to->form == RecipeTo::Form::override)) return one;
    }
    return std::nullopt;
}

bool isKeyRead(const LaunchRecipe& recipe, size_t era, std::string_view entry, std::string_view key)
{
    return key.ends_with("._target_") || settingOfKey(recipe, era, entry, key).has_value();
}

bool isProfilingKey(const LaunchRecipe& recipe, std::string_view key)
{
    return recipe.profiling && recipe.profiling->matches(key);
}

namespace {

// Returns e.g. "0.4.1 to 0.5.0" or "0.9.0 and newer", or "" if no era reads the key.
std::string erasWith(const LaunchRecipe& recipe, std::string_view entry, std::string_view key)
{
    std::string text;
    for (size_t i = recipe.eras.size(); i-- > 0;) {
        if (!isKeyRead(recipe, i, entry, key)) continue;
        size_t last = i;
        while (last > 0 && isKeyRead(recipe, last - 1, entry, key))
            --last;
        text += (text.empty() ? "" : ", ") + recipe.eras[i].id;
        if (last == 0 && last < i) text += " and newer";
        if (last > 0 && last < i) text += " to " + recipe.eras[last].id;
        i = last;
    }
    return text;
}

std::string_view lastPart(std::string_view key)
{
    return key.substr(key.rfind('.') + 1);
}

} // namespace

std::string unreadKeyReason(const LaunchRecipe& recipe, size_t era, std::string_view entry,
                            std::string_view key)
{
    const std::string name(key), here = era < recipe.eras.size() ? " " + recipe.eras[era].id : std::string();
    if (const std::string eras = erasWith(recipe, entry, key); !eras.empty())
        return name + " is read by " + recipe.label + " " + eras + ", not by" + here;
    const std::vector<SpelledSetting> settings = spelledSettings(recipe, era, entry);
    std::vector<std::string_view> known;
    for (const SpelledSetting& one : settings)
        known.push_back(one.key);
    std::string_view nearest = nearestWord(key, known);
    // Many long keys share most of their text, so the distance is compared with the length of the last
    // component.
    const size_t last = std::max(lastPart(key).size(), lastPart(nearest).size());
    if (editDistance(key, nearest) * 2 > last) nearest = {};
    return name + " is not a known profiler setting of " + recipe.label + here +
           (nearest.empty() ? std::string() : "; the closest match is " + std::string(nearest));
}

std::optional<size_t> eraOfKeys(const LaunchRecipe& recipe, std::string_view entry,
                                std::span<const std::string> keys)
{
    size_t best = 0;
    int64_t mostRead = -1;
    for (size_t era = 0; era < recipe.eras.size(); ++era) {
        const int64_t read = std::ranges::count_if(keys, [&](const std::string& key) {
            return isProfilingKey(recipe, key) && isKeyRead(recipe, era, entry, key);
        });
        if (read <= mostRead) continue;
        mostRead = read;
        best = era;
    }
    return best == 0 ? std::nullopt : std::optional(best);
}

namespace {

// The names in an expression that reads a key: the session's, and `value`.
class ReadScope final : public RecipeScope {
  public:
    ReadScope(const SessionScope& session, const ConfigValue& value)
        : m_session(session), m_value(RecipeValue::fromConfig(value))
    {
    }
    RecipeValue value(std::string_view name) const override
    {
        return name == "value" ? m_value : m_session.value(name);
    }
    bool isSet(std::string_view name) const override { return m_session.isSet(name); }
    RecipeValue isEra(std::string_view condition) const override { return m_session.isEra(condition); }

  private:
    const SessionScope& m_session;
    RecipeValue m_value;
};

Status importOption(SessionConfig& config, const SpelledSetting& one, std::string_view name,
                    const ConfigValue& value)
{
    if (name.empty() || !value.isScalar()) return valueError(value, "a single value");
    const SessionField* field = findSessionField(one.field);
    ConfigValue options = field->write(config).value_or(ConfigValue::emptyMap());
    options.set(name, value);
    return field->read(config, options);
}

Status importValue(SessionConfig& config, const LaunchRecipe& recipe, size_t era, const SpelledSetting& one,
                   ConfigValue value)
{
    if (one.to->read) {
        const std::vector<Host> hosts = plannedHosts(config);
        const RecipeInput input{config, {}, hosts, era, 0};
        const SessionScope scope(recipe, input);
        const RecipeValue read = one.to->read->evaluate(ReadScope(scope, value));
        if (!read.isKnown()) return valueError(value, "a valid value of " + std::string(lastPart(one.key)));
        value = read.config();
    }
    if (const SessionField* field = findSessionField(one.field); field != nullptr)
        return field->read(config, value);
    config.settings.set(one.field, value);
    return {};
}

// Returns the individual settings in a map. Their keys are joined with '.'; keys that begin with '_' are left
// out.
std::vector<std::pair<std::string, ConfigValue>> leavesOf(std::string_view key, const ConfigValue& map)
{
    std::vector<std::pair<std::string, ConfigValue>> leaves;
    for (size_t i = 0; i < map.keys.size(); ++i) {
        if (map.keys[i].starts_with('_')) continue;
        const std::string path = std::string(key) + "." + map.keys[i];
        if (map.items[i].kind == ConfigValue::Kind::map) {
            for (auto& inner : leavesOf(path, map.items[i]))
                leaves.push_back(std::move(inner));
        } else {
            leaves.emplace_back(path, map.items[i]);
        }
    }
    return leaves;
}

} // namespace

Result<bool> importKey(SessionConfig& config, const LaunchRecipe& recipe, size_t era, std::string_view key,
                       const ConfigValue& value)
{
    const std::string entry = entryOfCommand(recipe, config.command);
    if (const std::optional<SpelledSetting> known = settingOfKey(recipe, era, entry, key); known) {
        if (known->isOptionMap()) {
            LOCKSTEP_TRY(importOption(config, *known, key.substr(known->prefix().size()), value));
        } else {
            LOCKSTEP_TRY(importValue(config, recipe, era, *known, value));
        }
        return true;
    }
    // Imports all settings of a map, or none of them if one is unknown.
    const auto leaves = leavesOf(key, value);
    SessionConfig trial = config;
    for (const auto& [path, leaf] : leaves) {
        if (!LOCKSTEP_TRY(importKey(trial, recipe, era, path, leaf))) return false;
    }
    if (!leaves.empty()) config = std::move(trial);
    return !leaves.empty();
}

// Moves the settings that all enabled roles have in common to the session.
template<class Options, class Get>
static void moveCommonSettings(SessionConfig& config, const std::vector<Role>& enabled, Options& session,
                               Get get)
{
    const Options* shared = nullptr;
    for (const Role role : enabled) {
        const Options& own = get(config.role(role));
        if (!own.isSet() || (shared != nullptr && *shared != own)) return;
        shared = &own;
    }
    if (shared == nullptr) return;
    session = *shared;
    for (const Role role : enabled)
        get(config.role(role)) = {};
}

void normalizeImport(SessionConfig& config, const LaunchRecipe& recipe, size_t era)
{
    for (RoleProfile& profile : config.roles) {
        if (profile.tool == config.tool) profile.tool.reset();
    }
    const NsightOptions options = config.workerOptions;
    for (const NsightOption& option : options) {
        const std::string name = "nsys.worker_options." + option.name;
        if (recipe.findSetting(name) == nullptr) continue;
        SessionConfig unset = config;
        eraseOption(unset.workerOptions, option.name);
        if (!option.value || option.value == computedNsysOption(unset, era, option.name))
            config = std::move(unset);
    }
    const std::string entry = entryOfCommand(recipe, config.command);
    std::vector<Role> enabled;
    for (const Role role : kRoles) {
        const bool isOn = config.role(role).enable.value_or(false);
        if (isOn && recipe.findRole(enumName(role), era, entry) != nullptr) enabled.push_back(role);
    }
    if (recipe.findRoleSetting("torch.contents") != nullptr)
        moveCommonSettings(config, enabled, config.torch,
                           [](RoleProfile& role) -> TorchOptions& { return role.torch; });
    if (recipe.findRoleSetting("npu.contents") != nullptr)
        moveCommonSettings(config, enabled, config.npu,
                           [](RoleProfile& role) -> NpuOptions& { return role.npu; });
    if (config.tool || !recipe.impliedTool) return;
    const std::vector<Host> hosts = plannedHosts(config);
    const SessionConfig before = config;
    const RecipeInput input{before, {}, hosts, era, 0};
    const RecipeValue tool = recipe.impliedTool->evaluate(SessionScope(recipe, input));
    config.tool = enumFromWord<Tool>(tool.text);
}

std::optional<size_t>
eraOfCheckout(const LaunchRecipe& recipe,
              const std::function<std::optional<std::string>(const std::string& path)>& fileText)
{
    const auto holds = [&](const RecipeEra::File& file) {
        const std::optional<std::string> text = fileText(file.path);
        if (!text || file.isAbsent) return !text && file.isAbsent;
        return text->find(file.contains) != std::string::npos &&
               (file.lacks.empty() || text->find(file.lacks) == std::string::npos) &&
               (!file.match || file.match->matches(*text));
    };
    for (size_t era = 0; era < recipe.eras.size(); ++era) {
        const std::vector<RecipeEra::File>& files = recipe.eras[era].files;
        if (!files.empty() && std::ranges::all_of(files, holds)) return era;
    }
    return std::nullopt;
}

size_t eraOf(const SessionConfig& config, std::span<const HostFacts> facts)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return 0;
    if (config.schema) return recipe->eraIndex(*config.schema).value_or(0);
    for (const HostFacts& host : facts) {
        const CheckoutFacts* checkout = findCheckout(host, config.workingFolder, config.framework);
        const std::optional<size_t> era =
            checkout == nullptr ? std::nullopt : recipe->eraIndex(checkout->schema);
        if (era) return *era;
    }
    return 0;
}

std::string eraName(const SessionConfig& config, size_t era)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    return recipe == nullptr || era >= recipe->eras.size() ? std::string() : recipe->eras[era].id;
}

std::optional<std::string> toolFromArguments(const SessionConfig& config)
{
    std::optional<std::string> found;
    for (const std::vector<std::string>* words : {&config.command, &config.otherOverrides}) {
        for (const std::string& word : *words) {
            const std::string key = word.substr(0, word.find('='));
            const bool isStarter = std::ranges::any_of(launchRecipes(), [&](const LaunchRecipe& recipe) {
                return recipe.starters && recipe.starters->matches(key);
            });
            if (!isStarter || key.size() == word.size()) continue;
            const Result<HydraOverride> parsed = parseHydraOverride(word);
            const bool isNull = parsed && (!parsed->value || parsed->value->kind == ConfigValue::Kind::null ||
                                           (parsed->value->isScalar() && parsed->value->text.empty()));
            if (!isNull) found = word;
        }
    }
    for (const auto& [name, value] : config.environment) {
        if (!value.empty() && recipeOfEnvironment({{name, value}}) != nullptr) found = name + "=" + value;
    }
    return found;
}

bool hasRecipeField(const SessionConfig& config, size_t era, std::string_view field)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return true;
    const std::string entry = entryOfCommand(*recipe, config.command);
    return std::ranges::any_of(spelledSettings(*recipe, era, entry), [&](const SpelledSetting& one) {
        return one.setting->field == field || one.field == field;
    });
}

bool hasRoles(const SessionConfig& config)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    return recipe != nullptr && !recipe->roles.empty();
}

std::optional<Role> copiedRole(const SessionConfig& config, size_t era, Role role)
{
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return std::nullopt;
    const RecipeRole* block = recipe->findRole(enumName(role), era, entryOfCommand(*recipe, config.command));
    return block == nullptr ? std::nullopt : enumFromWord<Role>(block->copies);
}

} // namespace lockstep
