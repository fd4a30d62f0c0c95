// SPDX-License-Identifier: Apache-2.0
// findReports(): expands a list of paths to report files. Files are used as they are. Folders are searched
// recursively, and files in them are recognized by content. Any thread; may take a long time for large trees.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/identity.h"

namespace lockstep {

// A file in a folder that is not opened, and the reason.
struct SkippedFile {
    std::filesystem::path path;
    std::string reason;
    // The report with the same content; empty if the file is skipped for a different reason.
    std::filesystem::path sameAs = {};
    HelpTopic help = HelpTopic::none; // help topic that explains the reason
};

// What is known about a file before it is opened. A file that the user specified explicitly is not examined,
// so its kind and tool are empty.
struct FoundFile {
    uint64_t size_bytes = 0;   // 0 if the file cannot be examined
    uint64_t memory_bytes = 0; // estimated memory of the opened file, based on its kind
    std::string kind;          // name of the reader: "nsys sqlite", "chrome json"
    std::string tool;          // recording tool according to the reader
    Identity identity;         // identity from the names of the file and its folders
};

struct FoundReports {
    // in the requested order, with the files of a folder sorted by path; each file once
    std::vector<std::filesystem::path> reports;
    std::vector<FoundFile> files; // by index in `reports`
    std::vector<SkippedFile> skippedFiles;
};

// Finds reports. If a searched folder contains several files of one recording, Reader::yieldsTo determines
// which one is used and which are skipped. If several files have the same content, compressed or not, the
// first one is used. Unreadable files are included, so that opening them reports the error. Symbolic links to
// folders are not followed. The files of a folder are examined in parallel; `progress` reports the number of
// examined files. The only possible error is ErrorKind::canceled.
Result<FoundReports> findReports(const std::vector<std::filesystem::path>& paths, const Progress& progress);

// Returns what the file system and the file name reveal about a file that has not been examined.
FoundFile unexaminedFile(const std::filesystem::path& path);

} // namespace lockstep
