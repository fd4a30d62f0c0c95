// SPDX-License-Identifier: Apache-2.0
// Reports made of random parts, for properties that hold for every report.
#pragma once

#include <memory>

#include <rapidcheck.h>

#include "core/trace/report.h"

namespace lockstep::test {

// Any number of processes, tracks, slices (nested, crossing, instant), links, counters (NaN and infinities
// too), notes, facts, and now and then an allocator snapshot. Call inside a rc::check property.
std::shared_ptr<const Report> randomReport();
// What a window might show of this: about all of it down to a hundredth, also beside it.
TimeRange randomView(TimeRange all);

} // namespace lockstep::test
