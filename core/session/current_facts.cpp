// SPDX-License-Identifier: Apache-2.0
#include "core/session/current_facts.h"

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/session/head_address.h"

namespace lockstep {

namespace {

// The options of a probe, as pairs of option and value.
class Queries {
  public:
    explicit Queries(std::vector<std::string> words) : m_words(std::move(words)) {}

    bool has(std::initializer_list<std::string_view> options, std::string_view value) const
    {
        return std::ranges::any_of(options, [&](std::string_view option) {
            for (size_t i = 0; i + 1 < m_words.size(); i += 2) {
                if (m_words[i] == option && m_words[i + 1] == value) return true;
            }
            return false;
        });
    }
    // Returns the first value of an option, or "".
    std::string_view valueOf(std::string_view option) const
    {
        for (size_t i = 0; i + 1 < m_words.size(); i += 2) {
            if (m_words[i] == option) return m_words[i + 1];
        }
        return {};
    }
    const std::vector<std::string>& words() const { return m_words; }

  private:
    std::vector<std::string> m_words;
};

// Removes what depends on a setting of the query that has changed: the working folder for relative paths,
// PATH for programs and tools, the interpreter for Python packages.
void removeOutdated(const Queries& before, const Queries& now, HostFacts& facts)
{
    const auto isSame = [&](std::string_view option) {
        return before.valueOf(option) == now.valueOf(option);
    };
    if (!isSame("--folder")) {
        const auto isRelative = [](const std::string& path) { return !isAbsoluteOrHomePath(path); };
        std::erase_if(facts.paths, [&](const PathFacts& path) { return isRelative(path.path); });
        std::erase_if(facts.disks, [&](const DiskFacts& disk) { return isRelative(disk.path); });
        std::erase_if(facts.programs, [&](const ProgramFacts& program) {
            return program.word.find('/') != std::string::npos && isRelative(program.word);
        });
    }
    if (!isSame("--path")) {
        facts.nsys.reset();
        facts.slurm.reset();
        std::erase_if(facts.programs, [](const ProgramFacts& program) {
            return program.word.find('/') == std::string::npos;
        });
    }
    const std::string_view python = now.valueOf("--python");
    const bool isFound = isAbsoluteOrHomePath(python) || (isSame("--path") && isSame("--folder"));
    if (isSame("--python") && isFound) return;
    facts.python.reset();
    facts.torch.reset();
    facts.ray.reset();
    facts.modules.reset();
}

void keepAnswers(const Queries& now, HostFacts& facts)
{
    std::erase_if(facts.paths, [&](const PathFacts& path) {
        return !now.has({"--folder", "--write", "--file"}, path.path);
    });
    std::erase_if(facts.programs,
                  [&](const ProgramFacts& program) { return !now.has({"--program"}, program.word); });
    std::erase_if(facts.names, [&](const NameFacts& name) { return !now.has({"--name"}, name.name); });
}

} // namespace

// Returns what does not depend on queries, for a session that has no plan yet.
static std::vector<HostFacts> factsWithoutPlan(const SessionConfig& config, std::span<const HostFacts> facts)
{
    std::vector<HostFacts> current;
    for (const Host& host : plannedHosts(config)) {
        const HostFacts* const found = findHostFacts(facts, host.name);
        if (found == nullptr) continue;
        const bool isLocal = config.launcher.kind == LauncherKind::local;
        const std::string address = isLocal ? "" : host.address.empty() ? host.name : host.address;
        if (found->query && found->query->address != address) continue;
        current.push_back(*found);
        current.back().paths.clear();
        current.back().programs.clear();
        current.back().names.clear();
    }
    return current;
}

std::vector<HostFacts> currentFacts(const SessionConfig& config, std::span<const HostFacts> facts)
{
    std::vector<HostFacts> current;
    if (facts.empty()) return current;
    const Result<LaunchPlan> plan = planLaunch(config, {});
    if (!plan) return factsWithoutPlan(config, facts);
    for (size_t i = 0; i < plan->hosts.size(); ++i) {
        const HostPlan& host = plan->hosts[i];
        const HostFacts* const found = findHostFacts(facts, host.host);
        if (found == nullptr || (found->query && found->query->address != host.address)) continue;
        HostFacts kept = *found;
        const Queries now(probeArguments(config, *plan, i));
        if (kept.query) {
            removeOutdated(Queries(kept.query->arguments), now, kept);
            if (kept.query->agentFolder != host.agentFolder) kept.captureLibrary.reset();
        }
        keepAnswers(now, kept);
        current.push_back(std::move(kept));
    }
    return current;
}

std::vector<std::string> uncheckedNeeds(const SessionConfig& config, const LaunchPlan& plan, size_t host,
                                        std::span<const HostFacts> facts)
{
    std::vector<std::string> needs;
    const HostFacts* const found = findHostFacts(facts, plan.hosts[host].host);
    if (found == nullptr || !found->query) return needs;
    const Queries before(found->query->arguments), now(probeArguments(config, plan, host));
    const bool isMoved = before.valueOf("--folder") != now.valueOf("--folder");
    const bool isOtherPath = before.valueOf("--path") != now.valueOf("--path");
    for (size_t i = 0; i + 1 < now.words().size(); i += 2) {
        const std::string &option = now.words()[i], &value = now.words()[i + 1];
        if (option == "--disk" || option == "--path") continue; // queried together with the other options
        const bool isName = option == "--name", hasSlash = value.find('/') != std::string::npos;
        const bool isLookedUp = (option == "--program" || option == "--python") && !hasSlash;
        const bool isOutdated =
            !isName &&
            (isLookedUp ? isOtherPath : isMoved && option != "--folder" && !isAbsoluteOrHomePath(value));
        if (before.has({option}, value) && !isOutdated) continue;
        if (std::ranges::find(needs, value) == needs.end()) needs.push_back(value);
    }
    return needs;
}

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
    for (const PlannedCommand& command : part.commands) {
        const std::string& program = command.argv.front();
        words.add("--program", program == "lockstep-agent" ? "bash" : program);
    }
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
    words.add("--file", config.script);
    addFolders(config, part, words);
    const std::vector<Host> hosts = plannedHosts(config);
    if (host > 0 && connectsToHead({config, {}, hosts, {}, 0})) words.add("--name", writtenHeadName(hosts));
    return words.take();
}

} // namespace lockstep
