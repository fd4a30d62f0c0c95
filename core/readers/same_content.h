// SPDX-License-Identifier: Apache-2.0
// Files of one content: a copy, a hard link, the packed and the unpacked form of one report. Opened side by
// side they would count the same work twice.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/reader.h"

namespace lockstep {

// The size of a file's unpacked content as the file states it: of gzip at its end (RFC 1952, modulo 2^32), of
// zstd in the header of its first frame, of others their own.
std::optional<uint64_t> statedSize_bytes(const FileSniff& file);

// What is known of a file's content without reading it.
struct ContentSign {
    std::filesystem::path path;
    uint64_t unpacked_bytes = 0; // modulo 2^32; 0: not known
    std::string head;            // digest of the first bytes of the unpacked content
    std::string claim;           // rank, step, host and so on in the path; files that claim
                                 // different ones are different reports, even with equal content
};

ContentSign contentSign(const FileSniff& file);

// Of each file the index of the first one with the same content, absent where it is the first. Only files
// that agree in size, head and claim are read. canceled; a file that cannot be read is like no other.
Result<std::vector<std::optional<size_t>>> firstOfSameContent(const std::vector<ContentSign>& files,
                                                              const Progress& progress);

} // namespace lockstep
