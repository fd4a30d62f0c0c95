// SPDX-License-Identifier: Apache-2.0
// The analysis `memory_timeline`: active, allocated, requested and reserved memory over time, of each device
// of each memory snapshot: a thousand moments that keep every peak, or every entry.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryTimelineAnalysis();

} // namespace lockstep
