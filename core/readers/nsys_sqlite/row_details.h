// SPDX-License-Identifier: Apache-2.0
// RowDetails: one row of an export as people read it: texts for string ids, labels for enumerations, pid and
// tid for global ids. Used when a slice is looked at; any thread.
#pragma once

#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

// Every column of the row in the table's order, then what other tables and its NVTX payload say. notFound
// when the row is not there.
Result<SliceDetails> readRow(const SqliteDatabase& database, std::string_view table, int64_t row);

// The label of an enumeration's number: from the export's own ENUM_ table, else the built-in one; "" when
// unknown.
std::string enumLabel(const SqliteDatabase& database, std::string_view column, int64_t number);

} // namespace lockstep
