// SPDX-License-Identifier: Apache-2.0
#include "core/session/probe_questions.h"

#include <algorithm>

#include "core/session/head_address.h"

namespace lockstep {

namespace {

bool isInterpreter(const std::string& word)
{
    const std::string name = word.substr(word.rfind('/') + 1); // if there is no slash, npos + 1 is 0
    return name.starts_with("python") || name == "bash" || name == "sh";
}

// Returns the script that a command runs, or "" if the arguments do not show it.
std::string scriptOf(const std::vector<std::string>& command)
{
    if (command.empty()) return {};
    if (command[0].ends_with(".py")) return command[0];
    const bool isNamed = command.size() > 1 && !command[1].starts_with('-') && isInterpreter(command[0]);
    return isNamed ? command[1] : std::string();
}

class Words {
  public:
    void add(const char* option, const std::string& value)
    {
        for (size_t i = 0; i + 1 < m_words.size(); i += 2) {
            if (m_words[i] == option && m_words[i + 1] == value) return;
        }
        if (value.empty()) return;
        m_words.emplace_back(option);
        m_words.push_back(value);
    }
    std::vector<std::string> take() { return std::move(m_words); }

  private:
    std::vector<std::string> m_words;
};

void addFolders(const SessionConfig& config, const HostPlan& host, Words& words)
{
    const auto write = [&words](const std::string& folder) {
        words.add("--write", folder);
        words.add("--disk", folder);
    };
    if (config.savePath) write(*config.savePath);
    for (const Role role : kRoles) {
        if (const auto& own = config.role(role).savePath) write(*own);
    }
    for (const PlannedCommand& command : host.commands) {
        if (command.argv.size() == 4 && command.argv[0] == "mkdir") write(command.argv[3]);
    }
}

} // namespace

std::vector<std::string> probeArguments(const SessionConfig& config, const LaunchPlan& plan, size_t host)
{
    const HostPlan& part = plan.hosts[host];
    Words words;
    words.add("--folder", part.workingFolder);
    for (const auto& [name, value] : part.environment) {
        if (name == "PATH") words.add("--path", value);
    }
    for (const PlannedCommand& command : part.commands)
        words.add("--program", command.argv.front());
    const LauncherKind kind = config.launcher.kind;
    const bool runsHere = kind == LauncherKind::ssh || kind == LauncherKind::local;
    if (!runsHere || !config.containerPrefix.empty()) return words.take();
    if (!part.commands.empty() && !config.command.empty()) {
        const std::string script = scriptOf(config.command);
        words.add("--file", script);
        if (config.tool == Tool::capture) words.add("--file", config.capture.library);
        if (script != config.command.front()) words.add("--program", config.command.front());
        if (isInterpreter(config.command[0]) && config.command[0].find("python") != std::string::npos)
            words.add("--python", config.command[0]);
    }
    addFolders(config, part, words);
    const std::vector<Host> hosts = plannedHosts(config);
    if (host > 0 && hostsMeetAtTheHead({config, {}, hosts, {}, 0}))
        words.add("--name", writtenHeadName(hosts));
    return words.take();
}

} // namespace lockstep
