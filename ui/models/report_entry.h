// SPDX-License-Identifier: Apache-2.0
// ReportEntry is one requested report and its state. The WorkspaceController owns the entries; the Reports
// panel, the load list and the Import notes panel show copies of them. UI thread.
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
    held // not opened because the report would exceed the memory limit
};

struct ReportEntry {
    ReportKey key; // key of the entry, and of its report once it is open
    std::filesystem::path path;
    // Workspace file that contains the report; if empty, the report is the file `path`.
    std::filesystem::path container;
    ReportState state = ReportState::loading;
    std::optional<double> fraction; // loading progress, 0..1; nullopt while unknown
    Error error;                    // why the report failed or is held; otherwise unset
    // Memory use that was estimated when the report was requested.
    uint64_t memory_bytes = 0;
    std::shared_ptr<const Report> report; // if open
    std::shared_ptr<const ReportLod> lod; // if open
    // If open; resolved together with the identities of the other open reports.
    std::shared_ptr<const ReportIdentity> identity;
    std::optional<ClockMap> clock; // if open and aligned
    // True if the report is visible on the timeline and in the tables.
    bool isShown = true;
};

// Returns the known part of an open report's identity.
const Identity& identityOf(const ReportEntry& entry);
// Returns "rank 3 · node1 · step 2", or the file name if the rank is unknown. Used wherever a report is
// mentioned without context.
std::string reportLabel(const Report& report, const Identity& identity);
// Returns the strings that may distinguish reports with equal labels: capture number, tool and file name.
std::vector<std::string> reportMarks(const Report& report, const Identity& identity);
// Makes equal labels distinct: appends the first mark that differs among them, and then further marks as long
// as some labels are still equal. marks: one list per label; all lists have the same length.
void disambiguate(std::vector<std::string>& labels, const std::vector<std::vector<std::string>>& marks);
// Returns the time from the first to the last timestamp, or the session length if nothing was recorded.
Duration reportDuration(const Report& report);

} // namespace lockstep
