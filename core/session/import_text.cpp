// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_text.h"

#include <algorithm>

#include "core/base/secret_text.h"
#include "core/base/text.h"
#include "core/session/hydra_override.h"
#include "core/session/import_capture_environment.h"
#include "core/session/import_nemo_yaml.h"
#include "core/session/import_nrl_environment.h"
#include "core/session/import_override_list.h"
#include "core/session/import_script.h"
#include "core/session/import_verl_yaml.h"
#include "core/session/parsed_launch.h"
#include "core/session/session_yaml.h"
#include "core/session/shell/script.h"
#include "core/session/shell/text_defects.h"
#include "core/session/shell_quote.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

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

enum class YamlKind { session, verl, nemo, unknown };

YamlKind kindOfYaml(const ConfigValue& root)
{
    const auto hasKey = [&](std::initializer_list<std::string_view> keys) {
        return std::any_of(keys.begin(), keys.end(), [&](auto key) { return root.find(key) != nullptr; });
    };
    if (hasKey({"lockstep_session"})) return YamlKind::session;
    if (hasKey({"global_profiler", "actor_rollout_ref", "trainer", "critic", "profiler"}))
        return YamlKind::verl;
    if (hasKey({"grpo", "sft", "dpo", "rm", "ppo", "distillation", "policy", "cluster"}))
        return YamlKind::nemo;
    return YamlKind::unknown;
}

Result<ImportedSession> importYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    const YamlKind kind = kindOfYaml(root);
    if (kind == YamlKind::session) return ImportedSession{LOCKSTEP_TRY(sessionFromYaml(text)), {}};
    if (kind == YamlKind::verl) return importVerlYaml(text);
    if (kind == YamlKind::nemo) return importNemoYaml(text);
    return makeError(
        ErrorKind::invalid,
        "line 1, column 1: this YAML is not a session (lockstep_session), nor a configuration of verl "
        "(trainer, actor_rollout_ref, global_profiler) or NeMo RL (policy, cluster, grpo, sft)");
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

std::string valueOfLine(std::string_view line, size_t equals)
{
    // Returns the value as a shell would read it if the result is a single word, otherwise the value as
    // printed.
    const Result<shell::Script> script = shell::readScript(line);
    const bool isOne =
        script && script->commands.empty() && script->notes.empty() && script->variables.size() == 1;
    return isOne ? script->variables[0].second.text : std::string(line.substr(equals + 1));
}

ImportedSession importVariables(const std::vector<std::string_view>& lines)
{
    TextPairs environment;
    for (std::string_view line : lines) {
        if (line.starts_with("export ")) line.remove_prefix(7);
        const size_t equals = line.find('=');
        const std::string name(line.substr(0, equals));
        std::erase_if(environment, [&](const auto& pair) { return pair.first == name; });
        environment.emplace_back(name, valueOfLine(line, equals));
    }
    return importEnvironment(std::move(environment));
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

Result<ImportedSession> importAny(std::string_view text)
{
    if (!isValidUtf8(text)) return makeError(ErrorKind::invalid, "the text is not valid UTF-8");
    const std::vector<std::string_view> lines = codeLines(text);
    if (lines.empty()) return makeError(ErrorKind::invalid, "line 1, column 1: the text is empty");
    if (!text.starts_with("#!") && looksLikeYaml(lines)) return importYaml(text);
    if (!text.starts_with("#!") && isVariableList(lines)) return importVariables(lines);
    if (isOverrideList(text)) return importOverrideList(text);
    return importScript(text);
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

Result<ImportedSession> importText(std::string_view text)
{
    const std::string_view original = text;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    ImportedSession made = LOCKSTEP_TRY(importAny(text));
    importCaptureEnvironment(made);
    reportDefects(original, made.findings);
    if (made.config.command.empty()) {
        addFinding(made.findings, Severity::note, "command", "import.no_command",
                   "the text contains no command", "enter the command");
    }
    return made;
}

bool isConfigurationText(std::string_view text)
{
    const Result<ConfigValue> root = readYaml(text);
    if (!root) return false;
    const YamlKind kind = kindOfYaml(*root);
    return kind == YamlKind::verl || kind == YamlKind::nemo;
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
