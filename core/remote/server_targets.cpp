// SPDX-License-Identifier: Apache-2.0
#include "core/remote/server_targets.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/text.h"
#include "core/remote/host_probe.h"
#include "core/remote/slurm_remote.h"
#include "core/servers/server_url.h"

namespace lockstep {

namespace {

// Returns the host in "user@host", "ssh://user@host:port" or an alias.
std::string_view hostOfSshAddress(std::string_view address)
{
    if (address.starts_with("ssh://")) {
        address.remove_prefix(6);
        address =
            address.substr(0, address.find(':', address.rfind('@') == address.npos ? 0 : address.rfind('@')));
    }
    return address.substr(address.rfind('@') + 1);
}

// Returns true if the name in a server's address is this host: node1 and node1.cluster are the same.
bool isSameHost(const HostRecord& host, std::string_view name)
{
    const auto isSame = [name](std::string_view known) {
        if (known.empty()) return false;
        const std::string a = lowerAscii(known), b = lowerAscii(name);
        return a == b || b.starts_with(a + ".") || a.starts_with(b + ".");
    };
    return isSame(host.host) || isSame(hostOfSshAddress(host.address)) || isSame(host.slurmNode);
}

Result<const HostRecord*> hostFor(const RunRecord& record, const SessionServer& server)
{
    // Nodes of a Slurm job follow its login node, which does not run the servers.
    std::vector<const HostRecord*> hosts;
    const bool hasNodes =
        std::ranges::any_of(record.hosts, [](const HostRecord& host) { return !host.slurmNode.empty(); });
    for (const HostRecord& host : record.hosts) {
        if (!hasNodes || !host.slurmNode.empty()) hosts.push_back(&host);
    }
    const std::string_view name = server.host.empty() ? hostOfServerUrl(server.url) : server.host;
    for (const HostRecord* host : hosts) {
        const bool isIt = server.host.empty() ? isSameHost(*host, name) : host->host == name;
        if (isIt) return host;
    }
    if (!server.host.empty())
        return makeError(ErrorKind::invalid, "the run has no host '" + printable(server.host) +
                                                 "', which the session names for " + server.url);
    if (isLoopbackHost(name) && hosts.size() > 1)
        return makeError(ErrorKind::invalid,
                         server.url + " is on one of " + std::to_string(hosts.size()) +
                             " hosts; name it in the session: servers: [{url: " + server.url +
                             ", host: " + printable(hosts.front()->host) + "}]");
    return hosts.front();
}

} // namespace

Result<std::vector<ServerTarget>> targetsFromUrls(std::span<const std::string> urls,
                                                  std::optional<ServerKind> kind, const std::string& folder)
{
    std::vector<ServerTarget> targets;
    const auto remote = std::make_shared<const LocalRemote>();
    for (const std::string& url : urls) {
        const std::string checked = LOCKSTEP_TRY(checkedServerUrl(url));
        const bool isKnown =
            std::ranges::any_of(targets, [&](const ServerTarget& one) { return one.url == checked; });
        if (!isKnown) targets.push_back({checked, kind, folder, remote, {}});
    }
    return targets;
}

Result<std::vector<ServerTarget>> targetsOfRun(const RunRecord& record, const SessionConfig& config,
                                               const RunOptions& options, std::optional<ServerKind> kind,
                                               const std::string& folder)
{
    if (config.servers.empty())
        return makeError(ErrorKind::notFound,
                         "the session of run " + record.id +
                             " lists no servers; add them to the session, for example servers: "
                             "[http://node1:30000], or give their addresses instead of the run",
                         HelpTopic::servers);
    std::vector<ServerTarget> targets;
    for (const SessionServer& server : config.servers) {
        const HostRecord& host = *LOCKSTEP_TRY(hostFor(record, server));
        std::shared_ptr<const Remote> remote = makeRemote(options, host.address);
        if (!host.slurmNode.empty())
            remote = std::make_shared<SlurmRemote>(std::move(remote), record.slurmJob, host.slurmNode,
                                                   host.slurmComponent);
        targets.push_back({server.url, kind ? kind : server.kind, folder.empty() ? server.folder : folder,
                           std::move(remote), host.host});
    }
    return targets;
}

Result<std::string> serverKeyFromEnvironment()
{
    const char* const value = std::getenv(kServerKeyVariable);
    const std::string key = value == nullptr ? "" : value;
    if (std::ranges::any_of(key, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
        return makeError(ErrorKind::invalid, std::string(kServerKeyVariable) +
                                                 " contains a control character, such as a line break");
    return key;
}

} // namespace lockstep
