// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/host_needs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/child_output.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/own_home.h"
#include "capture/agent/run_folder.h"
#include "core/base/home_path.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Reports the path as it was queried, because the session checks compare it with the session.
PathFacts pathFacts(const fs::path& queried)
{
    const fs::path path = withOwnHome(queried.string());
    PathFacts facts;
    facts.path = queried.string();
    struct stat status = {};
    facts.exists = ::stat(path.c_str(), &status) == 0;
    facts.isFolder = facts.exists && S_ISDIR(status.st_mode);
    // Checks the nearest existing parent, because a missing folder will be created below it.
    fs::path nearest = path;
    while (!nearest.empty() && nearest != nearest.root_path() && ::stat(nearest.c_str(), &status) != 0)
        nearest = nearest.parent_path();
    if (nearest.empty()) nearest = ".";
    facts.isWritable = ::stat(nearest.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       ::access(nearest.c_str(), W_OK | X_OK) == 0;
    return facts;
}

bool isProgram(const fs::path& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string foundOnPath(const std::string& queried)
{
    const std::string word = withOwnHome(queried);
    if (word.find('/') != std::string::npos) return isProgram(word) ? word : std::string();
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
        if (isProgram(candidate)) return candidate.string();
    }
    return {};
}

// Returns the interpreter from the first line of a script if this node lacks it, otherwise "".
std::string missingInterpreter(const fs::path& program)
{
    std::ifstream file(program, std::ios::binary);
    std::array<char, 256> head{};
    file.read(head.data(), head.size());
    std::string line(head.data(), static_cast<size_t>(file.gcount()));
    if (!line.starts_with("#!")) return {};
    line = line.substr(2, line.find('\n') - 2);
    std::istringstream words(line);
    std::string interpreter, argument;
    words >> interpreter >> argument;
    if (!isProgram(interpreter)) return interpreter;
    const bool isEnv = interpreter.ends_with("/env") && !argument.empty() && !argument.starts_with('-') &&
                       argument.find('=') == std::string::npos;
    return isEnv && foundOnPath(argument).empty() ? argument : std::string();
}

// Returns the interface of the default route, which has destination 0 in /proc/net/route.
std::string defaultInterface()
{
    std::ifstream routes("/proc/net/route");
    for (std::string line; std::getline(routes, line);) {
        std::istringstream fields(line);
        std::string interface, destination;
        if (fields >> interface >> destination && destination == "00000000") return interface;
    }
    return {};
}

// Bridges and veth pairs of containers are reachable on this node only.
bool isVirtual(std::string_view interface)
{
    constexpr std::array<std::string_view, 6> kFronts{"docker", "veth", "br-", "virbr", "cni", "flannel"};
    return std::ranges::any_of(kFronts,
                               [interface](std::string_view front) { return interface.starts_with(front); });
}

} // namespace

void probeNeeds(const ProbeTargets& targets, HostFacts& facts)
{
    bool isInside = true;
    for (const fs::path& folder : targets.folders) {
        facts.paths.push_back(pathFacts(folder));
        if (&folder == &targets.folders.front())
            isInside = ::chdir(withOwnHome(folder.string()).c_str()) == 0;
    }
    const auto isKnowable = [isInside](const fs::path& path) {
        return isInside || isPlacedPath(path.string());
    };
    for (const auto* list : {&targets.writable, &targets.files}) {
        for (const fs::path& path : *list) {
            if (!isKnowable(path)) continue;
            facts.paths.push_back(pathFacts(path));
            if (list == &targets.writable)
                facts.paths.back().usedBy = runWritingInto(withOwnHome(path.string()));
        }
    }
    for (const std::string& word : targets.programs) {
        if (word.find('/') != std::string::npos && !isKnowable(word)) continue;
        const std::string path = foundOnPath(word);
        facts.programs.push_back({word, path, path.empty() ? "" : missingInterpreter(path)});
    }
}

std::vector<NameFacts> resolvedNames(const std::vector<std::string>& names)
{
    std::vector<NameFacts> resolved;
    if (foundOnPath("getent").empty()) return resolved;
    for (const std::string& name : names) {
        NameFacts facts{name, {}};
        // Example: "10.0.0.5  STREAM node0", one line per socket type.
        std::istringstream lines(toolOutput({"getent", "ahosts", "--", name}).value_or(""));
        for (std::string line; std::getline(lines, line);) {
            const std::string address = line.substr(0, line.find(' '));
            if (std::ranges::find(facts.addresses, address) == facts.addresses.end())
                facts.addresses.push_back(address);
        }
        resolved.push_back(std::move(facts));
    }
    return resolved;
}

std::vector<std::string> ownAddresses()
{
    std::vector<std::string> addresses;
    const std::string best = defaultInterface();
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return addresses;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        const bool isUp = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!isUp || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        if (isVirtual(one->ifa_name)) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
        addresses.insert(best == one->ifa_name ? addresses.begin() : addresses.end(), text.data());
    }
    ::freeifaddrs(all);
    return addresses;
}

void probeHome(HostFacts& facts)
{
    const char* const home = std::getenv("HOME");
    if (home == nullptr) return;
    facts.home.emplace();
    facts.home->path = home;
    facts.home->isShared = isOnSharedDisk(home);
    if (facts.home->isShared) facts.home->localFolder = localStateFolder();
}

} // namespace lockstep::agent
