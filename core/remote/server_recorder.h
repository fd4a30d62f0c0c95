// SPDX-License-Identifier: Apache-2.0
// ServerRecorder starts and stops the profilers of several inference servers together. It recognizes all
// servers first, replaces routers by their workers, prepares a connection for each start request, and then
// sends all of them in one loop. A failing server does not stop the others. One thread with an event loop.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "core/remote/server_run.h"

namespace lockstep {

class ServerRecorder : public QObject {
    Q_OBJECT

  public:
    ServerRecorder(std::vector<ServerTarget> targets, RecorderOptions options, QObject* parent = nullptr);

    // Starts. finished() follows, also after cancel().
    void begin();
    // Stops all recordings in progress, without waiting for their files.
    void cancel();

    size_t count() const { return m_servers.size(); }
    const ServerStatus& server(size_t index) const { return m_servers[index]->status(); }
    size_t countIn(ServerState state) const;
    bool isFinished() const { return m_isFinished; }
    // Returns an upper bound of the time between the first and the last start request. It includes the delays
    // of the connections to hosts. nullopt if fewer than two were sent.
    std::optional<double> spread_s() const;

  signals:
    // A router was replaced by its workers, so that the servers have other indexes.
    void listChanged();
    void changed(size_t server);
    // See ServerRun::waits().
    void waits(size_t server, const std::string& text);
    void finished();

  private:
    void slowPolls(size_t servers);
    void add(size_t at, ServerTarget target);
    void identified(ServerRun* server);
    void expand(ServerRun* router);
    void prepareAll();
    void startAll();
    void endIfOver();
    FolderShare shareOf(const ServerRun& server) const;
    std::optional<size_t> indexOf(const ServerRun* server) const;

    RecorderOptions m_options;
    std::vector<std::unique_ptr<ServerRun>> m_servers;
    std::vector<std::unique_ptr<ServerRun>> m_routers; // replaced by their workers
    size_t m_open = 0;                                 // servers that are being recognized or prepared
    bool m_isStarted = false, m_isFinished = false, m_isCanceled = false;
};

} // namespace lockstep
