// SPDX-License-Identifier: Apache-2.0
#include "core/remote/live_feed.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/remote/remote.h"
#include "core/remote/run_record.h"

namespace lockstep {

namespace {

// Computes the ID of a capture file from the received header, in the same way as the agent.
std::string spoolId(const LockstepSpoolHeader& header)
{
    std::string text;
    for (size_t i = 0; i < sizeof header.checksum; ++i) {
        const auto byte = reinterpret_cast<const unsigned char*>(&header.checksum)[i];
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

} // namespace

std::string safeSpoolName(std::string_view name)
{
    constexpr std::string_view kEnding = ".lsc";
    constexpr size_t kMax = 128;
    if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
    std::string safe;
    for (const char c : name.substr(0, kMax - kEnding.size())) {
        const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             std::string_view("_.=+-").find(c) != std::string_view::npos;
        safe += isPlain ? c : '-';
    }
    if (safe.empty() || safe.front() == '.') safe.insert(0, "spool");
    return safe + std::string(kEnding);
}

LiveStore::LiveStore(std::filesystem::path folder, uint64_t max_bytes)
    : m_folder(std::move(folder)), m_max_bytes(max_bytes)
{
}

void LiveStore::note(std::string text)
{
    text = repairedUtf8(std::string_view(text).substr(0, 500));
    if (m_notes.size() < kMaxNotes && std::ranges::find(m_notes, text) == m_notes.end())
        m_notes.push_back(std::move(text));
}

void LiveStore::beginStream()
{
    m_byNumber.clear();
    m_clock.reset();
}

std::string LiveStore::haveLine() const
{
    Json have = Json::object();
    for (const LiveSpool& spool : m_spools)
        have[spool.id] = spool.nextBlock;
    return jsonLine({{"have", std::move(have)}}, true) + "\n";
}

LiveSpool* LiveStore::spoolOf(const Json& head)
{
    const auto known = m_byNumber.find(countAt(head, "file"));
    return known != m_byNumber.end() ? &m_spools[known->second] : nullptr;
}

Status LiveStore::take(const LiveFrame& frame)
{
    if (frame.kind == liveWord::kFile) return handleFile(frame);
    if (frame.kind == liveWord::kBlock) return takeBlock(frame);
    if (frame.kind == liveWord::kSkipped) {
        takeSkipped(frame.head);
    } else if (frame.kind == liveWord::kLag) {
        takeLag(frame.head);
    } else if (frame.kind == liveWord::kNote) {
        const LiveSpool* const spool = spoolOf(frame.head);
        const std::string text = textAt(frame.head, "text");
        note(spool != nullptr ? spool->path.filename().string() + ": " + text : text);
    } else if (frame.kind == liveWord::kDone) {
        if (LiveSpool* const spool = spoolOf(frame.head)) spool->isDone = true;
    } else if (frame.kind == liveWord::kEnd) {
        m_hasEnded = true;
    }
    return {};
}

Status LiveStore::handleFile(const LiveFrame& frame)
{
    const auto header = spoolHeader(frame.payload);
    if (!header || header->header_bytes != frame.payload.size()) {
        note("a capture file without a valid header; not shown");
        return {};
    }
    const std::string id = spoolId(*header);
    const auto known = std::ranges::find(m_spools, id, &LiveSpool::id);
    if (known != m_spools.end()) {
        const auto place = static_cast<size_t>(known - m_spools.begin());
        const bool isTwice =
            std::ranges::any_of(m_byNumber, [&](const auto& of) { return of.second == place; });
        if (isTwice) return makeError(ErrorKind::corrupt, "the host announced the same capture file twice");
        m_byNumber.emplace(countAt(frame.head, "file"), place);
        return {};
    }
    if (m_spools.size() >= kMaxSpools) {
        note("more than " + std::to_string(kMaxSpools) + " capture files; the rest are not shown");
        return {};
    }
    LiveSpool spool;
    spool.path = m_folder / std::to_string(m_spools.size() + 1) / safeSpoolName(textAt(frame.head, "name"));
    spool.id = id;
    if (const auto made = makePrivateFolders(spool.path.parent_path()); !made) {
        note(made.error().message);
        return {};
    }
    if (!append(spool, frame.payload, O_CREAT | O_EXCL)) return {};
    if (!m_byNumber.emplace(countAt(frame.head, "file"), m_spools.size()).second)
        return makeError(ErrorKind::corrupt, "the host gave two capture files the same number");
    m_spools.push_back(std::move(spool));
    return {};
}

// Appends bytes to a file. If the disk is full, partially written data is removed again. On failure, adds a
// note and returns false.
bool LiveStore::append(LiveSpool& spool, std::string_view bytes, int more)
{
    if (m_stored_bytes + bytes.size() > m_max_bytes) {
        note("more than " + byteText(static_cast<int64_t>(m_max_bytes)) +
             " received; the rest is not stored");
        return false;
    }
    const int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | more;
    const int fd = ::open(spool.path.c_str(), flags, 0600);
    uint64_t done = 0;
    while (fd >= 0 && done < bytes.size()) {
        const ssize_t put =
            ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(spool.bytes + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) break;
        done += static_cast<uint64_t>(put);
    }
    const bool isWhole = fd >= 0 && done == bytes.size();
    if (!isWhole) {
        note(spool.path.string() + ": " + std::strerror(errno));
        if (fd >= 0) [[maybe_unused]]
            const int cut = ::ftruncate(fd, static_cast<off_t>(spool.bytes));
    }
    if (fd >= 0) ::close(fd);
    if (!isWhole) return false;
    spool.bytes += bytes.size();
    m_stored_bytes += bytes.size();
    return true;
}

Status LiveStore::takeBlock(const LiveFrame& frame)
{
    LiveSpool* const spool = spoolOf(frame.head);
    // Belongs to a file that is not displayed, which has already been reported.
    if (spool == nullptr) return {};
    const auto block = intactBlockAt(frame.payload, 0);
    if (!block || sizeof block->head + block->head.stored_bytes != frame.payload.size()) {
        note(spool->path.filename().string() + ": blocks with wrong checksums; not shown");
        return {};
    }
    const LockstepSpoolBlock& head = block->head;
    // Otherwise a block would be stored twice or out of order.
    if (head.sequence < spool->nextBlock || head.type == LOCKSTEP_BLOCK_INDEX) {
        note(spool->path.filename().string() + ": blocks out of order; not shown");
        return {};
    }
    if (!append(*spool, frame.payload, 0)) return {};
    spool->nextBlock = head.sequence + 1;
    if (head.last_ns != 0) spool->newest_ns = std::max(spool->newest_ns, head.last_ns);
    return {};
}

void LiveStore::takeLag(const Json& head)
{
    const auto now = numberAt(head, "monotonic_raw_ns");
    if (!now || *now < 0 || *now >= kAllTime.end.ns) return;
    m_clock = {*now, std::chrono::steady_clock::now()};
    for (const Json& file : listAt(head, "files")) {
        LiveSpool* const spool = spoolOf(file);
        if (const auto newest = numberAt(file, "newest_ns"); spool != nullptr && newest)
            spool->newestThere_ns = *newest;
    }
}

void LiveStore::takeSkipped(const Json& head)
{
    LiveSpool* const spool = spoolOf(head);
    if (spool == nullptr) return;
    spool->skippedBlocks += countAt(head, "blocks");
    spool->skippedRecords += countAt(head, "records");
}

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
        m_feed.notify();
    }

    void handleEnd(const CallResult& result)
    {
        m_call->deleteLater();
        m_call = nullptr;
        if (isFinal()) return;
        if (m_store.hasEnded()) {
            m_state.link = LiveHostState::Link::ended;
            return m_feed.notify();
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
        m_feed.notify();
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
        m_feed.notify();
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
    notify();
}

void LiveFeed::add(std::vector<LiveFeedHost> hosts)
{
    for (LiveFeedHost& host : hosts) {
        m_hosts.push_back(std::make_unique<LiveHostFeed>(std::move(host), m_options, *this));
        m_hosts.back()->open();
    }
    m_hasEnded = m_hasEnded && hosts.empty();
    notify();
}

LiveState LiveFeed::state() const
{
    auto all = std::make_shared<std::vector<LiveHostState>>();
    for (const auto& host : m_hosts)
        all->push_back(host->state());
    return all;
}

void LiveFeed::notify()
{
    if (!m_notifyTimer->isActive()) m_notifyTimer->start(kNotifyEvery_ms);
}

} // namespace lockstep
