// SPDX-License-Identifier: Apache-2.0
// Reports made of random parts, for properties that hold for every report.
#pragma once

#include <memory>

#include <rapidcheck.h>

#include "core/trace/report.h"

namespace lockstep::test {

// Returns a report with any number of processes, tracks, slices (nested, crossing, instant), links, counters
// (also NaN and infinities), notes, facts, and sometimes an allocator snapshot. Call inside an rc::check
// property.
std::shared_ptr<const Report> randomReport();
// Returns a time range that a window might show: from about everything down to a hundredth, possibly outside
// the report.
TimeRange randomView(TimeRange all);

} // namespace lockstep::test
