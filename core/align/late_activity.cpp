// SPDX-License-Identifier: Apache-2.0
#include "core/align/late_activity.h"

#include <algorithm>
#include <map>

namespace lockstep {

namespace {

constexpr int64_t kReach_ns = 50'000'000; // how far back to search for work
// idle time before a collective that the launch does not explain
constexpr int64_t kHostBoundGap_ns = 20'000;

// Returns the slice on the track that starts last before `time`, at the deepest level.
SliceId lastStartedBefore(const Report& report, const Track& track, TraceTime time)
{
    const auto begin = report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::lower_bound(begin, begin + track.sliceCount, time.ns);
    if (after == begin) return {};
    return SliceId(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
}

SliceId lastComputeBefore(const Report& report, const TrackKey& gpu, TraceTime time)
{
    SliceId best;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::gpuStream || track.key.process != gpu.process ||
            track.key.device != gpu.device) {
            continue;
        }
        SliceId slice = lastStartedBefore(report, track, time);
        // Skips communication on the same stream; going back a few slices is sufficient.
        while (slice.isValid() && report.slices.category[slice.value] == SliceCategory::communication) {
            const bool isFirst = slice == track.firstSlice;
            slice = isFirst ? SliceId() : SliceId(slice.value - 1);
            if (slice.isValid() && (time - report.slices.end(slice)).ns > kReach_ns) slice = SliceId();
        }
        if (!slice.isValid() || (time - report.slices.end(slice)).ns > kReach_ns) continue;
        if (!best.isValid() || report.slices.end(slice) > report.slices.end(best)) best = slice;
    }
    return best;
}

// The time in a window by slice name, and the slice with the largest part of it.
class TimeByName {
  public:
    void add(StringId name, SliceId slice, int64_t time_ns)
    {
        if (time_ns <= 0) return;
        Entry& entry = m_entries[name];
        entry.total_ns += time_ns;
        m_total_ns += time_ns;
        if (time_ns > entry.most_ns) {
            entry.most_ns = time_ns;
            entry.slice = slice;
        }
    }
    int64_t total_ns() const { return m_total_ns; }
    SliceId dominant() const
    {
        const auto most =
            std::ranges::max_element(m_entries, {}, [](const auto& entry) { return entry.second.total_ns; });
        return most == m_entries.end() ? SliceId() : most->second.slice;
    }

  private:
    struct Entry {
        int64_t total_ns = 0;
        int64_t most_ns = 0;
        SliceId slice;
    };
    std::map<StringId, Entry> m_entries;
    int64_t m_total_ns = 0;
};

int64_t overlap_ns(const Report& report, SliceId slice, TimeRange window)
{
    const int64_t begin = std::max(report.slices.start_ns[slice.value], window.begin.ns);
    return std::max<int64_t>(0, std::min(report.slices.end(slice).ns, window.end.ns) - begin);
}

// Calls visit for each slice of the track that overlaps the window. Slices that began before the window are
// found through the parents of the first slice inside. Slices of equal depth do not overlap.
template<class Visit>
void forEachIn(const Report& report, const Track& track, TimeRange window, const Visit& visit)
{
    SliceId outer = lastStartedBefore(report, track, window.begin);
    const uint32_t next = outer.isValid() ? outer.value + 1 : track.firstSlice.value;
    for (; outer.isValid(); outer = report.slices.parent[outer.value])
        visit(outer);
    const uint32_t end = track.firstSlice.value + track.sliceCount;
    for (uint32_t i = next; i < end && report.slices.start_ns[i] < window.end.ns; ++i)
        visit(SliceId(i));
}

// Returns the GPU work in the window, except communication.
TimeByName workIn(const Report& report, const TrackKey& gpu, TimeRange window)
{
    TimeByName work;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::gpuStream || track.key.process != gpu.process ||
            track.key.device != gpu.device) {
            continue;
        }
        forEachIn(report, track, window, [&](SliceId slice) {
            if (report.slices.category[slice.value] == SliceCategory::communication) return;
            work.add(report.slices.name[slice.value], slice, overlap_ns(report, slice, window));
        });
    }
    return work;
}

bool isHostTrack(const Track& track, ThreadId thread)
{
    const bool isKind = track.key.kind == TrackKind::ops || track.key.kind == TrackKind::nvtx ||
                        track.key.kind == TrackKind::cudaApi || track.key.kind == TrackKind::python;
    return isKind && track.key.thread == thread;
}

// Returns the thread's activity, excluding child slices: ops and annotations if the thread has any, otherwise
// calls.
SliceId hostWorkIn(const Report& report, ThreadId thread, TimeRange window)
{
    SliceId best;
    int64_t most_ns = 0;
    for (const Track& track : report.tracks) {
        if (!isHostTrack(track, thread)) continue;
        std::map<SliceId, int64_t> own;
        forEachIn(report, track, window, [&](SliceId slice) {
            const int64_t time_ns = overlap_ns(report, slice, window);
            own[slice] += time_ns;
            const SliceId parent = report.slices.parent[slice.value];
            if (parent.isValid()) own[parent] -= time_ns;
        });
        TimeByName byName;
        for (const auto& [slice, time_ns] : own)
            byName.add(report.slices.name[slice.value], slice, time_ns);
        if (byName.total_ns() > most_ns) {
            most_ns = byName.total_ns();
            best = byName.dominant();
        }
    }
    return best;
}

bool isAnnotation(RowKind kind)
{
    return kind == RowKind::userAnnotation || kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd;
}

// Returns the innermost annotation of the thread that contains `time`, except NCCL's own annotations and
// profiler steps.
SliceId annotationAt(const Report& report, ThreadId thread, TraceTime time)
{
    SliceId best;
    for (const Track& track : report.tracks) {
        const bool isKind = track.key.kind == TrackKind::ops || track.key.kind == TrackKind::nvtx;
        if (!isKind || track.key.thread != thread) continue;
        SliceId slice = lastStartedBefore(report, track, {time.ns + 1});
        for (; slice.isValid(); slice = report.slices.parent[slice.value]) {
            const std::string_view name = report.nameOf(slice);
            if (report.slices.end(slice) <= time || !isAnnotation(report.slices.kind[slice.value]) ||
                name.starts_with("nccl") || name.starts_with("ProfilerStep")) {
                continue;
            }
            if (!best.isValid() || report.slices.start(slice) > report.slices.start(best)) best = slice;
            break;
        }
    }
    return best;
}

} // namespace

LateActivity activityBefore(const Report& report, SliceId collective)
{
    const TraceTime start = report.slices.start(collective);
    const TrackKey& gpu = report.track(report.trackOf(collective)).key;
    LateActivity activity;
    activity.slice = lastComputeBefore(report, gpu, start);
    const bool wasIdle =
        !activity.slice.isValid() || (start - report.slices.end(activity.slice)).ns > kHostBoundGap_ns;
    const Link* launch = report.links.to(collective);
    if (launch != nullptr) {
        const ThreadId thread = report.track(report.trackOf(launch->cause)).key.thread;
        activity.annotation = annotationAt(report, thread, report.slices.start(launch->cause));
    }
    if (!wasIdle || launch == nullptr) return activity;
    // The launch came after the GPU had become idle. The host was therefore late, and the cause is its
    // activity before the launch.
    const TraceTime called = report.slices.start(launch->cause);
    if (activity.slice.isValid() && called <= report.slices.end(activity.slice)) return activity;
    activity.isHostBound = true;
    const TrackKey& caller = report.track(report.trackOf(launch->cause)).key;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::ops || track.key.thread != caller.thread) continue;
        SliceId slice = lastStartedBefore(report, track, called);
        while (slice.isValid() && report.slices.end(slice) < called)
            slice = report.slices.parent[slice.value];
        if (slice.isValid()) activity.slice = slice;
    }
    return activity;
}

LateActivity lateActivity(const Report& report, SliceId collective, Duration late)
{
    LateActivity activity = activityBefore(report, collective);
    const TraceTime start = report.slices.start(collective);
    const TimeRange window{{start.ns - late.ns}, start};
    if (late.ns <= 0) return activity;
    const TimeByName work = workIn(report, report.track(report.trackOf(collective)).key, window);
    activity.isHostBound = work.total_ns() * 2 < late.ns;
    if (!activity.isHostBound) {
        activity.slice = work.dominant();
        return activity;
    }
    const Link* launch = report.links.to(collective);
    if (launch == nullptr) return activity;
    const ThreadId thread = report.track(report.trackOf(launch->cause)).key.thread;
    // The host's window ends with the launch, because later activity did not delay the collective.
    const TraceTime called = std::min(start, report.slices.start(launch->cause));
    const SliceId own = hostWorkIn(report, thread, {{called.ns - late.ns}, called});
    if (own.isValid()) activity.slice = own;
    return activity;
}

} // namespace lockstep
