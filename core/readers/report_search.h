// SPDX-License-Identifier: Apache-2.0
// findReports(): the files that a list of paths stands for. A file is taken as it is; a folder is walked and
// its files are told apart by content. Any thread; may take long on large trees.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/identity.h"

namespace lockstep {

// A file of a folder that is passed over, and why.
struct PassedOver {
    std::filesystem::path path;
    std::string reason;
    std::filesystem::path sameAs =
        {}; // the report whose content it has; empty: it is passed over for another reason
};

// What is known of a file before it is opened. A file that was named itself is taken unseen: its kind and
// tool are empty.
struct FoundFile {
    uint64_t size_bytes = 0;   // 0 when the file cannot be looked at
    uint64_t memory_bytes = 0; // about what it takes once it is open; a rule of thumb by kind
    std::string kind;          // the reader's word: "nsys sqlite", "chrome json"
    std::string tool;          // the reader's word for what recorded it
    Identity identity;         // what its name and folders say
};

struct FoundReports {
    std::vector<std::filesystem::path>
        reports;                  // in the order asked for, those of a folder by path; each file once
    std::vector<FoundFile> files; // by position in reports
    std::vector<PassedOver> passedOver;
};

// Of several files of one recording side by side in a walked folder one is taken and the others are passed
// over, as Reader::yieldsTo decides. Of files with one content, packed or not, the first is taken. What may
// not be read is among the reports, so that opening it says so. Links to folders are not followed. Files of a
// folder are looked at side by side; progress tells how many of them. canceled is the only error.
Result<FoundReports> findReports(const std::vector<std::filesystem::path>& paths, const Progress& progress);

// What the file system and its name say of a file that is taken unseen.
FoundFile unseenFile(const std::filesystem::path& path);

} // namespace lockstep
