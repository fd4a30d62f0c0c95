// SPDX-License-Identifier: Apache-2.0
// Reads facts from the top-level keys of a trace: clock, identity, devices, versions, log lines. Applied to
// the report after all windows are parsed, because some keys may come after the events.
#pragma once

#include <span>
#include <vector>

#include "core/readers/chrome_json/outer_text.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Sets clock, identity (distributedInfo takes precedence over the file name), producer, schema, facts and
// device properties. Adds notes on losses that the profiler logged. Values that are not JSON are repaired or
// omitted, and counted.
void applyHeader(std::span<const HeaderField> fields, bool isKineto, ReportBuilder& builder);

// Returns the numbers of the AMD GPUs in deviceProperties (recognized by name, or by waves of 64), ascending.
// The rows of AMD GPUs number them in two ways.
std::vector<int64_t> amdDevices(std::span<const HeaderField> fields);

// Returns the relation of timestamps to wall time: baseTimeNanoseconds if present; 0 if timestamps are
// microseconds since 1970 (16 digits); in all other cases the file has no wall clock. `earliest_ns` is the
// first timestamp of the file.
ClockDomain clockOf(std::span<const HeaderField> fields, int64_t earliest_ns);

} // namespace lockstep
