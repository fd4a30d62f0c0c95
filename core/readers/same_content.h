// SPDX-License-Identifier: Apache-2.0
// Detects files with the same content: copies, hard links, or the compressed and the uncompressed form of a
// report. If such files were opened together, the same work would count twice.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/reader.h"

namespace lockstep {

// Returns the recorded size of a file's uncompressed content. For gzip, the size is at the end of the file
// (RFC 1952, modulo 2^32); for zstd, in the header of the first frame; for other files, it is the file size.
std::optional<uint64_t> recordedSize_bytes(const FileSniff& file);

// What is known about a file's content without reading it.
struct ContentFingerprint {
    std::filesystem::path path;
    uint64_t unpacked_bytes = 0; // modulo 2^32; 0 = unknown
    std::string head;            // digest of the first bytes of the uncompressed content
    // Rank, step, host etc. from the path. Files with different claims are different reports even if their
    // content is equal.
    std::string claim;
};

ContentFingerprint contentFingerprint(const FileSniff& file);

// Returns, for each file, the index of the first file with the same content; absent for that first file
// itself. Reads only files that agree in size, head and claim. The only possible error is
// ErrorKind::canceled, because an unreadable file counts as different from all others.
Result<std::vector<std::optional<size_t>>> firstWithSameContent(const std::vector<ContentFingerprint>& files,
                                                                const Progress& progress);

} // namespace lockstep
