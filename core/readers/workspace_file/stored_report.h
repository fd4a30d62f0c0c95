// SPDX-License-Identifier: Apache-2.0
// StoredReport: a report as the bytes of a file: a header and columns, each packed in chunks or as its rows
// lie in memory. What all formats of the file have in common; knows nothing of files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/workspace_file/column_codec.h"
#include "core/trace/report.h"

namespace lockstep {

// Names and bytes are somebody else's.
struct StoredColumn {
    std::string name = {};
    std::string type = {};                    // as columnType(); empty in format 1, which does not say
    uint64_t rows = 0;                        // 0 in format 1
    std::optional<std::string_view> raw = {}; // the rows as they lie in memory, aligned
    // In row order, all but the last of kChunkRows rows. Rows of several fields: so for their first four
    // bytes, then for the next four ...
    std::vector<ColumnChunk> chunks = {};
};

struct StoredReport {
    uint32_t format = 0;
    std::string_view header; // one zstd frame
    std::vector<StoredColumn> columns;
    std::vector<std::string> unknown;   // names of what else the file holds
    std::shared_ptr<const void> keeper; // of all bytes above
};

inline constexpr const char* kTextBytesColumn = "text.bytes";
inline constexpr const char* kTextLengthsColumn = "text.length";

// Bytes of the words that a value is stored as: itself, or parts of it one after the other.
template<class T>
constexpr uint8_t wordBytes(bool hasFields)
{
    return hasFields ? 4 : sizeof(T) <= 8 ? sizeof(T) : 8;
}

// corrupt when a file of that size cannot hold what it claims its columns to be once they are unpacked.
Status checkClaim(uint64_t unpacked_bytes, uint64_t file_bytes);
// The same report, checked so that every id it holds names a row that is there and every track is sorted:
// corrupt with the first thing that is not. Columns that nobody knows become a note. Raw columns stay where
// they are, and keep the keeper.
Result<std::unique_ptr<Report>> restoreReport(const StoredReport& stored, const Progress& progress);

} // namespace lockstep
