// SPDX-License-Identifier: Apache-2.0
// SliceBatch: rows for a report, collected by one worker without locks and passed to ReportBuilder::adopt().
// Rows may be in any order; names may be IDs of the worker's own pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/collective_op.h"
#include "core/trace/memory_op.h"
#include "core/trace/row_chunks.h"
#include "core/trace/row_facts.h"
#include "core/trace/slice_table.h"

namespace lockstep {

inline constexpr uint16_t kAnyRow = 0xFFFF; // nesting determines the row

// One slice as recorded in the file. 40 bytes.
struct SliceRow {
    int64_t start_ns = 0;    // report clock
    int64_t duration_ns = 0; // >= 0
    SourceRow source;        // unique per report; links, colors and memory operations refer to this value
    StringId name{0u};
    uint32_t correlation = kNoCorrelation; // CUPTI correlation ID; valid within track.key.process
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    uint8_t flags = 0;
    uint8_t factSetHigh = 0; // see factSet()
    // row within the track, if already determined; slices in such a row never overlap
    uint16_t row = kAnyRow;
    uint16_t factSetLow = 0;

    // The number of the row's set in ReportBuilder::factSets(); 0 if the row has no RowFacts. The set may be
    // empty: the row then has only its correlation ID.
    uint32_t factSet() const { return uint32_t(factSetHigh) << 16 | factSetLow; }
    void setFactSet(uint32_t number)
    {
        factSetHigh = static_cast<uint8_t>(number >> 16);
        factSetLow = static_cast<uint16_t>(number);
    }
};
static_assert(sizeof(SliceRow) == 40);

// Returns true if start and end are in kAllTime and the duration is not negative. Batches require this.
constexpr bool isPlausible(int64_t start_ns, int64_t duration_ns)
{
    return duration_ns >= 0 && duration_ns < kAllTime.end.ns && start_ns > kAllTime.begin.ns &&
           start_ns < kAllTime.end.ns - duration_ns;
}

enum class FlowRole : uint8_t { start, step, end };

// A point of a flow. In chronological order, a step or an end is an effect of the preceding start or step; a
// start begins a new sequence.
struct FlowPoint {
    uint64_t key = 0; // unique per flow in the report
    int64_t time_ns = 0;
    // The point binds to the deepest slice of this track, or otherwise of its thread, that encloses time_ns.
    // If the track is invalid, the point binds to nothing and is counted.
    TrackId track;
    FlowRole role = FlowRole::end;
    // true if the point binds to the next slice that begins: an end without bp "e" in the Trace Event Format
    bool bindsNext = false;
};

using SliceChunk = RowChunk<SliceRow>;

// Smallest and largest start of the rows.
struct StartExtent {
    int64_t least_ns = INT64_MAX;
    int64_t greatest_ns = INT64_MIN;

    bool isEmpty() const { return least_ns > greatest_ns; }
    void add(int64_t start_ns)
    {
        least_ns = std::min(least_ns, start_ns);
        greatest_ns = std::max(greatest_ns, start_ns);
    }
    void add(const StartExtent& other)
    {
        least_ns = std::min(least_ns, other.least_ns);
        greatest_ns = std::max(greatest_ns, other.greatest_ns);
    }
};

class SliceBatch {
  public:
    // `file` stores the rows of a report that does not fit in memory; it may be null.
    explicit SliceBatch(std::shared_ptr<SpillFile> file = {}) : m_file(std::move(file)) {}

    // Adds a row. The row must be plausible (see isPlausible()).
    void add(TrackId track, const SliceRow& row)
    {
        if (track.value >= byTrack.size()) byTrack.resize(track.value + 1);
        byTrack[track.value].add(row, m_file);
        starts.add(row.start_ns);
    }
    void addMemoryOp(SourceRow source, const MemoryOp& op) { memoryOps.add({source, op}, m_file); }
    // Adds a collective. freeze() sets op.slice. The strings in `op` are IDs of the same pool as the names of
    // the rows.
    void addCollective(SourceRow source, const CollectiveOp& op) { collectives.push_back({source, op}); }
    void addColor(SourceRow source, uint32_t rgb) { colors.add({source, rgb}, m_file); }
    void addFlow(const FlowPoint& point) { flows.add(point, m_file); }
    // Appends rows of one track from another batch without copying them. The caller merges `starts`.
    void take(TrackId track, RowChunks<SliceRow>&& rows)
    {
        if (track.value >= byTrack.size()) byTrack.resize(track.value + 1);
        byTrack[track.value].take(std::move(rows));
    }

    using Rows = RowChunks<SliceRow>;
    struct SourcedMemoryOp {
        SourceRow source;
        MemoryOp op;
    };
    struct SourcedColor {
        SourceRow source;
        uint32_t rgb;
    };

    std::vector<Rows> byTrack; // indexed by TrackId::value
    StartExtent starts;        // over all rows
    RowChunks<SourcedMemoryOp> memoryOps;
    std::vector<std::pair<SourceRow, CollectiveOp>> collectives;
    RowChunks<SourcedColor> colors;
    RowChunks<FlowPoint> flows;

  private:
    std::shared_ptr<SpillFile> m_file;
};

} // namespace lockstep
