// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_state.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace lockstep {

namespace {

// Returns a track that a lane, or a lane below it, shows.
std::optional<TrackRef> trackUnder(const LaneTree& tree, uint32_t lane)
{
    for (const RowSource& source : tree.lane(lane).sources) {
        if (source.kind == RowSource::Kind::track) return TrackRef{source.report, source.track};
    }
    for (const uint32_t child : tree.childrenOf(lane)) {
        if (const auto track = trackUnder(tree, child)) return track;
    }
    return std::nullopt;
}

// Returns the new key of a lane; "" if its key is unchanged.
std::string keyAfter(const std::string& key, const LaneTree& before, const LaneTree& after)
{
    const uint32_t was = before.find(key);
    if (was == kNoLane || after.find(key) != kNoLane) return {};
    const auto track = trackUnder(before, was);
    if (!track) return {};
    const LaneSubject subject = before.lane(was).subject;
    for (uint32_t is = after.laneOf(*track); is != kNoLane; is = after.parentOf(is)) {
        if (after.lane(is).subject == subject) return after.lane(is).key;
    }
    return {};
}

} // namespace

void LaneState::setRowHeight(const Lane& lane, int height)
{
    height = std::clamp(height, kMinRowHeight, kMaxRowHeight);
    if (height == rowHeight) {
        heights.erase(lane.key);
    } else {
        heights[lane.key] = height;
    }
}

void LaneState::setRowHeights(int height)
{
    rowHeight = std::clamp(height, kMinRowHeight, kMaxRowHeight);
    heights.clear();
}

void LaneState::foldAllUnder(const LaneTree& tree, uint32_t lane, bool areFolded)
{
    std::vector<uint32_t> pending{lane};
    while (!pending.empty()) {
        const uint32_t at = pending.back();
        pending.pop_back();
        fold(tree.lane(at), areFolded);
        for (const uint32_t child : tree.childrenOf(at))
            pending.push_back(child);
    }
}

void LaneState::foldRanks(const LaneTree& tree)
{
    for (const Lane& lane : tree.lanes()) {
        if (lane.subject == LaneSubject::group || lane.subject == LaneSubject::process) fold(lane, true);
    }
}

void LaneState::pin(const LaneTree& tree, uint32_t lane, bool isPinned)
{
    if (isPinned) {
        pinned.insert(tree.lane(lane).key);
        return;
    }
    for (uint32_t up = lane; up != kNoLane; up = tree.parentOf(up))
        pinned.erase(tree.lane(up).key);
}

void LaneState::hide(const Lane& lane, bool isHidden)
{
    if (isHidden) {
        hidden.insert(lane.key);
    } else {
        hidden.erase(lane.key);
    }
}

void LaneState::hideOthers(const LaneTree& tree, uint32_t lane)
{
    for (uint32_t up = lane; up != kNoLane; up = tree.parentOf(up)) {
        hide(tree.lane(up), false);
        const uint32_t parent = tree.parentOf(up);
        for (uint32_t other = 0; parent == kNoLane && other < tree.size(); ++other) {
            if (other != up && tree.parentOf(other) == kNoLane) hide(tree.lane(other), true);
        }
        if (parent == kNoLane) break;
        for (const uint32_t other : tree.childrenOf(parent)) {
            if (other != up) hide(tree.lane(other), true);
        }
    }
}

void LaneState::close(const LaneTree& tree, uint32_t lane)
{
    for (uint32_t up = lane; up != kNoLane; up = tree.parentOf(up)) {
        if (opened.erase(tree.lane(up).key) > 0) return;
    }
}

void LaneState::reveal(const LaneTree& tree, uint32_t lane, bool isDeep)
{
    for (uint32_t up = lane; up != kNoLane; up = tree.parentOf(up)) {
        const Lane& at = tree.lane(up);
        const auto isFoldedMap = [this](const Lane& l) { return l.isRankMap() && isCollapsed(l); };
        hidden.erase(at.key);
        if ((up != lane || isDeep) && !isFoldedMap(at)) fold(at, false);
        const uint32_t parent = tree.parentOf(up);
        if (parent != kNoLane && isFoldedMap(tree.lane(parent))) opened.insert(at.key);
    }
}

void LaneState::follow(const LaneTree& before, const LaneTree& after)
{
    for (std::set<std::string>* keys : {&hidden, &pinned, &opened}) {
        for (const std::string& key : std::set(*keys)) {
            const std::string now = keyAfter(key, before, after);
            if (now.empty()) continue;
            keys->erase(key);
            keys->insert(now);
        }
    }
    const auto followIn = [&](auto& byKey) {
        for (const auto& [key, value] : std::map(byKey)) {
            const std::string now = keyAfter(key, before, after);
            if (now.empty()) continue;
            byKey.erase(key);
            byKey[now] = value;
        }
    };
    followIn(collapsed);
    followIn(heights);
}

std::vector<ReportKey> reportsWithoutVisibleLanes(const LaneTree& tree, const LaneState& state)
{
    if (state.hidden.empty()) return {};
    std::set<ReportKey> visible, all;
    std::vector<bool> isHidden(tree.size());     // by lane: the lane or one above it is hidden
    for (uint32_t i = 0; i < tree.size(); ++i) { // parents come before their children
        const Lane& lane = tree.lane(i);
        const uint32_t parent = tree.parentOf(i);
        isHidden[i] = state.isHidden(lane) || (parent != kNoLane && isHidden[parent]);
        const auto add = [&](ReportKey report) {
            all.insert(report);
            if (!isHidden[i]) visible.insert(report);
        };
        for (const RowSource& source : lane.sources)
            add(source.report);
        if (lane.sources.empty() && !lane.hasChildren && lane.report.isValid()) add(lane.report);
    }
    std::vector<ReportKey> hidden;
    std::ranges::set_difference(all, visible, std::back_inserter(hidden));
    return hidden;
}

} // namespace lockstep
