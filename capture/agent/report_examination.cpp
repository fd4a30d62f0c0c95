// SPDX-License-Identifier: Apache-2.0
// Finds out the kind of a report file and whether the file is complete, from the same first and last bytes as
// the readers. A pickle ends with STOP, '.'.
#include "capture/agent/report_examination.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/agent/open_file.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/sample_files.h"
#include "core/base/inflate.h"
#include "core/base/json_fields.h"
#include "core/base/report_formats.h"
#include "core/base/sqlite_database.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kSearched_bytes = 4096;
constexpr size_t kBuffer = 256 * 1024;

void setResult(FoundReport& report, std::string_view kind, bool isComplete, const char* reason)
{
    report.kind = kind;
    report.isComplete = isComplete;
    report.reason = isComplete ? "" : reason;
}

// Returns true for names of Ascend databases. The file extension is not enough, because databases of other
// programs share it.
bool isAscendName(const fs::path& path)
{
    return path.filename().string().starts_with("ascend_");
}

bool hasRow(const SqliteDatabase& database, const std::string& sql)
{
    auto query = database.query(sql);
    const auto row = query ? query->step() : Result<bool>(false);
    return row && *row;
}

// nsys exports have the table StringIds and tables of a session. They are complete if there is at least one
// row of displayable data.
void examineTables(FoundReport& report)
{
    // Does not check locks or the journal of a file that another process may be using.
    const auto database = SqliteDatabase::openImmutable(report.path);
    const auto hasTable = [&](const char* name) {
        return hasRow(*database, "SELECT 1 FROM sqlite_master WHERE type='table' AND name GLOB '" +
                                     std::string(name) + "'");
    };
    if (!database || !hasRow(*database, "SELECT 1 FROM sqlite_master")) {
        report.isComplete = false;
        report.reason = "its tables cannot be read: still being written or damaged";
        return;
    }
    if (hasTable("STRING_IDS") && (hasTable("TASK") || hasTable("PYTORCH_API") || hasTable("CANN_API"))) {
        report.kind = "ascend sqlite"; // export of torch_npu
        return;
    }
    if (!hasTable("StringIds") ||
        !(hasTable("META_DATA_*") || hasTable("TARGET_INFO_*") || hasTable("CUPTI_*"))) {
        report.kind.clear(); // a database of another program
        return;
    }
    constexpr std::array<const char*, 4> kShown{"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "NVTX_EVENTS"};
    const bool any = std::ranges::any_of(kShown, [&](const char* table) {
        return hasTable(table) && hasRow(*database, "SELECT 1 FROM " + std::string(table) + " LIMIT 1");
    });
    if (!any) report.reason = "contains no GPU work and no ranges";
}

void examineSqlite(FoundReport& report, const SqliteFileHeader& header, Examination examination)
{
    const bool hasJournal = hasJournalFile(report.path);
    // The name determines the kind until the file is complete; after that, the tables do.
    setResult(report, isAscendName(report.path) ? "ascend sqlite" : "nsys sqlite",
              !hasJournal && header.expected_bytes > 0 && header.expected_bytes <= report.size_bytes,
              hasJournal ? "still being written"
                         : "shorter than its header says: cut short or still being written");
    if (report.isComplete && examination == Examination::whole) examineTables(report);
}

void addFile(const OpenFile& file, JsonClosure& closure)
{
    uint64_t at = 0;
    for (std::string piece = file.at(0, kBuffer); !piece.empty();
         piece = file.at(at += piece.size(), kBuffer))
        closure.add(piece);
}

// Unpacks gzip member by member. Returns false if the last member is incomplete.
bool addGzip(const OpenFile& file, JsonClosure& closure)
{
    z_stream stream = {};
    if (::inflateInit2(&stream, 15 + 16) != Z_OK) return false;
    std::string out(kBuffer, '\0');
    int status = Z_OK;
    uint64_t at = 0;
    for (std::string in = file.at(0, kBuffer); !in.empty() && (status == Z_OK || status == Z_STREAM_END);
         in = file.at(at += in.size(), kBuffer)) {
        stream.next_in = reinterpret_cast<Bytef*>(in.data());
        stream.avail_in = static_cast<uInt>(in.size());
        while (stream.avail_in > 0) {
            if (status == Z_STREAM_END) ::inflateReset(&stream);
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(out.size());
            status = ::inflate(&stream, Z_NO_FLUSH);
            if (status != Z_OK && status != Z_STREAM_END) break;
            closure.add(std::string_view(out).substr(0, out.size() - stream.avail_out));
        }
        while (status == Z_OK && stream.avail_out == 0) { // pending output without further input
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(out.size());
            status = ::inflate(&stream, Z_NO_FLUSH);
            closure.add(std::string_view(out).substr(0, out.size() - stream.avail_out));
        }
        if (status == Z_BUF_ERROR) status = Z_OK;
    }
    ::inflateEnd(&stream);
    return status == Z_STREAM_END;
}

// Detects Perfetto traces: the file name is that of a trace, and the file starts with a packet (field 1 of
// the trace message).
bool isPerfetto(const fs::path& path, std::string_view head)
{
    const ReportFormat* const format = formatWithUniqueSuffix(path.filename().string());
    return format != nullptr && format->name == "perfetto" && head.starts_with('\n');
}

// Keys that Kineto and other writers of trace events put first.
bool isTrace(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
    return std::ranges::any_of(std::array{"\"traceEvents\"", "\"ph\"", "\"schemaVersion\""},
                               [&](const char* key) { return text.find(key) != std::string_view::npos; });
}

void examineTrace(FoundReport& report, const OpenFile& file, bool isGzip, Examination examination)
{
    report.kind = "trace json";
    if (examination == Examination::kindOnly) return;
    JsonClosure closure;
    bool isWhole = true;
    if (isGzip)
        isWhole = addGzip(file, closure);
    else
        addFile(file, closure);
    setResult(report, "trace json", isWhole && closure.isClosed(),
              isWhole ? "ends in the middle: cut short or still being written"
                      : "the compressed stream has no end: cut short or still being written");
}

// Rows are appended, so the file is complete whenever no row is cut short.
void examineSamples(FoundReport& report, const OpenFile& file, bool isGzip, Examination examination)
{
    report.kind = "sample records";
    if (examination == Examination::kindOnly) return;
    const bool endsWithLine = !isGzip && report.size_bytes > 0 && file.at(report.size_bytes - 1, 1) == "\n";
    JsonClosure closure;
    bool isWhole = true;
    if (isGzip)
        isWhole = addGzip(file, closure);
    else if (!endsWithLine)
        addFile(file, closure);
    setResult(report, "sample records", endsWithLine || (isWhole && closure.isClosed()),
              "ends in the middle of a row: cut short or still being written");
}

// An archive ends with the end of its directory, which is not followed by a comment.
void examineDump(FoundReport& report, const OpenFile& file)
{
    constexpr uint64_t kEnd_bytes = 22;
    const bool isComplete =
        report.size_bytes > kEnd_bytes && file.at(report.size_bytes - kEnd_bytes, 4) == "PK\x05\x06";
    setResult(report, "rollout dump", isComplete, "has no directory: cut short or still being written");
}

// A full disk leaves files with few or no bytes. If the name of such a file shows its intended kind, it
// counts as a lost report.
void examineByName(FoundReport& report)
{
    constexpr uint64_t kTooShort_bytes = 128;
    if (report.size_bytes >= kTooShort_bytes) return;
    const std::string name = report.path.filename().string();
    const ReportFormat* const format =
        report.size_bytes == 0 ? formatOfFile(name) : formatWithUniqueSuffix(name);
    if (format == nullptr || format->agentName.empty()) return;
    if (format->name == "ascend db" && !isAscendName(report.path)) return;
    setResult(report, format->agentName, false,
              report.size_bytes == 0
                  ? "empty: nothing was written to it; the disk may have been full"
                  : "contains only its first bytes: cut short; the disk may have been full");
}

} // namespace

FoundReport examineReport(const fs::path& path, Examination examination)
{
    FoundReport report;
    report.path = path;
    struct stat status = {};
    const OpenFile file(path);
    if (!file.isOpen() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return report;
    report.size_bytes = static_cast<uint64_t>(status.st_size);
    report.modified_ns = int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    std::string start = file.at(0, kSearched_bytes);
    // The keys of the first row, or of a dump, may follow a long value.
    if (start.starts_with('{') || start.starts_with("PK")) start = file.at(0, FileSniff::kHead);
    const FileSniff sniff =
        sniffOf(path, report.size_bytes, std::move(start),
                file.at(report.size_bytes - std::min<uint64_t>(report.size_bytes, 16), 16));
    const std::string& head = sniff.head;
    const auto nsys = readReportHeader(sniff);
    const auto sqlite = sqliteFileHeader(head);
    const bool isGzip = head.starts_with("\x1F\x8B");
    if (nsys && nsys->form == ReportForm::report) {
        setResult(report, "nsys report", nsys->isComplete,
                  "has no end marker: cut short or still being written");
    } else if (sqlite) {
        examineSqlite(report, *sqlite, examination);
    } else if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
        const bool isSnapshot =
            head.find("segments") != std::string::npos || head.find("device_traces") != std::string::npos;
        if (isSnapshot)
            setResult(report, "memory snapshot", sniff.tail.ends_with("."),
                      "has no STOP opcode: cut short or still being written");
    } else if (isSpool(head)) {
        examineSpool(report, examination);
    } else if (path.extension() == ".qdstrm") {
        setResult(report, "nsys stream", false,
                  "raw stream: nsys did not convert it to a report; run nsys import on it");
    } else if (isRolloutDump(head)) {
        examineDump(report, file);
    } else if ((isGzip || !isCompressed(head)) && isSampleRecords(sniff.text)) {
        examineSamples(report, file, isGzip, examination);
    } else if ((isGzip || !isCompressed(head)) && isTrace(sniff.text)) {
        examineTrace(report, file, isGzip, examination);
    }
    if (report.kind.empty()) examineByName(report);
    if (report.kind.empty() && isPerfetto(path, head))
        setResult(report, "perfetto trace", true, ""); // the format has no end marker
    return report;
}

namespace {

struct SpoolWriterFacts {
    std::string host, bootId;
    int64_t pid = 0;
};

struct SpoolAccount {
    SpoolWriterFacts writer;
    bool isEnded = false;
    uint64_t records = 0; // number of complete blocks of records
    uint64_t damaged = 0; // number of blocks that do not match their checksums
    std::optional<int64_t> step, exitStatus;
};

// SpoolBytes reads bytes on request, because a file that another process writes, and may truncate, must not
// be memory-mapped.
class SpoolBytes {
  public:
    explicit SpoolBytes(const std::filesystem::path& path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        struct stat status = {};
        if (m_fd >= 0 && ::fstat(m_fd, &status) == 0) m_size = static_cast<uint64_t>(status.st_size);
    }
    SpoolBytes(const SpoolBytes&) = delete;
    SpoolBytes& operator=(const SpoolBytes&) = delete;
    ~SpoolBytes()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    uint64_t size() const { return m_size; }
    // Appends the requested bytes. Returns false if some of them are missing.
    bool append(std::string& to, uint64_t begin, size_t size) const
    {
        const size_t before = to.size();
        to.resize(before + size);
        size_t done = 0;
        while (done < size) {
            const ssize_t got =
                ::pread(m_fd, to.data() + before + done, size - done, static_cast<off_t>(begin + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<size_t>(got);
        }
        to.resize(before + done);
        return done == size;
    }

  private:
    int m_fd = -1;
    uint64_t m_size = 0;
};

void noteBlock(const SpoolBlock& block, SpoolAccount& account)
{
    if (block.head.type == LOCKSTEP_BLOCK_RECORDS) ++account.records;
    if (block.head.step > 0) account.step = std::max(account.step.value_or(0), int64_t(block.head.step) - 1);
    if (block.head.type == LOCKSTEP_BLOCK_SUMMARY) {
        const Json summary = jsonFrom(unpackedPayload(block).value_or(""));
        account.exitStatus = numberAt(summary, "exit_status");
    }
    if (block.head.type != LOCKSTEP_BLOCK_META) return;
    const Json meta = jsonFrom(unpackedPayload(block).value_or(""));
    const std::string machine = textAt(meta, "machine"); // set if `host` was configured
    account.writer = {machine.empty() ? textAt(meta, "host") : machine, textAt(meta, "boot_id"),
                      numberAt(meta, "pid").value_or(0)};
}

// Keeps one block in memory at a time. Stops at a position where no block begins.
Result<SpoolAccount> accountOf(const SpoolBytes& file)
{
    constexpr uint64_t kMaxStored_bytes = LOCKSTEP_SPOOL_BLOCK_LIMIT + (1u << 20);
    constexpr uint64_t kMaxHeader_bytes = 4096; // may be longer in a later minor version
    constexpr size_t kHead = sizeof(LockstepSpoolBlock), kEnd = sizeof(LockstepSpoolEnd);
    std::string header;
    file.append(header, 0, sizeof(LockstepSpoolHeader));
    const SpoolBlocks empty = LOCKSTEP_TRY(spoolBlocks(header, Progress()));
    const uint64_t headerSize = std::min<uint64_t>(empty.header.header_bytes, kMaxHeader_bytes);
    if (headerSize > header.size()) file.append(header, header.size(), headerSize - header.size());
    SpoolAccount account;
    uint64_t at = header.size();
    while (at + kHead <= file.size()) {
        // Checks the block as if the file contained only this block.
        std::string bytes = header;
        LockstepSpoolBlock head = {};
        if (!file.append(bytes, at, kHead)) break;
        std::memcpy(&head, bytes.data() + header.size(), kHead);
        const bool isBlock =
            head.magic == LOCKSTEP_SPOOL_BLOCK_MAGIC && head.stored_bytes <= kMaxStored_bytes;
        if (!isBlock) {
            ++account.damaged;
            break;
        }
        if (!file.append(bytes, at + kHead, head.stored_bytes)) break; // truncated, or still being written
        const auto alone = spoolBlocks(bytes, Progress());
        if (alone && alone->blocks.size() == 1)
            noteBlock(alone->blocks.front(), account);
        else
            ++account.damaged;
        at += kHead + head.stored_bytes;
    }
    std::string end;
    if (file.size() >= kEnd) file.append(end, file.size() - kEnd, kEnd);
    account.isEnded = end.ends_with(std::string_view(LOCKSTEP_SPOOL_END_MAGIC, 8));
    return account;
}

std::string ownBootId()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

std::string ownHostName()
{
    std::array<char, 256> name = {};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Processes of another host, or of a container with its own process IDs, cannot be checked.
enum class WriterState { runs, isGone, isElsewhere };

WriterState stateOf(const SpoolWriterFacts& writer)
{
    const bool isHere = writer.pid > 0 && !writer.bootId.empty() && writer.bootId == ownBootId() &&
                        writer.host == ownHostName();
    if (!isHere) return WriterState::isElsewhere;
    return runsHere(writer.pid) ? WriterState::runs : WriterState::isGone;
}

std::string wholeText(const SpoolAccount& account)
{
    return std::to_string(account.records) +
           (account.records == 1 ? " block of records is intact" : " blocks of records are intact");
}

void examineOpenSpool(FoundReport& report, const SpoolAccount& account)
{
    const std::string process = "process " + std::to_string(account.writer.pid);
    switch (stateOf(account.writer)) {
    case WriterState::runs:
        report.isFlushing = true;
        report.writer = account.writer.pid;
        report.reason = "still being written by " + process;
        break;
    case WriterState::isGone:
        report.isFinal = true;
        report.reason = process + " ended before it could finish its report; " + wholeText(account) +
                        ", the last 250 ms may be missing";
        break;
    case WriterState::isElsewhere:
        report.reason = "has no index: still being written, or its process was killed; " + wholeText(account);
        break;
    }
}

} // namespace

bool runsHere(int64_t pid)
{
    if (pid <= 0 || pid > INT32_MAX) return false; // the file may contain any value
    return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

void examineSpool(FoundReport& report, Examination examination)
{
    report.kind = "capture spool";
    if (examination == Examination::kindOnly) return;
    const auto account = accountOf(SpoolBytes(report.path));
    if (!account) {
        report.reason = account.error().message;
        return;
    }
    report.isComplete = account->isEnded;
    report.step = account->step;
    report.exitStatus = account->exitStatus;
    if (!account->isEnded) {
        examineOpenSpool(report, *account);
    } else if (account->damaged > 0) {
        report.reason = "damaged: " + std::to_string(account->damaged) + " of its blocks cannot be read; " +
                        wholeText(*account);
    }
}

namespace {

constexpr size_t kEnd_bytes = 4096;
constexpr std::string_view kBlanks = " \t\r\n";

enum class CharClass : uint8_t { other, blank, quote, open, close };

constexpr std::array<CharClass, 256> kCharClasses = [] {
    std::array<CharClass, 256> sorts{};
    for (const char blank : kBlanks)
        sorts[static_cast<unsigned char>(blank)] = CharClass::blank;
    sorts['"'] = CharClass::quote;
    sorts['{'] = sorts['['] = CharClass::open;
    sorts['}'] = sorts[']'] = CharClass::close;
    return sorts;
}();

} // namespace

void JsonClosure::add(std::string_view piece)
{
    for (size_t i = 0; i < piece.size(); ++i) {
        const char c = piece[i];
        if (m_isInText) {
            if (m_isEscaped)
                m_isEscaped = false;
            else if (c == '\\')
                m_isEscaped = true;
            else if (c == '"')
                m_isInText = false;
            continue;
        }
        const CharClass sort = kCharClasses[static_cast<unsigned char>(c)];
        if (sort == CharClass::blank) continue;
        // One value per line is complete, too.
        const bool isNext = m_depth == 0 && sort == CharClass::open;
        m_hasMore = m_hasMore || (m_wasClosed && m_depth <= 0 && !isNext);
        if (sort == CharClass::quote)
            m_isInText = true;
        else if (sort == CharClass::open)
            ++m_depth;
        else if (sort == CharClass::close && --m_depth == 0)
            m_wasClosed = true;
    }
    m_end += piece.substr(piece.size() - std::min(piece.size(), kEnd_bytes));
    if (m_end.size() > kEnd_bytes) m_end.erase(0, m_end.size() - kEnd_bytes);
}

bool JsonClosure::isClosed() const
{
    if (m_wasClosed && !m_hasMore && m_depth == 0 && !m_isInText) return true;
    const size_t key = m_end.rfind("\"traceName\"");
    const size_t last = m_end.find_last_not_of(kBlanks);
    if (key == std::string::npos || m_end[last] != '}') return false;
    // The key must be followed by a colon, one string and the closing bracket.
    const std::string_view rest = std::string_view(m_end).substr(key + 11, last - key - 11);
    const size_t end = rest.find_last_not_of(kBlanks);
    return end != std::string_view::npos && rest[end] == '"' &&
           rest.find_first_of("{}[]") == std::string_view::npos;
}

} // namespace lockstep::agent
