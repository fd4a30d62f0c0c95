// SPDX-License-Identifier: Apache-2.0
// ReportEntry: one report that was asked for and what became of it. Kept by the owner of the loads, shown by
// the Reports panel, the load list and the Notes panel, which take copies. UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/align/clock_map.h"
#include "core/base/result.h"
#include "core/lanes/report_lod.h"
#include "core/trace/report_identity.h"

namespace lockstep {

enum class ReportState : uint8_t {
    loading,
    open,
    failed,
    held // not opened, because memory would not suffice
};

struct ReportEntry {
    ReportKey key; // of the entry, and of its report once it is open
    std::filesystem::path path;
    std::filesystem::path container; // the workspace file it was read from; empty = path itself
    ReportState state = ReportState::loading;
    std::optional<double> fraction;                 // of loading, 0..1; empty while unknown
    Error error;                                    // of a failed or held one
    uint64_t memory_bytes = 0;                      // what it will take, about, as it was asked for
    std::shared_ptr<const Report> report;           // of an open one
    std::shared_ptr<const ReportLod> lod;           // of an open one
    std::shared_ptr<const ReportIdentity> identity; // of an open one, settled with the other open ones
    std::optional<ClockMap> clock;                  // of an open one, once aligned
    bool isShown = true;                            // on the timeline and in the tables
};

// Whose an open report is, as far as anything tells.
const Identity& identityOf(const ReportEntry& entry);
// "rank 3 · node1 · step 2", else what the file is called: how a report is named wherever it stands alone.
std::string reportLabel(const Report& report, const Identity& identity);
// What may tell reports of one label apart: the number of the capture, the tool, the file's name.
std::vector<std::string> reportMarks(const Report& report, const Identity& identity);
// Of labels that are equal each gets the first of its marks that differs among them, and the next where some
// still are. marks: a list a label, all of one length.
void tellApart(std::vector<std::string>& labels, const std::vector<std::vector<std::string>>& marks);
// From the first stamp to the last; the session's length when nothing was recorded.
Duration reportDuration(const Report& report);

} // namespace lockstep
