// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/report_scan.h"

#include <algorithm>
#include <set>

#include <fnmatch.h>
#include <sys/stat.h>

#include "capture/agent/event_log.h"
#include "capture/agent/report_examination.h"
#include "core/base/host_reference.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kUnchangedTime = 1500ms; // a file unchanged for this long is no longer being written

int64_t modificationTime_ns(const struct stat& status)
{
    return int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// Calls onEntry for each entry of a folder. A read error ends the traversal of this folder only.
template<class OnEntry>
void eachEntry(const fs::path& folder, OnEntry onEntry)
{
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        onEntry(at->path());
}

// Expands the patterns in a root and returns every existing path that matches.
std::vector<fs::path> expandedRoot(const std::string& root)
{
    std::string text = resolvedHere(root);
    const std::vector<HostReference> others = hostReferences(text); // such as $SLURM_JOB_ID of an ended job
    for (auto one = others.rbegin(); one != others.rend(); ++one)
        text.replace(one->begin, one->size_bytes, "*");
    const fs::path whole = text;
    std::vector<fs::path> all{""};
    for (const fs::path& part : whole) {
        std::vector<fs::path> next;
        const bool isPattern = part.string().find_first_of("*?[") != std::string::npos;
        for (const fs::path& parent : all) {
            if (!isPattern) {
                next.push_back(parent / part);
                continue;
            }
            eachEntry(parent.empty() ? "." : parent, [&](const fs::path& entry) {
                if (::fnmatch(part.c_str(), entry.filename().c_str(), FNM_PERIOD) == 0) next.push_back(entry);
            });
        }
        all = std::move(next);
    }
    std::erase_if(all, [](const fs::path& path) {
        std::error_code error;
        return !fs::exists(path, error);
    });
    return all;
}

// Returns each file once, regardless of how many names and roots lead to it.
class FileWalk {
  public:
    template<class OnFile>
    void walk(const fs::path& path, bool isRoot, const OnFile& onFile)
    {
        struct stat status = {};
        if ((isRoot ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status)) != 0) return;
        if (S_ISLNK(status.st_mode) && (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)))
            return;
        if (!m_seen.emplace(status.st_dev, status.st_ino).second) return;
        if (S_ISREG(status.st_mode)) onFile(path, status);
        if (S_ISDIR(status.st_mode)) {
            eachEntry(path, [&](const fs::path& entry) { walk(entry, false, onFile); });
        }
    }

  private:
    std::set<std::pair<dev_t, ino_t>> m_seen;
};

} // namespace

std::vector<fs::path> ReportScanner::folders() const
{
    std::vector<fs::path> all;
    for (const std::string& root : m_roots)
        std::ranges::copy(expandedRoot(root), std::back_inserter(all));
    return all;
}

bool ReportScanner::containsWorkingFolder(const fs::path& folder) const
{
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(folder, error);
    if (m_workingFolder.empty() || error) return false;
    return std::mismatch(whole.begin(), whole.end(), m_workingFolder.begin(), m_workingFolder.end()).first ==
           whole.end();
}

std::vector<FoundReport> ReportScanner::scan()
{
    return scan(false);
}

std::vector<FoundReport> ReportScanner::scanAtOnce()
{
    return scan(true);
}

std::vector<FoundReport> ReportScanner::scan(bool atOnce)
{
    std::vector<FoundReport> found;
    FileWalk files;
    // If a file is in two folders, it belongs to the folder that is meant for reports.
    std::vector<std::pair<fs::path, bool>> all; // folder, whether it contains the working folder
    std::vector<fs::path> there = folders();
    for (fs::path& folder : there) {
        const bool isShared = containsWorkingFolder(folder);
        all.emplace_back(std::move(folder), isShared);
    }
    std::ranges::stable_sort(all, {}, &std::pair<fs::path, bool>::second);
    for (const auto& [folder, isShared] : all) {
        files.walk(folder, true, [&, isShared = isShared](const fs::path& path, const struct stat& status) {
            FoundReport file;
            file.path = path;
            file.size_bytes = static_cast<uint64_t>(status.st_size);
            file.modified_ns = modificationTime_ns(status);
            file.inode = status.st_ino;
            const FoundReport& report = currentState(file, atOnce);
            if (report.kind.empty()) return;
            found.push_back(report);
            found.back().isInWorkingFolder = isShared;
        });
    }
    std::ranges::sort(found, {}, &FoundReport::path);
    return found;
}

const FoundReport& ReportScanner::currentState(const FoundReport& file, bool atOnce)
{
    const auto now = std::chrono::steady_clock::now();
    Seen& seen = m_seen[file.path];
    const auto examine = [&](Examination examination) {
        seen.report = examineReport(file.path, examination);
        // If the file changes between the two checks, the next scan detects the change.
        seen.report.size_bytes = file.size_bytes;
        seen.report.modified_ns = file.modified_ns;
        seen.report.inode = file.inode;
    };
    if (seen.report.path.empty() || seen.report.size_bytes != file.size_bytes ||
        seen.report.modified_ns != file.modified_ns) {
        examine(Examination::kindOnly);
        seen.since = now;
        seen.isExamined = false;
    }
    // A file that was still being written is read again only after its process has ended, because there may
    // be a thousand such files.
    const bool isSettled = seen.isExamined && (!seen.report.isFlushing || runsHere(seen.report.writer));
    if (isSettled || seen.report.kind.empty()) return seen.report;
    // Uses the modification time of the file if the clocks agree, otherwise the time for which the file was
    // seen unchanged.
    const bool isOld = wallClock_ns() - file.modified_ns >= std::chrono::nanoseconds(kUnchangedTime).count();
    if (!atOnce && !isOld && now - seen.since < kUnchangedTime) {
        seen.report.isComplete = false;
        seen.report.reason = "just written";
        return seen.report;
    }
    examine(Examination::whole);
    seen.isExamined = true;
    return seen.report;
}

} // namespace lockstep::agent
