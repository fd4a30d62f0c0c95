// SPDX-License-Identifier: Apache-2.0
// RowDetails: one row of an export in readable form: strings instead of string IDs, labels instead of
// enumerators, pid and tid instead of global IDs. Used when a slice is selected; any thread.
#pragma once

#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

// Returns all columns of the row in table order, followed by details from other tables and the NVTX payload
// of the row. Returns notFound if the row does not exist.
Result<SliceDetails> readRow(const SqliteDatabase& database, std::string_view table, int64_t row);

// Returns the label of an enumerator from the export's own ENUM_ table, otherwise the built-in label; "" if
// unknown.
std::string enumLabel(const SqliteDatabase& database, std::string_view column, int64_t number);

} // namespace lockstep
