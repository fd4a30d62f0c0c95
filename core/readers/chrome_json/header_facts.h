// SPDX-License-Identifier: Apache-2.0
// What the top-level keys of a trace say: clock, identity, devices, versions, log lines. Applied to the
// report when all windows are parsed, because keys may stand behind the events.
#pragma once

#include <span>
#include <vector>

#include "core/readers/chrome_json/outer_text.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Sets clock, identity (distributedInfo before the file's name), producer, schema, facts and devices'
// properties, and notes what the profiler itself logged as lost. Values that are not JSON are repaired or
// left out, and counted.
void applyHeader(std::span<const HeaderField> fields, bool isKineto, ReportBuilder& builder);

// The numbers of AMD's GPUs in deviceProperties (by name, or waves of 64), ascending: their rows name them in
// two ways.
std::vector<int64_t> amdDevices(std::span<const HeaderField> fields);

// Places stamps on wall time: baseTimeNanoseconds where the file has it; 0 when the stamps are microseconds
// since 1970 (16 digits); otherwise the file states no wall clock. earliest_ns: first stamp of the file.
ClockDomain clockOf(std::span<const HeaderField> fields, int64_t earliest_ns);

} // namespace lockstep
