// SPDX-License-Identifier: Apache-2.0
#include "app/window/lane_edit.h"

#include <algorithm>
#include <iterator>

#include <QCoreApplication>

namespace lockstep {

namespace {

QString laneText(const char* text)
{
    return QCoreApplication::translate("lockstep::LaneEdit", text);
}

std::vector<std::string> difference(const std::set<std::string>& a, const std::set<std::string>& b)
{
    std::vector<std::string> keys;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(keys));
    return keys;
}

// Returns the keys of the lanes that are collapsed in only one of the two states.
std::vector<std::string> foldedOtherwise(const LaneState& before, const LaneState& after)
{
    std::vector<std::string> keys;
    const auto look = [&keys](const auto& in, const auto& other, bool isFirst) {
        for (const auto& [key, isCollapsed] : in) {
            const auto found = other.find(key);
            const bool isOther = found == other.end() || (isFirst && found->second != isCollapsed);
            if (isOther) keys.push_back(key);
        }
    };
    look(after.collapsed, before.collapsed, true);
    look(before.collapsed, after.collapsed, false);
    return keys;
}

// Returns the keys of the lanes with a different row height.
std::vector<std::string> givenOtherwise(const LaneState& before, const LaneState& after)
{
    std::vector<std::pair<std::string, int>> changed;
    std::ranges::set_symmetric_difference(before.heights, after.heights, std::back_inserter(changed));
    std::set<std::string> keys;
    for (const auto& [key, height] : changed)
        keys.insert(key);
    return {keys.begin(), keys.end()};
}

struct LaneChange {
    QString what;
    std::vector<std::string> lanes;
};

LaneChange changeOf(const LaneState& before, const LaneState& after)
{
    if (const auto keys = difference(before.hidden, after.hidden); !keys.empty())
        return {after.hidden.size() > before.hidden.size() ? laneText("hide %1") : laneText("show %1"), keys};
    if (const auto keys = difference(before.pinned, after.pinned); !keys.empty())
        return {after.pinned.size() > before.pinned.size() ? laneText("pin %1") : laneText("unpin %1"), keys};
    if (const auto keys = difference(before.opened, after.opened); !keys.empty())
        return {after.opened.size() > before.opened.size() ? laneText("expand %1") : laneText("collapse %1"),
                keys};
    if (before.hiddenNames != after.hiddenNames)
        return {after.hiddenNames.size() > before.hiddenNames.size() ? laneText("hide slices by name")
                                                                     : laneText("show hidden slices"),
                {}};
    if (const auto keys = foldedOtherwise(before, after); !keys.empty())
        return {laneText("expand/collapse %1"), keys};
    if (before.rowHeight != after.rowHeight) return {laneText("row height"), {}};
    if (const auto keys = givenOtherwise(before, after); !keys.empty())
        return {laneText("row height of %1"), keys};
    if (before.grouping != after.grouping) return {laneText("lane grouping"), {}};
    if (before.sort != after.sort || before.order != after.order) return {laneText("lane order"), {}};
    return {laneText("lane order and colors"), {}};
}

} // namespace

LaneEdit::LaneEdit(const LaneTree& tree, LaneState before, LaneState after, Show show)
    : m_before(std::move(before)), m_after(std::move(after)), m_show(std::move(show))
{
    const LaneChange change = changeOf(m_before, m_after);
    if (change.lanes.size() == 1) {
        m_lane = change.lanes.front();
        const uint32_t lane = tree.find(m_lane);
        setText(change.what.arg(lane == kNoLane ? laneText("a lane")
                                                : QString::fromStdString(tree.lane(lane).label)));
    } else {
        setText(change.lanes.empty() ? change.what
                                     : change.what.arg(laneText("%1 lanes").arg(change.lanes.size())));
    }
}

void LaneEdit::redo()
{
    if (!std::exchange(m_isShown, false)) m_show(m_after);
}

bool LaneEdit::mergeWith(const QUndoCommand* other)
{
    const auto* const next = static_cast<const LaneEdit*>(other);
    if (m_lane.empty() || next->m_lane != m_lane || next->m_before != m_after) return false;
    m_after = next->m_after;
    setText(next->text());
    setObsolete(m_after == m_before); // collapsed and expanded again: nothing to undo
    return true;
}

} // namespace lockstep
