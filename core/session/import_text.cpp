// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/mapped_file.h"
#include "core/base/secret_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/hydra_override.h"
#include "core/session/import_environment.h"
#include "core/session/parsed_launch.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_import.h"
#include "core/session/secrets.h"
#include "core/session/session_yaml.h"
#include "core/session/shell/script.h"
#include "core/session/shell/state.h"
#include "core/session/shell/text_defects.h"
#include "core/session/shell_quote.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

void addNote(ImportedSession& made, const shell::Note& note)
{
    const std::string place = note.line > 0 ? "line " + std::to_string(note.line) + ": " : std::string();
    const auto isSame = [&](const Finding& one) { return one.reason == place + note.text; };
    if (std::ranges::any_of(made.findings, isSame)) return;
    std::string fix = note.isLoss ? "add it to the session manually if the run needs it" : "";
    if (note.why && !note.why->name.empty()) {
        const shell::Cause& why = *note.why;
        fix = "give its value (--set " + why.name + "=VALUE)";
        const int line = why.line > 0 ? why.line : note.line;
        if (std::ranges::find(made.unknown, why.name, &UnknownValue::name) == made.unknown.end())
            made.unknown.push_back(
                {why.name, "line " + std::to_string(line) + ": " + why.text, place + note.text});
    }
    addFinding(made.findings, note.isLoss ? Severity::warning : Severity::note, "command",
               note.isLoss ? "import.lost" : "import.left_out", place + note.text, fix);
}

// Returns true for torchrun options about nodes, which the plan derives from the session's hosts.
bool isPlannedOption(std::string_view name)
{
    return isOneOf(name, {"nnodes", "node_rank", "master_addr", "master_port", "standalone"}) ||
           name.starts_with("rdzv_");
}

// Separates torchrun's own options from the program's arguments.
// words[0] is torchrun, or python with -m torch.distributed.run.
void importTorchrun(ParsedLaunch& launch, ImportedSession& made)
{
    SessionConfig& config = made.config;
    config.framework = Framework::torchrun;
    const std::vector<std::string>& words = launch.words;
    size_t at = baseName(words[0]) == "torchrun" ? 1 : 3;
    std::vector<std::string> planned;
    bool isModule = false;
    for (; at < words.size() && words[at].starts_with('-'); ++at) {
        const size_t dashes = words[at].find_first_not_of('-');
        if (dashes == std::string::npos) break;
        const size_t equals = words[at].find('=');
        std::string name = words[at].substr(dashes, equals == std::string::npos ? equals : equals - dashes);
        std::replace(name.begin(), name.end(), '-', '_');
        if (name == "m" || name == "module") {
            isModule = true;
            ++at;
            break;
        }
        const bool isFlag = isOneOf(name, {"standalone", "no_python", "run_path", "use_env", "use-env"});
        const bool takesNext = equals == std::string::npos && !isFlag && at + 1 < words.size();
        const std::string value = equals != std::string::npos ? words[at].substr(equals + 1)
                                  : takesNext                 ? words[at + 1]
                                                              : std::string();
        std::vector<std::string>& kept = isPlannedOption(name) ? planned : config.torchrun.options;
        const std::optional<int64_t> count = name == "nproc_per_node" ? parseInt(value) : std::nullopt;
        if (count) {
            config.torchrun.processesPerNode = *count;
        } else if (name != "no_python") {
            kept.push_back(words[at]);
            if (takesNext) kept.push_back(words[at + 1]);
        }
        at += takesNext ? 1 : 0;
    }
    if (isModule) config.command = {"python3", "-m"};
    config.command.insert(config.command.end(),
                          words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())),
                          words.end());
    if (!planned.empty()) {
        addNote(made, {launch.line, false,
                       shellLine(planned) +
                           ": not imported; the plan sets torchrun's nodes from the session's hosts"});
    }
}

ImportedSession sessionOf(ParsedLaunch& launch)
{
    ImportedSession made;
    finishLaunch(launch);
    if (launch.kind == LaunchKind::recipe) {
        made = importRecipeLaunch(*recipeFor(launch.framework).data, launch.environment,
                                  std::move(launch.words));
    } else {
        made.config.environment = std::move(launch.environment);
        if (launch.kind == LaunchKind::torchrun) {
            importTorchrun(launch, made);
        } else {
            made.config.framework = Framework::plain;
            made.config.command = std::move(launch.words);
        }
    }
    SessionConfig& config = made.config;
    config.workingFolder = launch.folder;
    config.containerPrefix = std::move(launch.container);
    config.launcher = std::move(launch.launcher);
    if (!launch.isUnderNsys) return made;
    const LaunchRecipe* recipe = recipeFor(config.framework).data;
    const bool isAround = config.framework == Framework::torchrun || config.framework == Framework::plain ||
                          (recipe != nullptr && recipe->startsNsys);
    if (isAround) {
        config.tool = Tool::nsys;
        config.workerOptions = std::move(launch.nsysOptions);
    } else {
        addNote(made, {launch.line, true,
                       "nsys around the launch was not imported: the framework's own settings profile its "
                       "workers"});
    }
    return made;
}

// Returns true for commands that have no effect relevant to a session.
bool doesNothing(std::string_view name)
{
    return isOneOf(name, {"echo",   "printf",   "tee",   "sleep", "date",       "ls",  "pwd",
                          "whoami", "hostname", "which", "type",  "nvidia-smi", "cat", "head",
                          "tail",   "grep",     "mkdir", "touch", "clear",      "[",   "test"});
}

// Returns the variables of the script and of its commands whose values are secrets.
TextPairs secretsOf(const shell::Script& script, const std::vector<ParsedLaunch>& launches)
{
    TextPairs secrets;
    const auto add = [&secrets](const std::string& name, const std::string& value) {
        if (isSecretVariable(name)) secrets.emplace_back(name, value);
    };
    for (const auto& [name, value] : script.variables)
        add(name, value.text);
    for (const shell::Command& command : script.commands) {
        for (const auto& [name, value] : command.environment)
            add(name, value.text);
    }
    for (const ParsedLaunch& launch : launches) {
        for (const auto& [name, value] : launch.environment)
            add(name, value);
    }
    return secrets;
}

// Secrets are replaced before the text is shortened, because half a secret would not be recognized. The
// arguments of a login (`wandb login KEY`) may be secrets of any form.
std::string omittedText(const ParsedLaunch& launch, const TextPairs& secrets)
{
    std::vector<std::string> words = launch.words;
    const auto login = std::ranges::find(words, "login");
    std::replace_if(
        login, words.end(), [](const std::string& word) { return word != "login" && !word.starts_with('-'); },
        std::string(kSecretMask));
    return shell::shortened(withoutSecrets(shellLine(words), secrets));
}

// Adds a note about a command in the script that is not part of the session.
void noteOmitted(const ParsedLaunch& launch, const shell::Command* command, const TextPairs& secrets,
                 ImportedSession& made)
{
    if (launch.words.empty()) return;
    const bool isPiped = command != nullptr && command->isPiped;
    const std::string name(baseName(launch.words[0]));
    std::vector<std::string> extraWords;
    for (const std::string& word : launch.words) {
        const std::string_view key = std::string_view(word).substr(0, word.find('='));
        if (isPiped && looksLikeOverride(word) && key.find('.') != std::string_view::npos)
            extraWords.push_back(word);
    }
    if (!extraWords.empty()) {
        addNote(made, {launch.line, true,
                       withoutSecrets(shellLine(extraWords), secrets) + " is passed to " + name +
                           ", not to the launch"});
    } else if (name == "ray") {
        const bool starts = launch.words.size() > 1 && launch.words[1] == "start";
        addNote(made, {launch.line, false,
                       "not imported: " + omittedText(launch, secrets) +
                           (starts ? "; with launcher.start_ray, the plan starts Ray on every host" : "")});
    } else if (launch.kind != LaunchKind::other) {
        addNote(made, {launch.line, true, "not imported, another launch: " + omittedText(launch, secrets)});
    } else if (isOneOf(name, {"bash", "sh"}) || name.ends_with(".sh")) {
        addNote(made,
                {launch.line, true, "not imported, runs another script: " + omittedText(launch, secrets)});
    } else {
        const bool writesFile = command != nullptr && command->writesFile;
        addNote(made, {launch.line, writesFile || !doesNothing(name),
                       (writesFile ? "not imported, writes a file: " : "not imported: ") +
                           omittedText(launch, secrets)});
    }
}

// Imports the options in #SBATCH lines, except the path of the job's log.
void importBatchOptions(const shell::Script& script, bool startsRay, ImportedSession& made)
{
    if (script.batchOptions.empty() && made.config.launcher.kind != LauncherKind::slurm) return;
    Launcher& launcher = made.config.launcher;
    launcher.kind = LauncherKind::slurm;
    if (startsRay && launcher.batchScript.empty()) launcher.startRay = true;
    launcher.slurmOptions.insert(launcher.slurmOptions.end(), script.batchOptions.begin(),
                                 script.batchOptions.end());
}

// Returns the first launch of the most likely kind. Launches that certainly run are preferred.
size_t bestLaunch(const std::vector<ParsedLaunch>& launches)
{
    size_t best = 0;
    const auto weight = [](const ParsedLaunch& one) {
        return static_cast<int>(one.kind) * 2 + (one.isCertain ? 1 : 0);
    };
    for (size_t i = 1; i < launches.size(); ++i) {
        if (weight(launches[i]) > weight(launches[best])) best = i;
    }
    return best;
}

ImportedSession environmentOf(const shell::Script& script)
{
    TextPairs environment;
    std::vector<shell::Note> lost;
    for (const auto& [name, value] : script.variables) {
        if (value.isKnown())
            environment.emplace_back(name, shell::sessionText(value.text));
        else
            lost.push_back({value.line, true, "left unset: " + name + "; " + value.unknown->description(),
                            value.unknown});
    }
    ImportedSession made = importEnvironment(std::move(environment));
    for (const shell::Note& note : lost)
        addNote(made, note);
    return made;
}

// Returns true if the commands are in different branches of one statement.
bool areAlternatives(const shell::Command& a, const shell::Command& b)
{
    for (size_t i = 0; i < a.branches.size() && i < b.branches.size(); ++i) {
        if (a.branches[i].first != b.branches[i].first) return false;
        if (a.branches[i].second != b.branches[i].second) return true;
    }
    return false;
}

// Leaves unset what differs between a launch and one that another branch starts instead.
void mergeAlternative(shell::Command& command, const shell::Command& other)
{
    command.words = shell::mergedTexts(command.words, other.words, command.why);
    std::map<std::string, shell::Text> others(other.environment.begin(), other.environment.end());
    for (auto& [name, value] : command.environment) {
        const auto found = others.find(name);
        if ((found == others.end() || !(found->second == value)) && value.isKnown())
            value.unknown = command.why;
        if (found != others.end()) others.erase(found);
    }
    for (auto& [name, value] : others) {
        command.environment.emplace_back(name, value);
        if (value.isKnown()) command.environment.back().second.unknown = command.why;
    }
    if (!(command.folder == other.folder)) command.folder = shell::unknownText("", command.why);
}

void noteCircumstances(const shell::Command& command, ImportedSession& made)
{
    if (!command.isCertain && command.why)
        addNote(made, {command.line, true,
                       "the launch is in a branch that may not be taken; " + command.why->description(),
                       command.why});
    if (command.isRepeated)
        addNote(made, {command.line, true, "the launch is in a loop; one round was imported"});
    if (command.hasInput || command.isPiped)
        addNote(made, {command.line, true, "the input of the launch was not imported"});
    if (command.isRedirected)
        addNote(made, {command.line, false,
                       "its output redirection was not imported; Lockstep stores the run's log"});
}

bool startsRay(const ParsedLaunch& launch)
{
    return shellLine(launch.words).find("ray start") != std::string::npos ||
           std::ranges::any_of(launch.others, startsRay);
}

ImportedSession importCommands(shell::Script& script)
{
    std::vector<ParsedLaunch> launches;
    for (const shell::Command& command : script.commands)
        launches.push_back(parseLaunch(command));
    const TextPairs secrets = secretsOf(script, launches);
    const size_t best = bestLaunch(launches);
    shell::Command& command = script.commands[best];
    const LaunchKind kind = launches[best].kind;
    const bool isLaunch = kind != LaunchKind::other;
    for (size_t i = 0; i < launches.size(); ++i) {
        if (i == best || launches[i].kind != kind || !areAlternatives(command, script.commands[i])) continue;
        mergeAlternative(command, script.commands[i]);
        launches[best] = parseLaunch(command);
    }
    ParsedLaunch& chosen = launches[best];
    ImportedSession made = isLaunch ? sessionOf(chosen) : environmentOf(script);
    for (size_t i = 0; i < launches.size(); ++i) {
        if (i != best || !isLaunch) noteOmitted(launches[i], &script.commands[i], secrets, made);
        for (const ParsedLaunch& one : launches[i].others)
            noteOmitted(one, nullptr, secrets, made);
    }
    if (!isLaunch) {
        addNote(made, {0, true, "no training command found in this text"});
    } else {
        for (const shell::Note& note : chosen.notes)
            addNote(made, note);
        noteCircumstances(command, made);
        importBatchOptions(script, std::ranges::any_of(launches, startsRay), made);
    }
    for (Finding& finding : made.findings)
        finding.reason = withoutSecrets(std::move(finding.reason), secrets);
    for (UnknownValue& value : made.unknown) {
        value.reason = withoutSecrets(std::move(value.reason), secrets);
        value.note = withoutSecrets(std::move(value.note), secrets);
    }
    return made;
}

bool hasLaunch(const shell::Script& script)
{
    return std::ranges::any_of(script.commands, [](const shell::Command& command) {
        return parseLaunch(command).kind != LaunchKind::other;
    });
}

// Converts the most likely training command in the script to a session for its framework. Exported variables
// become the environment, and the current folder becomes the working folder. `ray job submit`, `sbatch` and
// #SBATCH lines become the launcher, a preceding `docker exec` becomes the container, and an enclosing nsys
// becomes the tool. If a script contains only variables, they become the environment. What depends on unknown
// values is left unset. Every other line, and everything that was left unset, gets a finding that begins with
// "line N: ". The finding's rule is import.lost if the session does less than the script. Errors: invalid for
// an unclosed quote or bracket, with line and column.
Result<ImportedSession> importScript(std::string_view text, const ImportOptions& options)
{
    shell::ScriptOptions reading{options.path, options.readFile, options.values};
    shell::Script script = LOCKSTEP_TRY(shell::readScript(text, reading));
    if (!script.commands.empty() && !hasLaunch(script)) {
        // Without arguments, the script may print its usage and end.
        reading.hasArguments = true;
        shell::Script other = LOCKSTEP_TRY(shell::readScript(text, reading));
        if (hasLaunch(other)) script = std::move(other);
    }
    ImportedSession made = script.commands.empty() ? environmentOf(script) : importCommands(script);
    for (const shell::Note& note : script.notes)
        addNote(made, note);
    const auto lineOf = [](const Finding& finding) {
        if (!finding.reason.starts_with("line ")) return int64_t(0);
        return parseInt(std::string_view(finding.reason).substr(5, finding.reason.find(':') - 5)).value_or(0);
    };
    std::ranges::stable_sort(made.findings, {}, lineOf);
    return made;
}

std::vector<std::string_view> codeLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos || line[begin] == '#') continue;
        line.remove_prefix(begin);
        lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
    return lines;
}

// Returns true if the first line is "key:" or "key: value".
bool looksLikeYaml(const std::vector<std::string_view>& lines)
{
    for (const std::string_view line : lines) {
        if (line == "---" || line.starts_with('%')) continue;
        const size_t colon = line.find(':');
        const bool isKey =
            colon != std::string_view::npos && (colon + 1 == line.size() || line[colon + 1] == ' ');
        const std::string_view key = line.substr(0, colon);
        return isKey && !key.empty() && key.find_first_of(" \t=$(") == std::string_view::npos;
    }
    return false;
}

enum class YamlKind { session, recipe, unknown };

YamlKind kindOfYaml(const ConfigValue& root)
{
    if (root.find("lockstep_session") != nullptr) return YamlKind::session;
    return recipeOfYaml(root) != nullptr ? YamlKind::recipe : YamlKind::unknown;
}

Result<ImportedSession> importYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    const YamlKind kind = kindOfYaml(root);
    if (kind == YamlKind::session) return ImportedSession{LOCKSTEP_TRY(sessionFromYaml(text)), {}};
    if (kind == YamlKind::recipe) return importRecipeYaml(*recipeOfYaml(root), root);
    return makeError(
        ErrorKind::invalid,
        "line 1, column 1: this YAML is not a session (lockstep_session), nor a configuration file of a framework "
        "that Lockstep knows");
}

// Returns true for text such as "NAME=value python3 -m ...", which a shell would execute as a command.
bool startsTraining(std::string_view line)
{
    const Result<shell::Script> script = shell::readScript(line);
    return script && std::ranges::any_of(script->commands, [](const shell::Command& command) {
               const ParsedLaunch launch = parseLaunch(command);
               return launch.kind > LaunchKind::program ||
                      (launch.kind ==
                           LaunchKind::program && // in "RUN=python3 train.py", train.py would be the command
                       launch.words.front().find("python") != std::string::npos);
           });
}

// Returns true if all lines are "NAME=value", as printed by `env`; values do not require quotes.
bool isVariableList(const std::vector<std::string_view>& lines)
{
    return lines.size() > 1 && std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
               if (startsTraining(line)) return false;
               if (line.starts_with("export ")) line.remove_prefix(7);
               const size_t equals = line.find('=');
               return equals != std::string_view::npos && isEnvironmentName(line.substr(0, equals)) &&
                      !line.ends_with('\\');
           });
}

// Imports each value as a shell would read it if the line is an assignment, otherwise as printed.
ImportedSession importVariables(const std::vector<std::string_view>& lines)
{
    shell::Script all;
    for (std::string_view line : lines) {
        if (line.starts_with("export ")) line.remove_prefix(7);
        const size_t equals = line.find('=');
        const std::string name(line.substr(0, equals));
        shell::Text value{std::string(line.substr(equals + 1))};
        shell::ScriptOptions withoutLine;
        withoutLine.firstLine = 0;
        const Result<shell::Script> script = shell::readScript(line, withoutLine);
        if (script && script->commands.empty() && script->variables.size() == 1) {
            value = script->variables[0].second;
            all.notes.insert(all.notes.end(), script->notes.begin(), script->notes.end());
        }
        std::erase_if(all.variables, [&](const auto& pair) { return pair.first == name; });
        all.variables.emplace_back(name, std::move(value));
    }
    ImportedSession made = environmentOf(all);
    for (const shell::Note& note : all.notes)
        addNote(made, note);
    return made;
}

// Returns true for text that contains only overrides, one or several per line. At least one of them must have
// a dot in its key.
bool isOverrideList(std::string_view text)
{
    const Result<ShellWords> words = splitShellWords(text);
    if (!words || words->words.empty()) return false;
    const bool hasDot = std::any_of(words->words.begin(), words->words.end(), [](const std::string& word) {
        return word.substr(0, word.find('=')).find('.') != std::string::npos;
    });
    return hasDot && std::all_of(words->words.begin(), words->words.end(), looksLikeOverride);
}

Result<ImportedSession> importAny(std::string_view text, const ImportOptions& options)
{
    if (!isValidUtf8(text)) return makeError(ErrorKind::invalid, "the text is not valid UTF-8");
    const std::vector<std::string_view> lines = codeLines(text);
    if (lines.empty()) return makeError(ErrorKind::invalid, "line 1, column 1: the text is empty");
    if (!text.starts_with("#!") && looksLikeYaml(lines)) return importYaml(text);
    if (!text.starts_with("#!") && isVariableList(lines)) return importVariables(lines);
    if (isOverrideList(text)) return importOverrideList(text);
    return importScript(text, options);
}

// Puts defects of the text first because they explain the other findings, and masks secrets in all findings.
void reportDefects(std::string_view text, Findings& findings)
{
    for (Finding& finding : findings)
        finding.reason = maskSecrets(finding.reason);
    Findings defects;
    for (const shell::TextDefect& defect : shell::findTextDefects(text)) {
        addFinding(defects, defect.isError ? Severity::error : Severity::warning, "command", "import.text",
                   "line " + std::to_string(defect.line) + ": " + defect.text, defect.fix);
    }
    findings.insert(findings.begin(), std::make_move_iterator(defects.begin()),
                    std::make_move_iterator(defects.end()));
}

} // namespace

Result<ImportedSession> importText(std::string_view text, const ImportOptions& options)
{
    const std::string_view original = text;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    ImportedSession made = LOCKSTEP_TRY(importAny(text, options));
    importCaptureEnvironment(made);
    reportDefects(original, made.findings);
    if (made.config.command.empty()) {
        addFinding(made.findings, Severity::note, "command", "import.no_command",
                   "the text contains no command", "enter the command");
    }
    return made;
}

Result<std::string> readSourcedFile(const std::string& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    if (file.text().size() > shell::kMaxBytes)
        return makeError(ErrorKind::invalid, path + ": larger than 1 MiB");
    return std::string(file.text());
}

bool isConfigurationText(std::string_view text)
{
    const Result<ConfigValue> root = readYaml(text);
    if (!root) return false;
    return kindOfYaml(*root) == YamlKind::recipe;
}

bool isImportPartial(const Findings& findings)
{
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        if (finding.severity == Severity::note) return false;
        return finding.severity == Severity::error || finding.rule == "import.lost" ||
               finding.rule == "import.expansion" || finding.rule == "override.unknown" ||
               finding.rule == "override.syntax";
    });
}

} // namespace lockstep
