// SPDX-License-Identifier: Apache-2.0
// SliceBatch: rows on their way into a report, gathered by one worker without locks and handed to
// ReportBuilder::adopt(). Rows may come in any order; names may be ids of the worker's own pool.
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
#include "core/trace/slice_table.h"

namespace lockstep {

inline constexpr uint32_t kNoCorrelation = 0xFFFFFFFFu;

inline constexpr uint16_t kAnyRow = 0xFFFF; // by how slices lie in each other

// One slice as its file states it. 40 bytes.
struct SliceRow {
    int64_t start_ns = 0;    // report clock
    int64_t duration_ns = 0; // >= 0
    SourceRow source;        // unique per report: ties, colours and memory ops go by it
    StringId name{0u};
    uint32_t correlation = kNoCorrelation; // CUPTI correlation id; joins within track.key.process
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    uint8_t flags = 0;
    uint16_t row = kAnyRow; // where it is drawn in its track, if that is settled; never over another
};

// True when start and end lie in kAllTime and the duration is not negative: what a batch accepts.
constexpr bool isPlausible(int64_t start_ns, int64_t duration_ns)
{
    return duration_ns >= 0 && duration_ns < kAllTime.end.ns && start_ns > kAllTime.begin.ns &&
           start_ns < kAllTime.end.ns - duration_ns;
}

enum class FlowRole : uint8_t { start, step, end };

// A point of a flow. In time order, a step or an end is an effect of the start or step before it; a start
// begins anew.
struct FlowPoint {
    uint64_t key = 0; // unique per flow in the report
    int64_t time_ns = 0;
    TrackId track; // binds to the deepest slice of this track, else of its thread, that encloses time_ns;
                   // invalid: binds to nothing, and is counted
    FlowRole role = FlowRole::end;
    bool bindsNext = false; // to the next slice that begins instead: an end of the Trace Event Format
                            // without bp "e"
};

using SliceChunk = RowChunk<SliceRow>;

// The least and the greatest start of some rows.
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
    // Where the rows of a report go that is too large for memory: null, or a file.
    explicit SliceBatch(std::shared_ptr<SpillFile> file = {}) : m_file(std::move(file)) {}

    // row must be plausible (see isPlausible()).
    void add(TrackId track, const SliceRow& row)
    {
        if (track.value >= byTrack.size()) byTrack.resize(track.value + 1);
        byTrack[track.value].add(row, m_file);
        starts.add(row.start_ns);
    }
    void addMemoryOp(SourceRow source, const MemoryOp& op) { memoryOps.add({source, op}, m_file); }
    // op.slice is set at freeze; its names are ids of the same pool as the rows'.
    void addCollective(SourceRow source, const CollectiveOp& op) { collectives.push_back({source, op}); }
    void addColor(SourceRow source, uint32_t rgb) { colors.add({source, rgb}, m_file); }
    void addFlow(const FlowPoint& point) { flows.add(point, m_file); }
    // Adds another batch's rows of one track behind those of `track`. Copies none. The caller adds its
    // starts.
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

    std::vector<Rows> byTrack; // index = TrackId::value
    StartExtent starts;        // of all rows
    RowChunks<SourcedMemoryOp> memoryOps;
    std::vector<std::pair<SourceRow, CollectiveOp>> collectives;
    RowChunks<SourcedColor> colors;
    RowChunks<FlowPoint> flows;

  private:
    std::shared_ptr<SpillFile> m_file;
};

} // namespace lockstep
