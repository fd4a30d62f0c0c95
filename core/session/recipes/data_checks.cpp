// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/session/hydra_override.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/data_parts.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/recognition.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"

namespace lockstep {

// Returns why a value is not of the type or not one of the choices, or "".
std::string recipeValueProblem(RecipeType type, const std::vector<std::string>& choices,
                               const ConfigValue& value)
{
    const bool isList = value.kind == ConfigValue::Kind::list;
    const auto isInteger = [](const ConfigValue& one) {
        return RecipeValue::fromConfig(one).kind == RecipeValue::Kind::integer;
    };
    const bool isWrong =
        type == RecipeType::integer                               ? !isInteger(value)
        : type == RecipeType::boolean || type == RecipeType::flag ? value.kind != ConfigValue::Kind::boolean
        : type == RecipeType::integers ? !isList || !std::ranges::all_of(value.items, isInteger)
        : type == RecipeType::texts    ? !isList
        : type == RecipeType::textMap || type == RecipeType::integerMap ? value.kind != ConfigValue::Kind::map
                                                                        : !value.isScalar();
    if (isWrong) return "is not of type " + std::string(enumName(type));
    std::vector<std::string> words;
    for (const ConfigValue& item : value.items)
        words.push_back(item.text);
    if (value.isScalar()) words.push_back(value.text);
    for (const std::string& word : words) {
        if (choices.empty() || std::ranges::find(choices, word) != choices.end()) continue;
        return "'" + word + "' is not " +
               choiceText(std::vector<std::string_view>(choices.begin(), choices.end()));
    }
    return {};
}

namespace {

bool isFieldSection(std::string_view path)
{
    return findSessionField(path) == nullptr &&
           std::ranges::any_of(sessionFields(), [&](const SessionField& field) {
               return field.path.starts_with(std::string(path) + ".");
           });
}

void clearSection(SessionConfig& config, std::string_view path)
{
    for (const SessionField& field : sessionFields()) {
        if (field.path.starts_with(std::string(path) + "."))
            static_cast<void>(field.read(config, ConfigValue()));
    }
}

// Applies the fixes of a rule to a session.
void applyFixes(const LaunchRecipe& recipe, const RecipeRule& rule, size_t era, const std::string& role,
                SessionConfig& config)
{
    const std::vector<Host> hosts = plannedHosts(config);
    const SessionConfig before = config;
    const RecipeInput input{before, {}, hosts, era, 0};
    const SessionScope session(recipe, input);
    const SessionScope& scope = role.empty() ? session : *session.forRole(role);
    for (const auto& [name, expression] : rule.fixes) {
        const std::string field = scope.expanded(name, "");
        const RecipeValue made = expression.evaluate(scope);
        const ConfigValue value = made.config();
        constexpr std::string_view kOption = "nsys.worker_options.";
        if (field.starts_with(kOption)) {
            eraseOption(config.workerOptions, field.substr(kOption.size()));
            continue;
        }
        if (isFieldSection(field) && value.kind == ConfigValue::Kind::null) {
            clearSection(config, field);
            continue;
        }
        if (findSessionField(field) != nullptr) {
            if (!setSessionField(config, field, value)) config = before; // the value does not fit the field
        } else if (value.kind == ConfigValue::Kind::null) {
            config.settings.erase(field);
        } else {
            config.settings.set(field, value);
        }
    }
}

void checkRule(const LaunchRecipe& recipe, const RecipeRule& rule, const RecipeInput& input,
               const SessionScope& scope, const std::string& role, Findings& findings)
{
    if (!scope.isTrue(rule.when)) return;
    SessionEdit apply;
    if (!rule.fixes.empty())
        apply = [&recipe, &rule, era = input.era, role](SessionConfig& config) {
            applyFixes(recipe, rule, era, role, config);
        };
    addFinding(findings, rule.severity, rule.field.empty() ? "settings" : scope.expanded(rule.field, ""),
               recipe.name + "." + rule.id, scope.expanded(rule.message, "unknown"),
               scope.expanded(rule.remedy, "unknown"), std::move(apply));
}

void checkRules(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                Findings& findings)
{
    for (const RecipeRule& rule : recipe.rules) {
        if (rule.roles.empty()) checkRule(recipe, rule, input, scope, "", findings);
        for (const std::string& role : rule.roles)
            checkRule(recipe, rule, input, *scope.forRole(role), role, findings);
    }
}

// Checks the ranks of a role: whether they exist, and whether they have an effect.
void checkRoleRanks(const RecipeInput& input, const SessionScope& scope, Role role, Findings& findings)
{
    const RoleProfile& profile = input.config.role(role);
    if (!profile.ranks || profile.ranks->empty()) return;
    std::vector<int64_t> sorted = *profile.ranks;
    std::ranges::sort(sorted);
    const std::string field = "roles." + std::string(enumName(role)) + ".ranks";
    if (sorted.front() < 0) {
        addFinding(findings, Severity::error, field, "ranks.negative", "ranks must not be negative",
                   "remove it", [role](SessionConfig& c) {
                       std::erase_if(*c.role(role).ranks, [](int64_t rank) { return rank < 0; });
                   });
    }
    if (std::ranges::adjacent_find(sorted) != sorted.end())
        addFinding(findings, Severity::note, field, "ranks.duplicate", "duplicate rank");
    const RecipeValue world = scope.forRole(enumName(role))->value("role_world");
    if (world.kind == RecipeValue::Kind::integer && sorted.back() >= world.number) {
        addFinding(findings, Severity::error, field, "ranks.beyond_world",
                   "rank " + std::to_string(sorted.back()) + " does not exist: the run has ranks 0 to " +
                       std::to_string(world.number - 1),
                   "remove it", [role, last = world.number](SessionConfig& c) {
                       std::erase_if(*c.role(role).ranks, [last](int64_t rank) { return rank >= last; });
                   });
    }
    if (profile.allRanks.value_or(false))
        addFinding(findings, Severity::note, field, "ranks.all",
                   "all_ranks is on: the list of ranks has no effect");
}

// Reports a checkout that needs another spelling than the plan uses, or that was not inspected.
void checkEra(const LaunchRecipe& recipe, const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.schema && !recipe.eraIndex(*config.schema)) {
        std::vector<std::string_view> ids;
        for (const RecipeEra& era : recipe.eras)
            ids.push_back(era.id);
        addFinding(findings, Severity::error, "schema", "schema.unknown",
                   recipe.label + " has no version '" + *config.schema + "' in Lockstep",
                   ids.empty() ? "remove it" : "use " + choiceText(ids),
                   [](SessionConfig& c) { c.schema.reset(); });
    }
    if (recipe.eras.size() < 2 || input.era >= recipe.eras.size()) return;
    bool isFound = false;
    const std::string& used = recipe.eras[input.era].id;
    for (const HostFacts& host : input.facts) {
        const CheckoutFacts* checkout = findCheckout(host, config.workingFolder, config.framework);
        if (checkout == nullptr || checkout->schema.empty()) continue;
        isFound = true;
        if (checkout->schema == used) continue;
        addFinding(findings, Severity::error, "schema", "schema.differs",
                   host.host + " has " + recipe.label + " " + checkout->version + " with the settings of " +
                       checkout->schema + ", but the plan uses those of " + used,
                   "use " + checkout->schema, [era = checkout->schema](SessionConfig& c) { c.schema = era; });
    }
    if (!isFound && !config.schema)
        addFinding(findings, Severity::note, "schema", "schema.not_inspected",
                   "the checkout was not inspected; the plan uses the newest settings layout",
                   "check the hosts, or choose the release");
}

// Returns the eras that have a setting for the field, e.g. "0.8.0 and newer"; "" = no era has it.
std::string erasOfField(const LaunchRecipe& recipe, std::string_view entry, std::string_view field)
{
    const auto has = [&](size_t era) {
        return std::ranges::any_of(spelledSettings(recipe, era, entry), [&](const SpelledSetting& one) {
            return one.field == field || (!one.role.empty() && one.setting->field == field);
        });
    };
    std::vector<size_t> eras;
    for (size_t i = recipe.eras.size(); i-- > 0;) {
        if (has(i)) eras.push_back(i);
    }
    if (eras.empty()) return {};
    const std::string oldest = recipe.eras[eras.front()].id, newest = recipe.eras[eras.back()].id;
    if (eras.back() == 0) return oldest + (eras.size() > 1 ? " and newer" : "");
    return eras.size() > 1 ? oldest + " to " + newest : oldest;
}

// Returns true for settings of the profilers, which only the framework can read.
bool isProfilerField(std::string_view path)
{
    constexpr std::array<std::string_view, 8> kSections{
        "roles.", "nsys.", "torch.", "torch_memory.", "npu.", "precision_debugger.", "hooks.", "discrete"};
    return std::ranges::any_of(kSections, [&](std::string_view part) { return path.starts_with(part); }) ||
           path == "profile_continuous_steps";
}

// Reports fields of the session that this era of the framework does not have. Only recipes with settings per
// role state all fields that they read.
void checkFieldsOfEra(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                      Findings& findings)
{
    const SessionConfig& config = input.config;
    if (recipe.roles.empty() || config.tool == Tool::capture) return;
    for (const SessionField& field : sessionFields()) {
        // Without a key for the tool, other settings start it.
        if (field.path == "tool" || !field.write(config) || hasRecipeField(config, input.era, field.path))
            continue;
        const std::string eras = erasOfField(recipe, scope.entry(), field.path);
        if (eras.empty() && !isProfilerField(field.path)) continue;
        const std::string version = eraName(config, input.era);
        addFinding(findings, Severity::error, field.path, "settings.not_in_era",
                   recipe.label + (version.empty() ? "" : " " + version) + " does not have this setting" +
                       (eras.empty() ? "" : ", but " + eras) + "; the plan omits it",
                   "remove it", [path = field.path](SessionConfig& c) {
                       static_cast<void>(setSessionField(c, path, ConfigValue()));
                   });
    }
}

void checkSettings(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                   Findings& findings)
{
    const ConfigValue& given = input.config.settings;
    for (size_t i = 0; i < given.keys.size(); ++i) {
        const std::string& name = given.keys[i];
        if (given.items[i].kind == ConfigValue::Kind::null) continue;
        const RecipeSetting* setting = recipe.findSetting(name);
        const RecipeVariable* variable = recipe.findVariable(name);
        const auto remove = [name](SessionConfig& c) { c.settings.erase(name); };
        std::string problem;
        if (setting != nullptr) problem = recipeValueProblem(setting->type, setting->choices, given.items[i]);
        if (variable != nullptr) problem = recipeValueProblem(variable->type, {}, given.items[i]);
        if (name == "first_step") problem = recipeValueProblem(RecipeType::integer, {}, given.items[i]);
        if (setting == nullptr && variable == nullptr && name != "first_step") {
            addFinding(findings, Severity::error, "settings", "settings.unknown",
                       recipe.label + " has no setting '" + name + "'", "remove it", remove);
        } else if (!problem.empty()) {
            addFinding(findings, Severity::error, "settings", "settings.value", name + ": " + problem,
                       "remove it", remove);
        } else if (setting != nullptr &&
                   (scope.destination(*setting) == nullptr || !scope.isTrue(setting->when))) {
            addFinding(findings, Severity::warning, "settings", "settings.unused", name + " is not used here",
                       "remove it", remove);
        }
    }
    for (const RecipeSetting& setting : recipe.settings) {
        const RecipeTo* to = scope.destination(setting);
        if (to == nullptr || to->form != RecipeTo::Form::file) continue;
        if (const std::optional<ConfigValue> value = scope.writtenSetting(setting); value) {
            addFinding(findings, Severity::warning, "settings", "settings.by_hand",
                       recipe.label + " reads " + to->name + " only from its configuration file",
                       "write there: " + to->name + ": " + hydraText(*value));
        }
    }
}

void checkNeedsOf(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                  Findings& findings)
{
    for (const RecipeNeed& need : recipe.needs) {
        if (!scope.isTrue(need.when)) continue;
        for (const HostFacts& host : input.facts) {
            const std::string name = scope.expanded(need.name, "");
            bool isMissing = false;
            if (need.kind == RecipeNeed::Kind::module) {
                isMissing = host.modules && std::ranges::find(*host.modules, name) == host.modules->end();
            } else if (need.kind == RecipeNeed::Kind::program) {
                const auto found = std::ranges::find(host.programs, name, &ProgramFacts::word);
                isMissing = found != host.programs.end() && found->path.empty();
            } else if (need.kind == RecipeNeed::Kind::path) {
                const auto found = std::ranges::find(host.paths, name, &PathFacts::path);
                isMissing = found != host.paths.end() && !found->exists;
            }
            if (!isMissing) continue;
            // The probe sees neither the run's container nor the environment that a script sets up.
            const bool isScript = !input.config.script.empty();
            const bool isInside = input.config.containerPrefix.empty() && !isScript;
            const std::string place =
                isScript ? "; the script may set up its own environment" : "; the run uses its container";
            const std::string remedy = isScript ? "make sure that the environment of the script has it"
                                                : "make sure that the container has it";
            const std::string reason = host.host + ": " + scope.expanded(need.message, "unknown");
            addFinding(findings, isInside ? Severity::error : Severity::note, "hosts." + host.host,
                       recipe.name + ".needs", reason + (isInside ? "" : " on the host itself" + place),
                       isInside ? need.remedy : remedy);
        }
    }
}

// Reports overrides of the profiler that this era does not read.
void checkUnreadOverride(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                         const std::string& word, const std::string& field, Findings& findings)
{
    const Result<HydraOverride> parsed = parseHydraOverride(word);
    const bool isMap = parsed && parsed->value && parsed->value->kind == ConfigValue::Kind::map;
    if (!parsed || isMap || !isProfilingKey(recipe, parsed->key)) return;
    if (isKeyRead(recipe, input.era, scope.entry(), parsed->key)) return;
    const bool isPlain = parsed->prefix == OverridePrefix::none;
    addFinding(findings, Severity::warning, field, "override.unknown",
               unreadKeyReason(recipe, input.era, scope.entry(), parsed->key) +
                   (isPlain ? ": Hydra would fail on this key"
                            : ": Hydra would accept this key, but nothing reads it"),
               "correct it, or check it against the framework's own YAML");
}

void checkKnownOverride(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                        const std::string& word, const HydraOverride& parsed, Findings& findings)
{
    const SessionConfig& config = input.config;
    const auto known = settingOfKey(recipe, input.era, scope.entry(), parsed.key);
    if (!known || known->isOptionMap()) return;
    SessionConfig trial = config;
    const Result<bool> fits = importKey(trial, recipe, input.era, parsed.key, *parsed.value);
    const SessionField* session = findSessionField(known->field);
    if (!fits) {
        addFinding(findings, Severity::warning, "other_overrides", "override.value",
                   parsed.key + " " + fits.error().message + ": Lockstep does not know what this records",
                   "it is passed on unchanged");
    } else if (session != nullptr && !session->write(config)) {
        addFinding(
            findings, Severity::note, "other_overrides", "override.is_field",
            word + " has a field in the form; the forecast and the checks ignore the override",
            "move it to the field",
            [&recipe, era = input.era, key = parsed.key, word, value = *parsed.value](SessionConfig& c) {
                if (importKey(c, recipe, era, key, value)) std::erase(c.otherOverrides, word);
            });
    } else if (session != nullptr || config.settings.find(known->setting->name) != nullptr) {
        addFinding(findings, Severity::warning, "other_overrides", "override.hides_field",
                   word + " comes last and overrides the corresponding field", "remove it",
                   [word](SessionConfig& c) { std::erase(c.otherOverrides, word); });
    }
}

// Checks overrides of frameworks whose recipe states which keys concern profiling.
void checkOverrides(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                    Findings& findings)
{
    if (!recipe.profiling) return;
    for (const std::string& word : input.config.command)
        checkUnreadOverride(recipe, input, scope, word, "command", findings);
    for (const std::string& word : input.config.otherOverrides) {
        checkUnreadOverride(recipe, input, scope, word, "other_overrides", findings);
        const Result<HydraOverride> parsed = parseHydraOverride(word);
        if (!parsed) {
            const bool isReadable = parsed.error().kind == ErrorKind::unsupported;
            addFinding(findings, isReadable ? Severity::warning : Severity::error, "other_overrides",
                       "override.syntax", word + ": " + parsed.error().message,
                       "put double quotes around the value");
        } else if (parsed->value) {
            checkKnownOverride(recipe, input, scope, word, *parsed, findings);
        }
    }
}

} // namespace

void checkData(const RecipeInput& input, Findings& findings)
{
    const LaunchRecipe& recipe = recipeOf(input);
    const SessionConfig& config = input.config;
    const SessionScope scope(recipe, input);
    const bool isKnown = !recipe.entry.empty() || matchingPattern(recipe, config.command) != nullptr;
    if (!config.command.empty() && !isKnown) {
        addFinding(findings, Severity::warning, "command", "recipe.command",
                   "this is not a known way to start " + recipe.label +
                       "; the profiling settings are appended to the command",
                   "check that the command passes its arguments on");
    }
    // Without a capture range in the recipe's options, the framework does not open one itself.
    const bool opensNone = findOption(recipe.nsysOptions, "capture-range") == nullptr;
    if (config.tool == Tool::capture && opensNone && captureRange(config) == "cudaProfilerApi" &&
        captureStepsAre(config) == CaptureSteps::listed) {
        addFinding(
            findings, Severity::note, "steps", "own_calls",
            "the program itself must call torch.cuda.profiler.start() and stop() around these steps; otherwise nothing is recorded",
            "leave the steps empty to record everything");
    }
    checkSettings(recipe, input, scope, findings);
    checkEra(recipe, input, findings);
    checkFieldsOfEra(recipe, input, scope, findings);
    checkRules(recipe, input, scope, findings);
    for (const Role role : kRoles) {
        if (!recipe.roles.empty()) checkRoleRanks(input, scope, role, findings);
    }
    checkOverrides(recipe, input, scope, findings);
    checkNeedsOf(recipe, input, scope, findings);
}

} // namespace lockstep
