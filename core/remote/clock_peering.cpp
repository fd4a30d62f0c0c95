// SPDX-License-Identifier: Apache-2.0
#include "core/remote/clock_peering.h"

#include <algorithm>
#include <bit>

#include <QRandomGenerator>

#include "core/base/json_fields.h"
#include "core/remote/clock_exchange.h"
#include "core/remote/host_run.h"
#include "core/remote/remote.h"
#include "core/remote/run.h"

namespace lockstep {

namespace {

constexpr int kDelay_ms = 500;
constexpr int kRetry_ms = 10'000;
constexpr int kLinkRetry_ms = 30'000; // delay after a lost link
constexpr size_t kHeads = 2;          // number of hosts that all others query
constexpr size_t kMinHosts = 16;      // room for later hosts, so that peers do not have to be sent again

std::string hexText(const std::array<unsigned char, 16>& bytes)
{
    return QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size()))
        .toHex()
        .toStdString();
}

} // namespace

ClockPeering::ClockPeering(Run& run) : QObject(&run), m_run(run), m_delay(this)
{
    auto* random = QRandomGenerator::system();
    for (unsigned char& byte : m_token)
        byte = static_cast<unsigned char>(random->bounded(256));
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &ClockPeering::sendPeers);
    connect(&run, &Run::eventArrived, this, &ClockPeering::note);
    connect(&run, &Run::hostChanged, this, [this](size_t host) {
        if (isFinal(m_run.hosts()[host].state) && m_links.contains(host)) m_links[host]->end();
    });
}

ClockPeering::~ClockPeering() = default;

void ClockPeering::note(size_t host, const RunEvent& event)
{
    if (event.kind != EventKind::clockExchange) return;
    if (event.word == "listening") {
        m_messages.erase(host); // this is a new agent process, which has no peers yet
        m_delay.start(kDelay_ms);
    } else if (event.word == "unreachable") {
        measureOverLink(host);
        for (size_t peer = 0; peer < m_run.hosts().size(); ++peer) {
            if (m_run.hosts()[peer].host == event.peer) measureOverLink(peer);
        }
    }
}

std::map<size_t, std::string> ClockPeering::peersByHost() const
{
    std::vector<size_t> there;
    for (size_t i = 0; i < m_run.hosts().size(); ++i) {
        if (m_run.hosts()[i].clockPort > 0 && !isFinal(m_run.hosts()[i].state)) there.push_back(i);
    }
    std::map<size_t, std::string> out;
    if (there.size() < 2) return out;
    const size_t hosts = std::bit_ceil(std::max(kMinHosts, m_run.hosts().size()));
    for (const size_t self : there) {
        Json peers = Json::array();
        // The second host queries only the first host, because one direction per pair is enough.
        for (size_t head = 0; head < std::min(kHeads, there.size()) && there[head] < self; ++head) {
            const HostStatus& status = m_run.hosts()[there[head]];
            peers.push_back({{"number", there[head]},
                             {"host", status.host},
                             {"port", status.clockPort},
                             {"addresses", status.clockAddresses}});
        }
        out[self] = jsonLine(
            {{"token", hexText(m_token)}, {"self", self}, {"hosts", hosts}, {"peers", std::move(peers)}});
    }
    return out;
}

void ClockPeering::sendPeers()
{
    for (auto& [host, text] : peersByHost()) {
        if (m_messages.contains(host) && m_messages[host] == text) continue;
        m_messages[host] = text;
        if (std::ranges::find(m_waiting, host) == m_waiting.end()) m_waiting.push_back(host);
    }
    while (m_sending < m_run.options().parallelHosts && !m_waiting.empty())
        sendNext();
}

void ClockPeering::sendNext()
{
    const size_t host = m_waiting.front();
    m_waiting.pop_front();
    ++m_sending;
    m_run.client(host)->sendPeers(m_run.agentRunDir(host), m_messages[host], [this, host](Status done) {
        --m_sending;
        if (!done && !isFinal(m_run.hosts()[host].state)) {
            qCInfo(remoteLog, "%s: cannot send the list of clock peers: %s", m_run.hosts()[host].host.c_str(),
                   done.error().message.c_str());
            m_messages.erase(host);
            if (!m_delay.isActive()) m_delay.start(kRetry_ms);
        }
        if (!m_waiting.empty()) sendNext();
    });
}

void ClockPeering::measureOverLink(size_t host)
{
    if (m_links.contains(host) || isFinal(m_run.hosts()[host].state)) return;
    AgentClient* client = m_run.client(host);
    m_links[host] = new LinkClock(client->remote(), client->quotedAgentPath(), this);
    connect(m_links[host], &LinkClock::measured, this,
            [this, host](const std::string& line) { m_run.m_hosts[host]->appendLine(line); });
    connect(m_links[host], &LinkClock::finished, this, [this, host] {
        m_links[host]->deleteLater();
        m_links.erase(host);
        QTimer::singleShot(kLinkRetry_ms, this, [this, host] { measureOverLink(host); });
    });
}

} // namespace lockstep
