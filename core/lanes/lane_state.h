// SPDX-License-Identifier: Apache-2.0
// LaneState: which lanes the user folded, hid, pinned or opened out of a rank map, by lane key, which names
// of slices no lane shows, how maps are sorted and coloured, and how tall rows are. Kept in workspaces and
// over reloads; keys that no lane has do nothing. A value.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/lanes/lane_tree.h"

namespace lockstep {

// What the ranks of a map stand in order of, and what the colour of a rank says. See RankMap.
enum class RankOrder : uint8_t { rank, host, role, busy, lateness, likeness };
enum class RankColor : uint8_t { activity, busy, waiting, memory };

inline constexpr std::array<std::string_view, 6> kRankOrderNames{"rank", "host",     "role",
                                                                 "busy", "lateness", "likeness"};
inline constexpr std::array<std::string_view, 4> kRankColorNames{"activity", "busy %", "waiting", "memory"};

// What the areas of memory lanes are: what blocks are for, or the stacks that allocated them.
enum class MemoryLook : uint8_t { category, stack };
inline constexpr std::array<std::string_view, 2> kMemoryLookNames{"category", "stack"};

// In which order the processes below one lane stand; see LaneOrder.
enum class LaneSort : uint8_t { none, rank, busy, lateness, memory, manual };
inline constexpr std::array<std::string_view, 6> kLaneSortNames{"none",     "rank",   "busy",
                                                                "lateness", "memory", "manual"};

// How tall rows are, pixels at scale 1: compact, normal, tall; by hand any between the last two.
inline constexpr std::array<int, 3> kRowHeights{14, 20, 28};
inline constexpr int kLeastRowHeight = 10, kMostRowHeight = 120;

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
    // As tall as all others where it is as tall as they are.
    void setRowHeight(const Lane& lane, int height);
    // Of all lanes, those that were given a height of their own too.
    void setRowHeights(int height);

    void foldAllUnder(const LaneTree& tree, uint32_t lane, bool areFolded);
    // Folds every group and process: a row or a rank map a group is left.
    void foldRanks(const LaneTree& tree);
    // Taking a pin out takes out those of the lanes above it too: what is pinned may be one of these.
    void pin(const LaneTree& tree, uint32_t lane, bool isPinned);
    void hide(const Lane& lane, bool isHidden);
    // All lanes but this one, what is below it and what it is in.
    void hideOthers(const LaneTree& tree, uint32_t lane);
    // Unfolds and unhides what keeps a lane from being seen; its own rows too, where it is deep. A folded map
    // above it stays folded: what of it the lane is in is shown below the map.
    void reveal(const LaneTree& tree, uint32_t lane, bool isDeep);
    // Takes what the lane is in out of sight again, where it was opened out of a map.
    void close(const LaneTree& tree, uint32_t lane);

    std::map<std::string, bool> collapsed; // only where the user chose
    std::set<std::string> hidden;
    std::set<std::string> pinned;
    std::set<std::string> opened;      // of folded rank maps
    std::set<std::string> hiddenNames; // whose slices no lane shows; texts, not keys
    RankMapChoice rankMap;
    MemoryLook memoryLook = MemoryLook::category;
    LaneGrouping grouping = LaneGrouping::automatic; // a tree grouped so is made when it is asked for
    LaneSort sort = LaneSort::none;
    std::vector<std::string> order;     // of keys, where lanes were dragged; lanes that it lacks come last
    int rowHeight = kRowHeights[1];     // pixels at scale 1
    std::map<std::string, int> heights; // of single lanes' rows, where the user chose

    // Where lanes got other keys (more is known of a process, or it is grouped otherwise) what was said of
    // them goes with them: they are told by the tracks that they show. Entries of lanes that are not there
    // stay. O(entries).
    void follow(const LaneTree& before, const LaneTree& after);

    friend bool operator==(const LaneState&, const LaneState&) = default;
};

} // namespace lockstep
