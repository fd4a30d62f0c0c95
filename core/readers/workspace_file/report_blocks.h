// SPDX-License-Identifier: Apache-2.0
// A report as blocks of a block file, and back. FORMAT.md says what each block holds.
#pragma once

#include "core/base/block_file.h"
#include "core/readers/workspace_file/stored_report.h"

namespace lockstep {

// How the rows of columns lie in the file.
enum class StoredColumns : uint8_t {
    packed, // in compressed chunks: small; opening unpacks them
    raw     // as in memory: large; opening maps them, and what is not looked at is not read
};

// Adds the blocks of a report under a number of its own. canceled is the only error.
Status writeReport(BlockWriter& writer, uint32_t number, const Report& report, StoredColumns columns,
                   const Progress& progress);
// The report of that number, its blocks verified: corrupt with the first that is damaged or of unknown
// coding.
Result<StoredReport> storedReport(const std::shared_ptr<const BlockFile>& file, uint32_t number,
                                  const Progress& progress);

// What the reports of a file take in memory once they are open: raw columns stay in the file. A file of
// another's making may say anything: stays within 64 bits.
uint64_t memoryOf_bytes(const BlockFile& file);

} // namespace lockstep
