// SPDX-License-Identifier: Apache-2.0
// StoredReport: a report taken apart into a header and packed columns, and put together again. Knows nothing
// of files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/workspace_file/column_codec.h"
#include "core/trace/report.h"

namespace lockstep {

struct StoredColumn {
    std::string name;
    std::vector<ColumnChunk> chunks; // in row order, all but the last of kChunkRows rows
};

struct StoredReport {
    std::string header; // one zstd frame
    std::vector<StoredColumn> columns;
};

// canceled is the only error.
Result<StoredReport> packReport(const Report& report, const Progress& progress);
// The same report, checked so that every id it holds names a row that is there and every track is sorted:
// corrupt with the first thing that is not.
Result<std::unique_ptr<Report>> unpackReport(const StoredReport& stored, const Progress& progress);

} // namespace lockstep
