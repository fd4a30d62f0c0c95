// SPDX-License-Identifier: Apache-2.0
// SpoolBlocks: the blocks of a .lsc file (capture/format/FORMAT.md) that are whole, in the file's order. What
// is damaged is stepped over, block by block, and counted; a file that ends in the middle gives all that
// stands before.
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
    uint64_t offset = 0;      // of its head in the file
    std::string_view payload; // as stored
};

struct SpoolBlocks {
    LockstepSpoolHeader header = {};
    std::vector<SpoolBlock> blocks;
    bool isEnded = false;       // in order, with an index
    uint64_t damaged = 0;       // places where blocks are missing or broken
    uint64_t damaged_bytes = 0; // passed over between blocks
    uint64_t missing = 0;       // blocks that the numbers of their neighbours tell of
    uint64_t firstDamage = 0;   // offset
    uint64_t cut_bytes = 0;     // behind the last whole block of a file that was not ended
};

bool isSpool(std::string_view head);
// The first bytes of a file. unsupported for a later major version, corrupt when they are broken or too few.
Result<LockstepSpoolHeader> spoolHeader(std::string_view file);
// The block that begins at `offset`, if a whole one does, by its checksum.
std::optional<SpoolBlock> wholeBlockAt(std::string_view file, uint64_t offset);
// Checks every checksum. unsupported for a later major version, corrupt when the header is broken, canceled.
Result<SpoolBlocks> spoolBlocks(std::string_view file, const Progress& progress);
// The same of what stands from `begin` on, where a block begins or the file ends; `sequence` is the number
// that its first block has if none is missing. What lies before is not touched but for the header.
Result<SpoolBlocks> spoolBlocksFrom(std::string_view file, uint64_t begin, uint64_t sequence,
                                    const Progress& progress);
// Returns how large the payloads of a whole file are unpacked, as its block headers state it, up to the first
// damage; no checksum is verified.
uint64_t unpackedSpool_bytes(std::string_view file);
// A block's payload as it was written; empty when it does not unpack to what its head says.
std::optional<std::string> unpackedPayload(const SpoolBlock& block);

} // namespace lockstep
