// SPDX-License-Identifier: Apache-2.0
// Converts between times of a host's log and the aligned axis, and finds the last slice of a rank, so that
// the log of a run and its timeline lead to each other. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/scene/scene.h"

namespace lockstep {

// Returns the aligned time of a time on the host's clock (Unix epoch ns), converted through a shown report of
// this host that has a wall clock, or of any host if there is none. nullopt if no shown report has one.
std::optional<TraceTime> alignedFromHostTime(const Scene& scene, std::string_view host, int64_t unix_ns);
// Returns the time on the clock of the report's host (Unix epoch ns) for an aligned time; nullopt if the
// report has no wall clock.
std::optional<int64_t> hostTimeFromAligned(const Scene& scene, ReportKey report, TraceTime aligned);

// Returns the slice of the rank that began last, without work of the profiler itself; invalid if there is
// none. Reports of this host are preferred to those of other hosts, whose names may be spelled differently.
// O(tracks).
SliceRef lastSliceOf(const Scene& scene, std::string_view host, int64_t rank);

} // namespace lockstep
