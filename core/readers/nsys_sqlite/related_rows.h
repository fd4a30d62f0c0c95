// SPDX-License-Identifier: Apache-2.0
// Reads details of one row from other tables of an export: its call stack, the call that created its CUDA
// graph node, its MPI communicator. Used when a slice is selected; any thread.
#pragma once

#include "core/readers/nsys_sqlite/row_details.h"

namespace lockstep {

// Adds arguments after the row's own arguments. Missing tables and columns add nothing. May read a whole
// table, because an export has no indexes.
void addRelatedRows(const SqliteDatabase& database, std::string_view table, int64_t row,
                    SliceDetails& details);

} // namespace lockstep
