// SPDX-License-Identifier: Apache-2.0
#include "core/compare/lane_pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace lockstep {

namespace {

// Tracks with the same kind and name in a process.
struct HalfLane {
    TrackKind kind = TrackKind::other;
    std::string key, name;
    std::tuple<int, int64_t, std::string> order;
    std::vector<TrackRef> tracks;
};

// All captures of one process, by its identity.
struct SideProcess {
    std::string role, place, tool, host, label;
    bool isRanked = false;
    std::vector<HalfLane> lanes; // sorted by order
    bool isPaired = false;
};

bool isOnGpu(TrackKind kind)
{
    return kind == TrackKind::gpuStream || kind == TrackKind::gpuGraph || kind == TrackKind::gpuSync ||
           kind == TrackKind::gpuAnnotation;
}

SideProcess processOf(const Scene& scene, ReportKey key, ProcessId id)
{
    const Identity& identity = scene.shown.identity(key, id);
    const Report& report = scene.shown.report(key);
    const auto part = [](const auto& value) {
        return value.value ? std::to_string(*value.value) : std::string();
    };
    SideProcess out;
    out.role = identity.role.value.value_or("");
    out.isRanked = identity.rank.value.has_value() || identity.replica.value.has_value();
    out.place = part(identity.rank) + "/" + part(identity.replica) + "/" + part(identity.replicaRank);
    out.tool = report.provenance.tool.empty() ? report.provenance.kind : report.provenance.tool;
    out.host = identity.host.value.value_or("");
    if (identity.rank.value)
        out.label = "rank " + part(identity.rank);
    else if (identity.replica.value)
        out.label = "replica " + part(identity.replica) + "." + part(identity.replicaRank);
    else
        out.label = report.provenance.path.filename().string();
    if (!out.role.empty()) out.label += " " + out.role;
    return out;
}

HalfLane laneOfTrack(const Report& report, const Track& track)
{
    HalfLane out;
    out.kind = track.key.kind;
    const std::string name(track.name.isValid() ? report.strings.at(track.name) : std::string_view());
    const int ordinal = track.key.device.isValid() ? report.devices[track.key.device.value].ordinal : -1;
    const std::string kind = std::to_string(static_cast<int>(out.kind)) + "/";
    if (isOnGpu(out.kind)) {
        out.key = kind + std::to_string(ordinal) + "/" + std::to_string(track.key.lane);
        out.name = "stream " + std::to_string(track.key.lane);
        out.order = {ordinal, track.key.lane, name};
        return out;
    }
    std::string thread;
    if (track.key.thread.isValid()) {
        const Thread& of = report.threads[track.key.thread.value];
        if (of.name.isValid()) thread = report.strings.at(of.name);
    }
    out.key = kind + thread + "/" + name;
    out.name = !name.empty() ? name : !thread.empty() ? thread : "thread";
    out.order = {0, 0, thread + "/" + name};
    return out;
}

std::optional<TraceTime> firstOf(const Scene& scene, TrackRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const Track& track = report.track(ref.track);
    return scene.alignment.map(ref.report).alignedFromTrace(report.slices.start(track.firstSlice));
}

class HalfReader {
  public:
    explicit HalfReader(const Scene& scene) : m_scene(scene) {}

    std::vector<SideProcess> read()
    {
        std::vector<ReportKey> keys = m_scene.shown.keys();
        std::ranges::stable_sort(keys, {}, [&](ReportKey key) { // independent of the order in which reports
                                                                // were opened
            return m_scene.shown.report(key).provenance.path.string();
        });
        for (const ReportKey key : keys)
            readReport(key);
        std::vector<SideProcess> out;
        for (auto& [name, process] : m_processes) {
            std::ranges::stable_sort(process.lanes, {}, &HalfLane::order);
            for (HalfLane& lane : process.lanes)
                std::ranges::stable_sort(lane.tracks, {}, [&](TrackRef t) { return firstOf(m_scene, t); });
            out.push_back(std::move(process));
        }
        return out;
    }

  private:
    void readReport(ReportKey key)
    {
        const Report& report = m_scene.shown.report(key);
        std::map<std::string, int> namesakes;   // number of processes in this report with the same name
        std::map<uint32_t, std::string> nameOf; // by process: its name
        std::map<std::string, int> lanesNamed;  // number of lanes in this report with the same name
        for (size_t i = 0; i < report.tracks.size(); ++i) {
            const Track& track = report.tracks[i];
            if (track.sliceCount == 0 || track.key.kind == TrackKind::diagnostics) continue;
            const uint32_t id = track.key.process.isValid() ? track.key.process.value : ~uint32_t(0);
            auto known = nameOf.find(id);
            if (known == nameOf.end()) {
                const SideProcess made = processOf(m_scene, key, track.key.process);
                std::string name = made.role + "|" + made.place + "|" + made.tool;
                // Without a rank, processes in two reports are considered distinct.
                if (!made.isRanked) name += "|" + made.host + "|" + report.provenance.path.string();
                name += "|" + std::to_string(namesakes[name]++);
                m_processes.try_emplace(name, made);
                known = nameOf.emplace(id, name).first;
            }
            HalfLane lane = laneOfTrack(report, track);
            lane.key += "#" + std::to_string(lanesNamed[known->second + lane.key]++);
            std::vector<HalfLane>& lanes = m_processes.at(known->second).lanes;
            auto at = std::ranges::find(lanes, lane.key, &HalfLane::key);
            if (at == lanes.end()) at = lanes.insert(at, std::move(lane));
            at->tracks.push_back({key, TrackId(i)});
        }
    }

    const Scene& m_scene;
    std::map<std::string, SideProcess> m_processes;
};

class LanePairing {
  public:
    LanePairing(std::vector<SideProcess> a, std::vector<SideProcess> b) : m_a(std::move(a)), m_b(std::move(b))
    {
    }

    LanePairs run()
    {
        const auto roleAndPlace = [](const SideProcess& p) { return p.role + "|" + p.place; };
        pairBy([&](const SideProcess& p) {
            return p.isRanked ? roleAndPlace(p) + "|" + p.tool : std::string();
        });
        pairBy([&](const SideProcess& p) { return p.isRanked ? roleAndPlace(p) : std::string(); });
        pairBy([&](const SideProcess& p) {
            return p.isRanked ? std::string() : p.role + "|" + p.tool + "|" + p.host;
        });
        pairBy([&](const SideProcess& p) { return p.isRanked ? std::string() : "|" + p.role; });
        addUnpaired(m_a, true);
        addUnpaired(m_b, false);
        return std::move(m_out);
    }

  private:
    // Among the lanes that are not paired yet, pairs the k-th lane with a given key in A with the k-th such
    // lane in B. Lanes with the key "" are not paired.
    void pairBy(const std::function<std::string(const SideProcess&)>& key)
    {
        std::map<std::string, std::vector<SideProcess*>> inB;
        for (SideProcess& process : m_b) {
            const std::string name = process.isPaired ? std::string() : key(process);
            if (!name.empty()) inB[name].push_back(&process);
        }
        std::map<std::string, size_t> used;
        for (SideProcess& process : m_a) {
            const std::string name = process.isPaired ? std::string() : key(process);
            const auto at = name.empty() ? inB.end() : inB.find(name);
            if (at == inB.end() || used[name] == at->second.size()) continue;
            SideProcess& other = *at->second[used[name]++];
            process.isPaired = other.isPaired = true;
            ++m_out.processes;
            pairProcessLanes(process, other);
        }
    }

    void pairProcessLanes(const SideProcess& a, const SideProcess& b)
    {
        std::vector<const HalfLane*> left;
        for (const HalfLane& lane : b.lanes)
            left.push_back(&lane);
        const auto take = [&](const auto& isIt) {
            const auto at = std::ranges::find_if(left, [&](const HalfLane* lane) { return isIt(*lane); });
            const HalfLane* const found = at == left.end() ? nullptr : *at;
            if (found != nullptr) left.erase(at);
            return found;
        };
        std::vector<const HalfLane*> partner;
        for (const HalfLane& lane : a.lanes)
            partner.push_back(take([&](const HalfLane& other) { return other.key == lane.key; }));
        for (size_t i = 0; i < a.lanes.size(); ++i) {
            const HalfLane& lane = a.lanes[i];
            if (partner[i] == nullptr)
                partner[i] = take([&](const HalfLane& other) { return other.kind == lane.kind; });
            m_out.pairs.push_back({lane.tracks, partner[i] ? partner[i]->tracks : std::vector<TrackRef>(),
                                   a.label + ", " + lane.name});
        }
        for (const HalfLane* lane : left)
            m_out.pairs.push_back({{}, lane->tracks, b.label + ", " + lane->name});
    }

    void addUnpaired(const std::vector<SideProcess>& side, bool isInA)
    {
        for (const SideProcess& process : side) {
            if (process.isPaired) continue;
            UnpairedProcess unpaired{isInA, process.label, {}};
            for (const HalfLane& lane : process.lanes)
                unpaired.tracks.insert(unpaired.tracks.end(), lane.tracks.begin(), lane.tracks.end());
            m_out.unpaired.push_back(std::move(unpaired));
        }
        std::ranges::stable_sort(m_out.unpaired, {}, [](const UnpairedProcess& one) {
            return std::tuple(!one.isInA, one.label.size(), one.label); // so that rank 2 comes before rank 10
        });
    }

    std::vector<SideProcess> m_a, m_b;
    LanePairs m_out;
};

} // namespace

LanePairs pairLanes(const Scene& a, const Scene& b)
{
    return LanePairing(HalfReader(a).read(), HalfReader(b).read()).run();
}

PairedLaneKeys::PairedLaneKeys(const Scene& a, const Scene& b)
{
    const LanePairs compared = pairLanes(a, b);
    for (const LanePair& pair : compared.pairs) {
        if (pair.a.empty() || pair.b.empty()) continue;
        join(a, a.tree->laneOf(pair.a.front()), b, b.tree->laneOf(pair.b.front()));
    }
}

// Pairs two lanes and their ancestors, as long as the ancestors have the same kind on both sides.
void PairedLaneKeys::join(const Scene& a, uint32_t laneA, const Scene& b, uint32_t laneB)
{
    while (laneA != kNoLane && laneB != kNoLane) {
        const Lane& one = a.tree->lane(laneA);
        const Lane& other = b.tree->lane(laneB);
        if (one.subject != other.subject) return;
        const bool isNew = m_toB.try_emplace(one.key, other.key).second;
        m_toA.try_emplace(other.key, one.key);
        if (!isNew) return;
        laneA = a.tree->parentOf(laneA);
        laneB = b.tree->parentOf(laneB);
    }
}

const std::string& PairedLaneKeys::find(const Keys& keys, const std::string& key)
{
    static const std::string none;
    const auto at = keys.find(key);
    return at == keys.end() ? none : at->second;
}

LaneState PairedLaneKeys::follow(const LaneState& from, const LaneState& to, const Keys& keys)
{
    LaneState out = from;
    out.collapsed = to.collapsed;
    out.hidden = to.hidden;
    out.pinned = to.pinned;
    out.opened = to.opened;
    out.order.clear();
    for (const auto& [key, other] : keys) {
        const auto folded = from.collapsed.find(key);
        if (folded == from.collapsed.end()) {
            out.collapsed.erase(other);
        } else {
            out.collapsed[other] = folded->second;
        }
        const auto copy = [&, &lane = key, &opposite = other](const std::set<std::string>& in,
                                                              std::set<std::string>& into) {
            if (in.contains(lane)) {
                into.insert(opposite);
            } else {
                into.erase(opposite);
            }
        };
        copy(from.hidden, out.hidden);
        copy(from.pinned, out.pinned);
        copy(from.opened, out.opened);
    }
    for (const std::string& key : from.order)
        if (const std::string& other = find(keys, key); !other.empty()) out.order.push_back(other);
    return out;
}

} // namespace lockstep
