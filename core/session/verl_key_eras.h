// SPDX-License-Identifier: Apache-2.0
// The verl releases that read a profiler setting, for messages about keys that a layout does not have. Hydra
// accepts a key from a different era after `++`, but verl does not read it. Pure. Thread: any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/session/session_config.h"

namespace lockstep {

// Returns true if the layout reads the key, i.e. if it is one of verlKeys(), an nsys option, or Hydra's
// _target_.
bool isVerlKeyRead(VerlTrainer trainer, VerlSchema schema, std::string_view key);
// Returns a sentence about a profiler key that this layout does not read. The sentence states the releases
// that read the key, otherwise the most similar key in the layout.
std::string unreadVerlKeyReason(VerlTrainer trainer, VerlSchema schema, std::string_view key);

// Returns the layout that reads the most profiler keys among the overrides, or nullopt if no layout reads
// more of them than the newest layout.
std::optional<VerlSchema> schemaOfOverrides(VerlTrainer trainer, std::span<const std::string> words);

} // namespace lockstep
