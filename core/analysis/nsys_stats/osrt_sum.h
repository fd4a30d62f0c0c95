// osrt_sum: operating system runtime calls grouped by name, as the report of that name of nsys stats.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis osrtSum();

} // namespace lockstep
