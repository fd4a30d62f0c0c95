// SPDX-License-Identifier: Apache-2.0
#include "core/session/parsed_launch.h"

#include <algorithm>
#include <set>
#include <span>

#include "core/base/host_reference.h"
#include "core/base/secret_text.h"
#include "core/base/words.h"
#include "core/session/hydra_override.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_import.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recognition.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr int kMaxShells = 4; // maximum nesting of bash -c

bool isPythonWord(std::string_view word)
{
    const std::string_view name = baseName(word);
    return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

bool isShell(std::string_view word)
{
    return isOneOf(baseName(word), {"bash", "sh"});
}

// Returns true for a word that starts a command after the options of another command.
bool isProgram(std::string_view word)
{
    return isPythonWord(word) ||
           isOneOf(baseName(word), {"bash", "sh", "uv", "torchrun", "accelerate", "deepspeed", "env", "ray",
                                    "nsys", "docker", "podman", "apptainer", "singularity"});
}

// Returns the framework whose recipe recognizes the command, or imports one of the variables of a Python
// program; nullopt for frameworks that C++ describes.
std::optional<Framework> recipeOfLaunch(const ParsedLaunch& launch)
{
    const std::vector<std::string>& words = launch.words;
    const std::optional<RecognizedLaunch> found = recognizedLaunch(launchRecipes(), words);
    const bool isScripted = isPythonWord(words[0]) || baseName(words[0]) == "uv" || words[0].ends_with(".py");
    const LaunchRecipe* recipe = found        ? found->recipe
                                 : isScripted ? recipeOfEnvironment(launch.environment)
                                              : nullptr;
    if (recipe == nullptr) return std::nullopt;
    const std::optional<Framework> framework = enumFromWord<Framework>(recipe->name);
    if (!framework || recipeFor(*framework).data == nullptr) return std::nullopt;
    return framework;
}

LaunchKind kindOf(const ParsedLaunch& launch)
{
    const std::vector<std::string>& words = launch.words;
    if (words.empty()) return LaunchKind::other;
    if (recipeOfLaunch(launch)) return LaunchKind::recipe;
    const auto module = std::find(words.begin(), words.end(), "-m");
    const bool isModule = module != words.end() && module + 1 != words.end() &&
                          isOneOf(*(module + 1), {"torch.distributed.run", "torch.distributed.launch"});
    if (baseName(words[0]) == "torchrun" || (isPythonWord(words[0]) && isModule)) return LaunchKind::torchrun;
    if (isOneOf(baseName(words[0]), {"pip", "pip3", "python-config"})) return LaunchKind::other;
    const bool isPip = module != words.end() && module + 1 != words.end() && *(module + 1) == "pip";
    if (isPythonWord(words[0]) && isPip) return LaunchKind::other;
    const bool isUvRun = words[0] == "uv" && words.size() > 1 && words[1] == "run";
    const bool runs = isPythonWord(words[0]) || isUvRun || words[0].ends_with(".py") ||
                      isOneOf(baseName(words[0]), {"accelerate", "deepspeed"}) || launch.isUnderNsys;
    return runs ? LaunchKind::program : LaunchKind::other;
}

class Unwrapper {
  public:
    explicit Unwrapper(const shell::Command& command)
    {
        m_made.line = command.line;
        m_made.isCertain = command.isCertain;
        if (command.folder.isKnown())
            m_made.folder = command.folder.text;
        else
            noteUnknown(command.line, "the working folder", command.folder);
        bool usesFolder = command.folder.usesFolder;
        for (const auto& [name, value] : command.environment)
            usesFolder |= takeVariable(command.line, name, value);
        for (const shell::Text& word : command.words)
            usesFolder |= takeWord(word);
        if (usesFolder)
            note(false,
                 "some values contain the folder of the script on this machine; change them if the hosts "
                 "have it elsewhere");
    }

    ParsedLaunch unwrap(int depth)
    {
        m_depth = depth;
        for (int i = 0; i < 12 && !m_made.words.empty() && unwrapOnce(); ++i) {
        }
        m_made.kind = kindOf(m_made);
        if (m_made.kind == LaunchKind::recipe)
            m_made.framework = recipeOfLaunch(m_made).value_or(Framework::plain);
        return std::move(m_made);
    }

  private:
    std::vector<std::string>& words() { return m_made.words; }

    void note(bool isLoss, std::string text)
    {
        m_made.notes.push_back({m_made.line, isLoss, std::move(text)});
    }

    // Notes that something was left unset. Adjacent words of one line share a note.
    void noteUnknown(int line, const std::string& what, const shell::Text& value, bool isWord = false)
    {
        const shell::Cause& why = *value.unknown;
        std::vector<shell::Note>& notes = m_made.notes;
        const std::string reasonText = (why.name.empty() ? "; " : "; depends on ") + why.description();
        const bool isNext = isWord && m_lastUnknown == words().size() && !notes.empty() &&
                            notes.back().line == line && notes.back().text.ends_with(reasonText);
        if (isNext) {
            notes.back().text.insert(notes.back().text.size() - reasonText.size(), " " + what);
        } else {
            notes.push_back({line, true, "left unset: " + what + reasonText, value.unknown});
        }
        m_lastUnknown = isWord ? words().size() : std::string::npos;
    }

    // Adds a variable of the environment. Returns true if its value contains the script's folder.
    bool takeVariable(int line, const std::string& name, const shell::Text& value)
    {
        const bool isCallers = !value.isKnown() && value.unknown->name == name &&
                               value.unknown->text == shell::kNotSet &&
                               (value.text == "$" + name || value.text == "${" + name + "}");
        // A session takes a secret that is not in the script from the environment, too.
        if (value.isKnown() || (isCallers && isSecretVariable(name))) {
            m_made.environment.emplace_back(name, value.text);
        } else {
            noteUnknown(line, name, value);
        }
        return value.isKnown() && value.usesFolder;
    }

    // Adds a word of the command. An option whose value is unknown is left out with its value.
    bool takeWord(const shell::Text& word)
    {
        if (word.isKnown()) {
            words().push_back(word.text);
            if (!word.remark.empty())
                m_made.notes.push_back({word.line, true, shell::shortened(word.text) + ": " + word.remark});
            return word.usesFolder;
        }
        std::string what = shell::shortened(word.text);
        const size_t count = words().size();
        const bool isShellText = count > 1 && words().back().starts_with('-') &&
                                 words().back().ends_with('c') && isShell(words()[count - 2]);
        if (isShellText) {
            words().push_back(word.text); // its known parts are still read
        } else if (words().size() > 1 && words().back().starts_with('-') && !word.text.starts_with('-') &&
                   words().back().find('=') == std::string::npos) {
            what = shell::shortened(words().back()) + " " + what;
            words().pop_back();
        }
        noteUnknown(word.line, what, word, true);
        return false;
    }

    void drop(size_t count)
    {
        words().erase(words().begin(),
                      words().begin() + static_cast<std::ptrdiff_t>(std::min(count, words().size())));
    }

    std::vector<std::string> firstWords(size_t count) const
    {
        return {m_made.words.begin(), m_made.words.begin() + static_cast<std::ptrdiff_t>(count)};
    }

    // Returns the index of the first word at or after `from` that starts a command, or the number of words.
    size_t programFrom(size_t from) const
    {
        while (from < m_made.words.size() && !isProgram(m_made.words[from]))
            ++from;
        return from;
    }

    // Removes one wrapper. Returns true if there may be another wrapper.
    bool unwrapOnce()
    {
        const std::string name(baseName(words()[0]));
        if (isOneOf(name, {"nohup", "exec", "command", "setsid", "time", "$"})) {
            drop(1);
            return true;
        }
        if (name == "env") return unwrapEnv();
        if (isShell(name)) return unwrapShell();
        if (name == "eval") return unwrapEval();
        if (name == "srun") return unwrapSrun();
        if (isOneOf(name, {"docker", "podman", "apptainer", "singularity"})) return unwrapContainer(name);
        if (name == "sbatch") return unwrapBatch();
        if (name == "nsys") return unwrapNsys();
        return unwrapRayJob();
    }

    bool unwrapEnv()
    {
        size_t at = 1;
        for (; at < words().size(); ++at) {
            const size_t equals = words()[at].find('=');
            if (equals == std::string::npos ||
                !isEnvironmentName(std::string_view(words()[at]).substr(0, equals)))
                break;
            setVariable(words()[at].substr(0, equals), words()[at].substr(equals + 1));
        }
        if (at < words().size() && words()[at].starts_with('-'))
            return false; // env is used with options, so it remains part of the command
        drop(at);
        return true;
    }

    void setVariable(const std::string& name, const std::string& value)
    {
        std::erase_if(m_made.environment, [&](const auto& pair) { return pair.first == name; });
        m_made.environment.emplace_back(name, value);
    }

    std::string removeVariable(std::string_view name)
    {
        std::string value;
        for (const auto& [one, text] : m_made.environment) {
            if (one == name) value = text;
        }
        std::erase_if(m_made.environment, [&](const auto& pair) { return pair.first == name; });
        return value;
    }

    bool unwrapShell()
    {
        const auto dashC = std::find_if(words().begin() + 1, words().end(), [](const std::string& word) {
            return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.back() == 'c';
        });
        const bool isText = dashC != words().end() && dashC + 1 != words().end();
        if (!isText) return false;
        takeText(*(dashC + 1));
        return false;
    }

    bool unwrapEval()
    {
        std::string text;
        for (const std::string& word : std::span(words()).subspan(1))
            text += (text.empty() ? "" : " ") + word;
        takeText(text);
        return false;
    }

    // Replaces this command with the launch in the text of bash -c, eval or COMMAND.
    void takeText(const std::string& text)
    {
        if (m_depth >= kMaxShells)
            return note(true, "shells nested too deep; the innermost command was not read");
        shell::ScriptOptions options;
        for (const auto& [name, value] : m_made.environment)
            options.exported.emplace_back(name, shell::Text{value});
        options.folder.text = m_made.folder;
        options.firstLine = m_made.line;
        options.isInner = true;
        const Result<shell::Script> script = shell::readScript(text, options);
        if (!script) return note(true, script.error().message);
        m_made.notes.insert(m_made.notes.end(), script->notes.begin(), script->notes.end());
        std::vector<ParsedLaunch> all;
        for (const shell::Command& command : script->commands)
            all.push_back(Unwrapper(command).unwrap(m_depth + 1));
        const auto best = std::max_element(all.begin(), all.end(),
                                           [](const auto& a, const auto& b) { return a.kind < b.kind; });
        if (best == all.end()) return note(true, "cannot determine what the inner shell starts");
        ParsedLaunch inner = std::move(*best);
        all.erase(best);
        inner.notes.insert(inner.notes.begin(), m_made.notes.begin(), m_made.notes.end());
        inner.container.insert(inner.container.begin(), m_made.container.begin(), m_made.container.end());
        inner.isCertain &= m_made.isCertain;
        if (m_made.launcher.kind != LauncherKind::local) inner.launcher = m_made.launcher;
        for (ParsedLaunch& one : all)
            inner.others.push_back(std::move(one));
        m_made = std::move(inner);
    }

    bool unwrapSrun()
    {
        const size_t at = programFrom(1);
        if (at == words().size()) return false;
        m_made.launcher.kind = LauncherKind::slurm;
        if (at > 1) {
            note(true,
                 shellLine(firstWords(at)) + ": not imported; the job gives each step all of its nodes");
        }
        drop(at);
        return true;
    }

    bool unwrapContainer(const std::string& name)
    {
        const bool runs = words().size() > 2 && isOneOf(words()[1], {"exec", "run"});
        const size_t at = programFrom(2);
        if (!runs || at >= words().size()) return false;
        std::vector<std::string> prefix = firstWords(at);
        const bool isDocker = name == "docker" || name == "podman";
        for (std::string& word : prefix) {
            // A run has no terminal, so options that request one are changed to -i.
            if (isDocker && isOneOf(word, {"-it", "-ti", "-t", "--tty"})) word = "-i";
        }
        m_made.container.insert(m_made.container.end(), prefix.begin(), prefix.end());
        drop(at);
        return true;
    }

    bool unwrapBatch()
    {
        const std::string command = removeVariable("COMMAND");
        std::vector<std::string> options;
        size_t at = 1;
        for (; at < words().size() && words()[at].starts_with('-'); ++at) {
            options.push_back(words()[at]);
            const bool takesNext = words()[at].size() == 2 && words()[at][1] != '-';
            if (takesNext && at + 1 < words().size()) options.push_back(words()[++at]);
        }
        if (command.empty() || at >= words().size()) return false;
        m_made.launcher.kind = LauncherKind::slurm;
        m_made.launcher.batchScript = words()[at];
        m_made.launcher.slurmOptions = std::move(options);
        words().clear();
        takeText(command);
        return false;
    }

    bool unwrapNsys()
    {
        if (words().size() < 3 || !isOneOf(words()[1], {"profile", "launch"})) return false;
        size_t at = 2;
        for (; at < words().size() && words()[at].starts_with('-') && words()[at] != "--"; ++at) {
            const std::string& word = words()[at];
            const size_t equals = word.find('=');
            const bool isLong = word.starts_with("--");
            std::string name = word.substr(
                isLong ? 2 : 1, isLong && equals != std::string::npos ? equals - 2 : std::string::npos);
            std::string value = "true";
            const bool hasNext =
                at + 1 < words().size() && !words()[at + 1].starts_with('-') && !isProgram(words()[at + 1]);
            if (isLong && equals != std::string::npos) {
                value = word.substr(equals + 1);
            } else if (!isLong && name.size() > 1) {
                value = name.substr(1);
                name.resize(1);
            } else if (hasNext) {
                value = words()[++at];
            }
            setOption(m_made.nsysOptions, name, value);
        }
        if (at < words().size() && words()[at] == "--") ++at;
        m_made.isUnderNsys = true;
        drop(at);
        return true;
    }

    bool unwrapRayJob()
    {
        const std::vector<std::string> call{"ray", "job", "submit"};
        const auto found = std::search(words().begin(), words().end(), call.begin(), call.end());
        const auto end = std::find(found, words().end(), "--");
        if (found == words().end() || end == words().end()) return false;
        m_made.launcher.kind = LauncherKind::rayJob;
        std::vector<std::string> lost;
        for (auto at = found + 3; at != end; ++at) {
            if (at->starts_with("--address=")) {
                m_made.launcher.rayAddress = at->substr(10);
            } else if (*at == "--address" && at + 1 != end) {
                m_made.launcher.rayAddress = *++at;
            } else if (*at != "--no-wait") {
                lost.push_back(shell::shortened(*at));
            }
        }
        const auto address = std::find_if(m_made.environment.begin(), m_made.environment.end(),
                                          [](const auto& pair) { return pair.first == "RAY_ADDRESS"; });
        if (m_made.launcher.rayAddress.empty() && address != m_made.environment.end())
            m_made.launcher.rayAddress = address->second;
        if (!lost.empty())
            note(true, "options of ray job submit that a session does not support: " + shellLine(lost));
        drop(static_cast<size_t>(end - words().begin()) + 1);
        return true;
    }

    ParsedLaunch m_made;
    size_t m_lastUnknown = std::string::npos; // number of known words before the last unknown one
    int m_depth = 0;
};

} // namespace

ParsedLaunch parseLaunch(const shell::Command& command)
{
    return Unwrapper(command).unwrap(0);
}

namespace {

class LaunchFinisher {
  public:
    explicit LaunchFinisher(ParsedLaunch& launch) : m_launch(launch) {}

    void finish()
    {
        const std::string start = shell::referenceTo("PWD").text;
        // $PWD is the working folder of the command, but the script may have left the folder of its start.
        if (m_launch.folder == start) m_launch.folder.clear();
        if (m_launch.folder.starts_with(start + "/")) m_launch.folder.erase(0, start.size() + 1);
        m_hasMoved = !m_launch.folder.empty();
        convert(m_launch.folder);
        std::erase_if(m_launch.words, [this](std::string& word) { return !convert(word); });
        std::erase_if(m_launch.environment,
                      [this](auto& pair) { return !convert(pair.second, pair.first + "="); });
        std::erase_if(m_launch.container, [this](std::string& word) { return !convert(word); });
        Launcher& launcher = m_launch.launcher;
        std::erase_if(launcher.slurmOptions, [this](std::string& word) { return !convert(word); });
        convert(launcher.batchScript);
        convert(launcher.rayAddress);
        for (NsightOption& option : m_launch.nsysOptions)
            convert(*option.value, option.name + "=");
        std::string names;
        for (const std::string& name : m_references)
            names += (names.empty() ? "$" : ", $") + name;
        if (!names.empty()) m_launch.notes.push_back({m_launch.line, false, "the host resolves " + names});
    }

  private:
    // Returns false, with a note, if the session cannot express the text.
    bool convert(std::string& text, const std::string& prefix = {})
    {
        const bool usesStart = m_hasMoved && text.find(shell::referenceTo("PWD").text) != std::string::npos;
        text = shell::sessionText(text);
        if (usesStart) {
            m_launch.notes.push_back(
                {m_launch.line, true,
                 "left unset: " + shell::shortened(prefix + text) +
                     "; PWD: the folder in which the script is started, which the launch has left",
                 shell::causeOf("PWD", "the folder in which the script is started")});
            text.clear();
            return false;
        }
        for (const HostReference& one : hostReferences(text)) {
            if (one.name.find('_') != std::string::npos) m_references.emplace(one.name);
            if (text[one.begin] == '~')
                m_launch.notes.push_back(
                    {m_launch.line, true,
                     shell::shortened(prefix + text) +
                         ": bash passes ~ on unchanged, but in a session it is the home folder"});
        }
        return true;
    }

    ParsedLaunch& m_launch;
    std::set<std::string> m_references; // of Slurm and Ray
    bool m_hasMoved = false;
};

} // namespace

void finishLaunch(ParsedLaunch& launch)
{
    LaunchFinisher(launch).finish();
}

} // namespace lockstep
