// LaneState: which lanes the user folded, hid or pinned, by lane key, and how tall rows are. Kept in settings
// and over reloads; keys that no lane has do nothing. A value.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/lanes/lane_tree.h"

namespace lockstep {

class LaneState {
  public:
    bool isCollapsed(const Lane& lane) const
    {
        const auto set = collapsed.find(lane.key);
        return lane.isCollapsible() && (set != collapsed.end() ? set->second : lane.startsCollapsed);
    }
    bool isHidden(const Lane& lane) const { return hidden.contains(lane.key); }
    bool isPinned(const Lane& lane) const { return pinned.contains(lane.key); }

    std::map<std::string, bool> collapsed; // only where the user chose
    std::set<std::string> hidden;
    std::set<std::string> pinned;
    int rowHeight = 20; // pixels at scale 1; 14 compact, 28 tall

    // Where lanes got other keys (more is known of a process, or it is grouped otherwise) what was said of
    // them goes with them: they are told by the tracks that they show. Entries of lanes that are not there
    // stay. O(entries).
    void follow(const LaneTree& before, const LaneTree& after);

    friend bool operator==(const LaneState&, const LaneState&) = default;
};

} // namespace lockstep
