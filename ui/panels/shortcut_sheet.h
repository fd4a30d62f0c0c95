// SPDX-License-Identifier: Apache-2.0
// showShortcutSheet() shows all keyboard shortcuts and mouse gestures in one dialog, in groups. Does not
// block. UI thread.
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

// Returns the dialog, which deletes itself when it is closed.
QDialog* showShortcutSheet(QWidget* parent, const std::vector<SheetLine>& lines);

} // namespace lockstep
