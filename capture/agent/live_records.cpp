// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/live_records.h"

#include <algorithm>
#include <array>
#include <optional>

#include <sys/stat.h>

#include "capture/agent/open_file.h"
#include "capture/agent/sample_files.h"
#include "core/base/sha256.h"
#include "core/readers/capture_spool/live_stream.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kFirstLine_bytes = 64 * 1024; // a longer first line is not recognized
constexpr const char* kDumpEnding = ".pt";

int64_t lastChange_ns(const struct stat& status)
{
    return int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// RecordText finds lines in a file that another process appends to.
class RecordText : public OpenFile {
  public:
    using OpenFile::OpenFile;

    // Returns the end of the first line that ends after `from`, or nullopt if none ends before `to`.
    std::optional<uint64_t> lineEndAfter(uint64_t from, uint64_t to) const
    {
        while (from < to) {
            const std::string bytes = at(from, std::min<uint64_t>(kStep_bytes, to - from));
            if (const size_t end = bytes.find('\n'); end != std::string::npos) return from + end + 1;
            if (bytes.empty()) break;
            from += bytes.size();
        }
        return std::nullopt;
    }
    // Returns the end of the last line that ends after `from`, or nullopt if none ends before `to`.
    std::optional<uint64_t> lastLineEnd(uint64_t from, uint64_t to) const
    {
        while (from < to) {
            const uint64_t begin = to - std::min<uint64_t>(kStep_bytes, to - from);
            const std::string bytes = at(begin, to - begin);
            if (const size_t end = bytes.rfind('\n'); end != std::string::npos) return begin + end + 1;
            to = begin;
        }
        return std::nullopt;
    }

  private:
    static constexpr uint64_t kStep_bytes = 64 * 1024;
};

// A dump is a zip archive, which ends with a record of its own.
bool isCompleteDump(const fs::path& path, uint64_t size_bytes)
{
    constexpr size_t kEnd_bytes = 22;
    return size_bytes > kEnd_bytes &&
           OpenFile(path).at(size_bytes - kEnd_bytes, kEnd_bytes).starts_with("PK\x05\x06");
}

} // namespace

bool LiveRecords::canBeRecords(const fs::path& path)
{
    static const std::array<fs::path, 4> kEndings{".jsonl", ".json", ".log", kDumpEnding};
    return std::ranges::find(kEndings, path.extension()) != kEndings.end();
}

void LiveRecords::find(const std::vector<fs::path>& paths, uint64_t& lastNumber)
{
    for (size_t count = std::min(paths.size(), kMaxExamined); count > 0; --count)
        add(paths[m_nextExamined++ % paths.size()], lastNumber);
}

void LiveRecords::add(const fs::path& path, uint64_t& lastNumber)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (lastChange_ns(status) < m_options.notBefore_ns || m_known.contains({path, status.st_ino})) return;
    const std::string start = RecordText(path).at(0, kFirstLine_bytes);
    const bool isDump = path.extension() == kDumpEnding;
    const auto size_bytes = static_cast<uint64_t>(status.st_size);
    const size_t line_bytes = isDump ? std::min(start.size(), kHead_bytes) : start.find('\n') + 1;
    // The first line or the dump is not complete yet.
    if (isDump ? !isCompleteDump(path, size_bytes) : line_bytes == 0 && start.size() < kFirstLine_bytes)
        return;
    m_known.emplace(path, status.st_ino);
    const bool isGood = isDump
                            ? isRolloutDump(start)
                            : line_bytes > 0 && isRecordLine(std::string_view(start).substr(0, line_bytes));
    if (!isGood) return;
    if (isDump && size_bytes > kMaxDump_bytes) {
        m_largeDumps.push_back(path.filename().string());
        return;
    }
    if (m_files.size() >= kMaxFiles) {
        m_isFileLimitReached = true;
        return;
    }
    File file;
    file.path = path;
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.number = ++lastNumber;
    file.isDump = isDump;
    std::string named = path.filename().string() + '\n' + std::to_string(file.inode) + '\n';
    // A dump may be written again, with the same beginning.
    if (isDump) named += std::to_string(lastChange_ns(status)) + '\n';
    file.id = Sha256::of(named + start.substr(0, line_bytes)).substr(0, 16);
    file.head = isDump ? size_bytes : std::max(line_bytes, start.substr(0, kHead_bytes).rfind('\n') + 1);
    if (const auto had = m_options.have.find(file.id); had != m_options.have.end()) file.sent = had->second;
    m_files.push_back(std::move(file));
}

void LiveRecords::drop(uint64_t number)
{
    const auto file = std::ranges::find(m_files, number, &File::number);
    if (file == m_files.end()) return;
    file->isOver = file->isDoneSent = true;
    file->skipped_bytes = 0;
    file->notes.clear();
}

void LiveRecords::end(File& file, const char* word, const std::string& text)
{
    file.isOver = true;
    file.notes.push_back({{"file", file.number}, {"word", word}, {"text", text}});
    // What now has this name is another file.
    m_known.erase({file.path, file.inode});
}

void LiveRecords::readSize(File& file)
{
    struct stat status = {};
    if (::stat(file.path.c_str(), &status) != 0) return end(file, "vanished", "the file no longer exists");
    if (status.st_dev != file.device || status.st_ino != file.inode)
        return end(file, "replaced", "the file was replaced by another one of the same name");
    const auto size = static_cast<uint64_t>(status.st_size);
    if (size < std::max(file.complete, file.sent)) return end(file, "truncated", "the file was truncated");
    if (size == file.size) return;
    if (file.isDump && file.size > 0) return end(file, "truncated", "the file was written again");
    if (file.isDump) {
        file.size = file.complete = size;
        return;
    }
    const uint64_t from = std::max(file.complete, file.sent);
    file.complete = RecordText(file.path).lastLineEnd(from, size).value_or(from);
    file.size = size;
}

void LiveRecords::poll()
{
    for (File& file : m_files) {
        if (!file.isOver) readSize(file);
    }
    skipWaiting();
}

void LiveRecords::skip(File& file, uint64_t to, const char* why)
{
    file.skipped_bytes += to - file.sent;
    file.sent = to;
    if (file.skippedWhy.find(why) == std::string::npos)
        file.skippedWhy += (file.skippedWhy.empty() ? "" : ", ") + std::string(why);
}

// Each file keeps a part of the permitted bytes that is proportional to what waits there.
void LiveRecords::skipWaiting()
{
    double waiting_bytes = 0;
    for (const File& file : m_files) {
        if (!file.isDump)
            waiting_bytes += static_cast<double>(file.complete - std::min(file.complete, file.sent));
    }
    if (waiting_bytes <= m_options.maxWaiting_bytes) return;
    const double kept = m_options.maxWaiting_bytes / waiting_bytes;
    for (File& file : m_files) {
        if (file.isOver || file.isDump || file.complete <= file.sent || file.sent < file.head) continue;
        const auto keep = static_cast<uint64_t>(kept * static_cast<double>(file.complete - file.sent));
        const uint64_t begin = file.complete - keep;
        const auto line = RecordText(file.path).lineEndAfter(begin - 1, file.complete);
        skip(file, line.value_or(file.complete),
             file.sent == file.head ? "written before watching started" : "above the rate limit");
    }
}

std::string LiveRecords::nextMessage()
{
    if (m_isFileLimitReached && !std::exchange(m_hasReportedFileLimit, true)) {
        return liveFrame(liveWord::kNote, {{"word", "crowded"},
                                           {"text", "more than " + std::to_string(kMaxFiles) +
                                                        " files with records; the others are not sent"}});
    }
    if (!m_largeDumps.empty()) {
        const std::string name = m_largeDumps.back();
        m_largeDumps.pop_back();
        return liveFrame(liveWord::kNote,
                         {{"word", "large"},
                          {"text", name + ": larger than " + std::to_string(kMaxDump_bytes >> 20) +
                                       " MiB; shown only after it has been collected"}});
    }
    for (File& file : m_files) {
        if (!std::exchange(file.isAnnounced, true)) {
            return liveFrame(liveWord::kRecords, {{"file", file.number},
                                                  {"id", file.id},
                                                  {"path", file.path.string()},
                                                  {"position", file.sent},
                                                  {"dump", file.isDump}});
        }
        if (file.skipped_bytes > 0) {
            return liveFrame(liveWord::kSkipped, {{"file", file.number},
                                                  {"bytes_skipped", std::exchange(file.skipped_bytes, 0)},
                                                  {"why", std::exchange(file.skippedWhy, {})}});
        }
        if (!file.notes.empty()) {
            const Json first = file.notes.front();
            file.notes.erase(file.notes.begin());
            return liveFrame(liveWord::kNote, first);
        }
        const bool isDumpSent = file.isDump && file.complete > 0 && file.sent == file.complete;
        if ((file.isOver || isDumpSent) && !std::exchange(file.isDoneSent, true))
            return liveFrame(liveWord::kDone, {{"file", file.number},
                                               {"ended", isDumpSent},
                                               {"size", isDumpSent ? file.complete : uint64_t(0)}});
    }
    return {};
}

std::string LiveRecords::nextLines()
{
    for (size_t tried = 0; tried < m_files.size(); ++tried) {
        File& file = m_files[m_turn++ % m_files.size()];
        if (file.isOver || !file.isAnnounced || file.sent >= file.complete) continue;
        const uint64_t limit = file.sent < file.head ? file.head : file.complete;
        const RecordText text(file.path);
        std::string bytes = text.at(file.sent, std::min<uint64_t>(kFrame_bytes, limit - file.sent));
        size_t end = file.isDump ? bytes.size() : bytes.rfind('\n') + 1;
        if (end == 0 && file.isDump) continue; // truncated meanwhile
        if (end == 0) {
            const auto lineEnd = text.lineEndAfter(file.sent, limit);
            if (!lineEnd) continue; // truncated meanwhile, which the next poll() finds
            if (*lineEnd - file.sent > kMaxLine_bytes) {
                skip(file, *lineEnd, "a line of more than 16 MiB");
                continue;
            }
            bytes = text.at(file.sent, *lineEnd - file.sent);
            end = bytes.size();
            if (!bytes.ends_with('\n')) continue;
        }
        bytes.resize(end);
        const uint64_t position = std::exchange(file.sent, file.sent + end);
        const std::string frame =
            liveFrame(liveWord::kLines, {{"file", file.number}, {"position", position}}, bytes);
        if (file.sent == file.head && !file.isDump) skipWaiting(); // what follows may be too much
        return frame;
    }
    return {};
}

bool LiveRecords::isAllSent() const
{
    return std::ranges::all_of(m_files, [](const File& file) {
        const bool isSent = file.isOver || (file.sent >= file.complete && (!file.isDump || file.isDoneSent));
        return isSent && file.isAnnounced && file.skipped_bytes == 0 && file.notes.empty();
    });
}

} // namespace lockstep::agent
