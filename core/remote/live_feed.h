// SPDX-License-Identifier: Apache-2.0
// LiveFeed: the captures of a run as they come from its hosts while it goes on: runs `lockstep-agent live` on
// each over its own connection, keeps what comes in a LiveStore, connects again after a lost link from the
// block that is missing, and tells how far all of it is. Lives in one thread with an event loop, which need
// not be that of a window, and writes files there. When it goes, the hosts stop sending; the run does not
// notice.
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
    std::string host; // what people call it
    std::shared_ptr<const Remote> remote;
    std::string agentFolder, runDir; // as HostRecord has them
};

struct LiveFeedOptions {
    AgentProgram agent;
    std::filesystem::path folder; // for this feed alone; it is emptied
    double last_s = 30;
    double rate_bytesPerS = 4'000'000; // of each host
    double firstRetry_s = 1, longestRetry_s = 10;
};

// How far one host's part is. A plain value.
struct LiveHostState {
    enum class Link : uint8_t { connecting, open, lost, ended, failed };

    std::string host;
    Link link = Link::connecting;
    std::string reason;          // why it is lost, failed or still connecting
    uint64_t received_bytes = 0; // over the link, all told
    std::optional<LiveClock> clock;
    std::vector<LiveSpool> spools;
    std::vector<std::string> notes;
};
using LiveState = std::shared_ptr<const std::vector<LiveHostState>>;

class LiveHostFeed;

class LiveFeed : public QObject {
    Q_OBJECT

  public:
    static constexpr int kTellEvery_ms = 100;

    LiveFeed(std::vector<LiveFeedHost> hosts, LiveFeedOptions options, QObject* parent = nullptr);
    ~LiveFeed() override;

    // In the thread that it lives in, as all below.
    void begin();
    // Hosts that joined since: nodes of a Slurm job, once it runs. They come behind the others in the state.
    void add(std::vector<LiveFeedHost> hosts);
    LiveState state() const;

  signals:
    // At most every kTellEvery_ms.
    void advanced(const lockstep::LiveState& state);
    // Each host has ended or failed; the last signal, unless hosts are added.
    void ended(const lockstep::LiveState& state);

  private:
    friend class LiveHostFeed;
    void tell();

    const LiveFeedOptions m_options;
    std::vector<std::unique_ptr<LiveHostFeed>> m_hosts;
    QTimer* m_tell;
    bool m_hasEnded = false;
};

} // namespace lockstep
