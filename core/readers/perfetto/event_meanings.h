// SPDX-License-Identifier: Apache-2.0
// EventMeanings: what track events are whose category and arguments are those of PyTorch's profiler: kernels
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

// Of one event.
struct EventMeaning {
    uint32_t number = 0; // 0: a plain slice
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    uint32_t correlation = kNoCorrelation;
};

class EventMeanings {
  public:
    EventMeanings(ReportBuilder& builder, TrackTree& tracks) : m_builder(builder), m_tracks(tracks) {}

    // Of an event with a duration; name is the builder's. copy: set where it is one that says what it moved.
    EventMeaning read(const TrackEventPacket& packet, StringId name, std::optional<MemoryOp>& copy);
    // Returns the meaning of GPU work that is not a track event.
    EventMeaning ofStage(const GpuStage& stage, std::optional<MemoryOp>& copy);
    // Where its row lies: where PyTorch's profiler would have put it, else on its own track.
    TrackId trackOf(uint64_t track, const EventMeaning& meaning);

  private:
    struct Place {
        EventClass what;
        int64_t pid = 0;     // 0: the track's process
        int64_t device = -1; // of GPU rows: ordinal
        int64_t stream = 0;
        int64_t context = 0;

        friend auto operator<=>(const Place&, const Place&) = default;
    };

    EventMeaning numbered(EventMeaning meaning, const Place& place);

    ReportBuilder& m_builder;
    TrackTree& m_tracks;
    std::vector<Place> m_places{Place()}; // by number
    std::map<Place, uint32_t> m_numbers;
};

} // namespace lockstep
