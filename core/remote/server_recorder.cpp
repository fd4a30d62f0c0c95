// SPDX-License-Identifier: Apache-2.0
#include "core/remote/server_recorder.h"

#include <algorithm>

namespace lockstep {

namespace {

// Each reading of steps starts a curl process, so many servers are read less often.
constexpr double kPollOfServer_s = 0.02;

} // namespace

ServerRecorder::ServerRecorder(std::vector<ServerTarget> targets, RecorderOptions options, QObject* parent)
    : QObject(parent), m_options(std::move(options))
{
    slowPolls(targets.size());
    for (ServerTarget& target : targets)
        add(m_servers.size(), std::move(target));
}

void ServerRecorder::slowPolls(size_t servers)
{
    m_options.pollSteps_s = std::max(m_options.pollSteps_s, kPollOfServer_s * static_cast<double>(servers));
}

void ServerRecorder::add(size_t at, ServerTarget target)
{
    auto server = std::make_unique<ServerRun>(std::move(target), m_options, nullptr);
    ServerRun* const raw = server.get();
    raw->setShare([this, raw] { return shareOf(*raw); });
    connect(raw, &ServerRun::changed, this, [this, raw] {
        if (const auto index = indexOf(raw)) emit changed(*index);
    });
    connect(raw, &ServerRun::waits, this, [this, raw](const std::string& text) {
        if (const auto index = indexOf(raw)) emit waits(*index, text);
    });
    connect(raw, &ServerRun::identified, this, [this, raw] { identified(raw); });
    connect(raw, &ServerRun::prepared, this, [this] {
        if (--m_open == 0) startAll();
    });
    connect(raw, &ServerRun::over, this, &ServerRecorder::endIfOver, Qt::QueuedConnection);
    m_servers.insert(m_servers.begin() + static_cast<std::ptrdiff_t>(at), std::move(server));
}

std::optional<size_t> ServerRecorder::indexOf(const ServerRun* server) const
{
    const auto found = std::ranges::find(m_servers, server, [](const auto& one) { return one.get(); });
    if (found == m_servers.end()) return std::nullopt;
    return static_cast<size_t>(found - m_servers.begin());
}

void ServerRecorder::begin()
{
    m_open = m_servers.size();
    if (m_open == 0) return endIfOver();
    std::vector<ServerRun*> all;
    for (const auto& server : m_servers)
        all.push_back(server.get());
    for (ServerRun* server : all)
        server->identify();
}

void ServerRecorder::identified(ServerRun* server)
{
    --m_open;
    if (server->isRouter() && !server->workers().empty()) expand(server);
    if (m_open == 0) prepareAll();
}

void ServerRecorder::expand(ServerRun* router)
{
    const auto at = indexOf(router);
    const bool isNested = !m_routers.empty() && std::ranges::any_of(m_routers, [&](const auto& one) {
        return std::ranges::find(one->workers(), router->status().target.url) != one->workers().end();
    });
    if (!at || m_isCanceled) return;
    if (isNested) return router->fail("the worker of a router is a router itself; give its workers instead");
    m_routers.push_back(std::move(m_servers[*at]));
    m_servers.erase(m_servers.begin() + static_cast<std::ptrdiff_t>(*at));
    slowPolls(m_servers.size() + router->workers().size());
    std::vector<ServerRun*> added;
    size_t next = *at;
    for (const std::string& url : router->workers()) {
        const bool isKnown =
            std::ranges::any_of(m_servers, [&](const auto& one) { return one->status().target.url == url; });
        if (isKnown) continue;
        ServerTarget target = router->status().target;
        target.url = url;
        add(next, std::move(target));
        added.push_back(m_servers[next++].get());
    }
    m_open += added.size();
    emit listChanged();
    for (ServerRun* server : added)
        server->identify();
}

void ServerRecorder::prepareAll()
{
    std::vector<ServerRun*> found;
    for (const auto& server : m_servers) {
        if (!isOver(server->status().state)) found.push_back(server.get());
    }
    m_open = found.size();
    if (found.empty()) return endIfOver();
    for (ServerRun* server : found)
        server->prepare();
}

void ServerRecorder::startAll()
{
    m_isStarted = true;
    for (const auto& server : m_servers) {
        if (server->isReady() && !m_isCanceled) server->start();
    }
    endIfOver();
}

void ServerRecorder::endIfOver()
{
    const bool isAllOver =
        std::ranges::all_of(m_servers, [](const auto& one) { return isOver(one->status().state); });
    if (!isAllOver || m_isFinished) return;
    m_isFinished = true;
    emit finished();
}

FolderShare ServerRecorder::shareOf(const ServerRun& server) const
{
    const ServerStatus& own = server.status();
    FolderShare share{0, 0, false};
    for (const auto& one : m_servers) {
        const ServerStatus& other = one->status();
        const bool isSame = other.facts && own.facts && other.facts->kind == own.facts->kind &&
                            other.target.folder == own.target.folder && other.target.host == own.target.host;
        if (!isSame || (other.state == ServerState::failed && !other.mayHaveWritten)) continue;
        ++share.servers;
        share.isBusy = share.isBusy || (other.state < ServerState::writing && one.get() != &server);
        share.traces = share.traces && other.expected.count
                           ? std::optional(*share.traces + *other.expected.count)
                           : std::nullopt;
    }
    return share;
}

void ServerRecorder::cancel()
{
    m_isCanceled = true;
    for (const auto& server : m_servers)
        server->cancel();
    QMetaObject::invokeMethod(this, &ServerRecorder::endIfOver, Qt::QueuedConnection);
}

size_t ServerRecorder::countIn(ServerState state) const
{
    return static_cast<size_t>(
        std::ranges::count_if(m_servers, [&](const auto& one) { return one->status().state == state; }));
}

std::optional<double> ServerRecorder::spread_s() const
{
    std::optional<int64_t> first, last;
    size_t sent = 0;
    for (const auto& server : m_servers) {
        const auto& sent_ns = server->status().sent_ns;
        if (!sent_ns) continue;
        ++sent;
        first = first ? std::min(*first, sent_ns->first) : sent_ns->first;
        last = last ? std::max(*last, sent_ns->second) : sent_ns->second;
    }
    if (sent < 2) return std::nullopt;
    return static_cast<double>(*last - *first) / 1e9;
}

} // namespace lockstep
