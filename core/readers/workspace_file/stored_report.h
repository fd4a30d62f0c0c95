// SPDX-License-Identifier: Apache-2.0
// StoredReport: a report in stored form: the bytes of a header and of columns. Each column is stored in
// chunks or as in memory. The form does not depend on a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/workers.h"
#include "core/readers/workspace_file/column_codec.h"
#include "core/trace/report.h"

namespace lockstep {

// A stored column: non-owning views. StoredReport::keeper keeps the bytes alive.
struct StoredColumn {
    std::string name = {};
    std::string type = {}; // as returned by columnType()
    uint64_t rows = 0;
    std::optional<std::string_view> raw = {}; // rows as in memory, aligned
    // In row order. All chunks except the last have kChunkRows rows. If rows have several fields, the chunks
    // with the first four bytes of each row come first, then the chunks with the next four bytes, ...
    std::vector<ColumnChunk> chunks = {};
};

struct StoredReport {
    std::string_view header; // one zstd frame
    std::vector<StoredColumn> columns;
    std::vector<std::string> unknown;   // names of unknown contents of the file
    std::shared_ptr<const void> keeper; // keeps all of the bytes above alive
};

inline constexpr const char* kTextBytesColumn = "text.bytes";
inline constexpr const char* kTextLengthsColumn = "text.length";

// Size of the words in which a value is stored. A word is the value itself, or one of its parts.
template<class T>
constexpr uint8_t wordBytes(bool hasFields)
{
    return hasFields ? 4 : sizeof(T) <= 8 ? sizeof(T) : 8;
}

// Checks claimed sizes. Returns corrupt if a file of that size cannot contain as much decompressed data as it
// claims.
Status checkClaimedSize(uint64_t unpacked_bytes, uint64_t file_bytes);
// Restores the report and checks that every id refers to an existing row and every track is sorted; returns
// corrupt with the first violation. Unknown columns become a note. Raw columns stay where they are and share
// the keeper.
Result<std::unique_ptr<Report>> restoreReport(const StoredReport& stored, const Progress& progress);

// Checks a report from a workspace file. Such a file may be corrupt or created by someone else, and the rest
// of the program relies on valid IDs and on the order of rows. Returns corrupt with the first problem:
// columns of unequal length, IDs beyond the end of their table, a parent at or after its child, tracks that
// overlap or are not sorted, timestamps outside kAllTime. O(rows).
Status checkReport(const Report& report, const Workers& workers);

} // namespace lockstep
