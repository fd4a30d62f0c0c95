// SPDX-License-Identifier: Apache-2.0
// notifyDesktop() shows a desktop notification: through the session bus (org.freedesktop.Notifications), or
// through the system tray if the bus has no such service. Does nothing if neither is available. UI thread;
// returns at once.
#pragma once

#include <QString>

namespace lockstep {

void notifyDesktop(const QString& title, const QString& text);

} // namespace lockstep
