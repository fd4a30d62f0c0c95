#include "capture/agent/report_scan.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>

#include <sys/stat.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

struct Ends {
    std::string head, tail;
};

Ends endsOf(const fs::path& path, uint64_t size)
{
    constexpr uint64_t kLooked = 4096;
    Ends ends;
    std::ifstream file(path, std::ios::binary);
    ends.head.resize(std::min(size, kLooked));
    file.read(ends.head.data(), static_cast<std::streamsize>(ends.head.size()));
    ends.head.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
    file.clear();
    ends.tail.resize(std::min(size, kLooked));
    file.seekg(static_cast<std::streamoff>(size - ends.tail.size()));
    file.read(ends.tail.data(), static_cast<std::streamsize>(ends.tail.size()));
    ends.tail.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
    return ends;
}

void judge(FoundReport& report, const char* kind, bool isComplete, const char* reason)
{
    report.kind = kind;
    report.isComplete = isComplete;
    if (!isComplete) report.reason = reason;
}

uint32_t bigEndian(std::string_view bytes)
{
    uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = (value << 8) | static_cast<unsigned char>(c);
    return value;
}

// An SQLite file is whole when it holds as many pages as its header counts and no journal waits beside it.
void judgeSqlite(FoundReport& report, const std::string& head)
{
    const uint64_t pageField = bigEndian(std::string_view(head).substr(16, 4)) >> 16;
    const uint64_t pageSize = pageField == 1 ? 65536 : pageField;
    const uint64_t pages = bigEndian(std::string_view(head).substr(28, 4));
    std::error_code error;
    const bool hasJournal = fs::exists(report.path.string() + "-journal", error);
    judge(report, "sqlite", !hasJournal && pages > 0 && pageSize * pages <= report.size_bytes,
          hasJournal ? "still being written" : "shorter than its header says: cut short or still being written");
}

void judgeJson(FoundReport& report, const Ends& ends)
{
    const size_t first = ends.head.find_first_not_of(" \t\r\n");
    const size_t last = ends.tail.find_last_not_of(" \t\r\n");
    if (first == std::string::npos || (ends.head[first] != '{' && ends.head[first] != '[')) return;
    const bool isTrace = ends.head.find("\"traceEvents\"") != std::string::npos || ends.head.find("\"ph\"") != std::string::npos ||
                         ends.head.find("\"schemaVersion\"") != std::string::npos;
    if (isTrace) judge(report, "trace json", last != std::string::npos && ends.tail[last] == (ends.head[first] == '{' ? '}' : ']'),
                       "ends in the middle: cut short or still being written");
}

// "**" is not needed: a root is a folder, or has "*" components that stand for one name each.
std::vector<fs::path> expandedRoots(const std::string& root)
{
    fs::path whole = root;
    if (root.starts_with("~/") && std::getenv("HOME") != nullptr) whole = fs::path(std::getenv("HOME")) / root.substr(2);
    std::vector<fs::path> all{""};
    for (const fs::path& part : whole) {
        std::vector<fs::path> next;
        for (const fs::path& parent : all) {
            if (part != "*") {
                next.push_back(parent / part);
                continue;
            }
            std::error_code error;
            for (const auto& entry : fs::directory_iterator(parent, error)) next.push_back(entry.path());
        }
        all = std::move(next);
    }
    return all;
}

} // namespace

FoundReport examineReport(const fs::path& path)
{
    FoundReport report;
    report.path = path;
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return report;
    report.size_bytes = static_cast<uint64_t>(status.st_size);
    report.modified_ns = int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    const Ends ends = endsOf(path, report.size_bytes);
    const std::string name = path.filename().string();
    if (ends.head.starts_with("NVIDIA Tegra Profiler Report ")) {
        judge(report, "nsys report", ends.tail.ends_with("U3w[END]"), "has no end mark: cut short or still being written");
    } else if (ends.head.starts_with("SQLite format 3") && ends.head.size() >= 100) {
        judgeSqlite(report, ends.head);
    } else if (ends.head.starts_with("\x1F\x8B") && (name.ends_with(".json.gz") || name.ends_with(".gz"))) {
        judge(report, "trace json", report.size_bytes > 18, "too short for a compressed trace");
    } else if (ends.head.size() > 2 && ends.head[0] == '\x80' && ends.head[1] >= 2 && ends.head[1] <= 5) {
        judge(report, "memory snapshot", ends.tail.ends_with("."), "has no stop mark: cut short or still being written");
    } else if (name.ends_with(".qdstrm")) {
        judge(report, "nsys stream", false, "raw stream: nsys did not turn it into a report; run nsys import on it");
    } else {
        judgeJson(report, ends);
    }
    return report;
}

std::vector<FoundReport> scanReports(const std::vector<std::string>& roots)
{
    std::vector<FoundReport> found;
    std::set<fs::path> seen;
    const auto look = [&](const fs::path& path) {
        std::error_code error;
        if (!seen.insert(fs::weakly_canonical(path, error)).second) return;
        FoundReport report = examineReport(path);
        if (!report.kind.empty()) found.push_back(std::move(report));
    };
    for (const std::string& root : roots) {
        for (const fs::path& folder : expandedRoots(root)) {
            std::error_code error;
            if (fs::is_regular_file(folder, error)) look(folder);
            auto walk = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
            for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
                if (walk->is_regular_file(error)) look(walk->path());
            }
        }
    }
    std::ranges::sort(found, {}, &FoundReport::path);
    return found;
}

} // namespace lockstep::agent
