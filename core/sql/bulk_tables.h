// SPDX-License-Identifier: Apache-2.0
// The link, counter and collective tables, read directly from the reports' columns. Thread: one per pass.
#pragma once

#include "core/sql/sql_table.h"

namespace lockstep {

std::span<const SqlTable> bulkSqlTables();

} // namespace lockstep
