// SPDX-License-Identifier: Apache-2.0
// The track, stream, alignment and step tables.
#include <array>

#include "core/align/step_markers.h"
#include "core/sql/cached_rows.h"

namespace lockstep {

namespace {

using enum SqlType;

double countAllTracks(const SqlScene& scene)
{
    return static_cast<double>(scene.tracks().size());
}

double countAllReports(const SqlScene& scene)
{
    return static_cast<double>(scene.shown().size());
}

std::string_view trackKindSqlName(TrackKind kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(TrackKind::count)> kWords{
        "gpu_stream",    "gpu_graph",   "gpu_sync",   "gpu_annotation", "nvtx",        "cuda_api",
        "ops",           "python",      "os_runtime", "scheduling",     "library_api", "overhead",
        "memory_events", "diagnostics", "other",      "graph_events",   "samples"};
    return kWords[static_cast<size_t>(kind)];
}

constexpr std::array kTrackColumns{
    cachedColumn(0, "id", integer, "track id, unique across all reports", "", SqlKey::id),
    cachedColumn(1, "report", integer, "report.id"),
    cachedColumn(2, "process", integer, "process.id; NULL for machine-wide tracks"),
    cachedColumn(3, "thread", integer, "thread.id; NULL on a GPU"),
    cachedColumn(4, "device", integer, "device.id; NULL if not on a GPU"),
    cachedColumn(5, "kind", text, "gpu_stream, nvtx, cuda_api, ops, python ..."),
    cachedColumn(6, "lane", integer, "stream, NVTX domain or async id"),
    cachedColumn(7, "context", integer, "CUDA context; 0 if not recorded"),
    cachedColumn(8, "name", text, "name as recorded in the file"),
    cachedColumn(9, "slices", integer, "number of rows in slice"),
};

void addTrackRow(SqlCachedRows& cached, const SqlTrack& track)
{
    const TrackKey& key = track.track().key;
    cached.ids.push_back(sqlId(track.key, track.id.value));
    cached.rows.push_back({SqlValue::of(cached.ids.back()), sqlCount(track.key.value),
                           sqlIdValue(track.key, key.process), sqlIdValue(track.key, key.thread),
                           sqlIdValue(track.key, key.device), SqlValue::of(trackKindSqlName(key.kind)),
                           SqlValue::of(key.lane), SqlValue::of(key.context),
                           SqlValue::ofNonEmpty(track.report->strings.at(track.track().name)),
                           sqlCount(track.track().sliceCount)});
}

SqlCachedRows trackRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const SqlTrack& track : scene.tracks())
        addTrackRow(cached, track);
    return cached;
}

SqlCachedRows streamRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const SqlTrack& track : scene.tracks()) {
        if (track.track().key.kind == TrackKind::gpuStream) addTrackRow(cached, track);
    }
    return cached;
}

constexpr std::array kAlignmentColumns{
    cachedColumn(0, "report", integer, "report.id", "", SqlKey::id),
    cachedColumn(1, "method", text, "reference, host, collectives, exchange, wallclock, zero ..."),
    cachedColumn(2, "offset_ns", integer, "offset added to the report's timestamps, at drift_origin_ns",
                 "ns"),
    cachedColumn(3, "drift_ppb", integer, "clock rate correction in parts per 10^9", "ppb"),
    cachedColumn(4, "drift_origin_ns", integer, "report timestamp at which the drift correction is zero",
                 "ns"),
    cachedColumn(5, "bound_ns", integer, "error bound; NULL if there is none", "ns"),
    cachedColumn(6, "likely_error_ns", integer, "likely error, for estimated alignments", "ns"),
    cachedColumn(7, "confidence", text, "exact, good, fair, wallclock, none"),
    cachedColumn(8, "clock_domain", integer, "reports with the same number share a clock"),
    cachedColumn(9, "anchors", integer, "number of collectives used for the alignment"),
    cachedColumn(10, "reason", text, "why this method was used, and the source of its numbers"),
};

SqlCachedRows alignmentRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const ClockMap& map = scene.scene().alignment.map(key);
        cached.ids.push_back(int64_t(key.value));
        cached.rows.push_back(
            {sqlCount(key.value), SqlValue::of(alignMethodName(map.method)), SqlValue::of(map.offset_ns),
             SqlValue::of(map.drift_ppb), SqlValue::of(map.driftOrigin.ns), sqlKnown(map.bound_ns),
             sqlKnown(map.error_ns), SqlValue::of(clockConfidenceName(map.confidence)), sqlCount(map.domain),
             sqlCount(map.anchorsUsed), SqlValue::of(std::string_view(map.reason))});
    }
    return cached;
}

constexpr std::array kStepColumns{
    cachedColumn(0, "report", integer, "report.id"),
    cachedColumn(1, "number", integer,
                 "step number as recorded by the profiler; may differ from the RL step"),
    cachedColumn(2, "start_ns", integer, "start on the aligned axis", "ns", SqlKey::none,
                 ColumnMeaning::alignedTime),
    cachedColumn(3, "end_ns", integer, "end on the aligned axis", "ns", SqlKey::none,
                 ColumnMeaning::alignedTime),
    cachedColumn(4, "duration_ns", integer, "duration on the report's own clock", "ns"),
    cachedColumn(5, "slice", integer, "slice.id of the step's range; NULL if the whole report is the step"),
    cachedColumn(6, "is_on_gpu", integer, "1 if the range was projected onto the GPU"),
};

SqlCachedRows stepRows(const SqlScene& scene)
{
    SqlCachedRows cached;
    for (const ReportKey key : scene.shown().keys()) {
        const ClockMap& map = scene.scene().alignment.map(key);
        for (const StepMark& step : findSteps(scene.shown().report(key))) {
            cached.ids.push_back(static_cast<int64_t>(cached.rows.size()));
            cached.rows.push_back({sqlCount(key.value), SqlValue::of(step.number),
                                   SqlValue::of(alignedTimestamp(map, step.range.begin.ns)),
                                   SqlValue::of(alignedTimestamp(map, step.range.end.ns)),
                                   SqlValue::of(step.range.length().ns), sqlIdValue(key, step.slice),
                                   SqlValue::of(int64_t(step.isOnGpu))});
        }
    }
    return cached;
}

} // namespace

std::span<const SqlTable> axisSqlTables()
{
    static constexpr std::array<SqlTable, 4> kTables{{
        {"track", "timeline tracks, which contain the slices", kTrackColumns, openCached<trackRows>,
         countAllTracks},
        {"stream", "GPU stream tracks, a subset of track", kTrackColumns, openCached<streamRows>,
         countAllTracks},
        {"alignment", "clock alignment of each report", kAlignmentColumns, openCached<alignmentRows>,
         countAllReports},
        {"step", "training steps as marked in the files", kStepColumns, openCached<stepRows>,
         countAllReports},
    }};
    return kTables;
}

} // namespace lockstep
