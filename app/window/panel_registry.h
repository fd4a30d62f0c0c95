// SPDX-License-Identifier: Apache-2.0
// The list of the window's panels. To add a panel, write its class and add one line to the table. UI thread.
#pragma once

#include "app/window/window_parts.h"

namespace lockstep {

// Creates all panels, connects each panel's signals, and adds it to `docks`.
void addPanels(PanelDocks& docks, const WindowParts& parts);

} // namespace lockstep
