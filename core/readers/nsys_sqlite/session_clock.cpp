// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <ctime>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/export_facts.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

namespace {

struct SessionStart {
    std::optional<int64_t> utc_ns;
    std::optional<int64_t> system_ns;
    std::string utcText; // such as "2025-08-04T16:29:32"
};

// Returns a time such as "2025-08-04T16:29:32" as Unix time in ns.
std::optional<int64_t> epochOfUtcText(const std::string& text)
{
    std::tm parts = {};
    if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
    const std::time_t seconds = ::timegm(&parts);
    if (seconds < 0 || seconds > kAllTime.end.ns / 1'000'000'000) return std::nullopt;
    return int64_t(seconds) * 1'000'000'000;
}

std::optional<int64_t> plausible(std::optional<int64_t> time_ns)
{
    return time_ns && *time_ns > kAllTime.begin.ns && *time_ns < kAllTime.end.ns ? time_ns : std::nullopt;
}

SessionStart readStart(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes)
{
    static constexpr std::array<std::string_view, 3> kClockColumns{"utcEpochNs", "systemClockNs", "utcTime"};
    SessionStart start;
    eachRow(database, schema, "TARGET_INFO_SESSION_START_TIME", kClockColumns, notes,
            [&](const SqliteQuery& row) {
                if (!start.utc_ns) start.utc_ns = plausible(row.optionalInteger(1));
                if (!start.system_ns) start.system_ns = plausible(row.optionalInteger(2));
                if (start.utcText.empty()) start.utcText = std::string(row.text(3));
            });
    return start;
}

// Returns the time that the export options added to every timestamp.
int64_t exportShift(const ExportFacts& facts)
{
    for (const char* const name : {"EXPORT_PARAM_TIME_SHIFT", "EXPORT_CONFIG_TIME_SHIFT"}) {
        const auto shift = plausible(parseDuration(firstValue(facts.exported, name)));
        if (shift && *shift != 0) return *shift;
    }
    return 0;
}

void readUtc(const SessionStart& start, ClockDomain& clock)
{
    if (start.utc_ns) {
        clock.utcAtZero_ns = start.utc_ns;
        clock.utcResolution_ns = 1;
        clock.utcSource = "TARGET_INFO_SESSION_START_TIME.utcEpochNs";
    } else if (const auto seconds = epochOfUtcText(start.utcText)) {
        clock.utcAtZero_ns = seconds;
        clock.utcResolution_ns = 1'000'000'000;
        clock.utcSource = "TARGET_INFO_SESSION_START_TIME.utcTime";
    }
}

void noteUnknown(Report& report)
{
    const ClockDomain& clock = report.clock;
    if (!clock.utcAtZero_ns) {
        report.notes.add(
            "clock.no_wall_clock", NoteSeverity::warning,
            "the file does not record when its capture began: it cannot be aligned with other reports "
            "by wall clock",
            "TARGET_INFO_SESSION_START_TIME");
    } else if (clock.utcResolution_ns > 1) {
        report.notes.add("clock.coarse_wall_clock", NoteSeverity::info,
                         "the file records the start of its capture only to the second", clock.utcSource);
    }
    if (report.session.isEmpty()) {
        report.notes.add(
            "clock.no_window", NoteSeverity::info,
            "the file does not record the capture time range: its rows may begin later and end earlier",
            "ANALYSIS_DETAILS.duration");
    }
}

} // namespace

void readSessionClock(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                      Report& report)
{
    const SessionStart start = readStart(database, schema, report.notes);
    ClockDomain& clock = report.clock;
    clock.name = "nsys session";
    readUtc(start, clock);
    clock.systemAtZero_ns = start.system_ns;
    std::optional<int64_t> duration_ns;
    static constexpr std::array<std::string_view, 2> kClockColumns{"duration", "startTime"};
    eachRow(database, schema, "ANALYSIS_DETAILS", kClockColumns, report.notes, [&](const SqliteQuery& row) {
        if (!duration_ns) duration_ns = plausible(row.optionalInteger(1));
        const bool isSystemClock = facts.version() >= SchemaVersion{3, 24};
        if (!clock.systemAtZero_ns && isSystemClock)
            clock.systemAtZero_ns = plausible(row.optionalInteger(2));
    });
    int64_t zeroAt_ns = exportShift(facts); // timestamp in this file at the zero of the session
    if (zeroAt_ns != 0) report.facts.emplace_back("Export time shift", std::to_string(zeroAt_ns) + " ns");
    if (firstValue(facts.exported, "EXPORT_PARAM_TIME_NORMALIZE") == "true" && start.utc_ns) {
        zeroAt_ns = plausible(zeroAt_ns + *start.utc_ns).value_or(zeroAt_ns);
        clock.name = "Unix epoch (nsys --ts-normalize)";
    }
    if (clock.utcAtZero_ns) *clock.utcAtZero_ns -= zeroAt_ns;
    if (clock.systemAtZero_ns) *clock.systemAtZero_ns -= zeroAt_ns;
    if (duration_ns && isPlausible(zeroAt_ns, *duration_ns)) {
        report.session = {{zeroAt_ns}, {zeroAt_ns + *duration_ns}};
    }
    noteUnknown(report);
}

} // namespace lockstep
