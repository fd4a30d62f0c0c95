// SPDX-License-Identifier: Apache-2.0
#include "core/session/script_launch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/recognition.h"
#include "core/session/session_yaml.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 14> kPrograms{"python", "python3", "torchrun",  "accelerate", "uv",
                                                     "ray",    "srun",    "deepspeed", "mpirun",     "docker",
                                                     "podman", "nsys",    "apptainer", "singularity"};

// Returns the framework of the training that the command starts, "" if it is none. The session's own recipe
// is tried first, because the patterns of two frameworks can match the same command.
std::string recognizedFramework(const SessionConfig& session, std::span<const std::string> argv)
{
    const std::string own(enumName(session.framework));
    if (session.framework == Framework::torchrun) return launchedProgram(argv).launcher.empty() ? "" : own;
    const LaunchRecipe* recipe = findLaunchRecipe(own);
    if (recipe != nullptr && matchingPattern(*recipe, argv, LaunchEvidence::certain) != nullptr) return own;
    const std::optional<RecognizedLaunch> other =
        recognizedLaunch(launchRecipes(), argv, LaunchEvidence::certain);
    return other ? other->recipe->name : std::string();
}

// `ray job submit` joins the words of the command with subprocess.list2cmdline() and runs them in a shell
// (ray-project/ray python/ray/dashboard/modules/job/cli.py). That function encloses words with blanks in
// double quotes and escapes double quotes; this one adds what the shell needs. Returns nullopt for a word
// that cannot be passed on.
std::optional<std::string> rayWord(std::string_view word)
{
    const bool hasBlank = word.find_first_of(" \t") != std::string_view::npos;
    const std::string_view special = hasBlank ? "$`\\" : "$`\\'()[]{}<>|&;*?!~# ";
    if (word.empty() || word.find('\n') != std::string_view::npos) return std::nullopt;
    if (word.find("\\\"") != std::string_view::npos || word.ends_with('\\')) return std::nullopt;
    std::string quoted;
    for (const char c : word) {
        if (special.find(c) != std::string_view::npos) quoted += '\\';
        quoted += c;
    }
    return quoted;
}

// Returns the indices of the words that the script's own command does not have. The program keeps the order
// of the command's words, so one pass over both finds them.
std::vector<size_t> addedAt(std::span<const std::string> before, std::span<const std::string> after)
{
    std::vector<size_t> added;
    size_t next = 0;
    for (size_t i = 0; i < after.size(); ++i) {
        if (next < before.size() && after[i] == before[next]) {
            ++next;
        } else {
            added.push_back(i);
        }
    }
    return added;
}

// Returns the words that set the program's variables inside the wrappers, if these do not pass variables on.
std::vector<std::string> variableWords(const LaunchedProgram& launched, const TextPairs& environment)
{
    std::vector<std::string> words;
    if (!launched.losesEnvironment || environment.empty()) return words;
    words.emplace_back("env");
    for (const auto& [name, value] : environment)
        words.push_back(name + "=" + value);
    return words;
}

// The ID of the run is in the environment of the script, which wrappers may lose.
void addRunId(const SessionConfig& session, TextPairs& environment)
{
    const auto named = [](std::string_view name) {
        return [name](const auto& pair) { return pair.first == name; };
    };
    const auto run = std::ranges::find_if(session.environment, named("LOCKSTEP_RUN"));
    if (std::ranges::any_of(environment, named("LOCKSTEP_OUTPUT")) && run != session.environment.end())
        environment.push_back(*run);
}

void addProfiling(const RecipeInput& input, const ResolveText& resolve, ShimmedLaunch& made)
{
    const SessionConfig& session = input.config;
    const LaunchedProgram launched = launchedProgram(made.argv);
    made.outcome = ShimmedLaunch::Outcome::refused;
    if (launched.startsNsys && session.tool) {
        made.problem = "the script starts nsys itself; two profilers cannot be active in one process";
        return;
    }
    const auto start = made.argv.begin() + static_cast<std::ptrdiff_t>(launched.start);
    SessionConfig inner = session;
    inner.command.assign(start, made.argv.end());
    Result<RecipeProgram> program =
        scriptProgram({inner, input.facts, input.hosts, eraOf(inner, {}), input.hostIndex});
    if (!program) {
        made.problem = program.error().message;
        return;
    }
    addRunId(session, program->environment);
    if (resolve) {
        for (auto& [name, value] : program->environment)
            value = resolve(value);
        for (const size_t at : addedAt(inner.command, program->argv))
            program->argv[at] = resolve(program->argv[at]);
        program->folder = resolve(program->folder);
    }
    std::vector<std::string> words = variableWords(launched, program->environment);
    words.insert(words.end(), program->argv.begin(), program->argv.end());
    for (const size_t at : addedAt(inner.command, words)) {
        std::optional<std::string> word = launched.isRayJob ? rayWord(words[at]) : words[at];
        if (!word) {
            made.problem = "ray job submit cannot pass on '" + words[at] +
                           "', because of a character that its shell would change";
            made.added.clear();
            return;
        }
        words[at] = *std::move(word);
        made.added.push_back(words[at]);
    }
    made.argv.erase(start, made.argv.end());
    made.argv.insert(made.argv.end(), words.begin(), words.end());
    made.environment = std::move(program->environment);
    made.folder = std::move(program->folder);
    made.outcome = ShimmedLaunch::Outcome::profiled;
}

} // namespace

std::span<const std::string_view> enumNames(ShimmedLaunch::Outcome)
{
    static constexpr std::array<std::string_view, 4> kWords{"unrelated", "profiled", "foreign", "refused"};
    return kWords;
}

std::span<const std::string_view> shimmedPrograms()
{
    return kPrograms;
}

bool needsShim(const SessionConfig& session, std::string_view name)
{
    if (std::ranges::find(kPrograms, name) != kPrograms.end()) return true;
    constexpr std::string_view kVersioned = "python3.";
    if (name.starts_with(kVersioned))
        return name.find_first_not_of("0123456789", kVersioned.size()) == std::string_view::npos;
    if (name == "bash" || name == "sh") return false; // the script itself runs in one
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(session.framework));
    return recipe != nullptr && std::ranges::any_of(recipe->patterns, [name](const LaunchPattern& one) {
               return one.word == LaunchWord::program && !one.isLoose && one.pattern.matches(name);
           });
}

ShimmedLaunch shimmedLaunch(const SessionConfig& session, std::string_view host,
                            std::vector<std::string> argv, const ResolveText& resolve)
{
    ShimmedLaunch made;
    made.argv = std::move(argv);
    made.framework = recognizedFramework(session, made.argv);
    if (made.framework.empty()) return made;
    if (made.framework != enumName(session.framework)) {
        made.outcome = ShimmedLaunch::Outcome::foreign;
        made.problem = "this starts " + made.framework + ", but the session is for " +
                       std::string(enumName(session.framework));
        return made;
    }
    const std::vector<Host> hosts = plannedHosts(session);
    const auto found = std::ranges::find(hosts, host, &Host::name);
    const size_t index = found == hosts.end() ? 0 : static_cast<size_t>(found - hosts.begin());
    addProfiling({session, {}, hosts, {}, index}, resolve, made);
    return made;
}

Result<RecipeProgram> scriptProgram(const RecipeInput& input)
{
    // The script starts torchrun itself, so nsys is placed around it as around any program.
    const bool isTorchrun = input.config.framework == Framework::torchrun;
    return recipeFor(isTorchrun ? Framework::plain : input.config.framework).program(input);
}

bool usesShims(const SessionConfig& config)
{
    return !config.script.empty() && !config.isCommandRecorded && config.framework != Framework::plain;
}

std::vector<std::string> scriptCommand(const SessionConfig& config)
{
    std::vector<std::string> words{"bash", config.script};
    words.insert(words.end(), config.scriptArguments.begin(), config.scriptArguments.end());
    return words;
}

SessionConfig withScriptAsCommand(SessionConfig config)
{
    if (!config.script.empty() && config.framework == Framework::plain)
        config.command = scriptCommand(config);
    return config;
}

SessionConfig resolvedSession(SessionConfig config, std::vector<std::string> argv)
{
    config.isCommandRecorded = true;
    config.command = std::move(argv);
    return config;
}

SessionConfig resolvedSession(const SessionConfig& config, std::span<const RecordedLaunch> launches)
{
    const auto training = std::ranges::find(launches, std::string(), &RecordedLaunch::problem);
    return training == launches.end() ? config : resolvedSession(config, training->argv);
}

std::string shimSessionFile(const SessionConfig& config)
{
    return runFolder(config) + std::string(kShimSessionPath);
}

std::vector<std::string> shimmedCommand(const SessionConfig& config, std::string_view host)
{
    std::vector<std::string> words{"lockstep-agent", "launch", "--session", shimSessionFile(config)};
    if (!host.empty()) words.insert(words.end(), {"--host", std::string(host)});
    words.emplace_back("--");
    for (std::string& word : scriptCommand(config))
        words.push_back(std::move(word));
    return words;
}

RecordedLaunch updatedLaunch(const SessionConfig& session, const RecordedLaunch& launch)
{
    RecordedLaunch made = launch;
    ShimmedLaunch now = shimmedLaunch(session, launch.host, launch.argv);
    made.problem = std::move(now.problem);
    made.profiledArgv = std::move(now.argv);
    made.environment.clear();
    for (const auto& [name, value] : now.environment)
        made.environment.push_back(name + "=" + value);
    return made;
}

// Returns the words of a command with the agent's option to record only, or an empty list if it starts no
// script.
static std::vector<std::string> recordOnly(std::vector<std::string> argv)
{
    static constexpr std::array<std::string_view, 2> kLaunch{"lockstep-agent", "launch"};
    const auto launch = std::ranges::search(argv, kLaunch);
    if (launch.empty()) return {};
    argv.insert(launch.end(), "--record-only");
    return argv;
}

Result<LaunchPlan> dryRunPlan(const SessionConfig& config, std::span<const HostFacts> facts)
{
    if (!usesShims(config))
        return makeError(ErrorKind::invalid, config.script.empty()
                                                 ? "script: the session has no script to resolve"
                                                 : "framework: select the framework that the script starts");
    LaunchPlan plan = LOCKSTEP_TRY(planLaunch(config, facts));
    std::vector<HostPlan> hosts;
    for (HostPlan& host : plan.hosts) {
        if (host.files.empty()) continue;
        std::erase_if(host.files, [](const PlannedFile& file) {
            return file.path.find("/script/") == std::string::npos; // of a job
        });
        std::vector<std::string> argv;
        for (const PlannedCommand& command : host.commands) {
            if (argv.empty()) argv = recordOnly(command.argv);
        }
        if (argv.empty()) argv = recordOnly(shimmedCommand(config, "")); // instead of a job
        host.commands = {{1, "dry run", std::move(argv)}};
        host.exchangesClocks = false;
        host.reportFolders.clear();
        hosts.push_back(std::move(host));
    }
    plan.hosts = std::move(hosts);
    return plan;
}

std::vector<PlannedFile> shimFiles(const RecipeInput& input)
{
    SessionConfig config = input.config;
    if (const std::string era = eraName(config, input.era); !era.empty()) config.schema = era;
    const std::string library = installedLibraryPath(input);
    if (!library.empty()) config.capture.library = library;
    std::vector<PlannedFile> files{{shimSessionFile(config), canonicalYaml(config), false}};
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(config.framework));
    if (recipe != nullptr && !recipe->text.empty()) {
        files.push_back(
            {runFolder(config) + "/script/recipes/" + recipe->name + ".yaml", recipe->text, false});
    }
    return files;
}

} // namespace lockstep
