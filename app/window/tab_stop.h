// SPDX-License-Identifier: Apache-2.0
// nextTabStop() finds the widget that Tab moves to in a window with docks. It skips panels that are covered
// by another tab, because the focus would be invisible there. The function changes nothing. UI thread.
#pragma once

class QWidget;

namespace lockstep {

// Returns the next visible widget of the window that accepts focus by Tab, or nullptr if there is no other
// one. `from` is the widget with the focus, or nullptr to start at the window. The search wraps around once.
QWidget* nextTabStop(const QWidget& window, QWidget* from, bool isForward);

} // namespace lockstep
