// SPDX-License-Identifier: Apache-2.0
// ShownColumns lists the visible columns of an event table from left to right, with their widths. The list
// can be read from a header, applied to a header, and saved as text in the settings. Value type. UI thread.
#pragma once

#include <vector>

#include <QString>

#include "ui/events/event_columns.h"

class QHeaderView;

namespace lockstep {

struct ShownColumn {
    EventColumn column = EventColumn::name;
    int width = 0; // px at scale 1

    friend bool operator==(const ShownColumn&, const ShownColumn&) = default;
};
using ShownColumns = std::vector<ShownColumn>;

// Returns the default columns.
ShownColumns firstColumns();
// Returns the columns of a header whose sections are EventColumns.
ShownColumns shownColumns(const QHeaderView& header);
void showColumns(QHeaderView& header, const ShownColumns& columns);
// Format: "start:120 name:320". Unknown entries are skipped; if no valid entry is left, the defaults are
// used.
QString shownColumnsText(const ShownColumns& columns);
ShownColumns shownColumnsFromText(const QString& text);

} // namespace lockstep
