// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_joins.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

namespace lockstep {

namespace {

constexpr size_t kMaxCauses = 64;

// Exponential (galloping) search. Returns the first cause at or after `from` with a correlation ID of at
// least `correlation`; all causes before `from` must have smaller IDs. O(log distance).
std::span<const CorrelatedSlice>::iterator firstFrom(std::span<const CorrelatedSlice> causes, size_t from,
                                                     uint32_t correlation)
{
    size_t step = 1;
    while (from + step <= causes.size() && causes[from + step - 1].correlation < correlation) {
        from += step;
        step *= 2;
    }
    const auto reach = causes.subspan(from, std::min(step, causes.size() - from));
    const auto found = std::ranges::lower_bound(reach, correlation, {}, &CorrelatedSlice::correlation);
    return causes.begin() + static_cast<ptrdiff_t>(from) + (found - reach.begin());
}

} // namespace

uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file)
{
    uint64_t crowded = 0;
    const auto end = causes.end();
    auto hint = causes.begin(); // most GPU rows are in the order of their calls
    effects.forEach([&](const CorrelatedSlice& effect) {
        // true if the search can start at the hint
        const bool isBehind = hint == causes.begin() || std::prev(hint)->correlation < effect.correlation;
        hint =
            firstFrom(causes, isBehind ? static_cast<size_t>(hint - causes.begin()) : 0, effect.correlation);
        auto cause = hint;
        for (size_t n = 0; cause != end && cause->correlation == effect.correlation; ++cause, ++n) {
            if (n == kMaxCauses) {
                ++crowded;
                break;
            }
            links.add({cause->slice, effect.slice, LinkKind::launch}, file);
        }
    });
    return crowded;
}

void FlowBinding::Count::add(const FlowPoint& point)
{
    if (number++ == 0) first_ns = point.time_ns;
}

void FlowBinding::bind(Column<FlowPoint>& points, RowChunks<Link>& links)
{
    const auto order = [](const FlowPoint& p) { return std::tuple(p.key, p.time_ns, p.role, p.track); };
    std::ranges::sort(points, {}, order);
    Cause cause;
    for (const FlowPoint& point : points)
        take(point, cause, links);
    finish(cause);
    addNotes();
}

void FlowBinding::take(const FlowPoint& point, Cause& cause, RowChunks<Link>& links)
{
    const bool isSameFlow = cause.point != nullptr && cause.point->key == point.key;
    if (!isSameFlow || point.role == FlowRole::start) finish(cause);
    const SliceId slice = boundSlice(point);
    if (!slice.isValid()) m_unbound.add(point);
    if (point.role == FlowRole::start) {
        cause = {&point, slice, false};
        return;
    }
    if (cause.point == nullptr) {
        m_withoutCause.add(point);
        return;
    }
    cause.hasEffect = true;
    if (cause.slice.isValid() && slice.isValid())
        links.add({cause.slice, slice, LinkKind::flow}, m_report.place.temporary());
    if (point.role == FlowRole::step) cause = {&point, slice, true};
}

void FlowBinding::finish(Cause& cause)
{
    if (!cause.hasEffect) m_unterminated.add(*cause.point);
    cause = {};
}

SliceId FlowBinding::enclosingSlice(TrackId id, int64_t time_ns) const
{
    const Track& track = m_report.tracks[id.value];
    const auto begin = m_report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::upper_bound(begin, begin + track.sliceCount, time_ns);
    if (after == begin) return {};
    SliceId slice(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
    while (slice.isValid() && m_report.slices.end(slice).ns < time_ns)
        slice = m_report.slices.parent[slice.value];
    return slice;
}

SliceId FlowBinding::nextSlice(TrackId id, int64_t time_ns) const
{
    const Track& track = m_report.tracks[id.value];
    const auto begin = m_report.slices.start_ns.begin() + track.firstSlice.value;
    const auto next = std::lower_bound(begin, begin + track.sliceCount, time_ns);
    if (next == begin + track.sliceCount) return {};
    return SliceId(track.firstSlice.value + static_cast<uint32_t>(next - begin));
}

// Searches the track of the point, then the other tracks of its thread, which are adjacent. If there are
// several next slices, the earliest is used.
SliceId FlowBinding::boundSlice(const FlowPoint& point) const
{
    if (!point.track.isValid()) return {};
    const auto on = [&](TrackId id) {
        return point.bindsNext ? nextSlice(id, point.time_ns) : enclosingSlice(id, point.time_ns);
    };
    SliceId best = on(point.track);
    const ThreadId thread = m_report.tracks[point.track.value].key.thread;
    if ((best.isValid() && !point.bindsNext) || !thread.isValid()) return best;
    const auto isSame = [&](uint32_t other) { return m_report.tracks[other].key.thread == thread; };
    uint32_t first = point.track.value;
    while (first > 0 && isSame(first - 1))
        --first;
    for (uint32_t other = first; other < m_report.tracks.size() && isSame(other); ++other) {
        const SliceId there = on(TrackId(other));
        if (!there.isValid()) continue;
        if (!point.bindsNext) return there;
        if (!best.isValid() || m_report.slices.start(there).ns < m_report.slices.start(best).ns) best = there;
    }
    return best;
}

void FlowBinding::addNotes()
{
    const auto add = [&](const char* kind, const char* text, const Count& count) {
        if (count.number == 0) return;
        m_report.notes.add(kind, NoteSeverity::warning, text,
                           "stamp " + std::to_string(count.first_ns) + " ns", count.number);
    };
    add("flow.no_slice", "flow events outside any slice: arrow not drawn", m_unbound);
    add("flow.end_without_start",
        "flows that continue or end before they start, or never start: arrow not drawn", m_withoutCause);
    add("flow.start_without_end", "flows that start but never end: no arrow", m_unterminated);
}

namespace {

struct Launch {
    ThreadId thread;
    int64_t time_ns = 0; // time at which the API call began
    SliceId kernel;

    friend auto operator<=>(const Launch&, const Launch&) = default;
};

// An NCCL call on its thread, with the data that grouping needs.
struct HostCall {
    enum Kind : uint8_t { groupStart, operation, groupEnd };
    ThreadId thread;
    int64_t start_ns = 0;
    Kind kind = operation;
    SliceId slice;
    size_t op = 0; // index of an operation in Report::collectives
};

template<class T>
void keepEqual(T& kept, const T& other, const T& none)
{
    if (kept != other) kept = none;
}

uint64_t sum(uint64_t a, uint64_t b)
{
    constexpr uint64_t kAbsent = CollectiveOp::kAbsentCount;
    return a == kAbsent || b == kAbsent || a + b < a ? kAbsent : a + b;
}

class CollectiveJoin {
  public:
    explicit CollectiveJoin(Report& report) : m_report(report) {}

    void run()
    {
        const auto isHost = [&](const CollectiveOp& op) {
            return !isGpuWork(m_report.slices.kind[op.slice.value]);
        };
        if (std::ranges::any_of(m_report.collectives, isHost)) {
            findLaunches();
            findCalls(isHost);
            placeCalls();
        }
        combine();
    }

  private:
    void findLaunches();
    template<class IsHost>
    void findCalls(IsHost isHost);
    void placeCalls();
    std::span<const Launch> launchesIn(SliceId range) const;
    void placeGroup(std::span<const Launch> launches);
    bool isAllToAll() const;
    void place(const CollectiveOp& op, SliceId kernel);
    void combine();

    ThreadId threadOf(SliceId slice) const { return m_report.track(m_report.trackOf(slice)).key.thread; }

    Report& m_report;
    std::vector<Launch> m_launches; // launches of communication kernels on the GPU
    std::vector<HostCall> m_calls;
    std::vector<size_t> m_group; // operations of the open group that have no launch of their own
    std::vector<CollectiveOp> m_placed;
    std::vector<bool> m_isPlaced; // by index in Report::collectives
};

void CollectiveJoin::findLaunches()
{
    for (const Link& link : m_report.links.all()) {
        if (link.kind != LinkKind::launch ||
            m_report.slices.category[link.effect.value] != SliceCategory::communication) {
            continue;
        }
        m_launches.push_back({threadOf(link.cause), m_report.slices.start_ns[link.cause.value], link.effect});
    }
    std::ranges::sort(m_launches);
}

template<class IsHost>
void CollectiveJoin::findCalls(IsHost isHost)
{
    for (size_t i = 0; i < m_report.collectives.size(); ++i) {
        const CollectiveOp& op = m_report.collectives[i];
        if (!isHost(op)) continue;
        m_calls.push_back(
            {threadOf(op.slice), m_report.slices.start_ns[op.slice.value], HostCall::operation, op.slice, i});
    }
    const StringId start = m_report.strings.find("ncclGroupStart"),
                   end = m_report.strings.find("ncclGroupEnd");
    for (const Track& track : m_report.tracks) {
        if (track.key.kind != TrackKind::nvtx || !end.isValid()) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            const StringId name = m_report.slices.name[slice.value];
            if (name != start && name != end) continue;
            m_calls.push_back({track.key.thread, m_report.slices.start_ns[slice.value],
                               name == start ? HostCall::groupStart : HostCall::groupEnd, slice, 0});
        }
    }
    std::ranges::sort(m_calls, {}, [](const HostCall& call) {
        return std::tuple(call.thread, call.start_ns, call.kind, call.slice);
    });
}

// Groups nest, and GPU kernels are launched only at the end of the outermost group. The capture can begin
// inside a group, so a launch ends the group regardless of the apparent depth.
void CollectiveJoin::placeCalls()
{
    m_isPlaced.assign(m_report.collectives.size(), false);
    ThreadId thread;
    int depth = 0;
    for (const HostCall& call : m_calls) {
        if (call.thread != thread) {
            thread = call.thread;
            depth = 0;
            m_group.clear();
        }
        const std::span<const Launch> launches = launchesIn(call.slice);
        if (call.kind == HostCall::groupStart) {
            ++depth;
        } else if (call.kind == HostCall::operation) {
            if (!launches.empty()) {
                place(m_report.collectives[call.op], launches.front().kernel);
                m_isPlaced[call.op] = true;
            } else if (depth > 0) {
                m_group.push_back(call.op);
            }
        } else {
            if (!launches.empty()) placeGroup(launches);
            depth = launches.empty() ? std::max(0, depth - 1) : 0;
            if (depth == 0) m_group.clear();
        }
    }
}

std::span<const Launch> CollectiveJoin::launchesIn(SliceId range) const
{
    const ThreadId thread = threadOf(range);
    const Launch from{thread, m_report.slices.start(range).ns, SliceId(0u)};
    const auto first = std::ranges::lower_bound(m_launches, from);
    const Launch to{thread, m_report.slices.end(range).ns, SliceId()};
    return {first, std::max(first, std::ranges::upper_bound(m_launches, to))};
}

void CollectiveJoin::placeGroup(std::span<const Launch> launches)
{
    if (m_group.empty()) return;
    CollectiveOp all = m_report.collectives[m_group.front()];
    bool hasOneSize = true;
    for (const size_t index : std::span(m_group).subspan(1)) {
        const CollectiveOp& op = m_report.collectives[index];
        // if there are several communicators, the kernels cannot be assigned
        if (op.group != all.group) return;
        hasOneSize = hasOneSize && op.message_bytes == m_report.collectives[m_group.front()].message_bytes;
        keepEqual(all.collective, op.collective, StringId());
        keepEqual(all.dataType, op.dataType, StringId());
        keepEqual(all.peer, op.peer, CollectiveOp::kAbsent);
        all.isPointToPoint = all.isPointToPoint || op.isPointToPoint;
        all.inElements = sum(all.inElements, op.inElements);
        all.outElements = sum(all.outElements, op.outElements);
        all.message_bytes = sum(all.message_bytes, op.message_bytes);
        all.sequence = CollectiveOp::kAbsentCount;
        all.commsId = CollectiveOp::kAbsentCount;
    }
    if (isAllToAll()) {
        all.collective = m_report.strings.intern("all_to_all");
        all.isPointToPoint = false;
        all.peer = CollectiveOp::kAbsent;
    }
    if (launches.size() > 1) {
        const bool isOneEach = hasOneSize && launches.size() == m_group.size();
        const CollectiveOp& first = m_report.collectives[m_group.front()];
        all.message_bytes = isOneEach ? first.message_bytes : CollectiveOp::kAbsentCount;
        all.inElements = isOneEach ? first.inElements : CollectiveOp::kAbsentCount;
        all.outElements = isOneEach ? first.outElements : CollectiveOp::kAbsentCount;
    }
    for (const Launch& launch : launches)
        place(all, launch.kernel);
    for (const size_t index : m_group)
        m_isPlaced[index] = true;
}

// Returns whether m_group, whose calls use one communicator, has a send to and a receive from each rank of
// that communicator. Peers are known only as ranks of the job; in a smaller communicator, the number of calls
// is used instead.
bool CollectiveJoin::isAllToAll() const
{
    size_t sends = 0, receives = 0;
    std::set<uint32_t> to, from;
    const uint32_t ranks = m_report.collectives[m_group.front()].groupSize;
    for (const size_t index : m_group) {
        const CollectiveOp& op = m_report.collectives[index];
        const std::string_view name = m_report.nameOf(op.slice);
        if (name != "ncclSend" && name != "ncclRecv") return false;
        ++(name == "ncclSend" ? sends : receives);
        if (op.peer != CollectiveOp::kAbsent) (name == "ncclSend" ? to : from).insert(op.peer);
    }
    const auto isWhole = [&](const std::set<uint32_t>& peers) {
        return peers.empty() || peers.size() == ranks;
    };
    return ranks != CollectiveOp::kAbsent && ranks > 1 && sends == ranks && receives == ranks &&
           isWhole(to) && isWhole(from);
}

void CollectiveJoin::place(const CollectiveOp& op, SliceId kernel)
{
    m_placed.push_back(op);
    m_placed.back().slice = kernel;
}

void CollectiveJoin::combine()
{
    for (size_t i = 0; i < m_report.collectives.size(); ++i) {
        if (m_isPlaced.empty() || !m_isPlaced[i]) m_placed.push_back(m_report.collectives[i]);
    }
    std::ranges::stable_sort(m_placed, {}, &CollectiveOp::slice);
    std::vector<CollectiveOp> all;
    for (const CollectiveOp& op : m_placed) {
        if (all.empty() || all.back().slice != op.slice) {
            all.push_back(op);
        } else {
            if (!all.back().collective.isValid()) all.back().collective = op.collective;
            if (!all.back().dataType.isValid()) all.back().dataType = op.dataType;
        }
    }
    all.shrink_to_fit();
    m_report.collectives = Column(std::move(all));
}

} // namespace

void joinCollectives(Report& report)
{
    CollectiveJoin(report).run();
}

} // namespace lockstep
