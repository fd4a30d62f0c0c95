// SPDX-License-Identifier: Apache-2.0
// Which releases of verl read a profiler setting, for messages about keys that the layout in hand does not
// have: a key of another era is accepted behind `++` and never read. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/session/session_config.h"

namespace lockstep {

// This layout reads the key: one of verlKeys(), an nsys option, or Hydra's own _target_.
bool isVerlKeyRead(VerlTrainer trainer, VerlSchema schema, std::string_view key);
// "0.4.1 to 0.5.0", "0.9.0 and newer"; "" where no layout reads it.
std::string verlReleasesWith(VerlTrainer trainer, std::string_view key);
// One sentence about a profiler key that this layout does not read: the releases that do, else the nearest
// key that it reads.
std::string unreadVerlKeyReason(VerlTrainer trainer, VerlSchema schema, std::string_view key);

// The layout that reads most of the profiler keys among these overrides; empty where the newest is as good as
// any.
std::optional<VerlSchema> schemaOfOverrides(VerlTrainer trainer, std::span<const std::string> words);

} // namespace lockstep
