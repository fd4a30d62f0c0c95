// SPDX-License-Identifier: Apache-2.0
// The list of the window's panels: a panel is its class and one line here. UI thread.
#pragma once

#include "app/window_parts.h"

namespace lockstep {

// Makes all panels, connects what is special to each, and docks them.
void addPanels(PanelDocks& docks, const WindowParts& parts);

} // namespace lockstep
