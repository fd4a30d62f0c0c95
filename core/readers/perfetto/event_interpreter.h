// SPDX-License-Identifier: Apache-2.0
// EventInterpreter interprets track events with the categories and arguments of PyTorch's profiler: kernels
// of a stream, copies with their bytes, calls with their correlation. Other events stay plain slices. One
// thread.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/readers/chrome_json/event_category.h"
#include "core/readers/perfetto/gpu_events.h"
#include "core/readers/perfetto/packet_walk.h"
#include "core/readers/perfetto/track_tree.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

// Interpretation of one event: how Lockstep shows it.
struct EventInterpretation {
    uint32_t number = 0; // 0 for a plain slice
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    uint32_t correlation = kNoCorrelation;
};

class EventInterpreter {
  public:
    EventInterpreter(ReportBuilder& builder, TrackTree& tracks) : m_builder(builder), m_tracks(tracks) {}

    // Interprets an event that has a duration; `name` is an ID of the builder. Sets `copy` if the event is a
    // copy with details.
    EventInterpretation read(const TrackEventPacket& packet, StringId name, std::optional<MemoryOp>& copy);
    // Interprets GPU work that is not a track event.
    EventInterpretation ofStage(const GpuStage& stage, std::optional<MemoryOp>& copy);
    // Returns the track for the event's row: the track that PyTorch's profiler would use, otherwise the
    // event's own track.
    TrackId trackOf(uint64_t track, const EventInterpretation& interpretation);

  private:
    struct Place {
        EventClass what;
        int64_t pid = 0;     // 0 for the process of the track
        int64_t device = -1; // GPU ordinal, for GPU rows
        int64_t stream = 0;
        int64_t context = 0;

        friend auto operator<=>(const Place&, const Place&) = default;
    };

    EventInterpretation numbered(EventInterpretation interpretation, const Place& place);

    ReportBuilder& m_builder;
    TrackTree& m_tracks;
    std::vector<Place> m_places{Place()}; // by number
    std::map<Place, uint32_t> m_numbers;
};

} // namespace lockstep
