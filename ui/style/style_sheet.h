// SPDX-License-Identifier: Apache-2.0
// The style of all widgets that do not paint themselves: a Qt style sheet and the fonts, created from a Theme
// and the user's font scale. The style uses lines instead of nested boxes, a single accent color, and no
// bevels. UI thread.
#pragma once

#include <QFont>
#include <QSize>
#include <QString>

#include "ui/style/theme.h"

class QWidget;

namespace lockstep {

// Returns the style sheet for QApplication::setStyleSheet, over the Fusion style. `scale` is the user's font
// scale; 1 means 13 px text.
QString styleSheetOf(const Theme& theme, double scale);

// Turns off ligatures and contextual alternates, because the Inter font would otherwise draw "128x32" with a
// multiplication sign and "->" as an arrow. Latin text also loses its kerning. Call this function for every
// font that is used for recorded names. The fonts returned by the functions below and by timelineFont() have
// already been treated.
void disableLigatures(QFont& font);
// Returns the interface font, 13 px at scale 1: Inter if installed, otherwise the system font.
QFont interfaceFont(double scale);
// Returns the font of tables, trees and the status line, 12 px at scale 1.
QFont smallFont(double scale);
// Returns the font of commands, scripts and logs, `pixels` high at the scale of the application's font.
QFont codeFont(double pixels = 12);
// Converts a length in pixels at scale 1 to pixels at the scale of the application's font. The result is
// rounded.
int scaledPixels(double pixels);
// Returns the size for a window that must fit on a screen: `wanted`, but not larger than `room` minus the
// window frame. If `room` is empty, there is no screen.
QSize sizeWithin(QSize room, QSize wanted);
// Resizes the window to `wanted`, or to the largest size that fits on its screen. Returns true if the window
// got the wanted size.
bool resizeWithinScreen(QWidget& window, QSize wanted);

// Returns the geometry, without frame, for a window that must be entirely on a screen: `wanted`, moved and
// made smaller as necessary. `room` is the available part of the screen.
QRect placeWithin(const QRect& room, const QRect& wanted);

// Returns `a` blended with `b`; `share` is the weight of `b`, 0..1.
QColor mixed(const QColor& a, const QColor& b, double share);

} // namespace lockstep
