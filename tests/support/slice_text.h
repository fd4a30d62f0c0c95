// SPDX-License-Identifier: Apache-2.0
// A report as text for golden comparisons: tracks with their slices, links, counters, counts, notes. Stable
// order, no addresses, no paths.
#pragma once

#include <string>

#include "core/trace/report.h"

namespace lockstep::test {

std::string sliceText(const Report& report);

} // namespace lockstep::test
