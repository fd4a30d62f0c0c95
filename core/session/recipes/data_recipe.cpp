// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/data_recipe.h"

#include <algorithm>
#include <array>

#include "core/session/head_address.h"
#include "core/session/hydra_override.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/data_parts.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/recipe_spelling.h"
#include "core/session/recipes/recognition.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

const LaunchRecipe& recipeOf(const RecipeInput& input)
{
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(input.config.framework));
    static const LaunchRecipe kNone;
    return recipe != nullptr ? *recipe : kNone;
}

SessionConfig withNsysOptions(const LaunchRecipe& recipe, SessionConfig config)
{
    NsightOptions options = recipe.nsysOptions;
    for (const NsightOption& own : config.workerOptions)
        setOption(options, own.name, own.value);
    config.workerOptions = std::move(options);
    return config;
}

bool isAroundCommand(const LaunchRecipe& recipe, const SessionConfig& config)
{
    return config.tool == Tool::nsys && recipe.startsNsys;
}

namespace {

// Returns the words before the script or module if Lockstep starts torchrun, i.e. if the command is a script
// or module without a launcher of its own. `first` is the first word of the command that follows them.
std::vector<std::string> launcherWords(const LaunchRecipe& recipe, const RecipeInput& input, size_t& first)
{
    const std::vector<std::string>& command = input.config.command;
    const LaunchedProgram program = launchedProgram(command);
    const bool isBare =
        program.at == 0 || (program.at <= 2 && command[0].find("python") != std::string::npos);
    if (recipe.cluster != RecipeCluster::torchrun || program.word == LaunchWord::program ||
        !program.launcher.empty() || !isBare || !input.config.script.empty())
        return {};
    std::vector<std::string> words = torchrunArguments(input);
    if (program.word == LaunchWord::module) words.emplace_back("-m");
    first = program.at;
    return words;
}

// torchrun and its relatives read PET_* where the command does not give the option.
void addPosition(const RecipeInput& input, RecipeProgram& made)
{
    const bool isOfScript = !input.config.script.empty(); // a script connects the hosts itself
    if (input.config.launcher.kind == LauncherKind::slurm || input.hosts.size() < 2 || isOfScript) return;
    made.environment.emplace_back("PET_NNODES", std::to_string(input.hosts.size()));
    made.environment.emplace_back("PET_NODE_RANK", std::to_string(input.hostIndex));
    made.environment.emplace_back("PET_MASTER_ADDR", headAddress(input));
    made.environment.emplace_back("PET_MASTER_PORT", "29500");
}

// Passes the variables of Lockstep's capture to the workers of a Ray cluster.
void addWorkerVariables(const LaunchRecipe& recipe, const RecipeInput& input, const TextPairs& variables,
                        RecipeProgram& made)
{
    constexpr std::string_view kOption = "{option}";
    const RecipeTo* to =
        recipe.destination(recipe.workers, input.era, entryOfCommand(recipe, input.config.command));
    if (to == nullptr || to->form == RecipeTo::Form::inherit || variables.empty()) return;
    const size_t option = to->name.find(kOption);
    ConfigValue map = ConfigValue::emptyMap();
    for (const auto& [name, value] : variables) {
        map.set(name, ConfigValue::fromText(value));
        if (option != std::string::npos)
            made.overrides.push_back(to->prefix + to->name.substr(0, option) + name + "=" +
                                     hydraQuoted(value));
    }
    if (option == std::string::npos) addSpelling(*to, map, made);
}

Result<RecipeProgram> dataProgram(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    const LaunchRecipe& recipe = recipeOf(input);
    RecipeProgram made;
    if (isAroundCommand(recipe, config)) {
        made.argv = nsysProfileCommand(withNsysOptions(recipe, config), "report_%h");
        made.folder = reportFolder(config);
    }
    size_t first = 0;
    const std::vector<std::string> launcher = launcherWords(recipe, input, first);
    made.argv.insert(made.argv.end(), launcher.begin(), launcher.end());
    made.argv.insert(made.argv.end(), config.command.begin() + static_cast<std::ptrdiff_t>(first),
                     config.command.end());
    addRecipeSettings(recipe, input, made);
    if (recipe.cluster == RecipeCluster::torchrun && launcher.empty()) addPosition(input, made);
    const TextPairs capture = captureEnvironment(input);
    // The workers of a Ray cluster create the folder on their hosts.
    if (!capture.empty() && recipe.cluster != RecipeCluster::ray) made.folder = reportFolder(config);
    made.environment.insert(made.environment.end(), capture.begin(), capture.end());
    addWorkerVariables(recipe, input, capture, made);
    made.overrides.insert(made.overrides.end(), config.otherOverrides.begin(), config.otherOverrides.end());
    made.argv.insert(made.argv.end(), made.overrides.begin(), made.overrides.end());
    return made;
}

} // namespace

static std::string givenText(const SessionConfig& config, std::string_view name)
{
    const ConfigValue* given = config.settings.find(name);
    if (given == nullptr) return {};
    return given->isScalar() ? given->text : hydraText(*given);
}

std::vector<RecipeSettingRow> recipeSettingRows(const SessionConfig& config)
{
    std::vector<RecipeSettingRow> rows;
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return rows;
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, {}, hosts, eraOf(config, {}), 0};
    const SessionScope scope(*recipe, input);
    for (const RecipeVariable& variable : recipe->variables) {
        if (variable.source != RecipeVariable::Source::ask || !scope.hasEra(variable.era)) continue;
        const std::string applies = variable.defaultValue ? variable.defaultValue->text : std::string();
        rows.push_back({variable.name,
                        variable.type,
                        variable.keys.front(),
                        {},
                        givenText(config, variable.name),
                        applies});
    }
    for (const RecipeSetting& setting : recipe->settings) {
        if (setting.to.empty() || findSessionField(setting.field) != nullptr) continue;
        const std::string given = givenText(config, setting.name);
        const bool isUsed = scope.destination(setting) != nullptr && scope.isTrue(setting.when);
        if (given.empty() && !isUsed) continue;
        SessionConfig unset = config;
        unset.settings.erase(setting.name);
        const RecipeInput unsetInput{unset, {}, hosts, input.era, 0};
        const RecipeValue applies = SessionScope(*recipe, unsetInput).value(setting.name);
        rows.push_back(
            {setting.name, setting.type, setting.comment, setting.choices, given, applies.message()});
    }
    return rows;
}

Status setRecipeSetting(SessionConfig& config, std::string_view name, std::string_view text)
{
    if (text.empty()) {
        config.settings.erase(name);
        return {};
    }
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    if (recipe == nullptr) return makeError(ErrorKind::notFound, "this framework has no settings of its own");
    const RecipeSetting* setting = recipe->findSetting(name);
    const RecipeVariable* variable = recipe->findVariable(name);
    const RecipeType type = setting != nullptr    ? setting->type
                            : variable != nullptr ? variable->type
                                                  : RecipeType::text;
    std::optional<ConfigValue> value = typedRecipeValue(type, text);
    if (type == RecipeType::textMap || type == RecipeType::integerMap) value = LOCKSTEP_TRY(readYaml(text));
    if (!value)
        return makeError(ErrorKind::invalid,
                         std::string(name) + " must be of type " + std::string(enumName(type)));
    const std::string problem =
        recipeValueProblem(type, setting != nullptr ? setting->choices : std::vector<std::string>(), *value);
    if (!problem.empty()) return makeError(ErrorKind::invalid, std::string(name) + ": " + problem);
    config.settings.set(name, std::move(*value));
    return {};
}

Recipe dataRecipe(const LaunchRecipe& recipe, Framework framework)
{
    return {framework,
            recipe.label,
            recipe.runsOnEveryHost,
            recipe.cluster == RecipeCluster::ray,
            recipe.tools,
            dataProgram,
            forecastData,
            checkData,
            &recipe,
            recipe.cluster == RecipeCluster::torchrun};
}

} // namespace lockstep
