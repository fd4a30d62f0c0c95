// SPDX-License-Identifier: Apache-2.0
// LaneState: the display state of lanes by lane key: whether they are collapsed, hidden, pinned, or opened
// from a rank map. Also holds hidden slice names, the sorting and colors of maps, and row heights. Stored in
// workspaces and preserved when reports are reloaded; unknown keys are ignored. Value type.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/lanes/lane_tree.h"

namespace lockstep {

// Sort order and color of the ranks in a map, see RankMap.
enum class RankOrder : uint8_t { rank, host, role, busy, lateness, similarity };
enum class RankColor : uint8_t { activity, busy, waiting, memory };

inline constexpr std::array<std::string_view, 6> kRankOrderNames{"rank", "host",     "role",
                                                                 "busy", "lateness", "likeness"};
inline constexpr std::array<std::string_view, 4> kRankColorNames{"activity", "busy %", "waiting", "memory"};

// What the areas in memory lanes represent: the purpose of the blocks, or the stacks that allocated them.
enum class MemoryLook : uint8_t { category, stack };
inline constexpr std::array<std::string_view, 2> kMemoryLookNames{"category", "stack"};

// Sort order of the processes below a lane, see LaneOrder.
enum class LaneSort : uint8_t { none, rank, busy, lateness, memory, manual };
inline constexpr std::array<std::string_view, 6> kLaneSortNames{"none",     "rank",   "busy",
                                                                "lateness", "memory", "manual"};

// Row heights in pixels at scale 1: compact, normal, tall. Manually set heights can be any value from
// kMinRowHeight to kMaxRowHeight.
inline constexpr std::array<int, 3> kRowHeights{14, 20, 28};
inline constexpr int kMinRowHeight = 10, kMaxRowHeight = 120;

struct RankMapChoice {
    RankOrder order = RankOrder::host;
    RankColor color = RankColor::activity;

    friend bool operator==(const RankMapChoice&, const RankMapChoice&) = default;
};

class LaneState {
  public:
    bool isCollapsed(const Lane& lane) const
    {
        const auto set = collapsed.empty() ? collapsed.end() : collapsed.find(lane.key);
        return lane.isCollapsible() && (set != collapsed.end() ? set->second : lane.startsCollapsed);
    }
    bool isHidden(const Lane& lane) const { return !hidden.empty() && hidden.contains(lane.key); }
    bool isPinned(const Lane& lane) const { return !pinned.empty() && pinned.contains(lane.key); }
    bool isOpened(const Lane& lane) const { return !opened.empty() && opened.contains(lane.key); }

    void fold(const Lane& lane, bool isFolded) { collapsed[lane.key] = isFolded; }
    int rowHeightOf(const Lane& lane) const
    {
        const auto own = heights.empty() ? heights.end() : heights.find(lane.key);
        return own == heights.end() ? rowHeight : own->second;
    }
    // Sets the row height of a lane; removes the lane's own height if it equals the common height.
    void setRowHeight(const Lane& lane, int height);
    // Sets the row height of all lanes, including lanes with their own height.
    void setRowHeights(int height);

    void foldAllUnder(const LaneTree& tree, uint32_t lane, bool areFolded);
    // Collapses every group and process, so that each group shows only one row or rank map.
    void foldRanks(const LaneTree& tree);
    // Pins or unpins a lane. Unpinning a lane also unpins its ancestors, because one of them may be the lane
    // that was pinned.
    void pin(const LaneTree& tree, uint32_t lane, bool isPinned);
    void hide(const Lane& lane, bool isHidden);
    // Hides all lanes except this lane, its descendants and its ancestors.
    void hideOthers(const LaneTree& tree, uint32_t lane);
    // Expands and shows everything that hides a lane. If isDeep is set, also expands the lane itself. A
    // collapsed map above the lane remains collapsed; the part of the map that contains the lane is shown
    // below the map.
    void reveal(const LaneTree& tree, uint32_t lane, bool isDeep);
    // If the part that contains the lane was opened from a map, hides that part again.
    void close(const LaneTree& tree, uint32_t lane);

    std::map<std::string, bool> collapsed; // only for lanes that the user collapsed or expanded
    std::set<std::string> hidden;
    std::set<std::string> pinned;
    std::set<std::string> opened;      // keys of parts opened from collapsed rank maps
    std::set<std::string> hiddenNames; // names of hidden slices (the strings themselves, not lane keys)
    RankMapChoice rankMap;
    MemoryLook memoryLook = MemoryLook::category;
    // If one of these two changes, the tree is rebuilt.
    LaneGrouping grouping = LaneGrouping::automatic;
    SampleLaneChoice samples;
    LaneSort sort = LaneSort::none;
    // keys in the order that the user set by dragging; lanes not listed come last
    std::vector<std::string> order;
    int rowHeight = kRowHeights[1]; // pixels at scale 1
    // by key: row heights of single lanes for which the user chose a height
    std::map<std::string, int> heights;

    // Transfers the state of lanes whose keys changed, because a process was identified further or the
    // grouping changed. Lanes are recognized by their tracks. Entries for absent lanes remain. O(entries).
    void follow(const LaneTree& before, const LaneTree& after);

    friend bool operator==(const LaneState&, const LaneState&) = default;
};

// Returns the reports that have lanes in the tree, all of which are hidden, in ascending order. A collapsed
// lane is not hidden. O(lanes + sources).
std::vector<ReportKey> reportsWithoutVisibleLanes(const LaneTree& tree, const LaneState& state);

} // namespace lockstep
