#include "core/lanes/lane_state.h"

#include <optional>

namespace lockstep {

namespace {

// A track that a lane, or one below it, shows.
std::optional<TrackRef> trackUnder(const LaneTree& tree, uint32_t lane)
{
    for (const RowSource& source : tree.lane(lane).sources) {
        if (source.kind == RowSource::Kind::track) return TrackRef{source.report, source.track};
    }
    for (const uint32_t child : tree.lane(lane).children) {
        if (const auto track = trackUnder(tree, child)) return track;
    }
    return std::nullopt;
}

// The key that the lane has now; empty where it is to stay as it is.
std::string keyAfter(const std::string& key, const LaneTree& before, const LaneTree& after)
{
    const uint32_t was = before.find(key);
    if (was == kNoLane || after.find(key) != kNoLane) return {};
    const auto track = trackUnder(before, was);
    if (!track) return {};
    const LaneKind kind = before.lane(was).kind;
    for (uint32_t is = after.laneOf(*track); is != kNoLane; is = after.lane(is).parent) {
        if (after.lane(is).kind == kind) return after.lane(is).key;
    }
    return {};
}

} // namespace

void LaneState::follow(const LaneTree& before, const LaneTree& after)
{
    for (std::set<std::string>* keys : {&hidden, &pinned}) {
        for (const std::string& key : std::set(*keys)) {
            const std::string now = keyAfter(key, before, after);
            if (now.empty()) continue;
            keys->erase(key);
            keys->insert(now);
        }
    }
    for (const auto& [key, isFolded] : std::map(collapsed)) {
        const std::string now = keyAfter(key, before, after);
        if (now.empty()) continue;
        collapsed.erase(key);
        collapsed[now] = isFolded;
    }
}

} // namespace lockstep
