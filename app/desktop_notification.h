// SPDX-License-Identifier: Apache-2.0
// A word to the desktop that something is done, for a user who looks elsewhere: through the session bus
// (org.freedesktop.Notifications), else the tray; silent where there is neither. UI thread; returns at once.
#pragma once

#include <QString>

namespace lockstep {

void notifyDesktop(const QString& title, const QString& text);

} // namespace lockstep
