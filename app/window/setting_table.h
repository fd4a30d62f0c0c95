// SPDX-License-Identifier: Apache-2.0
// The table of all settings: the keys of the settings file, their descriptions and defaults. Settings uses
// this table to read and write the file; the Settings page and the command palette are built from it. UI
// thread.
#pragma once

#include <span>

#include "ui/settings/setting.h"

namespace lockstep {

// Returns all settings, grouped, in the order of the Settings page.
std::span<const Setting> settingTable();
// Returns the setting stored under this key, or nullptr for an unknown key.
const Setting* findSetting(const QString& key);

} // namespace lockstep
