// SPDX-License-Identifier: Apache-2.0
// OtherRun: another run of this user that may write reports into the same folders. Whose report a file is can
// then not be told by its place and time. Found in the folder that holds all run folders of a node,
// RUNS/ID/HOST; on a shared home also those of other nodes. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::agent {

class RunFolder;

// A folder that a run looks for reports in, canonical.
struct ReportPlace {
    std::filesystem::path folder;
    bool isWorkingFolder = false; // or above it: holds much that is no report of the run
};

struct OtherRun {
    std::string id;
    int64_t began_ns = 0; // Unix epoch
    int64_t ended_ns = 0; // the time of its last event; now while it runs
    bool isRunning = false;
    std::vector<ReportPlace> places;

    // Whether the run looks for reports where this file is. A working folder counts only for a file that was
    // found in one.
    bool looksAt(const std::filesystem::path& file, bool isInWorkingFolder) const;
    // The first of these places that the two have in common, one being in the other; "" = none.
    std::string commonFolder(const std::vector<ReportPlace>& own) const;
};

// Where a run looks for reports; patterns are left out, Ray's sessions have folders of their own.
std::vector<ReportPlace> reportPlaces(const RunFolder& folder);
// Runs next to this one that had not ended at since_ns. Other hosts' parts of the same run are none. Cost:
// one look a run, and the plans of those that are returned.
std::vector<OtherRun> otherRuns(const RunFolder& folder, int64_t since_ns);
// Id of a run that writes into the folder now; "" = none. Looks where agents of this user keep their runs.
std::string runWritingInto(const std::filesystem::path& folder);

} // namespace lockstep::agent
