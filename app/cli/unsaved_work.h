// SPDX-License-Identifier: Apache-2.0
// UnsavedWork is the unsaved state of a window: corrected identities, markers and notes, alignment, view and
// an unsaved session, and the paths of the open reports, but no report content. The RecoveryController writes
// it to its Journal and reads it at a later start. Value type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/identity.h"

namespace lockstep {

struct UnsavedReport {
    std::filesystem::path path;
    std::filesystem::path container; // workspace file that contained the report, or empty
    size_t nth = 0;                  // index among the reports that have the same path
    Identity stated;

    friend bool operator==(const UnsavedReport&, const UnsavedReport&) = default;
};

struct UnsavedWork {
    int64_t at_ns = 0; // Unix epoch
    // Workspace part; empty if there are no unsaved changes.
    std::filesystem::path workspace; // workspace file; empty if there is none yet
    std::vector<UnsavedReport> reports;
    std::map<std::string, std::string> sections; // the same sections as in a workspace file
    // Session part; empty if there are no unsaved changes.
    std::filesystem::path sessionPath;
    std::string session; // YAML

    bool hasWorkspace() const { return !reports.empty(); }
    bool hasSession() const { return !session.empty(); }
    // Returns the number of reports with manual corrections.
    size_t corrections() const;
    // Compares everything except at_ns.
    bool isSameAs(const UnsavedWork& other) const;
};

// Returns the work as JSON. Equal work gives equal bytes.
std::string unsavedWorkText(const UnsavedWork& work);
// Parses JSON. Error: corrupt (invalid JSON, unknown version, or neither a workspace nor a session).
Result<UnsavedWork> parseUnsavedWork(std::string_view text);

} // namespace lockstep
