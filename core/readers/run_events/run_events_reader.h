// SPDX-License-Identifier: Apache-2.0
// Reader of run event logs written by lockstep-agent (capture/agent/event_log.h): one JSON object per line,
// with Unix timestamps of the node's clock. The report shows the load of the node (CPU, memory, network,
// GPUs, every second) as counters, and commands and training steps as slices.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// For the registry.
Reader runEventsReader();

} // namespace lockstep
