// SPDX-License-Identifier: Apache-2.0
// SliceBatch: rows on their way into a report, gathered by one worker without locks and handed to
// ReportBuilder::adopt(). Rows may come in any order; names may be ids of the worker's own pool.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/collective_op.h"
#include "core/trace/memory_op.h"
#include "core/trace/slice_table.h"

namespace lockstep {

inline constexpr uint32_t kNoCorrelation = 0xFFFFFFFFu;

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

// Memory for rows of one track: small at first, so that a thousand tracks of one row cost little; up to a
// huge page (where the kernel gives them), so that touching fresh memory and giving it back are cheap.
class SliceChunk {
  public:
    explicit SliceChunk(size_t capacity);
    SliceChunk(SliceChunk&& other) noexcept
        : m_rows(std::exchange(other.m_rows, nullptr)), m_count(std::exchange(other.m_count, 0)),
          m_capacity(std::exchange(other.m_capacity, 0))
    {
    }
    SliceChunk& operator=(SliceChunk&& other) noexcept
    {
        std::swap(m_rows, other.m_rows);
        std::swap(m_count, other.m_count);
        std::swap(m_capacity, other.m_capacity);
        return *this;
    }
    ~SliceChunk();

    bool isFull() const { return m_count == m_capacity; }
    void push(const SliceRow& row) { m_rows[m_count++] = row; }
    std::span<SliceRow> rows() { return {m_rows, m_count}; }
    std::span<const SliceRow> rows() const { return {m_rows, m_count}; }
    size_t capacity() const { return m_capacity; }

    static constexpr size_t kSmallest = 16;
    static constexpr size_t kHugePage = 2 * 1024 * 1024;
    static constexpr size_t kLargest = kHugePage / sizeof(SliceRow);

  private:
    SliceRow* m_rows = nullptr;
    size_t m_count = 0;
    size_t m_capacity = 0;
};

class SliceBatch {
  public:
    // row must be plausible (see isPlausible()).
    void add(TrackId track, const SliceRow& row);
    void addMemoryOp(SourceRow source, const MemoryOp& op) { memoryOps.push_back({source, op}); }
    // op.slice is set at freeze; its names are ids of the same pool as the rows'.
    void addCollective(SourceRow source, const CollectiveOp& op) { collectives.push_back({source, op}); }
    void addColor(SourceRow source, uint32_t rgb) { colors.push_back({source, rgb}); }
    void addFlow(const FlowPoint& point) { flows.push_back(point); }

    // Rows of one track in the order they were added, in chunks so that growth never copies.
    struct Rows {
        std::vector<SliceChunk> chunks;
        size_t count = 0;

        template<class Visit>
        void forEach(Visit&& visit) const
        {
            for (const SliceChunk& chunk : chunks) {
                for (const SliceRow& row : chunk.rows())
                    visit(row);
            }
        }
    };
    // Adds another batch's rows of one track behind those of `track`. Copies none.
    void take(TrackId track, Rows&& rows);

    std::vector<Rows> byTrack; // index = TrackId::value
    std::vector<std::pair<SourceRow, MemoryOp>> memoryOps;
    std::vector<std::pair<SourceRow, CollectiveOp>> collectives;
    std::vector<std::pair<SourceRow, uint32_t>> colors;
    std::vector<FlowPoint> flows;

  private:
    void grow(Rows& rows);
};

inline void SliceBatch::add(TrackId track, const SliceRow& row)
{
    if (track.value >= byTrack.size()) byTrack.resize(track.value + 1);
    Rows& rows = byTrack[track.value];
    if (rows.chunks.empty() || rows.chunks.back().isFull()) grow(rows);
    rows.chunks.back().push(row);
    ++rows.count;
}

} // namespace lockstep
