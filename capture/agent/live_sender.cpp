// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/live_sender.h"

#include <algorithm>

#include <sys/stat.h>

#include "capture/agent/clock_pair.h"
#include "core/base/text.h"
#include "core/readers/capture_spool/live_stream.h"
#include "core/readers/capture_spool/spool_blocks.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kFilesOfLag = 256;
constexpr size_t kMaxNotes = 16; // maximum number of pending notes per file

// META blocks identify the owner of the records, and SUMMARY blocks report the losses, so both are sent
// regardless of the rate.
bool isRecords(const TailBlock& block)
{
    return block.head.type == LOCKSTEP_BLOCK_RECORDS;
}

int64_t modified_ns(const struct stat& status)
{
    return int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

} // namespace

LiveSender::LiveSender(LiveOptions options)
    : m_options(std::move(options)),
      m_records({m_options.notBefore_ns, m_options.rate_bytesPerS * kHorizon_s, m_options.have})
{
    m_lastCredit = m_lastLag = Clock::now();
    m_credit_bytes = m_options.rate_bytesPerS * kHorizon_s / 2;
}

void LiveSender::findFiles(const std::vector<fs::path>& folders)
{
    std::vector<fs::path> spools, others;
    for (const fs::path& folder : folders) {
        std::error_code error;
        constexpr auto kOptions = fs::directory_options::skip_permission_denied;
        for (fs::recursive_directory_iterator at(folder, kOptions, error), end; !error && at != end;
             at.increment(error)) {
            if (at->path().extension() == ".lsc") {
                spools.push_back(at->path());
            } else if (LiveRecords::canBeRecords(at->path())) {
                others.push_back(at->path());
            }
        }
    }
    std::ranges::sort(spools);
    std::ranges::sort(others);
    for (const fs::path& path : spools)
        addSpool(path);
    m_records.find(others, m_lastNumber);
}

void LiveSender::addSpool(const fs::path& path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (modified_ns(status) < m_options.notBefore_ns || m_known.contains({path, status.st_ino})) return;
    if (m_files.size() >= kMaxFiles) {
        m_isFileLimitReached = true;
        return;
    }
    m_known.emplace(path, status.st_ino);
    m_files.push_back(std::make_unique<File>(path, status.st_ino));
    m_files.back()->number = ++m_lastNumber;
    m_files.back()->found = Clock::now();
}

void LiveSender::drop(uint64_t number)
{
    m_records.drop(number);
    const auto file = std::ranges::find(m_files, number, [](const auto& one) { return one->number; });
    if (file == m_files.end()) return;
    (*file)->isOver = (*file)->isDoneSent = true;
    (*file)->tail.pending().clear();
    (*file)->skipped = {};
    (*file)->notes.clear();
}

// Reads the first block, which names the machine of the process that writes the capture.
void LiveSender::findWriter(File& file)
{
    if (file.isElsewhere || file.tail.pending().empty()) return;
    const TailBlock& first = file.tail.pending().front();
    std::string bytes;
    if (first.head.type == LOCKSTEP_BLOCK_META) {
        const SpoolTail::Reading reading = file.tail.read(first, bytes);
        if (reading == SpoolTail::Reading::notYet) return;
        if (reading == SpoolTail::Reading::damaged) bytes.clear();
    }
    const auto block = intactBlockAt(bytes, 0);
    const std::string writer = block ? textAt(jsonFrom(unpackedPayload(*block).value_or("")), "boot_id") : "";
    file.isElsewhere = !writer.empty() && writer != readClocks(1).bootId;
}

bool LiveSender::canAnnounce(const File& file, Clock::time_point now)
{
    if (file.tail.header().empty() || !file.isElsewhere) return false;
    return !*file.isElsewhere || file.firstRequested > 0 || now - file.found >= kElsewhereDelay;
}

void LiveSender::note(File& file, const char* word, const std::string& text)
{
    if (file.notes.size() < kMaxNotes)
        file.notes.push_back({{"file", file.number}, {"word", word}, {"text", text}});
}

void LiveSender::poll()
{
    for (const auto& file : m_files) {
        if (file->isOver) continue;
        file->tail.poll();
        if (file->tail.state() == SpoolTail::State::begun) continue;
        if (file->firstRequested == 0) {
            const auto had = m_options.have.find(file->tail.id());
            if (had != m_options.have.end()) file->firstRequested = had->second;
        }
        findWriter(*file);
        auto& pending = file->tail.pending();
        while (!pending.empty() && pending.front().head.sequence < file->firstRequested)
            pending.pop_front();
        skipOld(*file);
        if (file->tail.damaged_bytes > 0) {
            note(*file, "damaged",
                 std::to_string(std::exchange(file->tail.damaged_bytes, 0)) +
                     " bytes are not part of any valid block");
        }
    }
    skipAboveRate();
    m_records.poll();
}

// Skips the block at that position. Adjacent skipped blocks are reported together.
void LiveSender::skip(File& file, size_t position, const char* why)
{
    auto& pending = file.tail.pending();
    const auto at = pending.begin() + static_cast<std::ptrdiff_t>(position);
    Skipped& skipped = file.skipped;
    const LockstepSpoolBlock& head = at->head;
    if (skipped.blocks == 0) skipped = {head.sequence, head.sequence, 0, 0, head.first_ns, head.last_ns, ""};
    if (skipped.why.find(why) == std::string::npos)
        skipped.why += (skipped.why.empty() ? "" : ", ") + std::string(why);
    skipped.to = std::max(skipped.to, head.sequence + 1);
    ++skipped.blocks;
    skipped.records += head.records;
    skipped.first_ns = std::min(skipped.first_ns, head.first_ns);
    skipped.last_ns = std::max(skipped.last_ns, head.last_ns);
    pending.erase(at);
}

void LiveSender::skipOld(File& file)
{
    const int64_t limit_ns =
        file.tail.newest_ns() == INT64_MIN
            ? INT64_MIN
            : file.tail.newest_ns() - std::min(m_options.retention_ns, file.tail.newest_ns());
    const auto& pending = file.tail.pending();
    const auto isTooOld = [&](const TailBlock& block) {
        return isRecords(block) && (block.head.last_ns < limit_ns || pending.size() > SpoolTail::kMaxPending);
    };
    // META blocks are kept. They are at the beginning of a file and rarely elsewhere.
    for (size_t i = 0; i < pending.size();) {
        if (isTooOld(pending[i])) {
            skip(file, i, file.isAnnounced ? "reader too slow" : "written before watching started");
        } else if (isRecords(pending[i])) {
            break;
        } else {
            ++i;
        }
    }
}

// Skips the oldest blocks until the remaining blocks can be sent within the horizon.
void LiveSender::skipAboveRate()
{
    double waiting_bytes = 0;
    for (const auto& file : m_files) {
        if (isLeftToOthers(*file)) continue;
        for (const TailBlock& block : file->tail.pending())
            waiting_bytes += static_cast<double>(block.size_bytes());
    }
    const double max_bytes = m_options.rate_bytesPerS * kHorizon_s;
    while (waiting_bytes > max_bytes) {
        File* oldest = nullptr;
        size_t position = 0;
        int64_t oldest_ns = INT64_MAX;
        size_t left = 0;
        for (const auto& file : m_files) {
            if (isLeftToOthers(*file)) continue;
            const auto& pending = file->tail.pending();
            const auto first = std::ranges::find_if(pending, isRecords);
            left += first == pending.end() ? 0 : static_cast<size_t>(pending.end() - first);
            if (first == pending.end() || first->head.last_ns >= oldest_ns) continue;
            oldest_ns = first->head.last_ns;
            oldest = file.get();
            position = static_cast<size_t>(first - pending.begin());
        }
        if (oldest == nullptr || left < 2) return; // the newest block is sent regardless of its size
        waiting_bytes -= static_cast<double>(oldest->tail.pending()[position].size_bytes());
        skip(*oldest, position, "above the rate limit");
    }
}

// The state is reported once everything readable was sent.
void LiveSender::noteState(File& file)
{
    using enum SpoolTail::State;
    switch (file.tail.state()) {
    case begun:
    case growing:
        return;
    case ended:
        break;
    case unknown:
        note(file, "unknown", "not a capture file that this version can read");
        break;
    case vanished:
        note(file, "vanished", "the file no longer exists");
        break;
    case replaced:
        note(file, "replaced", "the file was replaced by another one of the same name");
        break;
    case truncated:
        note(file, "truncated", "the file was truncated");
        break;
    }
    file.isOver = true;
    if (file.tail.state() == replaced || file.tail.state() == truncated) {
        // The file that now has this name is treated as a new file.
        m_known.erase({file.tail.path(), file.inode});
    }
}

std::string LiveSender::encodeFile(File& file)
{
    file.isAnnounced = true;
    const std::string path = file.tail.path().string();
    return liveFrame(liveWord::kFile,
                     {{"file", file.number},
                      {"id", file.tail.id()},
                      {"path", path},
                      {"name", file.tail.path().filename().string()},
                      {"elsewhere", file.isElsewhere.value_or(false)}},
                     file.tail.header());
}

std::string LiveSender::reportSkipped(File& file)
{
    const Skipped range = std::exchange(file.skipped, {});
    return liveFrame(liveWord::kSkipped, {{"file", file.number},
                                          {"from", range.from},
                                          {"to", range.to},
                                          {"blocks", range.blocks},
                                          {"records", range.records},
                                          {"first_ns", range.first_ns},
                                          {"last_ns", range.last_ns},
                                          {"why", range.why}});
}

// Returns "" while the bytes do not match their checksum, possibly because they are still being written.
std::string LiveSender::encodeBlock(File& file)
{
    std::string bytes;
    auto& pending = file.tail.pending();
    const SpoolTail::Reading reading = file.tail.read(pending.front(), bytes);
    if (reading == SpoolTail::Reading::notYet) return {};
    if (reading == SpoolTail::Reading::damaged) {
        note(file, "damaged",
             "block " + std::to_string(pending.front().head.sequence) + " does not match its checksum");
        skip(file, 0, "damaged");
        return reportSkipped(file);
    }
    const uint64_t sequence = pending.front().head.sequence;
    pending.pop_front();
    m_credit_bytes -= static_cast<double>(bytes.size());
    return liveFrame(liveWord::kBlock, {{"file", file.number}, {"sequence", sequence}}, bytes);
}

// Reports the time of the host and the progress of each file, from which the lag is calculated.
std::string LiveSender::encodeLag()
{
    const ClockReading now = readClocks(4);
    Json files = Json::array();
    const size_t end = std::min(m_files.size(), m_lagFrom + kFilesOfLag);
    for (size_t i = m_lagFrom; i < end; ++i) {
        const File& file = *m_files[i];
        if (!file.isAnnounced || file.isOver || file.tail.newest_ns() == INT64_MIN) continue;
        uint64_t waiting_bytes = 0;
        for (const TailBlock& block : file.tail.pending())
            waiting_bytes += block.size_bytes();
        files.push_back(
            {{"file", file.number}, {"newest_ns", file.tail.newest_ns()}, {"waiting_bytes", waiting_bytes}});
    }
    m_lagFrom = end < m_files.size() ? end : 0;
    return liveFrame(liveWord::kLag, {{"monotonic_raw_ns", now.monotonicRaw_ns},
                                      {"realtime_ns", now.realtime_ns},
                                      {"files", std::move(files)}});
}

LiveSender::File* LiveSender::nextWithBlock()
{
    File* first = nullptr;
    for (const auto& file : m_files) {
        if (!file->isAnnounced || file->tail.pending().empty()) continue;
        const auto& front = file->tail.pending().front();
        if (first == nullptr || front.head.last_ns < first->tail.pending().front().head.last_ns)
            first = file.get();
    }
    return first;
}

std::string LiveSender::next(Clock::time_point now)
{
    if (!std::exchange(m_hasSentHello, true)) {
        return liveFrame(liveWord::kHello, {{"version", 1},
                                            {"agent", LOCKSTEP_VERSION},
                                            {"boot_id", readClocks(1).bootId},
                                            {"rate_bytes_per_s", m_options.rate_bytesPerS},
                                            {"last_ns", m_options.retention_ns}});
    }
    if (m_isFileLimitReached && !std::exchange(m_hasReportedFileLimit, true)) {
        return liveFrame(liveWord::kNote, {{"word", "crowded"},
                                           {"text", "more than " + std::to_string(kMaxFiles) +
                                                        " capture files; the others are not sent"}});
    }
    const double since_s = std::chrono::duration<double>(now - std::exchange(m_lastCredit, now)).count();
    m_credit_bytes = std::min(m_credit_bytes + since_s * m_options.rate_bytesPerS,
                              m_options.rate_bytesPerS * kHorizon_s / 2);
    if (now - m_lastLag >= kLagEvery || m_lagFrom > 0) {
        m_lastLag = now;
        return encodeLag();
    }
    for (const auto& file : m_files) {
        if (!file->isAnnounced && canAnnounce(*file, now)) return encodeFile(*file);
        if (file->isAnnounced && file->skipped.blocks > 0) return reportSkipped(*file);
        if (!file->isOver && file->tail.pending().empty()) noteState(*file);
        if (!file->notes.empty()) {
            const Json first = file->notes.front();
            file->notes.erase(file->notes.begin());
            return liveFrame(liveWord::kNote, first);
        }
        if (file->isOver && !std::exchange(file->isDoneSent, true) && file->isAnnounced) {
            const bool isEnded = file->tail.state() == SpoolTail::State::ended;
            return liveFrame(liveWord::kDone, {{"file", file->number}, {"ended", isEnded}});
        }
    }
    if (std::string frame = m_records.nextMessage(); !frame.empty()) return frame;
    if (m_credit_bytes <= 0) return {};
    File* const file = nextWithBlock();
    if (file == nullptr || !m_wereLinesSent) {
        std::string frame = m_records.nextLines();
        m_wereLinesSent = !frame.empty();
        m_credit_bytes -= static_cast<double>(frame.size());
        if (m_wereLinesSent || file == nullptr) return frame;
    }
    m_wereLinesSent = false;
    return encodeBlock(*file);
}

bool LiveSender::isAllSent() const
{
    const auto isSent = [](const auto& file) {
        if (isLeftToOthers(*file)) return true;
        return file->tail.pending().empty() && file->skipped.blocks == 0 && file->notes.empty() &&
               (file->isAnnounced || file->tail.header().empty());
    };
    return std::ranges::all_of(m_files, isSent) && m_records.isAllSent();
}

} // namespace lockstep::agent
