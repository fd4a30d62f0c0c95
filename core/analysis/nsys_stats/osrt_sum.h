// SPDX-License-Identifier: Apache-2.0
// osrt_sum: operating system runtime calls grouped by name, as the report of that name of nsys stats: rows of
// OSRT_API with eventClass 27 (so in 2022.4 and 2023.4), not the marks of where nsys began and ended to
// watch.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis osrtSum();

} // namespace lockstep
