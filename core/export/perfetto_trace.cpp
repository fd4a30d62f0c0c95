// SPDX-License-Identifier: Apache-2.0
#include "core/export/perfetto_trace.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "core/base/text.h"
#include "core/export/trace_events.h"

namespace lockstep {

namespace {

constexpr size_t kFlush_bytes = 1 << 20;
constexpr uint32_t kSequence = 1; // a single writer for all packets
constexpr uint32_t kStateCleared = 1, kNeedsState = 2;
constexpr uint32_t kRealtime = 1, kBoottime = 6;

namespace traceField {
constexpr protozero::pbf_tag_type kPacket = 1;
} // namespace traceField

namespace packetField {
constexpr protozero::pbf_tag_type kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
                                  kInternedData = 12, kSequenceFlags = 13, kTrackDescriptor = 60;
} // namespace packetField

namespace descriptorField {
constexpr protozero::pbf_tag_type kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
} // namespace descriptorField

namespace eventField {
constexpr protozero::pbf_tag_type kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11,
                                  kDoubleValue = 44, kFlow = 47, kTerminatingFlow = 48;
} // namespace eventField

namespace annotationField {
constexpr protozero::pbf_tag_type kNameId = 1, kInt = 4, kText = 6;
} // namespace annotationField

enum class EventType : int32_t { begin = 1, end = 2, instant = 3, counter = 4 };

// Strings in one field of InternedData, with one-based numbers.
struct InternedTexts {
    explicit InternedTexts(protozero::pbf_tag_type tag) : field(tag) {}

    protozero::pbf_tag_type field;
    std::unordered_map<std::string, uint64_t> numbers;
};

class PerfettoTrace : public TraceEventSink {
  public:
    // first_ns: aligned time to which timestamps are relative.
    PerfettoTrace(const TextSink& sink, int64_t first_ns, std::optional<int64_t> utcAtZero_ns)
        : m_sink(sink), m_first_ns(first_ns)
    {
        addPacket([&](protozero::pbf_writer& packet) {
            packet.add_uint32(packetField::kSequenceFlags, kStateCleared);
            if (utcAtZero_ns) addClocks(packet, *utcAtZero_ns + first_ns);
        });
    }
    void finish()
    {
        endLane();
        m_sink(m_text);
    }

    void process(int64_t pid, const std::string& name) override;
    void thread(int64_t pid, int64_t tid, std::string_view name) override;
    void lane(const TraceLane& lane) override;
    void slice(const TraceSlice& slice) override;
    void counter(int64_t pid, const std::string& name, std::string_view unit) override;
    void sample(int64_t time_ns, double value) override;

  private:
    // A track with nested slices, and the slices that are currently open on it, outermost first.
    struct NestedTrack {
        uint64_t uuid = 0;
        int64_t last_ns = kAllTime.begin.ns;
        std::vector<int64_t> ends_ns;
    };

    template<class Fill>
    void addPacket(const Fill& fill)
    {
        m_packet.clear();
        protozero::pbf_writer packet(m_packet);
        fill(packet);
        packet.add_uint32(packetField::kSequenceId, kSequence);
        protozero::pbf_writer(m_text).add_message(traceField::kPacket, m_packet);
        if (m_text.size() < kFlush_bytes) return;
        m_sink(m_text);
        m_text.clear();
    }
    template<class Fill>
    void addDescriptor(const Fill& fill)
    {
        addPacket([&](protozero::pbf_writer& packet) {
            protozero::pbf_writer descriptor(packet, packetField::kTrackDescriptor);
            fill(descriptor);
        });
    }
    template<class Fill>
    void addEvent(EventType type, uint64_t track, int64_t time_ns, const Fill& fill)
    {
        addPacket([&](protozero::pbf_writer& packet) {
            packet.add_uint64(packetField::kTimestamp,
                              static_cast<uint64_t>(std::max<int64_t>(time_ns - m_first_ns, 0)));
            packet.add_uint32(packetField::kSequenceFlags, kNeedsState);
            {
                protozero::pbf_writer event(packet, packetField::kTrackEvent);
                event.add_enum(eventField::kType, static_cast<int32_t>(type));
                event.add_uint64(eventField::kTrack, track);
                fill(event);
            }
        });
    }
    static void addClocks(protozero::pbf_writer& packet, int64_t utc_ns);
    uint64_t number(InternedTexts& texts, std::string_view text);
    void endBefore(NestedTrack& track, int64_t time_ns);
    NestedTrack& trackFor(const TraceSlice& slice);
    void addTrack();
    void endLane();

    const TextSink& m_sink;
    const int64_t m_first_ns;
    std::string m_text, m_packet;
    InternedTexts m_categories{1}, m_names{2}, m_keys{3}; // fields of InternedData
    uint64_t m_uuids = 0;
    std::unordered_map<int64_t, uint64_t> m_processes; // uuid by pid
    std::unordered_map<int64_t, std::unordered_map<int64_t, uint64_t>> m_threads;
    TraceLane m_lane;
    std::vector<NestedTrack> m_tracks; // tracks that represent the lane
    uint64_t m_counter = 0;
};

// ClockSnapshot: clocks = 1 { clock_id = 1, timestamp = 2 }, primary_trace_clock = 2.
void PerfettoTrace::addClocks(protozero::pbf_writer& packet, int64_t utc_ns)
{
    protozero::pbf_writer snapshot(packet, packetField::kClockSnapshot);
    const auto add = [&](uint32_t id, int64_t time_ns) {
        protozero::pbf_writer clock(snapshot, 1);
        clock.add_uint32(1, id);
        clock.add_uint64(2, static_cast<uint64_t>(time_ns));
    };
    add(kBoottime, 0);
    add(kRealtime, utc_ns);
    snapshot.add_enum(2, kBoottime);
}

uint64_t PerfettoTrace::number(InternedTexts& texts, std::string_view text)
{
    const auto [entry, isNew] = texts.numbers.try_emplace(std::string(text), texts.numbers.size() + 1);
    if (!isNew) return entry->second;
    const std::string shown = repairedUtf8(text); // protobuf strings are UTF-8
    addPacket([&](protozero::pbf_writer& packet) {
        packet.add_uint32(packetField::kSequenceFlags, kNeedsState);
        protozero::pbf_writer data(packet, packetField::kInternedData);
        protozero::pbf_writer item(data, texts.field);
        item.add_uint64(1, entry->second); // iid
        item.add_string(2, shown);
    });
    return entry->second;
}

// ProcessDescriptor: pid = 1, process_name = 6.
void PerfettoTrace::process(int64_t pid, const std::string& name)
{
    const uint64_t uuid = m_processes[pid] = ++m_uuids;
    addDescriptor([&](protozero::pbf_writer& descriptor) {
        descriptor.add_uint64(descriptorField::kUuid, uuid);
        protozero::pbf_writer process(descriptor, descriptorField::kProcess);
        process.add_int32(1, static_cast<int32_t>(pid));
        process.add_string(6, repairedUtf8(name));
    });
}

// ThreadDescriptor: pid = 1, tid = 2, thread_name = 5.
void PerfettoTrace::thread(int64_t pid, int64_t tid, std::string_view name)
{
    const uint64_t uuid = m_threads[pid][tid] = ++m_uuids;
    addDescriptor([&](protozero::pbf_writer& descriptor) {
        descriptor.add_uint64(descriptorField::kUuid, uuid);
        protozero::pbf_writer thread(descriptor, descriptorField::kThread);
        thread.add_int32(1, static_cast<int32_t>(pid));
        thread.add_int64(2, tid);
        if (!name.empty()) thread.add_string(5, repairedUtf8(name));
    });
}

void PerfettoTrace::lane(const TraceLane& lane)
{
    endLane();
    m_lane = lane;
}

void PerfettoTrace::addTrack()
{
    NestedTrack& track = m_tracks.emplace_back();
    track.uuid = ++m_uuids;
    const uint64_t parent = m_lane.hasThread ? m_threads[m_lane.pid][m_lane.tid] : m_processes[m_lane.pid];
    addDescriptor([&](protozero::pbf_writer& descriptor) {
        descriptor.add_uint64(descriptorField::kUuid, track.uuid);
        descriptor.add_string(descriptorField::kName, repairedUtf8(m_lane.name));
        descriptor.add_uint64(descriptorField::kParent, parent);
    });
}

void PerfettoTrace::endBefore(NestedTrack& track, int64_t time_ns)
{
    while (!track.ends_ns.empty() && track.ends_ns.back() <= time_ns) {
        track.last_ns = track.ends_ns.back();
        addEvent(EventType::end, track.uuid, track.last_ns, [](protozero::pbf_writer&) {});
        track.ends_ns.pop_back();
    }
}

void PerfettoTrace::endLane()
{
    for (NestedTrack& track : m_tracks)
        endBefore(track, kAllTime.end.ns);
    m_tracks.clear();
}

PerfettoTrace::NestedTrack& PerfettoTrace::trackFor(const TraceSlice& slice)
{
    for (NestedTrack& track : m_tracks) {
        endBefore(track, slice.start_ns);
        if (track.last_ns > slice.start_ns) continue; // the clock was set back between these slices
        if (slice.isInstant || track.ends_ns.empty() || track.ends_ns.back() >= slice.end_ns) return track;
    }
    addTrack();
    return m_tracks.back();
}

void PerfettoTrace::slice(const TraceSlice& slice)
{
    const uint64_t category = number(m_categories, slice.category);
    const uint64_t name = number(m_names, slice.name);
    for (const auto& [key, value] : slice.arguments)
        number(m_keys, key);
    NestedTrack& track = trackFor(slice);
    track.last_ns = slice.start_ns;
    const EventType type = slice.isInstant ? EventType::instant : EventType::begin;
    addEvent(type, track.uuid, slice.start_ns, [&](protozero::pbf_writer& event) {
        event.add_uint64(eventField::kCategory, category);
        event.add_uint64(eventField::kName, name);
        for (const auto& [key, value] : slice.arguments) {
            protozero::pbf_writer annotation(event, eventField::kAnnotation);
            annotation.add_uint64(annotationField::kNameId, number(m_keys, key));
            if (const auto* const whole = std::get_if<int64_t>(&value)) {
                annotation.add_int64(annotationField::kInt, *whole);
            } else {
                annotation.add_string(annotationField::kText,
                                      repairedUtf8(std::get<std::string_view>(value)));
            }
        }
        for (const TraceArrow& arrow : slice.arrows)
            event.add_fixed64(arrow.isEnd ? eventField::kTerminatingFlow : eventField::kFlow, arrow.number);
    });
    if (!slice.isInstant) track.ends_ns.push_back(slice.end_ns);
}

// CounterDescriptor: unit_name = 6.
void PerfettoTrace::counter(int64_t pid, const std::string& name, std::string_view unit)
{
    endLane();
    m_counter = ++m_uuids;
    addDescriptor([&](protozero::pbf_writer& descriptor) {
        descriptor.add_uint64(descriptorField::kUuid, m_counter);
        descriptor.add_string(descriptorField::kName, repairedUtf8(name));
        descriptor.add_uint64(descriptorField::kParent, m_processes[pid]);
        protozero::pbf_writer counter(descriptor, descriptorField::kCounter);
        if (!unit.empty()) counter.add_string(6, repairedUtf8(unit));
    });
}

void PerfettoTrace::sample(int64_t time_ns, double value)
{
    addEvent(EventType::counter, m_counter, time_ns,
             [&](protozero::pbf_writer& event) { event.add_double(eventField::kDoubleValue, value); });
}

// Returns the earliest aligned timestamp. The extents of reports are not sufficient, because rows may be
// outside the capture.
int64_t firstOf(const Scene& scene)
{
    int64_t first_ns = kAllTime.end.ns;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        const ClockMap& map = scene.alignment.map(key);
        const auto take = [&](int64_t trace_ns) {
            first_ns = std::min(first_ns, map.alignedFromTrace(TraceTime{trace_ns}).ns);
        };
        for (const Track& track : report.tracks) {
            if (track.sliceCount > 0) take(report.slices.start_ns[track.firstSlice.value]);
        }
        for (const CounterTrack& track : report.counterTracks) {
            if (track.sampleCount > 0) take(report.counters.time_ns[track.firstSample]);
        }
    }
    return first_ns == kAllTime.end.ns ? 0 : first_ns;
}

} // namespace

Status writePerfettoTrace(const Scene& scene, const TextSink& sink, const Progress& progress)
{
    PerfettoTrace trace(sink, firstOf(scene), scene.alignment.utcAtZero_ns);
    LOCKSTEP_TRY(emitTraceEvents(scene, trace, progress));
    trace.finish();
    return {};
}

} // namespace lockstep
