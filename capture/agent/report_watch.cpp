// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/report_watch.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "core/base/json_fields.h"
#include "core/base/text.h"

namespace lockstep::agent {

void StepWatch::follow(const std::set<std::filesystem::path>& captures)
{
    std::erase_if(m_captures, [&](const auto& one) { return !captures.contains(one.first); });
    for (const std::filesystem::path& path : captures) {
        if (m_captures.size() == kMaxCaptures) return;
        m_captures.try_emplace(path, Capture{SpoolTail(path), {}, {}, {}});
    }
}

void StepWatch::read(Capture& capture)
{
    SpoolTail& tail = capture.tail;
    tail.poll();
    std::string bytes;
    while (!tail.pending().empty()) {
        const TailBlock& block = tail.pending().front();
        const int64_t step = int64_t(block.head.step) - 1;
        if (step > capture.step.value_or(-1)) {
            const SpoolTail::Reading reading = tail.read(block, bytes);
            if (reading == SpoolTail::Reading::notYet) return;
            if (reading == SpoolTail::Reading::whole) capture.step = step;
        }
        tail.pending().pop_front();
    }
}

void StepWatch::reportSteps()
{
    const auto now = std::chrono::steady_clock::now();
    for (auto& [path, capture] : m_captures) {
        read(capture);
        if (!capture.step || capture.step == capture.reported || m_log.isBlocked()) continue;
        const bool isGreatest = *capture.step > m_greatest.value_or(-1);
        if (!isGreatest && capture.reported && now - capture.reported_at < kPause) continue;
        capture.reported = capture.step;
        capture.reported_at = now;
        if (isGreatest) m_greatest = capture.step;
        Json fields{{"step", *capture.step}};
        addPath(fields, path);
        m_log.add("step", std::move(fields));
    }
}

namespace {

constexpr int64_t kTimestampError_ns = 1'000'000'000; // file systems round timestamps and use a coarser clock

} // namespace

void addPath(Json& fields, const std::filesystem::path& path)
{
    fields["path"] = path.string();
    if (!isValidUtf8(path.string())) fields["path_hex"] = hexOf(path.string());
}

ReportWatch::ReportWatch(std::vector<std::string> roots, std::filesystem::path workingFolder,
                         int64_t started_ns, std::map<std::string, RunHistory::Report> reported,
                         EventLog& log)
    : m_scanner(std::move(roots), std::move(workingFolder)), m_started_ns(started_ns),
      m_reported(std::move(reported)), m_log(log), m_steps(log)
{
}

bool ReportWatch::reportChanges()
{
    bool hasChanged = false;
    m_open = 0;
    const std::vector<FoundReport> reports = m_scanner.scan();
    std::set<std::filesystem::path> growing;
    for (const FoundReport& report : reports) {
        const bool isOld = report.modified_ns < m_started_ns - kTimestampError_ns;
        const bool isSpool = report.kind == "capture spool";
        const bool isOpen = !report.isComplete && !report.isFinal && !isOld;
        if (isOpen) ++m_open;
        if (isOpen && isSpool) growing.insert(report.path);
        const auto [known, isNew] = m_reported.try_emplace(report.path.string());
        RunHistory::Report& reported = known->second;
        // Rows are appended to samples all the time. So they are reported again after some growth only, which
        // the list of a finished run makes up for.
        const bool isAppended = report.kind == "sample records";
        const bool isGrowing = isAppended ? report.size_bytes > reported.size_bytes + reported.size_bytes / 4
                                          : reported.size_bytes != report.size_bytes;
        // A process that keeps recording makes its file grow every second. Waiting for reports must end
        // nevertheless, so only a new or a completed file counts as progress.
        hasChanged = hasChanged || isNew || (isGrowing && !isSpool && !isAppended);
        const bool isSame = reported.isComplete == report.isComplete && reported.reason == report.reason;
        const bool isReported = !isNew && (isSame || (isAppended && reported.isComplete));
        if (isReported && !(report.isComplete && isGrowing)) {
            if (!isAppended) reported.size_bytes = report.size_bytes;
            continue;
        }
        if (m_log.isBlocked()) {
            if (isNew) m_reported.erase(known);
            continue;
        }
        reported = {report.size_bytes, report.isComplete, report.reason};
        Json fields{{"size_bytes", report.size_bytes},
                    {"modified_ns", report.modified_ns},
                    {"type", report.kind},
                    {"complete", report.isComplete},
                    {"reason", report.reason},
                    {"old", isOld},
                    {"inode", report.inode}};
        addPath(fields, report.path);
        if (report.isFlushing) fields["flushing"] = true;
        if (report.isInWorkingFolder) fields["shared"] = true;
        if (report.isFinal) fields["final"] = true;
        if (report.step) fields["step"] = *report.step;
        if (report.exitStatus) fields["exit_status"] = *report.exitStatus;
        m_log.add("report", std::move(fields));
        hasChanged = hasChanged || !isSpool || report.isComplete;
    }
    reportGone(reports);
    m_steps.follow(growing);
    return hasChanged;
}

// Handles reports that were seen before and are now gone. A report that reappears is reported again.
void ReportWatch::reportGone(const std::vector<FoundReport>& reports)
{
    for (auto reported = m_reported.begin(); reported != m_reported.end() && !m_log.isBlocked();) {
        struct stat status = {};
        const bool isListed = std::ranges::binary_search(reports, std::filesystem::path(reported->first), {},
                                                         &FoundReport::path);
        const bool isGone = !isListed && ::lstat(reported->first.c_str(), &status) != 0 &&
                            (errno == ENOENT || errno == ENOTDIR);
        if (!isGone) {
            ++reported;
            continue;
        }
        Json fields{{"gone", true}};
        addPath(fields, reported->first);
        m_log.add("report", std::move(fields));
        reported = m_reported.erase(reported);
    }
}

std::map<std::string, uint64_t> ReportWatch::freeBytes(const std::filesystem::path& known) const
{
    std::map<std::string, uint64_t> free;
    struct stat status = {};
    std::set<dev_t> disks;
    if (::stat(known.c_str(), &status) == 0) disks.insert(status.st_dev);
    for (const std::filesystem::path& folder : m_scanner.folders()) {
        struct statvfs disk = {};
        if (::stat(folder.c_str(), &status) != 0 || !disks.insert(status.st_dev).second) continue;
        if (::statvfs(folder.c_str(), &disk) == 0)
            free[folder.string()] = uint64_t(disk.f_bavail) * disk.f_frsize;
    }
    return free;
}

} // namespace lockstep::agent
