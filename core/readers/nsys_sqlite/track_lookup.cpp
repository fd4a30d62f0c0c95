// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/track_lookup.h"

#include "core/readers/nsys_sqlite/global_id.h"

namespace lockstep {

ProcessId TrackLookup::process(uint64_t globalId)
{
    return m_builder.process(processKeyOf(globalId), pidOf(globalId));
}

ThreadId TrackLookup::thread(uint64_t globalTid)
{
    return m_builder.thread(process(globalTid), tidOf(globalTid));
}

TrackId TrackLookup::make(const RawKey& key, std::string_view name)
{
    TrackKey track;
    track.kind = key.kind;
    const bool isOfMachine = key.kind == TrackKind::other && key.owner == 0;
    if (!isOfMachine) track.process = process(key.owner);
    if (key.isGpu) {
        track.device = m_builder.device(track.process, static_cast<int>(key.device));
        track.context = key.context;
    } else if (!isOfMachine) {
        track.thread = m_builder.thread(track.process, tidOf(key.owner));
    }
    track.lane = key.lane;
    const TrackId id = m_builder.track(track);
    if (!name.empty()) m_builder.setTrackName(id, m_builder.intern(name));
    return id;
}

} // namespace lockstep
