// SPDX-License-Identifier: Apache-2.0
// ShownColumns: which columns of a table of events are on screen, from left to right, and how wide: a value
// that is read from a table's head, put there, and kept as text between runs. UI thread.
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

// Of a new window.
ShownColumns firstColumns();
// sections are EventColumns.
ShownColumns shownColumns(const QHeaderView& header);
void showColumns(QHeaderView& header, const ShownColumns& columns);
// "start:120 name:320". What is none of that is left out; where nothing is left, the first ones.
QString shownColumnsText(const ShownColumns& columns);
ShownColumns shownColumnsFromText(const QString& text);

} // namespace lockstep
