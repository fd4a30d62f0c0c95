// SPDX-License-Identifier: Apache-2.0
// The table of keys: all commands of the window and the timeline with their keys in each preset, and the
// shortcut sheet, which lists these commands and the mouse gestures. UI thread.
#pragma once

#include <vector>

#include "ui/panels/shortcut_sheet.h"
#include "ui/window/key_map.h"

namespace lockstep {

// Returns the key table. Within a preset, no two commands share a key in the same place.
KeyMap makeKeyTable();
// Returns the translated preset name: "Lockstep", "Perfetto" or "Nsight Systems".
QString presetName(KeyPreset preset);
// Returns the lines of the shortcut sheet, by group: the commands that have keys, and the mouse gestures.
std::vector<SheetLine> keySheet(const KeyMap& keys);

} // namespace lockstep
