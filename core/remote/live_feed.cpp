// SPDX-License-Identifier: Apache-2.0
#include "core/remote/live_feed.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
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

constexpr size_t kMaxName = 128;

// Replaces characters that are not allowed in local names. other: begins a name that would be hidden or
// empty.
std::string safeName(std::string_view name, const char* other, size_t max)
{
    std::string safe;
    for (const char c : name.substr(0, max)) {
        const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             std::string_view("_.=+-").find(c) != std::string_view::npos;
        safe += isPlain ? c : '-';
    }
    if (safe.empty() || safe.front() == '.') safe.insert(0, other);
    return safe;
}

// Returns the end of a path on the host as a safe local path. The folders may name roles, ranks and steps.
std::filesystem::path safeEndOf(std::string_view path)
{
    constexpr size_t kParts = 3;
    std::vector<std::string_view> parts = splitAt(path, '/');
    std::erase(parts, std::string_view());
    parts.erase(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(std::min(parts.size(), kParts)));
    std::filesystem::path safe;
    for (const std::string_view part : parts)
        safe /= safeName(part, "part", kMaxName);
    return safe.empty() ? "records" : safe;
}

// Returns the lines at the beginning of a file that describe the rest: those in the first 4 KiB.
std::string_view headOf(std::string_view lines)
{
    constexpr size_t kHead_bytes = 4096;
    return lines.substr(0, lines.substr(0, kHead_bytes).rfind('\n') + 1);
}

} // namespace

std::string safeSpoolName(std::string_view name)
{
    constexpr std::string_view kEnding = ".lsc";
    if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
    return safeName(name, "spool", kMaxName - kEnding.size()) + std::string(kEnding);
}

LiveStore::LiveStore(std::filesystem::path folder, uint64_t max_bytes, uint64_t records_bytes)
    : m_folder(std::move(folder)), m_max_bytes(max_bytes), m_records_bytes(records_bytes)
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
    m_recordsByNumber.clear();
    m_clock.reset();
}

std::string LiveStore::haveLine() const
{
    Json have = Json::object();
    for (const LiveSpool& spool : m_spools)
        have[spool.id] = spool.nextBlock;
    for (const LiveRecordFile& file : m_records)
        have[file.id] = file.position;
    return jsonLine({{"have", std::move(have)}}, true) + "\n";
}

LiveSpool* LiveStore::spoolOf(const Json& head)
{
    const auto known = m_byNumber.find(countAt(head, "file"));
    return known != m_byNumber.end() ? &m_spools[known->second] : nullptr;
}

LiveRecordFile* LiveStore::recordsOf(const Json& head)
{
    const auto known = m_recordsByNumber.find(countAt(head, "file"));
    return known != m_recordsByNumber.end() ? &m_records[known->second] : nullptr;
}

Status LiveStore::take(const LiveFrame& frame)
{
    if (frame.kind == liveWord::kFile) return handleFile(frame);
    if (frame.kind == liveWord::kBlock) return takeBlock(frame);
    if (frame.kind == liveWord::kRecords) return handleRecords(frame);
    if (frame.kind == liveWord::kLines) {
        takeLines(frame);
        return {};
    }
    if (frame.kind == liveWord::kSkipped) {
        takeSkipped(frame.head);
    } else if (frame.kind == liveWord::kLag) {
        takeLag(frame.head);
    } else if (frame.kind == liveWord::kNote) {
        const LiveSpool* const spool = spoolOf(frame.head);
        const LiveRecordFile* const records = recordsOf(frame.head);
        const std::string text = textAt(frame.head, "text");
        note(spool != nullptr     ? spool->path.filename().string() + ": " + text
             : records != nullptr ? records->path.filename().string() + ": " + text
                                  : text);
    } else if (frame.kind == liveWord::kDone) {
        if (LiveSpool* const spool = spoolOf(frame.head)) spool->isDone = true;
        if (LiveRecordFile* const records = recordsOf(frame.head)) {
            records->isDone = true;
            const bool hasAll = records->bytes > 0 && records->bytes == countAt(frame.head, "size");
            records->isComplete = records->isDump && hasAll && boolAt(frame.head, "ended");
        }
    } else if (frame.kind == liveWord::kEnd) {
        m_hasEnded = true;
    }
    return {};
}

std::string LiveStore::announcedId(const LiveFrame& frame)
{
    if (frame.kind == liveWord::kRecords) return "records " + textAt(frame.head, "id").substr(0, kMaxName);
    if (frame.kind != liveWord::kFile) return "";
    const auto header = spoolHeader(frame.payload);
    return header ? spoolId(*header) : "";
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
    spool.isElsewhere = boolAt(frame.head, "elsewhere");
    if (const auto made = makePrivateFolders(spool.path.parent_path()); !made) {
        note(made.error().message);
        return {};
    }
    if (!append(spool.path, spool.bytes, frame.payload, O_CREAT | O_EXCL)) return {};
    if (!m_byNumber.emplace(countAt(frame.head, "file"), m_spools.size()).second)
        return makeError(ErrorKind::corrupt, "the host gave two capture files the same number");
    m_spools.push_back(std::move(spool));
    return {};
}

// Appends bytes to a file of this size. If the disk is full, partially written data is removed again. On
// failure, adds a note and returns false.
bool LiveStore::append(const std::filesystem::path& path, uint64_t& size_bytes, std::string_view bytes,
                       int more)
{
    if (m_stored_bytes + bytes.size() > m_max_bytes) {
        note("more than " + byteText(static_cast<int64_t>(m_max_bytes)) +
             " received; the rest is not stored");
        return false;
    }
    const int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | more;
    const int fd = ::open(path.c_str(), flags, 0600);
    uint64_t done = 0;
    while (fd >= 0 && done < bytes.size()) {
        const ssize_t put =
            ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(size_bytes + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) break;
        done += static_cast<uint64_t>(put);
    }
    const bool isWhole = fd >= 0 && done == bytes.size();
    if (!isWhole) {
        note(path.string() + ": " + std::strerror(errno));
        if (fd >= 0) [[maybe_unused]]
            const int cut = ::ftruncate(fd, static_cast<off_t>(size_bytes));
    }
    if (fd >= 0) ::close(fd);
    if (!isWhole) return false;
    size_bytes += bytes.size();
    m_stored_bytes += bytes.size();
    return true;
}

Status LiveStore::handleRecords(const LiveFrame& frame)
{
    const uint64_t position = countAt(frame.head, "position");
    const std::string id = textAt(frame.head, "id").substr(0, kMaxName);
    const auto known = std::ranges::find(m_records, id, &LiveRecordFile::id);
    const auto place = static_cast<size_t>(known - m_records.begin());
    if (known == m_records.end()) {
        if (m_records.size() >= kMaxRecordFiles) {
            note("more than " + std::to_string(kMaxRecordFiles) +
                 " files with records; the rest are not shown");
            return {};
        }
        LiveRecordFile file;
        file.id = id;
        file.folder = std::filesystem::path(textAt(frame.head, "path")).parent_path().string();
        file.number = place + 1;
        file.isDump = boolAt(frame.head, "dump");
        file.path =
            m_folder / "records" / std::to_string(file.number) / "1" / safeEndOf(textAt(frame.head, "path"));
        if (!startCopy(file, {})) return {};
        m_records.push_back(std::move(file));
    }
    if (!m_recordsByNumber.emplace(countAt(frame.head, "file"), place).second)
        return makeError(ErrorKind::corrupt, "the host gave two files with records the same number");
    LiveRecordFile& file = m_records[place];
    file.isDone = false;
    // The file was truncated and written again, or a dump is sent from a different position.
    const bool isOther = position < file.position || (file.isDump && position != file.position);
    if (isOther) file.isComplete = false;
    if (isOther && !startCopy(file, {})) m_recordsByNumber.erase(countAt(frame.head, "file"));
    file.position = position;
    return {};
}

// Continues with a new local file, which begins with these lines. On failure, changes nothing and returns
// false.
bool LiveStore::startCopy(LiveRecordFile& file, std::string_view lines)
{
    LiveRecordFile next = file;
    next.copies = file.copies + 1;
    next.bytes = 0;
    if (file.copies > 0) {
        const std::filesystem::path base = m_folder / "records" / std::to_string(file.number);
        const auto inside = file.path.lexically_relative(base / std::to_string(file.copies));
        next.path = base / std::to_string(next.copies) / inside;
        next.previous = file.path;
    }
    if (const auto made = makePrivateFolders(next.path.parent_path()); !made) {
        note(made.error().message);
        return false;
    }
    if (!append(next.path, next.bytes, lines, O_CREAT | O_EXCL)) return false;
    if (!file.previous.empty()) {
        std::error_code error;
        const uint64_t size = std::filesystem::file_size(file.previous, error);
        if (!error) m_stored_bytes -= std::min<uint64_t>(size, m_stored_bytes);
        std::filesystem::remove(file.previous, error);
    }
    file = std::move(next);
    return true;
}

void LiveStore::takeLines(const LiveFrame& frame)
{
    LiveRecordFile* const file = recordsOf(frame.head);
    if (file == nullptr) return; // belongs to a file that is not shown, which has already been reported
    const uint64_t position = countAt(frame.head, "position");
    if (file->isDump) return takeDump(*file, position, frame.payload);
    if (position < file->position || !frame.payload.ends_with('\n')) {
        note(file->path.filename().string() + ": lines out of order; not shown");
        return;
    }
    const bool isText = frame.payload.starts_with('{') || frame.payload.starts_with("\xEF\xBB\xBF{");
    if (file->bytes == 0 && !isText) {
        note(file->path.filename().string() + ": not lines of JSON; not shown");
        return;
    }
    if (!append(file->path, file->bytes, frame.payload, 0)) return;
    file->position = position + frame.payload.size();
    const uint64_t share = m_records_bytes / m_records.size();
    if (file->bytes > std::clamp(share, kMinRecords_bytes, kMaxRecords_bytes)) shorten(*file);
}

void LiveStore::takeDump(LiveRecordFile& file, uint64_t position, std::string_view bytes)
{
    const bool isArchive = position > 0 || bytes.starts_with("PK\x03\x04");
    const bool isNext = position == file.position && position == file.bytes && !file.isComplete;
    if (!isArchive || !isNext || file.bytes + bytes.size() > kMaxRecords_bytes) {
        note(file.path.filename().string() + ": not the next part of a rollout dump; not shown");
        return;
    }
    if (append(file.path, file.bytes, bytes, 0)) file.position = position + bytes.size();
}

// Keeps the first lines and the newer half.
void LiveStore::shorten(LiveRecordFile& file)
{
    const auto whole = MappedFile::open(file.path);
    if (!whole) return note(whole.error().message);
    const std::string_view text = whole->text();
    const std::string_view head = headOf(text);
    const size_t newer = text.find('\n', std::max(head.size(), text.size() / 2));
    const std::string lines =
        std::string(head) + std::string(newer == std::string_view::npos ? "" : text.substr(newer + 1));
    if (startCopy(file, lines)) note(file.path.filename().string() + ": only the newest records are shown");
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
    if (!append(spool->path, spool->bytes, frame.payload, 0)) return {};
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
    if (LiveRecordFile* const file = recordsOf(head)) file->skipped_bytes += countAt(head, "bytes_skipped");
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
    LiveHostFeed(LiveFeedHost host, const LiveFeedOptions& options, uint64_t records_bytes, LiveFeed& feed)
        : QObject(&feed), m_feed(feed), m_host(std::move(host)), m_options(options),
          m_client(new AgentClient(m_host.remote, options.agent, this, m_host.agentFolder)),
          m_retry(new QTimer(this)),
          m_store(options.folder / fileNameOf(m_host.host), LiveStore::kMaxBytes, records_bytes)
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
        state.records = m_store.records();
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
            if (isOfAnotherHost(*frame)) continue;
            const Status taken = m_store.take(*frame);
            if (!taken) return fail({taken.error().message, taken.error().help});
        }
        if (m_frames.isBroken()) return fail({m_frames.problem()});
        m_feed.notify();
    }

    // Returns true for a file on a shared disk that another host sends. The host then does not send it.
    bool isOfAnotherHost(const LiveFrame& frame)
    {
        const std::string id = LiveStore::announcedId(frame);
        if (id.empty() || m_feed.claim(id, *this)) return false;
        if (m_state.shared.size() < LiveStore::kMaxSpools) m_state.shared.insert(id);
        m_call->write(
            QByteArray::fromStdString(jsonLine({{"drop", countAt(frame.head, "file")}}, true) + "\n"));
        return true;
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
        m_feed.release(*this);
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
    const uint64_t share = m_options.records_bytes / std::max<size_t>(1, hosts.size());
    for (LiveFeedHost& host : hosts)
        m_hosts.push_back(std::make_unique<LiveHostFeed>(std::move(host), m_options, share, *this));
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
    const uint64_t share = m_options.records_bytes / (m_hosts.size() + std::max<size_t>(1, hosts.size()));
    for (LiveFeedHost& host : hosts) {
        m_hosts.push_back(std::make_unique<LiveHostFeed>(std::move(host), m_options, share, *this));
        m_hosts.back()->open();
    }
    m_hasEnded = m_hasEnded && hosts.empty();
    notify();
}

bool LiveFeed::claim(const std::string& id, const LiveHostFeed& host)
{
    constexpr size_t kMost = 1'000'000; // the ids come from hosts, which are not trusted
    if (m_senders.size() >= kMost && !m_senders.contains(id)) return true;
    return m_senders.try_emplace(id, &host).first->second == &host;
}

void LiveFeed::release(const LiveHostFeed& host)
{
    std::erase_if(m_senders, [&](const auto& sender) { return sender.second == &host; });
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
