// SPDX-License-Identifier: Apache-2.0
#include "core/remote/host_probe.h"

#include "core/remote/remote.h"
#include "core/session/current_facts.h"

namespace lockstep {

std::shared_ptr<const Remote> makeRemote(const RunOptions& options, const std::string& address)
{
    if (options.makeRemote) return options.makeRemote(address);
    if (address.empty()) return std::make_shared<LocalRemote>();
    return std::make_shared<SshRemote>(address, options.ssh);
}

HostProbe::HostProbe(const SessionConfig& config, const LaunchPlan& plan, RunOptions options, QObject* parent)
    : QObject(parent), m_options(std::move(options))
{
    for (size_t i = 0; i < plan.hosts.size(); ++i) {
        const HostPlan& host = plan.hosts[i];
        auto* const client =
            new AgentClient(makeRemote(m_options, host.address), m_options.agent, this, host.agentFolder);
        client->setIdleTimeout(m_options.giveUpConnecting_s);
        connect(client, &AgentClient::waits, this,
                [this, name = host.host](const std::string& text) { emit hostWaits(name, text); });
        m_queue.push_back(i);
        m_hosts.push_back({host.host,
                           client,
                           {host.address, host.agentFolder, probeArguments(config, plan, i)},
                           !host.captureLibrary.empty(),
                           std::nullopt});
    }
    QMetaObject::invokeMethod(this, &HostProbe::next, Qt::QueuedConnection);
}

std::vector<HostFacts> HostProbe::facts() const
{
    std::vector<HostFacts> all;
    for (const Request& host : m_hosts) {
        if (host.facts) all.push_back(*host.facts);
    }
    return all;
}

void HostProbe::next()
{
    while (!m_queue.empty() && m_active < m_options.parallelHosts) {
        const size_t index = m_queue.front();
        m_queue.pop_front();
        ++m_active;
        if (!m_hosts[index].needsLibrary) {
            queryHost(index, {});
            continue;
        }
        m_hosts[index].client->installLibrary([this, index](Result<std::string> path) {
            // If this machine has no library, the checks report it later.
            if (path || path.error().kind == ErrorKind::notFound)
                return queryHost(index, path.value_or(std::string()));
            take(index, tl::make_unexpected(path.error()));
        });
    }
    if (m_queue.empty() && m_active == 0) emit finished();
}

void HostProbe::queryHost(size_t index, std::optional<std::string> library)
{
    m_hosts[index].client->probe(m_hosts[index].query.arguments,
                                 [this, index, library = std::move(library)](Result<HostFacts> answer) {
                                     if (answer) answer->captureLibrary = library;
                                     take(index, std::move(answer));
                                 });
}

void HostProbe::take(size_t index, Result<HostFacts> answer)
{
    Request& host = m_hosts[index];
    if (answer) {
        host.facts = std::move(*answer);
        host.facts->host = host.host; // the name in the session, not the name that the host itself uses
        host.facts->query = host.query;
        if (!host.facts->clockOffset_ns)
            m_notes.push_back({host.host, "its clock could not be read: no valid response to `clock`"});
    } else {
        m_unanswered.push_back(
            {host.host, host.client->lastLinkFailure(), answer.error(), host.query.address});
    }
    if (!host.client->greeting().empty())
        m_notes.push_back({host.host, greetingText(host.client->greeting())});
    --m_active;
    emit hostDone(++m_done, m_hosts.size());
    next();
}

} // namespace lockstep
