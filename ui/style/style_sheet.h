// SPDX-License-Identifier: Apache-2.0
// The look of every widget that is not painted by hand: a Qt style sheet and the fonts, made from a Theme and
// the user's font scale. Lines instead of boxes in boxes, one accent, no bevels. UI thread.
#pragma once

#include <QFont>
#include <QSize>
#include <QString>

#include "ui/style/theme.h"

class QWidget;

namespace lockstep {

// For QApplication::setStyleSheet over the Fusion style. scale is the user's font scale, 1 = 13 px text.
QString styleSheetOf(const Theme& theme, double scale);

// 13 px at scale 1: Inter where the machine has it, else the system's font.
QFont interfaceFont(double scale);
// 12 px at scale 1: tables, trees, status.
QFont smallFont(double scale);
// A length in px at scale 1, rounded for the scale of the application's font.
int scaledPixels(double pixels);
// Of a window that is to be seen whole: as large as wanted, or what a screen with that much room leaves it
// beside its frame. An empty room stands for no screen at all.
QSize sizeWithin(QSize room, QSize wanted);
// The same on the screen where the window is to be; true where it has what is wanted.
bool resizeWithinScreen(QWidget& window, QSize wanted);

// share of b mixed into a, 0..1.
QColor mixed(const QColor& a, const QColor& b, double share);

} // namespace lockstep
