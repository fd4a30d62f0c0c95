// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/event_assembly.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/text.h"
#include "core/readers/collective_arguments.h"
#include "core/readers/perfetto/event_arguments.h"
#include "core/readers/perfetto/gpu_events.h"

namespace lockstep {

struct EventAssembly::Fields {
    uint64_t type = 0;
    uint64_t track = 0;
    StringId name{0u};
    bool hasUnknownPhase = false;
    bool isBroken = false; // true if a part of the event could not be read
    std::optional<LegacyEvent> legacy;
    double value = 0;
    std::vector<std::pair<uint64_t, bool>> flows; // (ID, whether the flow ends here)
    std::vector<uint64_t> counterTracks, realCounterTracks;
    std::vector<double> counterValues, realCounterValues;

    void takeRepeated(const ProtoField& field);
};

namespace {

constexpr int64_t kEventStride = 4096; // number of events between two progress checks
constexpr uint64_t kNoType = 0;

// Reads a repeated number, which is stored as one field per value or as one packed field. Returns false if a
// truncated number remains.
template<class Take>
bool forEachNumber(const ProtoField& field, bool isFixed, const Take& take)
{
    if (field.type != WireType::bytes) {
        take(field.number);
        return true;
    }
    ProtoScan scan(field.bytes);
    uint64_t number = 0;
    if (!isFixed) {
        while (scan.nextVarint(number))
            take(number);
        return !scan.isBroken();
    }
    for (size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
        std::memcpy(&number, field.bytes.data() + at, 8);
        take(number);
    }
    return field.bytes.size() % 8 == 0;
}

// Returns true if a field of TrackEvent has the wire type that its field number requires. Unknown fields may
// have any type.
bool hasItsType(const ProtoField& field)
{
    switch (field.id) {
    case 9:
    case 10:
    case 11:
    case 30:
        return field.type == WireType::varint;
    case 44:
        return field.type == WireType::fixed64;
    case 6:
    case 23:
        return field.type == WireType::bytes;
    case 12:
    case 31:
    case 36:
    case 42:
    case 45:
        return field.type == WireType::varint || field.type == WireType::bytes;
    case 46:
    case 47:
    case 48:
        return field.type == WireType::fixed64 || field.type == WireType::bytes;
    default:
        return true;
    }
}

} // namespace

void EventAssembly::note(const char* kind, NoteSeverity severity, const char* text, uint64_t ordinal)
{
    m_builder.report().notes.add(kind, severity, text, "packet " + std::to_string(ordinal));
}

void EventAssembly::noteBroken(const TrackEventPacket& packet)
{
    note("perfetto.broken_event", NoteSeverity::dataLoss,
         "malformed events: name, flows, counters or arguments may be missing", packet.ordinal);
}

StringId EventAssembly::nameOf(const TrackEventPacket& packet, uint64_t iid)
{
    const auto [entry, isNew] = m_names.try_emplace({packet.sequenceId, packet.sequence->generation, iid});
    if (!isNew) return entry->second;
    const auto text = packet.sequence->names.find(iid);
    if (text == packet.sequence->names.end()) {
        note("perfetto.unknown_name", NoteSeverity::warning,
             "events whose name is not in the trace: shown without a name", packet.ordinal);
        entry->second = StringId(0u);
    } else {
        entry->second = m_builder.intern(repairedUtf8(text->second));
    }
    return entry->second;
}

// Handles the fields of TrackEvent whose values are repeated.
void EventAssembly::Fields::takeRepeated(const ProtoField& field)
{
    const auto takeAll = [&](bool isFixed, const auto& take) {
        isBroken |= !forEachNumber(field, isFixed, take);
    };
    switch (field.id) {
    case 12:
        return takeAll(false, [this](uint64_t n) { counterValues.push_back(double(int64_t(n))); });
    case 31:
        return takeAll(false, [this](uint64_t n) { counterTracks.push_back(n); });
    case 45:
        return takeAll(false, [this](uint64_t n) { realCounterTracks.push_back(n); });
    case 46:
        return takeAll(true, [this](uint64_t n) { realCounterValues.push_back(std::bit_cast<double>(n)); });
    case 36:
    case 42:
        return takeAll(false, [&](uint64_t n) { flows.emplace_back(n, field.id == 42); });
    case 47:
    case 48:
        return takeAll(true, [&](uint64_t n) { flows.emplace_back(n, field.id == 48); });
    default:
        break;
    }
}

// Field numbers of TrackEvent.
EventAssembly::Fields EventAssembly::readFields(const TrackEventPacket& packet)
{
    Fields out;
    out.track = packet.sequence->track;
    ProtoScan scan(packet.message);
    for (ProtoField field; scan.next(field);) {
        if (!hasItsType(field)) {
            out.isBroken = true;
            continue;
        }
        switch (field.id) {
        case 6:
            readLegacy(packet, field.bytes, out);
            break;
        case 9:
            out.type = field.number <= uint64_t(Type::counter) ? field.number : kNoType;
            break;
        case 10:
            out.name = nameOf(packet, field.number);
            break;
        case 11:
            out.track = field.number;
            break;
        case 23:
            out.name = m_builder.intern(repairedUtf8(field.bytes));
            break;
        case 30:
            out.value = static_cast<double>(field.asSigned());
            break;
        case 44:
            out.value = field.asDouble();
            break;
        default:
            out.takeRepeated(field);
            break;
        }
    }
    out.isBroken |= scan.isBroken();
    return out;
}

void EventAssembly::readLegacy(const TrackEventPacket& packet, std::string_view message, Fields& fields)
{
    fields.legacy = LegacyEvent::read(message);
    fields.isBroken |= fields.legacy->isBroken;
    if (fields.legacy->nameIid) fields.name = nameOf(packet, *fields.legacy->nameIid);
    switch (fields.legacy->phase) {
    case 0: // the event only extends another event
    case 's':
    case 't':
    case 'f':
        break;
    case 'B':
        fields.type = uint64_t(Type::begin);
        break;
    case 'E':
        fields.type = uint64_t(Type::end);
        break;
    case 'X':
        fields.type = uint64_t(Type::complete);
        break;
    case 'i':
    case 'I':
    case 'R':
        fields.type = uint64_t(Type::instant);
        break;
    default:
        fields.hasUnknownPhase = true;
    }
}

void EventAssembly::addGpuStage(const TrackEventPacket& packet)
{
    const GpuStage stage = readGpuStage(packet);
    if (stage.isBroken) noteBroken(packet);
    Event event{packet.time_ns, stage.duration_ns,
                packet.ordinal, 0,
                packet.clock,   m_builder.intern(stage.name),
                Type::complete, 0};
    std::optional<MemoryOp> copy;
    event.interpretation = m_interpreter.ofStage(stage, copy);
    if (copy) m_batch.addMemoryOp(SourceRow::of(0, event.ordinal), *copy);
    CollectiveArguments taken;
    for (const auto& [name, value] : stage.arguments)
        taken.take(name, value);
    if (event.interpretation.category == SliceCategory::communication && !taken.isEmpty())
        m_batch.addCollective(SourceRow::of(0, event.ordinal), taken.op(m_builder.report().strings));
    if (stage.pid > 0) m_pidOfGpu.try_emplace(stage.gpu, stage.pid);
    m_events.push_back(event);
}

void EventAssembly::addGpuCounters(const TrackEventPacket& packet)
{
    const GpuCounterValues counters = readGpuCounters(packet);
    if (counters.isBroken) noteBroken(packet);
    for (const auto& [name, value] : counters.values) {
        const std::pair key(counters.gpu, m_builder.intern(name));
        const uint64_t number = m_gpuCounters.try_emplace(key, m_gpuCounters.size()).first->second;
        m_events.push_back({packet.time_ns,
                            0,
                            packet.ordinal,
                            number,
                            packet.clock,
                            StringId(0u),
                            Type::counter,
                            value,
                            {},
                            true});
    }
}

// Assigns GPU counters to the process that launched work on the GPU, or to the machine if no process did.
void EventAssembly::placeGpuCounters()
{
    for (const auto& [counter, number] : m_gpuCounters) {
        const auto& [gpu, name] = counter;
        CounterTrack track;
        track.name = name;
        if (const auto pid = m_pidOfGpu.find(gpu); pid != m_pidOfGpu.end())
            track.process = m_builder.process(static_cast<uint64_t>(pid->second), pid->second);
        track.device =
            m_builder.device(track.process, static_cast<int>(std::clamp<int64_t>(gpu, 0, 1'000'000)));
        m_builder.addSamples(m_builder.addCounterTrack(track), std::move(m_gpuSamples[number]));
    }
}

bool EventAssembly::hasUnixTimestamps() const
{
    constexpr int64_t kYear2015_ns = 1'420'070'400'000'000'000, kYear2100_ns = 4'102'444'800'000'000'000;
    return !m_timestamps.isEmpty() && m_timestamps.begin.ns >= kYear2015_ns &&
           m_timestamps.end.ns <= kYear2100_ns;
}

void EventAssembly::add(const TrackEventPacket& packet)
{
    if (packet.kind == PacketKind::gpuStage) return addGpuStage(packet);
    if (packet.kind == PacketKind::gpuCounters) return addGpuCounters(packet);
    const Fields fields = readFields(packet);
    if (fields.isBroken) noteBroken(packet);
    Event event{packet.time_ns, 0,           packet.ordinal, fields.track,
                packet.clock,   fields.name, Type::instant,  fields.value};
    addCounters(packet, fields, event);
    if (fields.legacy) addLegacyFlow(*fields.legacy, event);
    if (fields.legacy && fields.legacy->isFlow()) return;
    if (fields.type < uint64_t(Type::begin) || fields.type > uint64_t(Type::complete) ||
        fields.hasUnknownPhase) {
        note("perfetto.unknown_type", NoteSeverity::dataLoss,
             "events of a type that Lockstep does not show: skipped", packet.ordinal);
        return;
    }
    event.type = static_cast<Type>(fields.type);
    const int64_t duration_us = fields.legacy ? fields.legacy->duration_us : 0;
    if (event.type == Type::complete)
        event.duration_ns = std::clamp<int64_t>(duration_us, 0, kAllTime.end.ns / 1000) * 1000;
    if (event.type == Type::counter) event.value = counterValue(packet, event.track, event.value);
    if (event.type == Type::begin || event.type == Type::complete) {
        std::optional<MemoryOp> copy;
        event.interpretation = m_interpreter.read(packet, event.name, copy);
        if (copy) m_batch.addMemoryOp(SourceRow::of(0, event.ordinal), *copy);
        addCollective(packet, event);
    }
    for (const auto& [id, isEnd] : fields.flows)
        m_flows.push_back({m_events.size(), id, isEnd});
    m_events.push_back(event);
}

void EventAssembly::addLegacyFlow(const LegacyEvent& legacy, const Event& event)
{
    if (legacy.hasFlow()) {
        m_legacyFlows.push_back({event, legacy});
    } else if (legacy.bindId) {
        note("flow.no_direction", NoteSeverity::warning,
             "slices with a bind_id but neither flow_in nor flow_out: no arrow", event.ordinal);
    }
}

Status EventAssembly::placeLegacyFlows(const Progress& progress)
{
    int64_t placed = 0;
    for (const auto& [event, legacy] : m_legacyFlows) {
        if (++placed % kEventStride == 0) LOCKSTEP_TRY(progress.check());
        if (!isPlausible(event.time_ns, 0)) {
            note("perfetto.bad_stamp", NoteSeverity::dataLoss, "implausible timestamps: events skipped",
                 event.ordinal);
            continue;
        }
        if (!m_tracks.require(event.track)) {
            note("perfetto.undescribed_track", NoteSeverity::warning,
                 "tracks without a descriptor: shown without a name", event.ordinal);
        }
        const TrackId track = m_tracks.sliceTrack(event.track);
        const uint32_t process = m_builder.report().track(track).key.process.value;
        m_batch.addFlow(
            {legacy.flowKey(process), event.time_ns, track, legacy.flowRole(), legacy.bindsNext()});
    }
    return {};
}

// Adds the collective of a communication kernel. In a converted Kineto trace, the arguments of such a kernel
// are annotations ("Seq", "args.Seq").
void EventAssembly::addCollective(const TrackEventPacket& packet, Event& event)
{
    const auto [known, isNew] = m_isCommunication.try_emplace(event.name.value);
    if (isNew) {
        const std::string_view name = m_builder.report().strings.at(event.name);
        known->second = kernelCategory(name) == SliceCategory::communication;
    }
    if (!known->second) return;
    CollectiveArguments taken;
    const auto arguments = eventArguments(packet);
    for (const auto& [name, value] : arguments)
        taken.take(std::string_view(name).substr(name.rfind('.') + 1), value);
    if (taken.isEmpty()) return;
    event.interpretation.category = SliceCategory::communication;
    m_batch.addCollective(SourceRow::of(0, event.ordinal), taken.op(m_builder.report().strings));
}

void EventAssembly::addCounters(const TrackEventPacket& packet, const Fields& fields, const Event& event)
{
    const auto addAll = [&](const std::vector<uint64_t>& own, const std::vector<uint64_t>& defaults,
                            const std::vector<double>& values) {
        const std::vector<uint64_t>& tracks = own.empty() ? defaults : own;
        if (values.size() > tracks.size()) {
            note("perfetto.counter_without_track", NoteSeverity::dataLoss,
                 "counter values without a track: skipped", packet.ordinal);
        }
        for (size_t i = 0; i < std::min(tracks.size(), values.size()); ++i) {
            Event sample = event;
            sample.type = Type::counter;
            sample.track = tracks[i];
            sample.value = counterValue(packet, tracks[i], values[i]);
            m_events.push_back(sample);
        }
    };
    addAll(fields.counterTracks, packet.sequence->counterTracks, fields.counterValues);
    addAll(fields.realCounterTracks, packet.sequence->realCounterTracks, fields.realCounterValues);
}

double EventAssembly::counterValue(const TrackEventPacket& packet, uint64_t track, double value)
{
    const TrackTree::Counter& counter = m_tracks.counter(track);
    if (counter.isIncremental)
        value = m_levels[{packet.sequenceId, packet.sequence->generation, track}] += value;
    return value * counter.multiplier;
}

Status EventAssembly::toTraceClock(const TraceClocks& clocks, const Progress& progress)
{
    const auto convert = [&](Event& event, bool isNoted) {
        if (const auto time_ns = clocks.toTrace(event.clock, event.time_ns)) {
            event.time_ns = *time_ns;
        } else if (!isNoted) {
            note("perfetto.unknown_clock", NoteSeverity::warning,
                 "no clock snapshot connects the event clock with the trace clock: timestamps used unchanged",
                 event.ordinal);
        }
    };
    for (Event& event : m_events) {
        if ((&event - m_events.data()) % kEventStride == 0) LOCKSTEP_TRY(progress.check());
        convert(event, false);
    }
    LOCKSTEP_TRY(progress.check());
    for (auto& [event, legacy] : m_legacyFlows)
        convert(event, !legacy.isFlow()); // for a slice, the problem was already reported with the slice
    return {};
}

Status EventAssembly::finish(const TraceClocks& clocks, const Progress& progress)
{
    LOCKSTEP_TRY(toTraceClock(clocks, progress));
    std::vector<uint32_t> order(m_events.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return m_events[i].time_ns; });
    LOCKSTEP_TRY(progress.check());
    int64_t last_ns = 0, placed = 0;
    for (const uint32_t index : order) {
        if (++placed % kEventStride == 0) LOCKSTEP_TRY(progress.check());
        const Event& event = m_events[index];
        if (!isPlausible(event.time_ns, event.duration_ns)) {
            note("perfetto.bad_stamp", NoteSeverity::dataLoss, "implausible timestamps: events skipped",
                 event.ordinal);
            continue;
        }
        if (m_timestamps.isEmpty()) m_timestamps.begin.ns = event.time_ns;
        last_ns = event.time_ns;
        m_timestamps.end.ns = last_ns + 1;
        place(event, index);
    }
    for (const auto& [track, stack] : m_open) {
        for (const Event& open : stack) {
            addSlice(open, last_ns, sliceFlag::kOpenEnd);
            note("perfetto.open_end", NoteSeverity::info, "slices still open at the end of the trace",
                 open.ordinal);
        }
    }
    placeGpuCounters();
    for (auto& [track, samples] : m_samples)
        m_builder.addSamples(m_tracks.counterTrack(track), std::move(samples));
    noteUnpairedFlows();
    LOCKSTEP_TRY(placeLegacyFlows(progress));
    m_builder.adopt(std::move(m_batch));
    auto& counts = m_builder.report().rowCounts;
    counts.emplace_back("slice", m_slices);
    counts.emplace_back("instant", m_instants);
    counts.emplace_back("sample", m_sampleCount);
    counts.emplace_back("flow", m_links + m_legacyFlows.size());
    return {};
}

void EventAssembly::place(const Event& event, size_t index)
{
    if (event.isGpuCounter) {
        m_gpuSamples[event.track].emplace_back(event.time_ns, event.value);
        ++m_sampleCount;
        return;
    }
    if (!m_tracks.require(event.track)) {
        note("perfetto.undescribed_track", NoteSeverity::warning,
             "tracks without a descriptor: shown without a name", event.ordinal);
    }
    std::vector<Event>& stack = m_open[event.track];
    switch (event.type) {
    case Type::begin:
        stack.push_back(event);
        bindFlows(index, event);
        break;
    case Type::end:
        if (stack.empty()) {
            note("perfetto.end_without_begin", NoteSeverity::dataLoss, "ends without a begin: skipped",
                 event.ordinal);
            break;
        }
        bindFlows(index, stack.back());
        addSlice(stack.back(), event.time_ns, 0);
        stack.pop_back();
        break;
    case Type::instant:
    case Type::complete:
        addSlice(event, event.time_ns + event.duration_ns,
                 event.type == Type::instant ? sliceFlag::kInstant : 0);
        bindFlows(index, event);
        break;
    case Type::counter:
        addSample(event);
        if (const auto flow = std::ranges::lower_bound(m_flows, index, {}, &Flow::event);
            flow != m_flows.end() && flow->event == index)
            note("flow.no_slice", NoteSeverity::warning, "flow events outside any slice: arrow not drawn",
                 event.ordinal);
        break;
    }
}

void EventAssembly::addSlice(const Event& begin, int64_t end_ns, uint8_t flags)
{
    SliceRow row;
    row.start_ns = begin.time_ns;
    row.duration_ns = end_ns - begin.time_ns;
    row.source = SourceRow::of(0, begin.ordinal);
    row.name = begin.name;
    row.kind = begin.type == Type::instant ? RowKind::instant : begin.interpretation.kind;
    row.correlation = begin.interpretation.correlation;
    row.category = begin.interpretation.category;
    row.flags = flags;
    m_batch.add(m_interpreter.trackOf(begin.track, begin.interpretation), row);
    ++(begin.type == Type::instant ? m_instants : m_slices);
}

void EventAssembly::addSample(const Event& event)
{
    m_samples[event.track].emplace_back(event.time_ns, event.value);
    ++m_sampleCount;
}

// Each event of a flow is an effect of the previous one; a terminating ID may be reused for another flow. A
// flow whose ends share a correlation ID is a launch. Within one process, these ends are already linked by
// the correlation ID, and LinkTable drops the duplicate links.
void EventAssembly::bindFlows(size_t index, const Event& slice)
{
    auto flow = std::ranges::lower_bound(m_flows, index, {}, &Flow::event);
    for (; flow != m_flows.end() && flow->event == index; ++flow) {
        FlowEnd point{SourceRow::of(0, slice.ordinal), slice.interpretation.correlation};
        const auto [entry, isFirst] = m_lastOfFlow.try_emplace(flow->id, point);
        const FlowEnd& last = entry->second;
        const bool isLaunch = point.correlation != kNoCorrelation && point.correlation == last.correlation;
        if (!isFirst && last.slice != point.slice) {
            m_builder.addLink(last.slice, point.slice, isLaunch ? LinkKind::launch : LinkKind::flow);
            m_links += isLaunch ? 0 : 1;
        }
        point.isAlone = isFirst;
        entry->second = point;
        if (!flow->isEnd) continue;
        noteUnpairedFlow(point);
        m_lastOfFlow.erase(entry);
    }
}

// The other end may be outside of the recording, or may have been lost.
void EventAssembly::noteUnpairedFlow(const FlowEnd& end)
{
    if (end.isAlone)
        note("flow.single_event", NoteSeverity::warning, "flows with a single event in the trace: no arrow",
             end.slice.row());
}

void EventAssembly::noteUnpairedFlows()
{
    std::vector<FlowEnd> unpaired;
    for (const auto& [id, end] : m_lastOfFlow) {
        if (end.isAlone) unpaired.push_back(end);
    }
    std::ranges::sort(unpaired, {}, [](const FlowEnd& end) { return end.slice.packed; });
    for (const FlowEnd& end : unpaired)
        noteUnpairedFlow(end);
}

} // namespace lockstep
