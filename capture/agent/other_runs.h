// SPDX-License-Identifier: Apache-2.0
// OtherRun is another run of this user that may write reports to the same folders, so that the owner of a
// file cannot be derived from the file's folder and time. Other runs are found in the folder with all run
// folders of a node, RUNS/ID/HOST. On a shared home folder this includes runs of other nodes. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::agent {

class RunFolder;

// A folder in which a run expects reports, as a canonical path.
struct ReportPlace {
    std::filesystem::path folder;
    // The folder is or contains the working folder, so it has many files that are not reports of the run.
    bool isWorkingFolder = false;
};

struct OtherRun {
    std::string id;
    int64_t began_ns = 0; // Unix epoch
    int64_t ended_ns = 0; // time of the run's last event, or the current time while it runs
    bool isRunning = false;
    std::vector<ReportPlace> places;

    // Returns true if the run expects reports at the location of this file. A working folder counts only if
    // the file was found in a working folder.
    bool expectsReportAt(const std::filesystem::path& file, bool isInWorkingFolder) const;
    // Returns the first folder that both runs have in common (one place may be inside the other), or "" if
    // there is none.
    std::string commonFolder(const std::vector<ReportPlace>& own) const;
};

// Returns where a run expects reports. Patterns are omitted, because Ray sessions have their own folders.
std::vector<ReportPlace> reportPlaces(const RunFolder& folder);
// Returns runs stored next to this one that had not ended at since_ns, without parts of the same run on other
// hosts. Cost: one check per run, and reading the plans of the returned runs.
std::vector<OtherRun> otherRuns(const RunFolder& folder, int64_t since_ns);
// Returns the ID of a run that is writing to the folder, or "" if there is none. Searches where agents of
// this user keep their runs.
std::string runWritingInto(const std::filesystem::path& folder);

} // namespace lockstep::agent
