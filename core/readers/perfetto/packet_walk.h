// SPDX-License-Identifier: Apache-2.0
// PacketWalk: one pass over the packets of a Perfetto trace in file order. Stores the state shared by packets
// of one sequence (interned strings, defaults, validity after a loss) and passes each track event and GPU
// event to a listener, which turns them into slices or reads one packet's arguments. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/perfetto/proto_scan.h"
#include "core/readers/perfetto/trace_clocks.h"
#include "core/trace/import_notes.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

// LegacyEvent: the additional data of a track event converted from Chrome JSON: its phase and, if it is a
// flow point, the flow. Flow points are events of their own (phases s, t, f) or slices with a bind_id.
// Source: TrackEvent.LegacyEvent in Perfetto's track_event.proto.
struct LegacyEvent {
    char phase = 0; // the phase letter in Chrome JSON; 0 = none
    int64_t duration_us = 0;
    std::optional<uint64_t> nameIid; // ID of an interned name
    uint64_t id = 0;
    uint64_t scope = 0; // hash of the scope of the ID
    std::optional<uint64_t> bindId;
    uint64_t direction = 0;   // direction of bindId: 1 = in, 2 = out, 3 = both
    bool isOfProcess = false; // true if the ID is local to its process; otherwise it is global to the trace
    bool bindsEnclosing = false;
    bool isBroken = false; // true if the data ends before the event does

    static LegacyEvent read(std::string_view message);

    // Returns true if the event itself is a flow point and not a slice.
    bool isFlow() const { return phase == 's' || phase == 't' || phase == 'f'; }
    // Returns true if the event is a flow point, or if the begin of its slice is one.
    bool hasFlow() const { return isFlow() || (bindId && direction >= 1 && direction <= 3); }
    FlowRole flowRole() const;
    // Returns true for the end of a flow without bind_to_enclosing; such an end binds to the next slice.
    bool bindsNext() const { return phase == 'f' && !bindsEnclosing; }
    // Returns the key of the flow. `process` is any number that identifies the event's process uniquely in
    // the report.
    uint64_t flowKey(uint64_t process) const;
};

// The counters of one GPU, from a GpuCounterDescriptor.
struct GpuCounterSpec {
    std::unordered_map<uint64_t, std::string> names; // by counter_id
    int64_t gpu = 0;
};

// State shared by all packets with the same trusted_packet_sequence_id.
struct PacketSequence {
    using Texts = std::unordered_map<uint64_t, std::string>;

    Texts categories;      // InternedData.event_categories = 1
    Texts names;           // InternedData.event_names = 2
    Texts annotationNames; // InternedData.debug_annotation_names = 3
    Texts annotationTexts; // InternedData.debug_annotation_string_values = 29
    Texts gpuStages;       // InternedData.gpu_specifications = 24: stages and hardware queues
    Texts kernels;         // InternedData.compute_kernels = 1000
    std::unordered_map<uint64_t, int64_t> graphicsContexts;   // InternedData.graphics_contexts = 23: pids
    std::unordered_map<uint64_t, GpuCounterSpec> gpuCounters; // InternedData.gpu_counter_descriptors = 47
    uint64_t clock = 0;                  // TracePacketDefaults.timestamp_clock_id = 58; 0 = the trace clock
    uint64_t track = 0;                  // TrackEventDefaults.track_uuid = 11
    std::vector<uint64_t> counterTracks; // TrackEventDefaults.extra_counter_track_uuids = 31
    std::vector<uint64_t> realCounterTracks; // extra_double_counter_track_uuids = 45
    // true if incremental state was cleared and no packet has been lost since then
    bool isWhole = false;
    // incremented when the incremental state is cleared; afterwards, IDs refer to new strings
    uint64_t generation = 0;
};

// Reads GpuCounterDescriptor: specs = 1 { counter_id = 1, name = 2 }. Returns false if it is malformed.
bool readGpuCounterNames(std::string_view descriptor, std::unordered_map<uint64_t, std::string>& names);

enum class PacketKind : uint8_t { trackEvent, gpuStage, gpuCounters };

struct TrackEventPacket {
    PacketKind kind = PacketKind::trackEvent;
    uint64_t ordinal = 0; // zero-based index over all packets, including packets inside compressed ones
    uint32_t sequenceId = 0;
    int64_t time_ns = 0; // on the clock `clock`
    ClockKey clock = 0;
    std::string_view message; // a TrackEvent, GpuRenderStageEvent or GpuCounterEvent
    const PacketSequence* sequence = nullptr;
};

class PacketWalk {
  public:
    using OnEvent = std::function<void(const TrackEventPacket&)>;
    // Receives a TrackDescriptor; returns false if it is malformed.
    using OnDescriptor = std::function<bool(std::string_view message)>;

    PacketWalk(ImportNotes& notes, OnEvent onEvent, OnDescriptor onDescriptor);

    // Processes a whole trace. Truncated traces and corrupt packets are counted in notes; the only possible
    // error is ErrorKind::canceled. Strings of compressed packets remain valid as long as this object exists.
    Status run(std::string_view trace, const Progress& progress);

    const TraceClocks& clocks() const { return m_clocks; }
    uint64_t packetCount() const { return m_packets; }
    // Returns the number of packets that contain something other than track events, by TracePacket field
    // number.
    const std::map<uint32_t, uint64_t>& otherPackets() const { return m_others; }

  private:
    struct Packet;

    Status walk(std::string_view trace, bool isCompressed, const Progress& progress);
    void packet(std::string_view bytes, bool isCompressed, const Progress& progress);
    void readFields(std::string_view bytes, Packet& packet);
    void unpackInner(const Packet& packet, const Progress& progress);
    void updateSequence(const Packet& packet, PacketSequence& sequence);
    void noteBroken(bool isBroken, const char* what, uint64_t ordinal);
    void intern(std::string_view message, PacketSequence& sequence);
    void applyDefaults(std::string_view message, PacketSequence& sequence);
    void event(const Packet& packet, PacketSequence& sequence, PacketKind kind, std::string_view message);

    ImportNotes& m_notes;
    OnEvent m_onEvent;
    OnDescriptor m_onDescriptor;
    TraceClocks m_clocks;
    std::unordered_map<uint32_t, PacketSequence> m_sequences;
    std::map<uint32_t, uint64_t> m_others;
    uint64_t m_packets = 0;
    size_t m_total_bytes = 0;
    size_t m_unpacked_bytes = 0;
};

// Returns true if the bytes start like a trace. The first packet must be valid, as far as it is complete.
bool looksLikePerfetto(std::string_view head);

} // namespace lockstep
