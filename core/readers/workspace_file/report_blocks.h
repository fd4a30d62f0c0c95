// SPDX-License-Identifier: Apache-2.0
// Converts a report to blocks of a block file, and back. FORMAT.md specifies the blocks.
#pragma once

#include "core/base/block_file.h"
#include "core/readers/workspace_file/stored_report.h"

namespace lockstep {

// How the rows of columns are stored in the file.
enum class StoredColumns : uint8_t {
    packed, // in compressed chunks: small, but they must be decompressed when the file is opened
    raw     // as in memory: large, but opening only maps them, and data that is not used is not read
};

// Adds the blocks of a report under its ID. The only possible error is ErrorKind::canceled.
Status writeReport(BlockWriter& writer, uint32_t number, const Report& report, StoredColumns columns,
                   const Progress& progress);
// Returns the report with that ID after verifying its blocks. Returns corrupt, with the block or coding in
// the message, if a block is corrupt or a coding is unknown.
Result<StoredReport> storedReport(const std::shared_ptr<const BlockFile>& file, uint32_t number,
                                  const Progress& progress);

// Returns the memory that the reports of a file need once they are open; raw columns stay in the file and do
// not count. Safe for foreign files with any content, because the result never exceeds 64 bits.
uint64_t memoryOf_bytes(const BlockFile& file);

} // namespace lockstep
