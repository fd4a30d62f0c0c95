// SPDX-License-Identifier: Apache-2.0
// Headers of table columns, in files and in the window. A nonempty `unit` replaces the column's own unit.
// Thread: any.
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/table.h"

namespace lockstep {

// Returns "Total Time (ns)" or "total_time_ns", by the table's headerStyle.
std::string fileHeader(const Table& table, size_t column, std::string_view unit = {});
// Returns the display header: "Late by, median (ms)" for the column late_by_median.
std::string shownHeader(const Table& table, size_t column, std::string_view unit = {});

} // namespace lockstep
