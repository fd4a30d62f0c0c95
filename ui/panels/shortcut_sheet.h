// SPDX-License-Identifier: Apache-2.0
// showShortcutSheet: all keys and gestures on one sheet, in groups. UI thread; does not block.
#pragma once

#include <vector>

#include <QString>

class QDialog;
class QWidget;

namespace lockstep {

struct SheetLine {
    QString group;
    QString keys;
    QString text;
};

// Deletes itself when closed.
QDialog* showShortcutSheet(QWidget* parent, const std::vector<SheetLine>& lines);

} // namespace lockstep
