// SPDX-License-Identifier: Apache-2.0
// ExportFacts: the settings an export carries as name/value rows, and what is read from them: who wrote the
// file, which clock its stamps are on, whose run it is. Read once, by one thread, before the tables of
// events.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/readers/nsys_sqlite/export_reading.h"

namespace lockstep {

struct ExportFacts {
    using Values = std::multimap<std::string, std::string, std::less<>>;

    Values exported; // META_DATA_EXPORT, before 2023 EXPORT_META_DATA
    Values captured; // META_DATA_CAPTURE: options; names may repeat
    Values system;   // TARGET_INFO_SYSTEM_ENV: the profiled machine

    // EXPORT_SCHEMA_VERSION_MAJOR and _MINOR.
    SchemaVersion version() const;
    // The command line that was profiled, as far as the file holds it; may be empty.
    std::string command() const;
};

ExportFacts readExportFacts(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

// The first value of a name, "" when it has none.
std::string_view firstValue(const ExportFacts::Values& values, std::string_view name);

// producer and schema of the report's provenance, and its facts: machine, driver, command. No environment
// variables.
void describeExport(const ExportFacts& facts, Report& report);

// report.clock and report.session. utcAtZero_ns comes from TARGET_INFO_SESSION_START_TIME.utcEpochNs, else
// from its utcTime text (whole seconds); systemAtZero_ns from systemClockNs, else from
// ANALYSIS_DETAILS.startTime of schema 3.24 on, where it is the same clock. Stamps of an export made with a
// time shift, or normalised to UTC, are taken as they are: zero moves instead.
void readSessionClock(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                      Report& report);

// Host, rank, local rank and world size of the report, from the launch environment. `gpuProcesses` is how
// many processes did CUDA work: where there are several, one environment cannot tell their ranks, and none is
// set.
void readLaunchIdentity(const ExportFacts& facts, size_t gpuProcesses, Identity& identity);

} // namespace lockstep
