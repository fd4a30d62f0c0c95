// SPDX-License-Identifier: Apache-2.0
// Finds work that is contained in several reports of a workspace: a merged trace next to its source traces,
// and reports that claim the same rank and step. Tables sum over all shown reports, so such work would count
// twice. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

// A report with several processes whose GPU work is also in other reports.
struct RepeatedWork {
    ReportKey report;
    std::vector<ReportKey> parts; // for each process with GPU work, the report with the same work
};

// Returns the reports in which every process has the same GPU work as a single-process report: the same
// number of stream rows, with equal names, durations and wall-clock times. Single-process reports are never
// returned, because equal traces may belong to two ranks that differ only in their file names. O(tracks),
// plus O(rows) for processes whose row count, first start and last start agree.
std::vector<RepeatedWork> findRepeatedWork(const Workspace& workspace);
// Returns the file names of the parts: "a.json.gz, b.json.gz".
std::string partsText(const Workspace& workspace, const RepeatedWork& repeated);
// Returns the workspace without the reports of findRepeatedWork(). Keys are unchanged.
Workspace withoutRepeatedWork(const Workspace& workspace);

// Returns groups of reports with GPU work and the same identity (rank, step, and any known run, role, tool,
// stage, capture and replica) that come from different processes or overlap in time: attempts of a restarted
// job, or two runs in one folder. Consecutive captures of one process, such as the stages of a step, are not
// returned. Groups are ordered by their first report.
std::vector<std::vector<ReportKey>> findConflictingReports(const Workspace& workspace);
// Returns "2 reports claim rank 0, step 3: a.json, b.json. Tables sum them; ...".
std::string conflictText(const Workspace& workspace, const std::vector<ReportKey>& conflicting);

} // namespace lockstep
