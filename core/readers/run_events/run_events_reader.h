// SPDX-License-Identifier: Apache-2.0
// Event logs of runs, as lockstep-agent writes them (capture/agent/event_log.h): one JSON object a line,
// Unix-epoch stamps of the node's clock. Opened as a report they give how busy the node was (CPU, memory,
// network, GPUs, each second) as counters, and commands and training steps as slices.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// For the registry.
Reader runEventsReader();

} // namespace lockstep
