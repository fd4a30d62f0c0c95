// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/data_recipe.h"

#include <algorithm>
#include <array>

#include "core/session/head_address.h"
#include "core/session/hydra_override.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_spelling.h"
#include "core/session/recipes/recognition.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

constexpr int64_t kMaxForecastRanks = 100'000;

const LaunchRecipe& recipeOf(const RecipeInput& input)
{
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(input.config.framework));
    static const LaunchRecipe kNone;
    return recipe != nullptr ? *recipe : kNone;
}

// Returns the session's value of a per-role setting, e.g. of roles.actor.ranks for `ranks`.
std::optional<ConfigValue> roleValue(const SessionConfig& config, const std::string& role,
                                     const std::string& name)
{
    const SessionField* field = findSessionField("roles." + role + "." + name);
    return field == nullptr ? std::nullopt : field->write(config);
}

void addRoleSettings(const LaunchRecipe& recipe, const RecipeInput& input, const SessionScope& scope,
                     const RecipeSetting& setting, RecipeProgram& made)
{
    if (!scope.hasEra(setting.era) || !scope.isTrue(setting.when)) return;
    for (const auto& [role, key] : recipe.roles) {
        const std::optional<ConfigValue> value = roleValue(input.config, role, setting.name);
        if (!value) continue;
        RecipeTo to = setting.to;
        if (const size_t at = to.name.find("{role}"); at != std::string::npos) to.name.replace(at, 6, key);
        addSpelling(to, *value, made);
    }
}

void addSettings(const LaunchRecipe& recipe, const RecipeInput& input, RecipeProgram& made)
{
    const SessionScope scope(recipe, input);
    for (const RecipeSetting& setting : recipe.settings) {
        if (setting.to.form == RecipeTo::Form::file) continue;
        if (setting.isPerRole) {
            addRoleSettings(recipe, input, scope, setting, made);
        } else if (const std::optional<ConfigValue> value = scope.writtenSetting(setting); value) {
            addSpelling(setting.to, *value, made);
        }
    }
}

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

// Returns the session with the recipe's options for nsys, unless the session sets them itself.
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
    made.overrides = config.otherOverrides;
    addSettings(recipe, input, made);
    if (recipe.cluster == RecipeCluster::torchrun && launcher.empty()) addPosition(input, made);
    const TextPairs capture = captureEnvironment(input);
    if (!capture.empty()) made.folder = reportFolder(config);
    made.environment.insert(made.environment.end(), capture.begin(), capture.end());
    if (recipe.workers && !capture.empty()) {
        ConfigValue map = ConfigValue::emptyMap();
        for (const auto& [name, value] : capture)
            map.set(name, ConfigValue::fromText(value));
        addSpelling(*recipe.workers, map, made);
    }
    made.argv.insert(made.argv.end(), made.overrides.begin(), made.overrides.end());
    return made;
}

// Returns the ranks that a writer has, or nullopt if they are not known or not ranks of the run.
std::optional<std::vector<int64_t>> writerRanks(const RecipeWriter& writer, const SessionScope& scope)
{
    RecipeValue list;
    if (writer.ranks == "gated") {
        list = scope.value("ranks");
        if (scope.value("all_ranks").isTrue()) list = RecipeValue::unknown();
        if (list.kind == RecipeValue::Kind::list && list.items.empty()) list = RecipeValue::fromInts({0});
    } else if (writer.ranks != "all") {
        list = scope.value(writer.ranks);
    }
    const bool isAll = writer.ranks == "all" || (writer.ranks == "gated" && !list.isKnown());
    if (isAll) {
        const RecipeValue world = scope.value("world");
        if (world.kind != RecipeValue::Kind::integer || world.number < 1 || world.number > kMaxForecastRanks)
            return std::nullopt;
        std::vector<int64_t> ranks(static_cast<size_t>(world.number));
        for (size_t i = 0; i < ranks.size(); ++i)
            ranks[i] = static_cast<int64_t>(i);
        return ranks;
    }
    if (list.kind != RecipeValue::Kind::list) return std::nullopt;
    std::vector<int64_t> ranks;
    for (const RecipeValue& item : list.items) {
        if (item.kind == RecipeValue::Kind::integer) ranks.push_back(item.number);
    }
    return ranks;
}

int64_t roughSize(ReportKind kind, const SessionConfig& config)
{
    const size_t steps = std::max<size_t>(1, sortedSteps(config).size());
    switch (kind) {
    case ReportKind::nsysReport:
        return nsysReportSize(steps, false);
    case ReportKind::torchTrace:
        return torchTraceSize(config.torch, steps);
    case ReportKind::memorySnapshot:
        return memorySnapshotSize(config.torchMemory);
    case ReportKind::npuProfile:
        return npuProfileSize(steps, false);
    case ReportKind::captureSpool:
        break;
    }
    return captureSpoolSize(steps);
}

// Returns the steps of a rank's reports, in report order: one group for each report, or all steps in one.
std::vector<std::vector<int64_t>> stepsOfReports(const SessionConfig& config, int64_t reports)
{
    const auto groups = stepGroups(config);
    if (!groups.empty() && reports % static_cast<int64_t>(groups.size()) == 0) return groups;
    if (reports == 1 && !groups.empty()) return {sortedSteps(config)};
    return {};
}

bool isSizeName(std::string_view name)
{
    return name == "gpus_per_host" || name == "world";
}

// Returns the line of a writer without counts. Reports of the nsys that Lockstep starts lie where its output
// option says.
ExpectedFile fileOfWriter(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope)
{
    ExpectedFile file;
    file.kind = *writer.kind;
    file.role = writer.role;
    file.folder = scope.expanded(writer.folder, "*");
    file.pattern = writer.names;
    file.size_bytes = roughSize(file.kind, input.config);
    if (file.kind != ReportKind::nsysReport || !recipeOf(input).startsNsys) return file;
    file.folder = nsysFolder(input.config);
    applyCustomOutput(input.config, file);
    return file;
}

void addExpected(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope,
                 std::vector<ExpectedFile>& files)
{
    ExpectedFile file = fileOfWriter(writer, input, scope);
    if (input.hosts.size() == 1) file.host = input.hosts[0].name;
    const RecipeValue count = writer.count ? writer.count->evaluate(scope) : RecipeValue::unknown();
    if (count.kind != RecipeValue::Kind::integer || count.number < 0) {
        file.unknownReason = count.text.empty()       ? "the number of files is known only during the run"
                             : isSizeName(count.text) ? kGpusUnknown
                                                      : count.text + " is not known";
        files.push_back(std::move(file));
        return;
    }
    if (count.number == 0) return;
    const std::optional<std::vector<int64_t>> ranks = writerRanks(writer, scope);
    const auto ranked = static_cast<int64_t>(ranks ? ranks->size() : 0);
    const auto finish = [&](ExpectedFile& one) {
        if (writer.isUpperBound) one.optionalPerRank = one.reportsPerRank;
        one.steps = stepsOfReports(input.config, one.reportsPerRank);
        files.push_back(std::move(one));
    };
    if (ranked > 0 && count.number % ranked == 0) {
        for (HostRanks& part : ranksByHost(input.hosts, *ranks)) {
            ExpectedFile one = file;
            if (!part.host.empty()) one.host = part.host;
            one.ranks = std::move(part.ranks);
            one.reportsPerRank = count.number / ranked;
            finish(one);
        }
        return;
    }
    const auto hosts = static_cast<int64_t>(input.hosts.size());
    if (writer.ranks == "first_per_node" && hosts > 0 && count.number % hosts == 0) {
        for (const Host& host : input.hosts) {
            ExpectedFile one = file;
            one.host = host.name;
            one.rankCount = 1;
            one.reportsPerRank = count.number / hosts;
            finish(one);
        }
        return;
    }
    const bool isOneProcess = writer.ranks == "controller" || writer.ranks == "first_per_cluster";
    file.rankCount = isOneProcess ? 1 : count.number;
    file.reportsPerRank = isOneProcess ? count.number : 1;
    finish(file);
}

// Adds a line for a writer that may write files, unless another writer has the same files.
void addUncertain(const RecipeWriter& writer, const std::string& unknown, const RecipeInput& input,
                  const SessionScope& scope, std::vector<ExpectedFile>& files)
{
    ExpectedFile file = fileOfWriter(writer, input, scope);
    file.unknownReason = isSizeName(unknown) ? kGpusUnknown : unknown + " is not known";
    const bool isKnown = std::ranges::any_of(files, [&](const ExpectedFile& other) {
        return other.pattern == file.pattern && other.folder == file.folder;
    });
    if (!isKnown) files.push_back(std::move(file));
}

void forecastNsysAround(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    const LaunchRecipe& recipe = recipeOf(input);
    const SessionConfig effective = withNsysOptions(recipe, config);
    const NsightOption* end = findOption(effective.workerOptions, "capture-range-end");
    const bool isOneRange = end != nullptr && end->value == "stop";
    const auto groups = stepGroups(config);
    for (const Host& host : input.hosts) {
        ExpectedFile file;
        file.host = host.name;
        file.rankCount = 1;
        const bool hasRanges = !groups.empty() && !isOneRange;
        file.reportsPerRank = hasRanges ? static_cast<int64_t>(groups.size()) : 1;
        file.steps = stepsOfReports(config, file.reportsPerRank);
        file.folder = nsysFolder(config);
        file.pattern = R"(report_(?<host>.+?))";
        file.pattern += hasRanges ? R"(\.(?<range>\d+)\.nsys-rep)" : R"(\.nsys-rep)";
        file.size_bytes = nsysReportSize(groups.empty() ? 4 : groups.front().size(), false);
        applyCustomOutput(config, file);
        files.push_back(std::move(file));
        if (!recipe.runsOnEveryHost) break;
    }
}

void forecastData(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const LaunchRecipe& recipe = recipeOf(input);
    if (input.config.tool == Tool::capture) forecastCapture(input, files);
    const bool hasWriter = std::ranges::any_of(
        recipe.writers, [](const RecipeWriter& writer) { return writer.kind == ReportKind::nsysReport; });
    if (isAroundCommand(recipe, input.config) && !hasWriter) forecastNsysAround(input, files);
    const SessionScope scope(recipe, input);
    for (const RecipeWriter& writer : recipe.writers) {
        if (!writer.kind || !scope.hasEra(writer.era)) continue;
        const RecipeValue condition =
            writer.when ? writer.when->evaluate(scope) : RecipeValue::fromBool(true);
        if (condition.isTrue()) addExpected(writer, input, scope, files);
        if (!condition.isKnown()) addUncertain(writer, condition.text, input, scope, files);
    }
}

// Applies the fixes of a rule to a session.
void applyFixes(const LaunchRecipe& recipe, const RecipeRule& rule, SessionConfig& config)
{
    const std::vector<Host> hosts = plannedHosts(config);
    const SessionConfig before = config;
    const RecipeInput input{before, {}, hosts};
    const SessionScope scope(recipe, input);
    for (const auto& [field, expression] : rule.fixes) {
        const ConfigValue value = expression.evaluate(scope).config();
        if (findSessionField(field) != nullptr) {
            if (!setSessionField(config, field, value)) config = before; // the value does not fit the field
        } else if (value.kind == ConfigValue::Kind::null) {
            config.settings.erase(field);
        } else {
            config.settings.set(field, value);
        }
    }
}

void checkRules(const LaunchRecipe& recipe, const SessionScope& scope, Findings& findings)
{
    for (const RecipeRule& rule : recipe.rules) {
        if (!scope.isTrue(rule.when)) continue;
        SessionEdit apply;
        if (!rule.fixes.empty())
            apply = [&recipe, &rule](SessionConfig& config) { applyFixes(recipe, rule, config); };
        addFinding(findings, rule.severity, rule.field.empty() ? "settings" : rule.field,
                   recipe.name + "." + rule.id, scope.expanded(rule.message, "unknown"),
                   scope.expanded(rule.remedy, "unknown"), std::move(apply));
    }
}

// Returns why a value is not of the type or not one of the choices, or "".
std::string settingProblem(RecipeType type, const std::vector<std::string>& choices, const ConfigValue& value)
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
        if (setting != nullptr) problem = settingProblem(setting->type, setting->choices, given.items[i]);
        if (variable != nullptr) problem = settingProblem(variable->type, {}, given.items[i]);
        if (name == "first_step") problem = settingProblem(RecipeType::integer, {}, given.items[i]);
        if (setting == nullptr && variable == nullptr && name != "first_step") {
            addFinding(findings, Severity::error, "settings", "settings.unknown",
                       recipe.label + " has no setting '" + name + "'", "remove it", remove);
        } else if (!problem.empty()) {
            addFinding(findings, Severity::error, "settings", "settings.value", name + ": " + problem,
                       "remove it", remove);
        } else if (setting != nullptr && (!scope.hasEra(setting->era) || !scope.isTrue(setting->when))) {
            addFinding(findings, Severity::warning, "settings", "settings.unused", name + " is not used here",
                       "remove it", remove);
        }
    }
    for (const RecipeSetting& setting : recipe.settings) {
        if (setting.to.form != RecipeTo::Form::file) continue;
        if (const std::optional<ConfigValue> value = scope.writtenSetting(setting); value) {
            addFinding(findings, Severity::warning, "settings", "settings.by_hand",
                       recipe.label + " reads " + setting.to.name + " only from its configuration file",
                       "write there: " + setting.to.name + ": " + hydraText(*value));
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
            if (isMissing)
                addFinding(findings, input.config.script.empty() ? Severity::error : Severity::note,
                           "hosts." + host.host, recipe.name + ".needs",
                           host.host + ": " + scope.expanded(need.message, "unknown"), need.remedy);
        }
    }
}

void checkData(const RecipeInput& input, Findings& findings)
{
    const LaunchRecipe& recipe = recipeOf(input);
    const SessionConfig& config = input.config;
    const SessionScope scope(recipe, input);
    if (!config.command.empty() && matchingPattern(recipe, config.command) == nullptr) {
        addFinding(findings, Severity::warning, "command", "recipe.command",
                   "this is not a known way to start " + recipe.label +
                       "; the profiling settings are appended to the command",
                   "check that the command passes its arguments on");
    }
    // Without a capture range in the recipe's options, the framework does not open one itself.
    const bool opensNone = findOption(recipe.nsysOptions, "capture-range") == nullptr;
    if (config.tool == Tool::capture && opensNone && captureRange(config) == "cudaProfilerApi" &&
        captureStepsAre(config) == CaptureSteps::listed) {
        addFinding(findings, Severity::note, "steps", "own_calls",
                   "the program itself must call torch.cuda.profiler.start() and stop() around these steps; "
                   "otherwise nothing is recorded",
                   "leave the steps empty to record everything");
    }
    checkSettings(recipe, input, scope, findings);
    checkRules(recipe, scope, findings);
    checkNeedsOf(recipe, input, scope, findings);
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
    const RecipeInput input{config, {}, hosts};
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
        if (setting.isPerRole || findSessionField(setting.name) != nullptr) continue;
        const std::string given = givenText(config, setting.name);
        if (given.empty() && (!scope.hasEra(setting.era) || !scope.isTrue(setting.when))) continue;
        SessionConfig unset = config;
        unset.settings.erase(setting.name);
        const RecipeInput unsetInput{unset, {}, hosts};
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
        settingProblem(type, setting != nullptr ? setting->choices : std::vector<std::string>(), *value);
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
