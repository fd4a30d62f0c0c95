// SPDX-License-Identifier: Apache-2.0
// PacketWalk: one pass over the packets of a Perfetto trace in file order. Keeps what packets of one sequence
// lend each other (interned texts, defaults, whether they may be trusted after a loss) and hands each track
// event and GPU event on, with its texts resolvable. Who listens makes slices of them, or looks at one
// packet's arguments. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/perfetto/proto_scan.h"
#include "core/readers/perfetto/trace_clocks.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// What a GpuCounterDescriptor says of the counters of one GPU.
struct GpuCounterSpec {
    std::unordered_map<uint64_t, std::string> names; // by counter_id
    int64_t gpu = 0;
};

// What packets with one trusted_packet_sequence_id have in common.
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
    bool isWhole = false;                    // incremental state was cleared and nothing was lost since
    uint64_t generation = 0; // raised when the state is cleared: ids mean other texts from there on
};

// GpuCounterDescriptor: specs = 1 { counter_id = 1, name = 2 }. False where it breaks the wire format.
bool readGpuCounterNames(std::string_view descriptor, std::unordered_map<uint64_t, std::string>& names);

enum class PacketKind : uint8_t { trackEvent, gpuStage, gpuCounters };

struct TrackEventPacket {
    PacketKind kind = PacketKind::trackEvent;
    uint64_t ordinal = 0; // 0-based over all packets, those in compressed ones included
    uint32_t sequenceId = 0;
    int64_t time_ns = 0; // on `clock`
    ClockKey clock = 0;
    std::string_view message; // TrackEvent, GpuRenderStageEvent or GpuCounterEvent
    const PacketSequence* sequence = nullptr;
};

class PacketWalk {
  public:
    using OnEvent = std::function<void(const TrackEventPacket&)>;
    // TrackDescriptor; false where it breaks the wire format.
    using OnDescriptor = std::function<bool(std::string_view message)>;

    PacketWalk(ImportNotes& notes, OnEvent onEvent, OnDescriptor onDescriptor);

    // Walks a whole trace. Broken ends and packets are counted notes; canceled is the only error. Texts of
    // compressed packets live as long as the walk.
    Status run(std::string_view trace, const Progress& progress);

    const TraceClocks& clocks() const { return m_clocks; }
    uint64_t packetCount() const { return m_packets; }
    // Packets that hold something else than track events, by field number of TracePacket.
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
    void takeDefaults(std::string_view message, PacketSequence& sequence);
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

// True when the bytes begin like a trace: a first packet that is whole and sound, or sound as far as it goes.
bool looksLikePerfetto(std::string_view head);

} // namespace lockstep
