// SPDX-License-Identifier: Apache-2.0
// Roles of table models in addition to Qt's, so that the same view can sort, filter, sum and copy the rows of
// any table model.
#pragma once

#include <Qt>

namespace lockstep {

enum TableRole {
    sortRole = Qt::UserRole + 1, // a number or text by which the column is sorted; invalid values sort last
    copyRole,    // the exact text for the clipboard (integer ns, no grouping); also for the header
    numberRole,  // a double to sum and average; invalid for text columns
    functionRole // true for C++ function names, which may be shortened by omitting the least informative
                 // parts
};

} // namespace lockstep
