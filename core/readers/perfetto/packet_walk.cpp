// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/packet_walk.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "core/base/inflate.h"
#include "core/readers/perfetto/proto_scan.h"

namespace lockstep {

LegacyEvent LegacyEvent::read(std::string_view message)
{
    LegacyEvent event;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        switch (field.id) {
        case 1:
            event.nameIid = field.number;
            break;
        case 2:
            event.phase = field.number < 128 ? static_cast<char>(field.number) : '?';
            break;
        case 3:
            event.duration_us = field.asSigned();
            break;
        case 6:  // unscoped_id
        case 10: // local_id
        case 11: // global_id
            event.id = field.number;
            event.isOfProcess = field.id == 10;
            break;
        case 7:
            event.scope = std::hash<std::string_view>{}(field.bytes);
            break;
        case 8:
            event.bindId = field.number;
            break;
        case 12:
            event.bindsEnclosing = field.number != 0;
            break;
        case 13:
            event.direction = field.number;
            break;
        default:
            break;
        }
    }
    event.isBroken = scan.isBroken();
    return event;
}

FlowRole LegacyEvent::flowRole() const
{
    if (isFlow()) return phase == 's' ? FlowRole::start : phase == 't' ? FlowRole::step : FlowRole::end;
    return direction == 2 ? FlowRole::start : direction == 3 ? FlowRole::step : FlowRole::end;
}

uint64_t LegacyEvent::flowKey(uint64_t process) const
{
    const auto mixed = [](uint64_t key, uint64_t part) { return (key ^ part) * 0x9E3779B97F4A7C15u; };
    if (!isFlow()) return mixed(*bindId, 1);
    return mixed(mixed(mixed(id, 2), scope), isOfProcess ? process : 0);
}

namespace {

// Field numbers of TracePacket.
enum PacketField : uint32_t {
    kClockSnapshot = 6,
    kTimestamp = 8,
    kSequenceId = 10,
    kTrackEvent = 11,
    kInternedData = 12,
    kSequenceFlags = 13,
    kStateCleared = 41,
    kPreviousDropped = 42,
    kCompressed = 50,
    kGpuCounters = 52,
    kGpuStage = 53,
    kClockId = 58,
    kDefaults = 59,
    kTrackDescriptor = 60,
    kZstdCompressed = 133
};

constexpr uint64_t kFlagCleared = 1;
constexpr uint64_t kFlagNeedsState = 2;
// Compressed packets that Perfetto writes contain at most 512 KB.
constexpr size_t kInnerLimit_bytes = size_t(16) << 20;
constexpr size_t kInnerTotal_bytes = size_t(64) << 30;

// Packet contents that are not worth showing: IDs of the writer, configuration, markers, statistics.
constexpr std::array<uint32_t, 12> kIgnoredFields{3, 33, 35, 36, 45, 46, 69, 78, 79, 87, 89, 124};

bool isIgnoredField(uint32_t field)
{
    return std::ranges::find(kIgnoredFields, field) != kIgnoredFields.end();
}

// Returns true if a field of TracePacket has the wire type that its field number requires. Unknown fields may
// have any type.
bool hasPacketType(const ProtoField& field)
{
    constexpr std::array<uint32_t, 9> kMessages{kClockSnapshot,  kTrackEvent,  kInternedData,
                                                kCompressed,     kDefaults,    kTrackDescriptor,
                                                kZstdCompressed, kGpuCounters, kGpuStage};
    constexpr std::array<uint32_t, 6> kNumbers{kTimestamp,    kSequenceId,      kSequenceFlags,
                                               kStateCleared, kPreviousDropped, kClockId};
    const bool isBytes = field.type == WireType::bytes;
    if (std::ranges::find(kMessages, field.id) != kMessages.end()) return isBytes;
    return !isBytes || std::ranges::find(kNumbers, field.id) == kNumbers.end();
}

std::string atByte(size_t byte)
{
    return "byte " + std::to_string(byte);
}

// InternedGraphicsContext: iid = 1, pid = 2.
void takeContext(std::string_view message, PacketSequence& sequence)
{
    uint64_t id = 0;
    int64_t pid = 0;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) id = field.number;
        if (field.id == 2) pid = field.asSigned();
    }
    sequence.graphicsContexts[id] = pid;
}

// Reads InternedGpuCounterDescriptor: iid = 1, gpu_counter_descriptor = 2 { specs = 1 { counter_id = 1, name
// = 2 } }, gpu_id = 3. Returns false if the message is malformed.
bool takeGpuCounters(std::string_view message, PacketSequence& sequence)
{
    uint64_t id = 0;
    GpuCounterSpec spec;
    bool isWhole = true;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) id = field.number;
        if (field.id == 3) spec.gpu = field.asSigned();
        if (field.id == 2) isWhole &= readGpuCounterNames(field.bytes, spec.names);
    }
    sequence.gpuCounters[id] = std::move(spec);
    return isWhole && !scan.isBroken();
}

} // namespace

bool readGpuCounterNames(std::string_view descriptor, std::unordered_map<uint64_t, std::string>& names)
{
    bool isWhole = true;
    ProtoScan scan(descriptor);
    for (ProtoField field; scan.next(field);) {
        if (field.id != 1) continue;
        uint64_t id = 0;
        std::string_view name;
        ProtoScan inner(field.bytes);
        for (ProtoField part; inner.next(part);) {
            if (part.id == 1) id = part.number;
            if (part.id == 2) name = part.bytes;
        }
        isWhole &= !inner.isBroken();
        names[id] = std::string(name);
    }
    return isWhole && !scan.isBroken();
}

struct PacketWalk::Packet {
    uint64_t timestamp = 0;
    bool hasTimestamp = false;
    uint64_t clock = 0;
    uint32_t sequence = 0;
    uint64_t flags = 0;
    bool isCleared = false;
    bool hasLoss = false;
    std::string_view event, gpuStage, gpuCounters, descriptor, interned, defaults, snapshot, compressed,
        zstdCompressed;

    // Returns the member that stores a field with a nested message; nullptr for other fields.
    std::string_view* message(uint64_t field);
};

std::string_view* PacketWalk::Packet::message(uint64_t field)
{
    switch (field) {
    case kTrackEvent:
        return &event;
    case kTrackDescriptor:
        return &descriptor;
    case kGpuStage:
        return &gpuStage;
    case kGpuCounters:
        return &gpuCounters;
    case kInternedData:
        return &interned;
    case kDefaults:
        return &defaults;
    case kClockSnapshot:
        return &snapshot;
    case kCompressed:
        return &compressed;
    case kZstdCompressed:
        return &zstdCompressed;
    default:
        return nullptr;
    }
}

PacketWalk::PacketWalk(ImportNotes& notes, OnEvent onEvent, OnDescriptor onDescriptor)
    : m_notes(notes), m_onEvent(std::move(onEvent)), m_onDescriptor(std::move(onDescriptor))
{
}

Status PacketWalk::run(std::string_view trace, const Progress& progress)
{
    m_total_bytes = trace.size();
    return walk(trace, false, progress);
}

Status PacketWalk::walk(std::string_view trace, bool isCompressed, const Progress& progress)
{
    ProtoScan scan(trace);
    size_t start = 0;
    for (ProtoField field; scan.next(field); start = scan.position()) {
        if (field.id == 1 && field.type == WireType::bytes) {
            packet(field.bytes, isCompressed, progress);
            if (m_packets % 4096 == 0) {
                LOCKSTEP_TRY(progress.check());
                if (!isCompressed) progress.report(scan.position(), m_total_bytes);
            }
        } else {
            m_notes.add("perfetto.unknown_field", NoteSeverity::dataLoss,
                        "data between packets that is not a packet: skipped", atByte(start));
        }
    }
    if (scan.isBroken()) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    "the trace ends within a packet, or a packet is damaged; the packets before it are shown",
                    atByte(start));
    }
    return progress.check();
}

void PacketWalk::packet(std::string_view bytes, bool isCompressed, const Progress& progress)
{
    Packet packet;
    readFields(bytes, packet);
    if (!isCompressed && (!packet.compressed.empty() || !packet.zstdCompressed.empty())) {
        unpackInner(packet, progress);
        return;
    }
    PacketSequence& sequence = m_sequences[packet.sequence];
    updateSequence(packet, sequence);
    if (!packet.snapshot.empty())
        noteBroken(!m_clocks.addSnapshot(packet.snapshot, packet.sequence), "a clock snapshot", m_packets);
    if (!packet.descriptor.empty())
        noteBroken(!m_onDescriptor(packet.descriptor), "a track descriptor", m_packets);
    if (packet.event.data() != nullptr) event(packet, sequence, PacketKind::trackEvent, packet.event);
    if (packet.gpuStage.data() != nullptr) event(packet, sequence, PacketKind::gpuStage, packet.gpuStage);
    if (packet.gpuCounters.data() != nullptr)
        event(packet, sequence, PacketKind::gpuCounters, packet.gpuCounters);
    ++m_packets;
}

void PacketWalk::readFields(std::string_view bytes, Packet& packet)
{
    bool isBroken = false;
    ProtoScan scan(bytes);
    for (ProtoField field; scan.next(field);) {
        if (!hasPacketType(field)) {
            isBroken = true;
            continue;
        }
        switch (field.id) {
        case kTimestamp:
            packet.timestamp = field.number;
            packet.hasTimestamp = true;
            break;
        case kClockId:
            packet.clock = field.number;
            break;
        case kSequenceId:
            packet.sequence = static_cast<uint32_t>(field.number);
            break;
        case kSequenceFlags:
            packet.flags = field.number;
            break;
        case kStateCleared:
            packet.isCleared = field.number != 0;
            break;
        case kPreviousDropped:
            packet.hasLoss = field.number != 0;
            break;
        default:
            if (std::string_view* const message = packet.message(field.id)) {
                *message = field.bytes;
            } else if (!isIgnoredField(field.id)) {
                ++m_others[field.id];
            }
        }
    }
    if (isBroken || scan.isBroken()) {
        m_notes.add("perfetto.broken_packet", NoteSeverity::dataLoss,
                    "malformed packets: the rest of the packet is skipped",
                    "packet " + std::to_string(m_packets));
    }
}

void PacketWalk::unpackInner(const Packet& packet, const Progress& progress)
{
    const bool isZstd = packet.compressed.empty();
    const auto inner = isZstd ? unzstd(packet.zstdCompressed, kInnerLimit_bytes, progress)
                              : inflated(packet.compressed, kInnerLimit_bytes, progress);
    if (!inner || m_unpacked_bytes > kInnerTotal_bytes) {
        m_notes.add("perfetto.broken_compression", NoteSeverity::dataLoss,
                    "packets that cannot be decompressed: skipped", "packet " + std::to_string(m_packets));
        return;
    }
    m_unpacked_bytes += inner->bytes.size();
    // The only possible error is canceled, which the outer walk handles next.
    (void)walk(inner->bytes, true, progress);
}

void PacketWalk::updateSequence(const Packet& packet, PacketSequence& sequence)
{
    if (packet.hasLoss) {
        sequence.isWhole = false;
        m_notes.add("perfetto.lost_packets", NoteSeverity::dataLoss,
                    "packets lost by the recorder before this packet", "packet " + std::to_string(m_packets));
    }
    if (packet.isCleared || (packet.flags & kFlagCleared) != 0) {
        const uint64_t generation = sequence.generation + 1;
        sequence = {};
        sequence.generation = generation;
        sequence.isWhole = true;
    }
    if (!packet.defaults.empty()) applyDefaults(packet.defaults, sequence);
    if (!packet.interned.empty()) intern(packet.interned, sequence);
}

void PacketWalk::noteBroken(bool isBroken, const char* what, uint64_t ordinal)
{
    if (isBroken)
        m_notes.add("perfetto.broken_packet", NoteSeverity::dataLoss,
                    "malformed packets: the rest of the packet is skipped",
                    "packet " + std::to_string(ordinal) + ": " + what);
}

void PacketWalk::intern(std::string_view message, PacketSequence& sequence)
{
    bool isBroken = false;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        PacketSequence::Texts* const texts = field.id == 1      ? &sequence.categories
                                             : field.id == 2    ? &sequence.names
                                             : field.id == 3    ? &sequence.annotationNames
                                             : field.id == 24   ? &sequence.gpuStages
                                             : field.id == 29   ? &sequence.annotationTexts
                                             : field.id == 1000 ? &sequence.kernels
                                                                : nullptr;
        if (field.id == 23) takeContext(field.bytes, sequence);
        if (field.id == 47) isBroken |= !takeGpuCounters(field.bytes, sequence);
        if (texts == nullptr) continue;
        uint64_t id = 0;
        std::string_view text;
        const bool isKernel = field.id == 1000;
        ProtoScan inner(field.bytes);
        for (ProtoField part; inner.next(part);) {
            if (part.id == 1) id = part.number;
            if (part.id == 2 && (!isKernel || text.empty())) text = part.bytes;
            // demangled name of the kernel
            if (part.id == 3 && isKernel && !part.bytes.empty()) text = part.bytes;
        }
        isBroken |= field.type != WireType::bytes || inner.isBroken();
        (*texts)[id] = std::string(text);
    }
    noteBroken(isBroken || scan.isBroken(), "interned strings", m_packets);
}

void PacketWalk::applyDefaults(std::string_view message, PacketSequence& sequence)
{
    sequence.counterTracks.clear();
    sequence.realCounterTracks.clear();
    bool isBroken = false;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == kClockId) sequence.clock = field.number;
        if (field.id != kTrackEvent) continue;
        ProtoScan inner(field.bytes);
        for (ProtoField part; inner.next(part);) {
            if (part.id == 11) sequence.track = part.number;
            if (part.id == 31) sequence.counterTracks.push_back(part.number);
            if (part.id == 45) sequence.realCounterTracks.push_back(part.number);
        }
        isBroken |= field.type != WireType::bytes || inner.isBroken();
    }
    noteBroken(isBroken || scan.isBroken(), "event defaults", m_packets);
}

void PacketWalk::event(const Packet& packet, PacketSequence& sequence, PacketKind kind,
                       std::string_view message)
{
    if ((packet.flags & kFlagNeedsState) != 0 && !sequence.isWhole) {
        m_notes.add("perfetto.no_state", NoteSeverity::dataLoss,
                    "events that refer to strings lost with earlier packets: skipped",
                    "packet " + std::to_string(m_packets));
        return;
    }
    if (!packet.hasTimestamp) {
        m_notes.add("perfetto.no_timestamp", NoteSeverity::dataLoss, "events without a timestamp: skipped",
                    "packet " + std::to_string(m_packets));
        return;
    }
    TrackEventPacket event;
    event.ordinal = m_packets;
    event.sequenceId = packet.sequence;
    const uint64_t clock = packet.clock != 0 ? packet.clock : sequence.clock;
    event.clock = clock == 0 ? m_clocks.traceClock() : TraceClocks::key(packet.sequence, clock);
    event.time_ns = m_clocks.absolute(event.clock, packet.timestamp);
    event.kind = kind;
    event.message = message;
    event.sequence = &sequence;
    m_onEvent(event);
}

bool looksLikePerfetto(std::string_view head)
{
    if (head.size() < 4 || head[0] != '\x0A') return false;
    ProtoScan outer(head.substr(1)); // reads the length after the tag
    uint64_t length = 0;
    if (!outer.nextVarint(length) || length == 0) return false;
    const std::string_view rest = head.substr(1 + outer.position());
    const bool isCut = length > rest.size();
    ProtoScan scan(rest.substr(0, std::min<size_t>(length, rest.size())));
    constexpr std::array<uint32_t, 13> kCommon{1, 2, 6, 8, 10, 11, 12, 33, 36, 50, 60, 89, 133};
    size_t common = 0, others = 0;
    for (ProtoField field; scan.next(field);) {
        const bool isKnown =
            std::ranges::find(kCommon, field.id) != kCommon.end() || isIgnoredField(field.id);
        (isKnown ? common : others) += 1;
        if (field.id > 2000) return false;
    }
    return (!scan.isBroken() || (isCut && common > 0)) && common >= others && common > 0;
}

} // namespace lockstep
