// SPDX-License-Identifier: Apache-2.0
// Finds out the kind of a report file and whether the file is complete, from the same first and last bytes as
// the readers. A pickle ends with STOP, '.'.
#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/agent/json_closure.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/spool_examination.h"
#include "core/base/inflate.h"
#include "core/base/report_formats.h"
#include "core/base/sqlite_database.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLooked = 4096;
constexpr size_t kBuffer = 256 * 1024;

// A file open for reading; reads nothing if it cannot be opened.
class OpenFile {
  public:
    explicit OpenFile(const fs::path& path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    bool isOpen() const { return m_fd >= 0; }
    std::string at(uint64_t begin, size_t size) const
    {
        std::string bytes(size, '\0');
        const ssize_t got = ::pread(m_fd, bytes.data(), size, static_cast<off_t>(begin));
        bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return bytes;
    }

  private:
    int m_fd = -1;
};

void judge(FoundReport& report, std::string_view kind, bool isComplete, const char* reason)
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
    judge(report, isAscendName(report.path) ? "ascend sqlite" : "nsys sqlite",
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
    judge(report, "trace json", isWhole && closure.isClosed(),
          isWhole ? "ends in the middle: cut short or still being written"
                  : "the compressed stream has no end: cut short or still being written");
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
    judge(report, format->agentName, false,
          report.size_bytes == 0 ? "empty: nothing was written to it; the disk may have been full"
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
    const FileSniff sniff =
        sniffOf(path, report.size_bytes, file.at(0, kLooked),
                file.at(report.size_bytes - std::min<uint64_t>(report.size_bytes, 16), 16));
    const std::string& head = sniff.head;
    const auto nsys = readReportHeader(sniff);
    const auto sqlite = sqliteFileHeader(head);
    const bool isGzip = head.starts_with("\x1F\x8B");
    if (nsys && nsys->form == ReportForm::report) {
        judge(report, "nsys report", nsys->isComplete, "has no end marker: cut short or still being written");
    } else if (sqlite) {
        examineSqlite(report, *sqlite, examination);
    } else if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
        const bool isSnapshot =
            head.find("segments") != std::string::npos || head.find("device_traces") != std::string::npos;
        if (isSnapshot)
            judge(report, "memory snapshot", sniff.tail.ends_with("."),
                  "has no STOP opcode: cut short or still being written");
    } else if (isSpool(head)) {
        examineSpool(report, examination);
    } else if (path.extension() == ".qdstrm") {
        judge(report, "nsys stream", false,
              "raw stream: nsys did not convert it to a report; run nsys import on it");
    } else if ((isGzip || !isCompressed(head)) && isTrace(sniff.text)) {
        examineTrace(report, file, isGzip, examination);
    }
    if (report.kind.empty()) examineByName(report);
    if (report.kind.empty() && isPerfetto(path, head))
        judge(report, "perfetto trace", true, ""); // the format has no end marker
    return report;
}

} // namespace lockstep::agent
