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
};

// What is known of a file before it is opened. A file that was named itself is taken unseen: its kind is
// empty.
struct FoundFile {
    uint64_t size_bytes = 0;   // 0 when the file cannot be looked at
    uint64_t memory_bytes = 0; // see forecastMemory_bytes()
    std::string kind;          // the reader's word: "nsys sqlite", "chrome json"
    Identity identity;         // what its name and folders say
};

struct FoundReports {
    std::vector<std::filesystem::path>
        reports;                  // in the order asked for, those of a folder by path; each file once
    std::vector<FoundFile> files; // by position in reports
    std::vector<PassedOver> passedOver;
};

// Of a raw stream, a report and its SQLite export side by side in a walked folder one is taken and the others
// are passed over: the export, or where that is cut the report, if an nsys here can convert it. Links to
// folders are not followed. Files of a folder are looked at side by side; progress tells how many of them.
// canceled is the only error.
Result<FoundReports> findReports(const std::vector<std::filesystem::path>& paths, const Progress& progress);

// About what a report takes in memory once it is open, with its level of detail, from its size as stored. A
// rule of thumb by kind (the reader's word, or empty): real files lie within a factor of 2 of it, mostly.
uint64_t forecastMemory_bytes(std::string_view kind, bool isCompressed, uint64_t size_bytes);
// What the file system and its name say of a file that is taken unseen.
FoundFile unseenFile(const std::filesystem::path& path);

} // namespace lockstep
