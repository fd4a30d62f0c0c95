// SPDX-License-Identifier: Apache-2.0
// ReportAnchor: which report something was said of, told so that it is found again on another machine, after
// it was read anew, and beside other reports. Made of an open report when a mark is set; found among the open
// reports by a ReportFinder. Values; any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/trace/workspace.h"

namespace lockstep {

struct ReportAnchor {
    std::string
        print; // 16 hexadecimal digits of its clock, extent and first stamps; equal files have equal ones
    std::string name; // of its file, without folders
    std::string host; // empty where unknown
    std::optional<int64_t> rank, pid;

    friend auto operator<=>(const ReportAnchor&, const ReportAnchor&) = default;
};

// O(1): the first 256 stamps at most. identity: what is known of it by now.
ReportAnchor anchorOf(const Report& report, const Identity& identity);
// "rank3.sqlite (rank 3, node1)".
std::string describe(const ReportAnchor& anchor);

// How surely an open report is the one that was meant.
enum class AnchorMatch : uint8_t {
    none,      // it is not open
    ambiguous, // several could be it
    owner,     // another recording of the same process
    name, // a file of that name that begins at another moment or ends elsewhere: it was made anew, or grew
    exact
};

class ReportFinder {
  public:
    struct Found {
        ReportKey report; // invalid where there is none, or more than one
        AnchorMatch how = AnchorMatch::none;
    };

    // O(open reports).
    explicit ReportFinder(const Workspace& open);

    // O(log open reports).
    Found find(const ReportAnchor& anchor) const;

  private:
    // Invalid: several.
    std::map<std::pair<std::string, std::string>, ReportKey> m_printsAndNames;
    std::map<std::string, ReportKey> m_prints, m_names, m_owners;
};

} // namespace lockstep
