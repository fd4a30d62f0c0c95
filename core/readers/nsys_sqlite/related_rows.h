// SPDX-License-Identifier: Apache-2.0
// What other tables of an export add to one row: its call stack, the call that made its CUDA graph node, its
// MPI communicator. Used when a slice is looked at; any thread.
#pragma once

#include "core/readers/nsys_sqlite/row_details.h"

namespace lockstep {

// Adds arguments behind the row's own. Tables and columns that are not there add nothing. May read a whole
// table: an export has no indexes.
void addRelatedRows(const SqliteDatabase& database, std::string_view table, int64_t row,
                    SliceDetails& details);

} // namespace lockstep
