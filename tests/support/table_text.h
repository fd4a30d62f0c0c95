// SPDX-License-Identifier: Apache-2.0
// A Table as text for golden comparisons: the header line, then one line per row, cells separated by " | ".
#pragma once

#include <string>

#include "core/analysis/table.h"

namespace lockstep::test {

std::string tableText(const Table& table);
// Returns the cells of one column, in row order.
std::vector<std::string> columnCells(const Table& table, std::string_view column);

} // namespace lockstep::test
