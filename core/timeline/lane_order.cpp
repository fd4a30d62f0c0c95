// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_order.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/time_text.h"

namespace lockstep {

namespace {

std::optional<double> causedBy(const Scene& scene, const ProcessLaneData& process)
{
    std::optional<double> caused_ns;
    for (const auto& [report, id] : process.members) {
        if (const RankLate* const late = scene.lateness->of(report, id))
            caused_ns = caused_ns.value_or(0) + static_cast<double>(late->caused_ns);
    }
    return caused_ns;
}

// Stores the lane keys in their current order.
void rememberPlaces(const Scene& scene, LaneState& state)
{
    if (state.sort == LaneSort::manual) return;
    const LaneOrder order(scene, state);
    std::vector<std::string> keys;
    std::vector<uint32_t> parents{kNoLane};
    for (size_t i = 0; i < parents.size(); ++i) {
        for (const uint32_t lane : order.below(parents[i])) {
            const LaneSubject subject = scene.tree->lane(lane).subject;
            keys.push_back(scene.tree->lane(lane).key);
            if (subject == LaneSubject::group) parents.push_back(lane);
        }
    }
    state.order = std::move(keys);
    state.sort = LaneSort::manual;
}

} // namespace

LaneOrder::LaneOrder(const Scene& scene, const LaneState& state) : m_scene(scene), m_state(state)
{
    if (state.sort != LaneSort::manual) return;
    for (const std::string& key : state.order)
        m_positionOf.emplace(key, m_positionOf.size());
}

std::vector<uint32_t> LaneOrder::roots() const
{
    std::vector<uint32_t> lanes;
    for (uint32_t i = 0; i < m_scene.tree->size(); ++i) {
        if (m_scene.tree->parentOf(i) == kNoLane) lanes.push_back(i);
    }
    return lanes;
}

std::vector<uint32_t> LaneOrder::below(uint32_t parent) const
{
    std::vector<uint32_t> lanes;
    if (parent == kNoLane) {
        lanes = roots();
    } else {
        for (const uint32_t child : m_scene.tree->childrenOf(parent))
            lanes.push_back(child);
    }
    if (m_state.sort == LaneSort::none || lanes.size() < 2) return lanes;
    if (m_state.sort == LaneSort::manual) {
        const auto placeOf = [&](uint32_t lane) {
            const auto found = m_positionOf.find(m_scene.tree->lane(lane).key);
            return found == m_positionOf.end() ? m_positionOf.size() : found->second;
        };
        std::ranges::stable_sort(lanes, {}, placeOf);
        return lanes;
    }
    // Only processes are sorted by value; lanes of other kinds between them stay in place.
    std::vector<size_t> places;
    using Valued = std::pair<std::optional<double>, uint32_t>;
    std::vector<Valued> sorted;
    for (size_t i = 0; i < lanes.size(); ++i) {
        if (m_scene.tree->lane(lanes[i]).subject != LaneSubject::process) continue;
        places.push_back(i);
        sorted.emplace_back(valueOf(lanes[i]), lanes[i]);
    }
    const bool isAscending = m_state.sort == LaneSort::rank;
    std::ranges::stable_sort(sorted, [&](const Valued& a, const Valued& b) {
        if (!a.first || !b.first) return a.first.has_value() && !b.first;
        return isAscending ? *a.first < *b.first : *a.first > *b.first;
    });
    for (size_t i = 0; i < places.size(); ++i)
        lanes[places[i]] = sorted[i].second;
    return lanes;
}

std::optional<double> LaneOrder::valueOf(uint32_t index) const
{
    const ProcessLaneData& process = *m_scene.tree->lane(index).data.as<ProcessLaneData>();
    switch (m_state.sort) {
    case LaneSort::rank:
        return process.rank ? std::optional<double>(*process.rank) : std::nullopt;
    case LaneSort::busy:
        return process.time.busy();
    case LaneSort::lateness:
        return causedBy(m_scene, process);
    case LaneSort::memory: {
        const ProcessMemory memory = processMemory(m_scene, index);
        return memory.lane != nullptr ? std::optional(memory.most_bytes) : std::nullopt;
    }
    case LaneSort::none:
    case LaneSort::manual:
        break;
    }
    return std::nullopt;
}

std::string LaneOrder::textOf(uint32_t lane) const
{
    const LaneSort sort = m_state.sort;
    if (sort == LaneSort::none || sort == LaneSort::manual) return {};
    if (m_scene.tree->lane(lane).subject != LaneSubject::process) return {};
    const std::optional<double> value = valueOf(lane);
    if (!value)
        return sort == LaneSort::rank   ? "no rank"
               : sort == LaneSort::busy ? "no GPU work"
                                        : "no " + std::string(kLaneSortNames[static_cast<size_t>(sort)]);
    if (sort == LaneSort::lateness) return "late " + durationText({static_cast<int64_t>(*value)});
    if (sort == LaneSort::memory) return counterValueText(*value, "B");
    return {}; // the label already shows the rank, and the end of the header already shows the utilization
}

bool moveLane(const Scene& scene, LaneState& state, uint32_t lane, uint32_t before)
{
    const LaneTree& tree = *scene.tree;
    if (lane >= tree.size() || lane == before) return false;
    if (before != kNoLane && (before >= tree.size() || tree.parentOf(before) != tree.parentOf(lane)))
        return false;
    rememberPlaces(scene, state);
    std::vector<uint32_t> lanes = LaneOrder(scene, state).below(tree.parentOf(lane));
    std::erase(lanes, lane);
    lanes.insert(std::ranges::find(lanes, before), lane); // kNoLane: at the end
    std::unordered_set<std::string_view> keys;
    for (const uint32_t one : lanes)
        keys.insert(tree.lane(one).key);
    std::erase_if(state.order, [&](const std::string& key) { return keys.contains(key); });
    for (const uint32_t one : lanes)
        state.order.push_back(tree.lane(one).key);
    return true;
}

bool moveLaneBy(const Scene& scene, LaneState& state, uint32_t lane, int by)
{
    if (lane >= scene.tree->size()) return false;
    std::vector<uint32_t> lanes = LaneOrder(scene, state).below(scene.tree->parentOf(lane));
    std::erase_if(lanes, [&](uint32_t one) { return one != lane && state.isHidden(scene.tree->lane(one)); });
    const auto at = std::ranges::find(lanes, lane) - lanes.begin();
    const auto size = static_cast<ptrdiff_t>(lanes.size());
    if (at + by < 0 || at + by >= size) return false;
    const ptrdiff_t next = by < 0 ? at - 1 : at + 2;
    return moveLane(scene, state, lane, next < size ? lanes[static_cast<size_t>(next)] : kNoLane);
}

} // namespace lockstep
