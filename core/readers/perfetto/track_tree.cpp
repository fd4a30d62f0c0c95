// SPDX-License-Identifier: Apache-2.0
#include "core/readers/perfetto/track_tree.h"

#include "core/base/text.h"
#include "core/readers/perfetto/proto_scan.h"

namespace lockstep {

namespace {

constexpr int kDeepestTrack = 64; // in a hostile trace, parents may form a cycle

// Returns the name of the unit for a CounterDescriptor.Unit.
const char* unitName(uint64_t unit)
{
    switch (unit) {
    case 1:
        return "ns";
    case 3:
        return "B";
    default:
        return "";
    }
}

} // namespace

bool TrackTree::add(std::string_view message)
{
    uint64_t uuid = 0;
    ProtoScan first(message);
    for (ProtoField field; first.next(field);) {
        if (field.id == 1) uuid = field.number;
    }
    Node& node = m_nodes[uuid];
    bool isWhole = true;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        switch (field.id) {
        case 2:
        case 10:
        case 13:
            node.name = repairedUtf8(field.bytes);
            break;
        case 3:
            isWhole &= readProcess(field.bytes, node);
            break;
        case 4:
            isWhole &= readThread(field.bytes, node);
            break;
        case 5:
            node.parent = field.number;
            break;
        case 8:
            isWhole &= readCounter(field.bytes, node);
            break;
        default:
            break;
        }
    }
    return isWhole && !scan.isBroken();
}

// ProcessDescriptor: pid = 1, process_name = 6.
bool TrackTree::readProcess(std::string_view message, Node& node)
{
    std::string name;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) node.pid = static_cast<int32_t>(field.number);
        if (field.id == 6) name = repairedUtf8(field.bytes);
    }
    if (!node.pid) return !scan.isBroken();
    const ProcessId process = m_builder.process(static_cast<uint64_t>(*node.pid), *node.pid);
    if (!name.empty()) m_builder.report().processes[process.value].name = m_builder.intern(name);
    return !scan.isBroken();
}

// ThreadDescriptor: pid = 1, tid = 2, thread_name = 5.
bool TrackTree::readThread(std::string_view message, Node& node)
{
    std::string name;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 1) node.pid = static_cast<int32_t>(field.number);
        if (field.id == 2) node.tid = field.asSigned();
        if (field.id == 5) name = repairedUtf8(field.bytes);
    }
    if (!node.pid || !node.tid) return !scan.isBroken();
    const ProcessId process = m_builder.process(static_cast<uint64_t>(*node.pid), *node.pid);
    const ThreadId thread = m_builder.thread(process, *node.tid);
    if (!name.empty()) m_builder.report().threads[thread.value].name = m_builder.intern(name);
    return !scan.isBroken();
}

// CounterDescriptor: unit = 3, unit_multiplier = 4, is_incremental = 5, unit_name = 6.
bool TrackTree::readCounter(std::string_view message, Node& node)
{
    Counter counter;
    ProtoScan scan(message);
    for (ProtoField field; scan.next(field);) {
        if (field.id == 3 && counter.unit.empty()) counter.unit = unitName(field.number);
        if (field.id == 4 && field.number != 0) counter.multiplier = static_cast<double>(field.asSigned());
        if (field.id == 5) counter.isIncremental = field.number != 0;
        if (field.id == 6) counter.unit = repairedUtf8(field.bytes);
    }
    node.counter = counter;
    return !scan.isBroken();
}

TrackTree::Place TrackTree::placeOf(uint64_t uuid)
{
    Place place;
    for (int depth = 0; depth < kDeepestTrack; ++depth) {
        const auto found = m_nodes.find(uuid);
        if (found == m_nodes.end()) break;
        const Node& node = found->second;
        if (node.pid) {
            place.process = m_builder.process(static_cast<uint64_t>(*node.pid), *node.pid);
            if (node.tid) place.thread = m_builder.thread(place.process, *node.tid);
            place.isThreadItself = depth == 0 && node.tid.has_value();
            if (depth == 0 && !node.tid) place.path = node.name;
            break;
        }
        place.path = node.name + (place.path.empty() ? "" : " / " + place.path);
        if (node.parent == uuid || node.parent == 0) break;
        uuid = node.parent;
    }
    return place;
}

TrackId TrackTree::sliceTrack(uint64_t uuid)
{
    Node& node = m_nodes[uuid];
    if (node.track.isValid()) return node.track;
    const Place place = placeOf(uuid);
    TrackKey key{TrackKind::other, place.process, place.thread, {}, 0, 0};
    if (!place.isThreadItself) key.lane = static_cast<int64_t>(uuid);
    node.track = m_builder.track(key);
    if (!place.path.empty()) m_builder.setTrackName(node.track, m_builder.intern(place.path));
    return node.track;
}

std::pair<ProcessId, ThreadId> TrackTree::actorsOf(uint64_t uuid)
{
    const Place place = placeOf(uuid);
    return {place.process, place.thread};
}

CounterTrackId TrackTree::counterTrack(uint64_t uuid)
{
    Node& node = m_nodes[uuid];
    if (node.counterTrack.isValid()) return node.counterTrack;
    const Place place = placeOf(uuid);
    CounterTrack track;
    track.process = place.process;
    track.name = m_builder.intern(place.path.empty() ? "counter" : place.path);
    track.unit = m_builder.intern(counter(uuid).unit);
    node.counterTrack = m_builder.addCounterTrack(track);
    return node.counterTrack;
}

const TrackTree::Counter& TrackTree::counter(uint64_t uuid) const
{
    static const Counter kNone;
    const auto found = m_nodes.find(uuid);
    return found != m_nodes.end() && found->second.counter ? *found->second.counter : kNone;
}

} // namespace lockstep
