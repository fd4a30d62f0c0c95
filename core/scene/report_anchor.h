// SPDX-License-Identifier: Apache-2.0
// ReportAnchor: identifies a report, so that the report can be found on a different machine, after it is read
// again, and among other reports. Created from an open report when a marker is set; a ReportFinder finds it
// among the open reports. Value types. Thread: any.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/trace/workspace.h"

namespace lockstep {

struct ReportAnchor {
    // 16 hexadecimal digits computed from the report's clock, extent and first timestamps; equal for equal
    // files. Empty for a chunk of a capture that is still recorded: the whole capture has another extent, and
    // name, host and process identify it.
    std::string fingerprint;
    std::string name; // file name without folders
    std::string host; // empty if unknown
    std::optional<int64_t> rank, pid;

    friend auto operator<=>(const ReportAnchor&, const ReportAnchor&) = default;
};

// Returns the anchor of a report. O(1), because it reads at most the first 256 timestamps. `identity` is the
// current identity.
ReportAnchor anchorOf(const Report& report, const Identity& identity);
// Returns "rank3.sqlite (rank 3, node1)".
std::string describe(const ReportAnchor& anchor);

// Certainty that an open report matches an anchor.
enum class AnchorMatch : uint8_t {
    none,      // no open report matches
    ambiguous, // several reports match
    owner,     // a different recording of the same process
    // a file with the same name, but with a different start or end because the file was recreated or has
    // grown
    name,
    exact
};

class ReportFinder {
  public:
    struct Found {
        ReportKey report; // invalid if no report or more than one matches
        AnchorMatch match = AnchorMatch::none;
    };

    // Indexes the reports. The chunks of one capture count as one report, the first of them. O(open reports).
    explicit ReportFinder(const Workspace& open);

    // Finds the report for an anchor. O(log open reports).
    Found find(const ReportAnchor& anchor) const;

  private:
    // A value is invalid if several reports have the key.
    std::map<std::pair<std::string, std::string>, ReportKey> m_fingerprintsAndNames, m_namesAndOwners,
        m_namesAndHosts;
    std::map<std::string, ReportKey> m_fingerprints, m_names, m_owners;
};

} // namespace lockstep
