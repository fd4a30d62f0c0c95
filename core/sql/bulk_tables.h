// SPDX-License-Identifier: Apache-2.0
// The tables link, counter and collective: read from the reports' columns as they lie there. One thread a
// pass.
#pragma once

#include "core/sql/sql_table.h"

namespace lockstep {

std::span<const SqlTable> bulkSqlTables();

} // namespace lockstep
