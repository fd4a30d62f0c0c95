// SPDX-License-Identifier: Apache-2.0
#include "core/session/head_address.h"

#include <algorithm>

namespace lockstep {

namespace {

bool isLoopback(const std::string& address)
{
    return address.starts_with("127.") || address == "::1";
}

// Returns true if the host, according to its probe, resolves the name to an address of the first host.
bool resolves(const HostFacts& host, const std::string& name, const HostFacts* head)
{
    const auto entry = std::ranges::find(host.names, name, &NameFacts::name);
    if (entry == host.names.end()) return true;
    if (head == nullptr || head->addresses.empty()) return !entry->addresses.empty();
    return std::ranges::any_of(entry->addresses, [head](const std::string& address) {
        // A loopback address refers to the probed host itself.
        return !isLoopback(address) && std::ranges::find(head->addresses, address) != head->addresses.end();
    });
}

std::vector<std::string> hostsWithout(const RecipeInput& input, const std::string& name)
{
    std::vector<std::string> lost;
    if (input.hosts.empty()) return lost;
    const HostFacts* const head = findHostFacts(input.facts, input.hosts[0].name);
    for (const Host& host : input.hosts.subspan(1)) {
        const HostFacts* const facts = findHostFacts(input.facts, host.name);
        if (facts != nullptr && !resolves(*facts, name, head)) lost.push_back(host.name);
    }
    return lost;
}

} // namespace

std::string writtenHeadName(std::span<const Host> hosts)
{
    if (hosts.empty()) return {};
    std::string name = hosts[0].address.empty() ? hosts[0].name : hosts[0].address;
    const bool isUrl = name.starts_with("ssh://");
    if (isUrl) name.erase(0, 6);
    name.erase(0, name.find('@') + 1); // if there is no '@', npos + 1 is 0
    if (isUrl) name.erase(std::min(name.find(':'), name.size()));
    return name;
}

std::string headAddress(const RecipeInput& input)
{
    const std::string name = writtenHeadName(input.hosts);
    if (name.empty() || hostsWithout(input, name).empty()) return name;
    const HostFacts* const head = findHostFacts(input.facts, input.hosts[0].name);
    return head != nullptr && !head->addresses.empty() ? head->addresses.front() : name;
}

std::vector<std::string> hostsNotReachingHead(const RecipeInput& input)
{
    const std::string name = writtenHeadName(input.hosts);
    if (name.empty() || headAddress(input) != name) return {};
    return hostsWithout(input, name);
}

bool connectsToHead(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    if (config.launcher.kind != LauncherKind::ssh || input.hosts.size() < 2) return false;
    const Recipe& recipe = recipeFor(config.framework);
    return recipe.usesTorchrun || (recipe.usesRay && config.launcher.startRay.value_or(false));
}

} // namespace lockstep
