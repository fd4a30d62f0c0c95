// SPDX-License-Identifier: Apache-2.0
// Finds the report files of a run on its node and says of each whether it is complete: the content is the
// proof, never the name. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::agent {

struct FoundReport {
    std::filesystem::path path;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0; // Unix epoch, clock of the file's server
    uint64_t inode = 0;      // with stamp and size: the same on every host that sees this file
    std::string kind; // "nsys report", "nsys stream", "nsys sqlite", "ascend sqlite", "trace json", "memory
                      // snapshot", "perfetto trace", "capture spool": ReportFormat::foundAs; "" = no report
    bool isComplete = false;
    std::string reason;      // why not complete; for a complete one what it lacks, e.g. GPU rows; else empty
    bool isFlushing = false; // known to be still written: its process lives
    int64_t writer = 0;      // that process, of this node
    bool isFinal = false;    // not complete, and nobody is left who could complete it
    bool isInWorkingFolder = false; // found below the working folder, and below no folder for reports
};

// How much of a file is read: beginning and end, which tell its kind; or all that proves it complete: end
// marks, pages and tables of a database, every byte of a JSON trace (0.5 GB/s a core).
enum class Examination { kindOnly, whole };

FoundReport examineReport(const std::filesystem::path& path, Examination examination);

class ReportScanner {
  public:
    // "~/" in front is the home folder; components may hold *, ? and [...]. Folders that cannot be read or do
    // not exist (yet) are passed over; links to folders are followed for roots only.
    // workingFolder: as workingFolderOfRun(); a root that it is in holds much that is no report of the run.
    explicit ReportScanner(std::vector<std::string> roots, std::filesystem::path workingFolder = {})
        : m_roots(std::move(roots)), m_workingFolder(std::move(workingFolder))
    {
    }

    // All reports below the roots, sorted by path; a file that two names lead to counts once. A file is
    // examined whole when it was left alone for a while, and again only when it changed; before that it is
    // "just written".
    std::vector<FoundReport> scan();
    // The same, examining every file whole at once.
    std::vector<FoundReport> scanAtOnce();
    // Folders that exist now and are looked into.
    std::vector<std::filesystem::path> folders() const;

  private:
    struct Seen {
        FoundReport report;
        std::chrono::steady_clock::time_point since; // of this size and stamp
        bool isExamined = false;
    };

    std::vector<FoundReport> scan(bool atOnce);
    bool holdsWorkingFolder(const std::filesystem::path& folder) const;
    const FoundReport& look(const FoundReport& file, bool atOnce);

    std::vector<std::string> m_roots;
    std::filesystem::path m_workingFolder;
    std::map<std::filesystem::path, Seen> m_seen;
};

} // namespace lockstep::agent
