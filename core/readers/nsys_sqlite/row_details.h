// SPDX-License-Identifier: Apache-2.0
// RowDetails: one row of an export in readable form: strings instead of string IDs, labels instead of
// enumerators, pid and tid instead of global IDs. Used when a slice is selected; any thread.
#pragma once

#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

// Returns the label of an enumerator from the export's own ENUM_ table, otherwise the built-in label; "" if
// unknown.
std::string enumLabel(const SqliteDatabase& database, std::string_view column, int64_t number);

} // namespace lockstep
