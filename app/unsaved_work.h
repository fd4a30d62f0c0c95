// SPDX-License-Identifier: Apache-2.0
// UnsavedWork: what a window holds that no file of its user does: corrections of identities, marks and notes,
// alignment, view, and a session being set up; with the paths of what was open, and nothing out of those
// files. Made by the window's RecoveryController for its Journal, and read by the one of a later start. A
// value.
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
    std::filesystem::path container; // the workspace file it came from; empty: none
    size_t nth = 0;                  // of the reports of that path
    Identity stated;

    friend bool operator==(const UnsavedReport&, const UnsavedReport&) = default;
};

struct UnsavedWork {
    int64_t at_ns = 0; // since 1970, UTC
    // Of the workspace; empty where it has no unsaved change.
    std::filesystem::path workspace; // its file; empty: none yet
    std::vector<UnsavedReport> reports;
    std::map<std::string, std::string> sections; // as the workspace file would hold them
    // Of the session; empty where it has none.
    std::filesystem::path sessionPath;
    std::string session; // YAML

    bool hasWorkspace() const { return !reports.empty(); }
    bool hasSession() const { return !session.empty(); }
    // How many reports were corrected by hand.
    size_t corrections() const;
    // What was unsaved; when is left aside.
    bool isSameAs(const UnsavedWork& other) const;
};

// The same work gives the same bytes.
std::string unsavedWorkText(const UnsavedWork& work);
// corrupt: no JSON of a version that this build knows, or neither a workspace nor a session in it.
Result<UnsavedWork> parseUnsavedWork(std::string_view text);

} // namespace lockstep
