// SPDX-License-Identifier: Apache-2.0
// LiveFeed receives the captures of a run from its hosts while the run continues. It runs `lockstep-agent
// live` on each host over a separate connection, stores the data in a LiveStore, resumes at the first missing
// block after a lost link, and reports the progress. It is used on one thread with an event loop, which need
// not be the window's thread, and writes files on that thread. When it is deleted, the hosts stop sending;
// the run is not affected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "core/remote/agent_client.h"
#include "core/remote/live_store.h"

namespace lockstep {

struct LiveFeedHost {
    std::string host; // name in messages
    std::shared_ptr<const Remote> remote;
    std::string agentFolder, runDir; // same as in HostRecord
};

struct LiveFeedOptions {
    AgentProgram agent;
    std::filesystem::path folder; // used only by this feed, which first empties it
    double last_s = 30;
    double rate_bytesPerS = 4'000'000; // limit per host
    double firstRetry_s = 1, longestRetry_s = 10;
};

// Progress of one host. Value type.
struct LiveHostState {
    enum class Link : uint8_t { connecting, open, lost, ended, failed };

    std::string host;
    Link link = Link::connecting;
    MessageWithHelp reason;      // why the link is lost, has failed or is still connecting
    uint64_t received_bytes = 0; // received over the link, in total
    std::optional<LiveClock> clock;
    std::vector<LiveSpool> spools;
    std::vector<std::string> notes;
};
using LiveState = std::shared_ptr<const std::vector<LiveHostState>>;

class LiveHostFeed;

class LiveFeed : public QObject {
    Q_OBJECT

  public:
    static constexpr int kNotifyEvery_ms = 100;

    LiveFeed(std::vector<LiveFeedHost> hosts, LiveFeedOptions options, QObject* parent = nullptr);
    ~LiveFeed() override;

    // Starts the feed. Call this function and all functions below on the feed's thread.
    void begin();
    // Adds hosts that joined later: the nodes of a Slurm job, once it runs. In the state, they follow the
    // earlier hosts.
    void add(std::vector<LiveFeedHost> hosts);
    LiveState state() const;

  signals:
    // Emitted at most once per kNotifyEvery_ms.
    void advanced(const lockstep::LiveState& state);
    // Every host has ended or failed. This is the last signal, unless hosts are added.
    void ended(const lockstep::LiveState& state);

  private:
    friend class LiveHostFeed;
    void tell();

    const LiveFeedOptions m_options;
    std::vector<std::unique_ptr<LiveHostFeed>> m_hosts;
    QTimer* m_notifyTimer;
    bool m_hasEnded = false;
};

} // namespace lockstep
