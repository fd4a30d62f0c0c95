// SPDX-License-Identifier: Apache-2.0
// What a table model answers beside Qt's own roles, so that one view sorts, filters, sums and copies any of
// them.
#pragma once

#include <Qt>

namespace lockstep {

enum TableRole {
    sortRole = Qt::UserRole + 1, // a number or a text that orders the column; invalid sorts last
    copyRole,    // the exact text for the clipboard (integer ns, no grouping); also of the header
    numberRole,  // a double to sum and average; invalid for texts
    functionRole // true of a C++ function's name, which is shortened by what tells least
};

} // namespace lockstep
