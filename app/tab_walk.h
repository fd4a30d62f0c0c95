// SPDX-License-Identifier: Apache-2.0
// TabWalk: where Tab takes the keyboard in a window of docks: from stop to stop, and into no panel that lies
// behind another in its tabs, where nobody would see it. Pure, of widgets; UI thread.
#pragma once

class QWidget;

namespace lockstep {

// The next widget of the window that takes the keyboard by Tab and can be seen, once around; nullptr where
// there is no other. from: that has it; nullptr: the window itself.
QWidget* nextTabStop(const QWidget& window, QWidget* from, bool isForward);

} // namespace lockstep
