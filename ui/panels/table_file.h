// SPDX-License-Identifier: Apache-2.0
// Converts the rows that a view shows into a Table, so that they can be written in any text format. UI
// thread.
#pragma once

#include "core/analysis/table.h"

class QAbstractItemModel;

namespace lockstep {

// Returns the rows of the model in their order, with exact values (copyRole). A column whose values are all
// numbers becomes a numeric column, with as many decimals as its most exact value has. O(cells).
Table tableOfRows(const QAbstractItemModel& rows, const std::string& title);

} // namespace lockstep
