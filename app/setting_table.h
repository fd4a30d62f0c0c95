// SPDX-License-Identifier: Apache-2.0
// The one table of settings: what the settings file may hold, what it means and what holds at first. Settings
// reads and writes the file by it, the Settings page and the command search are made from it. UI thread.
#pragma once

#include <span>

#include "ui/settings/setting.h"

namespace lockstep {

// In the order of the page, those of a group together.
std::span<const Setting> settingTable();
// The line that keeps this key; nullptr: no such key is known.
const Setting* findSetting(const QString& key);

} // namespace lockstep
