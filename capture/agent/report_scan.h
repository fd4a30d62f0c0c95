// SPDX-License-Identifier: Apache-2.0
// Finds the report files of a run on its node and checks whether each is complete. A file is recognized by
// its content, never by its name. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

struct FoundReport {
    std::filesystem::path path;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0; // Unix epoch, clock of the file server
    uint64_t inode = 0; // together with timestamp and size, identifies the file on every host that sees it
    std::string kind;   // "nsys report", "nsys stream", "nsys sqlite", "ascend sqlite", "trace json", "memory
                        // snapshot", "perfetto trace", "capture spool", "sample records", "rollout dump"
                        // (ReportFormat::agentName); "" = not a report
    bool isComplete = false;
    std::string reason; // why it is incomplete, or what a complete file lacks, e.g. GPU rows; otherwise empty
    bool isFlushing = false; // the process that writes the file is still running
    int64_t writer = 0;      // process ID of that process on this node
    bool isFinal = false;    // incomplete, and no process can complete it any more
    // Latest training step that a capture file names, and exit status of the process that wrote the file.
    std::optional<int64_t> step, exitStatus;
    bool isInWorkingFolder = false; // found below the working folder, but in no report folder
};

// How much of a file is read. kindOnly: its beginning and end, which show its kind. whole: everything that
// proves that it is complete (end markers, pages and tables of a database, every byte of a JSON trace; 0.5
// GB/s per core).
enum class Examination { kindOnly, whole };

FoundReport examineReport(const std::filesystem::path& path, Examination examination);

class ReportScanner {
  public:
    // roots: may refer to the home folder, see resolvedHere(); components may contain *, ? and [...].
    // Unreadable and missing folders are skipped. Links to folders are followed only for roots.
    // workingFolder: as returned by workingFolderOfRun(). A root that contains it has many files that are not
    // reports of the run.
    explicit ReportScanner(std::vector<std::string> roots, std::filesystem::path workingFolder = {})
        : m_roots(std::move(roots)), m_workingFolder(std::move(workingFolder))
    {
    }

    // Returns all reports in the roots, sorted by path. A file with two names is returned once. A file is
    // examined completely once it has been unchanged for a while, and again only after a change. Before that,
    // its reason is "just written".
    std::vector<FoundReport> scan();
    // Same as scan(), but examines every file completely and immediately.
    std::vector<FoundReport> scanAtOnce();
    // Returns the existing folders that are searched.
    std::vector<std::filesystem::path> folders() const;

  private:
    struct Seen {
        FoundReport report;
        std::chrono::steady_clock::time_point since; // time at which this size and timestamp were first seen
        bool isExamined = false;
    };

    std::vector<FoundReport> scan(bool atOnce);
    bool containsWorkingFolder(const std::filesystem::path& folder) const;
    const FoundReport& currentState(const FoundReport& file, bool atOnce);

    std::vector<std::string> m_roots;
    std::filesystem::path m_workingFolder;
    std::map<std::filesystem::path, Seen> m_seen;
};

} // namespace lockstep::agent
