// SPDX-License-Identifier: Apache-2.0
// ExportFacts: the name/value rows of an export, and the facts derived from them: the producer, the clock of
// timestamps, the identity of the run. Read once, by one thread, before the event tables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/readers/nsys_sqlite/export_reading.h"

namespace lockstep {

struct ExportFacts {
    using Values = std::multimap<std::string, std::string, std::less<>>;

    Values exported; // META_DATA_EXPORT; EXPORT_META_DATA before 2023
    Values captured; // META_DATA_CAPTURE: options; names may repeat
    Values system;   // TARGET_INFO_SYSTEM_ENV: the profiled machine

    // Returns EXPORT_SCHEMA_VERSION_MAJOR and _MINOR.
    SchemaVersion version() const;
    // Returns the profiled command line, as far as it is recorded; may be empty.
    std::string command() const;
};

ExportFacts readExportFacts(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

// Returns the first value with this name, or "".
std::string_view firstValue(const ExportFacts::Values& values, std::string_view name);

// Sets the producer and schema in the report's provenance, and the report's facts: machine, driver, command.
// Omits environment variables.
void describeExport(const ExportFacts& facts, Report& report);

// Sets report.clock and report.session. utcAtZero_ns comes from TARGET_INFO_SESSION_START_TIME.utcEpochNs,
// otherwise from the string utcTime in the same table (whole seconds). systemAtZero_ns comes from
// systemClockNs, otherwise from ANALYSIS_DETAILS.startTime of schema 3.24 and later, which uses the same
// clock. If an export has a time shift or is normalized to UTC, its timestamps are kept and the zero is
// shifted instead.
void readSessionClock(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                      Report& report);

// Sets host, rank, local rank and world size from the launch environment. `gpuProcesses` is the number of
// processes with CUDA work. If there are several such processes, the single environment cannot determine
// their ranks, so nothing is set.
void readLaunchIdentity(const ExportFacts& facts, size_t gpuProcesses, Identity& identity);

} // namespace lockstep
