// SPDX-License-Identifier: Apache-2.0
// SpoolBlocks: the intact blocks of a .lsc file (capture/format/FORMAT.md), in file order. Corrupt blocks are
// skipped one by one and counted; a truncated file yields all blocks before the cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/format/spool_format.h"
#include "core/base/progress.h"

namespace lockstep {

struct SpoolBlock {
    LockstepSpoolBlock head = {};
    uint64_t offset = 0;      // offset of the block header in the file
    std::string_view payload; // payload as stored
};

struct SpoolBlocks {
    LockstepSpoolHeader header = {};
    std::vector<SpoolBlock> blocks;
    bool isEnded = false;       // true if the file was completed with an index
    uint64_t damaged = 0;       // number of places where blocks are missing or corrupt
    uint64_t damaged_bytes = 0; // bytes skipped between blocks
    // number of missing blocks, computed from the sequence numbers of their neighbors
    uint64_t missing = 0;
    uint64_t firstDamage = 0; // offset of the first such place
    uint64_t cut_bytes = 0;   // number of bytes after the last intact block of an incomplete file
};

bool isSpool(std::string_view head);
// Returns the header of a file. Errors: unsupported for a newer major version, corrupt if the header is
// invalid or incomplete.
Result<LockstepSpoolHeader> spoolHeader(std::string_view file);
// Returns the block at `offset`, or nullopt if no intact block with a valid checksum starts there.
std::optional<SpoolBlock> intactBlockAt(std::string_view file, uint64_t offset);
// Returns the blocks after checking every checksum. Errors: unsupported for a newer major version, corrupt
// for an invalid header, canceled.
Result<SpoolBlocks> spoolBlocks(std::string_view file, const Progress& progress);
// Returns the blocks from `begin` on, which must be the start of a block or the end of the file. `sequence`
// is the sequence number of the first of these blocks if none is missing. Of the data before `begin`, only
// the header is accessed.
Result<SpoolBlocks> spoolBlocksFrom(std::string_view file, uint64_t begin, uint64_t sequence,
                                    const Progress& progress);
// Returns the decompressed size of all payloads according to the block headers, up to the first damaged
// block. Checksums are not verified.
uint64_t unpackedSpool_bytes(std::string_view file);
// Returns the decompressed payload of a block, or nullopt if the payload does not match the block header.
std::optional<std::string> unpackedPayload(const SpoolBlock& block);

} // namespace lockstep
