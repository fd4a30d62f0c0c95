// SPDX-License-Identifier: Apache-2.0
// The one table of keys: all commands of window and timeline with the keys they have in each preset, and the
// sheet of keys and gestures that is made from it. UI thread.
#pragma once

#include <vector>

#include "ui/panels/shortcut_sheet.h"
#include "ui/window/key_map.h"

namespace lockstep {

// No two of its commands have a key in common, in any preset.
KeyMap makeKeyTable();
// "Lockstep", "Perfetto", "Nsight Systems": of a person's own language.
QString presetName(KeyPreset preset);
// Commands that have keys now, and gestures of the mouse; each group once.
std::vector<SheetLine> keySheet(const KeyMap& keys);

} // namespace lockstep
