// SPDX-License-Identifier: Apache-2.0
// Reads DIAGNOSTIC_EVENT: messages from nsys. Messages with a timestamp from the profiled machine become
// instants; every warning and error also becomes a fact, because it may explain missing data.
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

constexpr int64_t kTargetTime =
    1; // DIAGNOSTIC_EVENT.timestampType; 2 = clock of the host where nsys runs, which is a different clock
constexpr int64_t kWarning = 2; // DIAGNOSTIC_EVENT.severity
constexpr int64_t kError = 3;

} // namespace

void readDiagnostics(TableScan& scan)
{
    enum : int { kTime, kTimeType, kSeverity, kText, kGlobalPid };
    while (scan.next()) {
        scan.count(CountedRows::diagnostic);
        const StringId text = scan.internedText(kText);
        const int64_t severity = scan.integer(kSeverity);
        if (severity == kWarning || severity == kError) {
            scan.result().findings.facts.push_back(
                {severity == kError ? "Profiler error" : "Profiler warning",
                 std::string(scan.reading().builder.text(text))});
            scan.note(severity == kError ? "nsys.error" : "nsys.warning", NoteSeverity::warning,
                      "profiler messages; see the report facts for their text");
        }
        if (scan.integer(kTimeType) != kTargetTime) {
            scan.note("diagnostic.host_time", NoteSeverity::info,
                      "profiler messages with timestamps from another machine: not placed on the time axis");
            continue;
        }
        SliceRow row;
        row.source = scan.source();
        row.name = text;
        row.kind = RowKind::diagnostic;
        const TrackId track = scan.tracks().cpu(TrackKind::diagnostics, scan.globalId(kGlobalPid));
        scan.addInstant(track, row, scan.optionalInteger(kTime));
    }
}

} // namespace lockstep
