// SPDX-License-Identifier: Apache-2.0
// Work that several reports of a workspace show: a merged trace next to the traces it was made from, and
// files that claim to be one rank's report of one step. Tables add up what is shown, so that it would count
// twice. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

// A report of several processes whose GPU work other reports show too.
struct RepeatedWork {
    ReportKey report;
    std::vector<ReportKey> parts; // for each of its processes with GPU work the report that shows the same
};

// Two processes show the same work when their GPU streams have equally many rows, of the same names, at the
// same times on the wall clock. Only reports of two and more processes with GPU work are looked for among the
// others, since a trace of one process and its copy may be those of two ranks that their names tell apart.
// O(tracks), and O(rows) for those whose first and last rows agree.
std::vector<RepeatedWork> findRepeatedWork(const Workspace& workspace);
// "a.json.gz, b.json.gz": the parts by file name.
std::string partsText(const Workspace& workspace, const RepeatedWork& repeated);
// The reports, under their keys, without those that only repeat the others.
Workspace withoutRepeatedWork(const Workspace& workspace);

// Reports with GPU work that are of one rank and step, differ in nothing else they say of themselves
// (run, role, tool, stage, capture, replica), and are of two processes or of one time: attempts of a
// restarted job, or files of two runs in one folder. Stages of a step that one process recorded one after
// another are none. In the order of their first.
std::vector<std::vector<ReportKey>> findRivalReports(const Workspace& workspace);
// "2 reports are of rank 0, step 3: a.json, b.json; tables add them up. Close or hide all but one".
std::string rivalsText(const Workspace& workspace, const std::vector<ReportKey>& rivals);

} // namespace lockstep
