// SPDX-License-Identifier: Apache-2.0
#include "core/remote/live_feed.h"

#include <algorithm>
#include <cmath>

#include "core/base/private_file.h"
#include "core/remote/remote_log.h"
#include "core/remote/run_record.h"

namespace lockstep {

namespace {

constexpr int kLiveSilence_s = 60;  // longer than the interval at which the agent reports its clock
constexpr int kMaxLiveFailures = 5; // maximum number of consecutive failures over a working link

} // namespace

// LiveHostFeed receives the captures of one host. Child objects move to the feed's thread with it.
class LiveHostFeed : public QObject {
  public:
    LiveHostFeed(LiveFeedHost host, const LiveFeedOptions& options, LiveFeed& feed)
        : QObject(&feed), m_feed(feed), m_host(std::move(host)), m_options(options),
          m_client(new AgentClient(m_host.remote, options.agent, this, m_host.agentFolder)),
          m_retry(new QTimer(this)), m_store(options.folder / fileNameOf(m_host.host))
    {
        m_state.host = m_host.host;
        m_retry->setSingleShot(true);
        connect(m_retry, &QTimer::timeout, this, &LiveHostFeed::open);
    }

    bool isFinal() const
    {
        return m_state.link == LiveHostState::Link::ended || m_state.link == LiveHostState::Link::failed;
    }
    LiveHostState state() const
    {
        LiveHostState state = m_state;
        state.clock = m_store.clock() ? m_store.clock() : m_lastClock;
        state.spools = m_store.spools();
        state.notes = m_store.notes();
        return state;
    }
    void open()
    {
        m_client->install([this](const Result<void>& installed) {
            if (!installed) return lose(installed.error(), m_client->lastLinkFailure());
            follow();
        });
    }

  private:
    void follow()
    {
        if (m_store.clock()) m_lastClock = m_store.clock();
        m_store.beginStream();
        m_frames = {};
        const std::string text = "exec " + m_client->quotedAgentPath() + " live " +
                                 quotedHostPath(m_host.runDir) + " --have --last " +
                                 std::to_string(m_options.last_s) + " --rate " +
                                 std::to_string(m_options.rate_bytesPerS);
        m_call = m_host.remote->streamCall(text, this, {"live", kLiveSilence_s, 0, 0});
        // Standard input stays open, because the agent sends data only while it is open.
        m_call->write(QByteArray::fromStdString(m_store.haveLine()));
        connect(m_call, &RemoteCall::outputArrived, this, &LiveHostFeed::takeBytes);
        connect(m_call, &RemoteCall::finished, this, &LiveHostFeed::handleEnd);
    }

    void takeBytes(const QByteArray& bytes)
    {
        m_state.received_bytes += static_cast<uint64_t>(bytes.size());
        m_state.link = LiveHostState::Link::open;
        m_state.reason = {};
        m_tries = m_agentFailures = 0;
        m_frames.add({bytes.data(), static_cast<size_t>(bytes.size())});
        while (const auto frame = m_frames.next()) {
            const Status taken = m_store.take(*frame);
            if (!taken) return fail({taken.error().message, taken.error().help});
        }
        if (m_frames.isBroken()) return fail({m_frames.problem()});
        m_feed.tell();
    }

    void handleEnd(const CallResult& result)
    {
        m_call->deleteLater();
        m_call = nullptr;
        if (isFinal()) return;
        if (m_store.hasEnded()) {
            m_state.link = LiveHostState::Link::ended;
            return m_feed.tell();
        }
        if (!result.isOk()) return lose(result.error, result.link);
        lose(Error{ErrorKind::remote, "the agent stopped sending"}, LinkFailure::none);
    }

    // Ends the feed of a host if it sent data that no lockstep-agent would send.
    void fail(const MessageWithHelp& reason)
    {
        m_state.link = LiveHostState::Link::failed;
        m_state.reason = reason;
        qCWarning(remoteLog, "live view of %s: %s", m_host.host.c_str(), reason.text.c_str());
        m_retry->stop();
        if (m_call != nullptr) m_call->cancel();
        m_feed.tell();
    }

    void lose(const Error& error, LinkFailure link)
    {
        const bool isWorthIt =
            isWorthRetrying(link) || (link == LinkFailure::none && ++m_agentFailures <= kMaxLiveFailures);
        if (!isWorthIt) return fail({error.message, error.help});
        // A link that has never delivered any data is still connecting, not lost.
        if (m_state.received_bytes > 0) m_state.link = LiveHostState::Link::lost;
        m_state.reason = {error.message, error.help};
        m_client->forgetInstallation();
        const double wait_s =
            std::min(m_options.longestRetry_s, m_options.firstRetry_s * std::pow(2, m_tries++));
        m_retry->start(static_cast<int>(wait_s * 1000));
        m_feed.tell();
    }

    LiveFeed& m_feed;
    const LiveFeedHost m_host;
    const LiveFeedOptions& m_options;
    AgentClient* m_client;
    QTimer* m_retry;
    RemoteCall* m_call = nullptr;
    LiveFrames m_frames;
    LiveStore m_store;
    std::optional<LiveClock> m_lastClock; // last clock reading of the previous stream
    LiveHostState m_state;
    int m_tries = 0, m_agentFailures = 0;
};

LiveFeed::LiveFeed(std::vector<LiveFeedHost> hosts, LiveFeedOptions options, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_notifyTimer(new QTimer(this))
{
    qRegisterMetaType<LiveState>();
    m_notifyTimer->setSingleShot(true);
    connect(m_notifyTimer, &QTimer::timeout, this, [this] {
        const LiveState now = state();
        emit advanced(now);
        const bool isOver = std::ranges::all_of(m_hosts, [](const auto& host) { return host->isFinal(); });
        if (isOver && !std::exchange(m_hasEnded, true)) emit ended(now);
    });
    for (LiveFeedHost& host : hosts)
        m_hosts.push_back(std::make_unique<LiveHostFeed>(std::move(host), m_options, *this));
}

LiveFeed::~LiveFeed()
{
    m_hosts.clear();
}

void LiveFeed::begin()
{
    // Removes files of an earlier feed of this run.
    std::error_code ignored;
    std::filesystem::remove_all(m_options.folder, ignored);
    for (const auto& host : m_hosts)
        host->open();
    tell();
}

void LiveFeed::add(std::vector<LiveFeedHost> hosts)
{
    for (LiveFeedHost& host : hosts) {
        m_hosts.push_back(std::make_unique<LiveHostFeed>(std::move(host), m_options, *this));
        m_hosts.back()->open();
    }
    m_hasEnded = m_hasEnded && hosts.empty();
    tell();
}

LiveState LiveFeed::state() const
{
    auto all = std::make_shared<std::vector<LiveHostState>>();
    for (const auto& host : m_hosts)
        all->push_back(host->state());
    return all;
}

void LiveFeed::tell()
{
    if (!m_notifyTimer->isActive()) m_notifyTimer->start(kNotifyEvery_ms);
}

} // namespace lockstep
