// SPDX-License-Identifier: Apache-2.0
#include "app/window/lane_edits.h"

#include <algorithm>
#include <iterator>

#include "app/window/settings.h"
#include "core/lanes/lane_tree.h"
#include "ui/models/work_document.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

std::vector<std::string> difference(const std::set<std::string>& a, const std::set<std::string>& b)
{
    std::vector<std::string> keys;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(keys));
    return keys;
}

// Returns the keys of the lanes that are collapsed in only one of the two states.
std::vector<std::string> lanesFoldedOrExpanded(const LaneState& before, const LaneState& after)
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
std::vector<std::string> lanesResized(const LaneState& before, const LaneState& after)
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
        return {after.hidden.size() > before.hidden.size() ? LaneEdits::tr("hide %1")
                                                           : LaneEdits::tr("show %1"),
                keys};
    if (const auto keys = difference(before.pinned, after.pinned); !keys.empty())
        return {after.pinned.size() > before.pinned.size() ? LaneEdits::tr("pin %1")
                                                           : LaneEdits::tr("unpin %1"),
                keys};
    if (const auto keys = difference(before.opened, after.opened); !keys.empty())
        return {after.opened.size() > before.opened.size() ? LaneEdits::tr("expand %1")
                                                           : LaneEdits::tr("collapse %1"),
                keys};
    if (before.hiddenNames != after.hiddenNames)
        return {after.hiddenNames.size() > before.hiddenNames.size() ? LaneEdits::tr("hide slices by name")
                                                                     : LaneEdits::tr("show hidden slices"),
                {}};
    if (const auto keys = lanesFoldedOrExpanded(before, after); !keys.empty())
        return {LaneEdits::tr("expand/collapse %1"), keys};
    if (before.rowHeight != after.rowHeight) return {LaneEdits::tr("row height"), {}};
    if (const auto keys = lanesResized(before, after); !keys.empty())
        return {LaneEdits::tr("row height of %1"), keys};
    if (before.grouping != after.grouping) return {LaneEdits::tr("lane grouping"), {}};
    if (before.samples != after.samples) return {LaneEdits::tr("sample order"), {}};
    if (before.sort != after.sort || before.order != after.order) return {LaneEdits::tr("lane order"), {}};
    return {LaneEdits::tr("lane order and colors"), {}};
}

} // namespace

LaneEdits::LaneEdits(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts)
{
    connect(&timeline.lanes(), &LaneTool::lanesEdited, this, &LaneEdits::recordLanes);
    connect(&timeline.navigation(), &NavigationTool::gapsEdited, this, &LaneEdits::recordGaps);
    connect(&parts.document, &WorkDocument::changed, this, &LaneEdits::show);
}

void LaneEdits::recordLanes(const LaneState& before, const LaneState& after)
{
    if (before.rowHeight != after.rowHeight)
        m_parts.settings.remember("timeline/row_height", after.rowHeight);
    const LaneChange change = changeOf(before, after);
    QString text = change.what;
    std::string lane;
    if (change.lanes.size() == 1) {
        lane = change.lanes.front();
        const uint32_t index = m_timeline.state().tree().find(lane);
        text =
            text.arg(index == kNoLane ? tr("a lane")
                                      : QString::fromStdString(m_timeline.state().tree().lane(index).label));
    } else if (!change.lanes.empty()) {
        text = text.arg(tr("%1 lanes").arg(change.lanes.size()));
    }
    // Lanes that the timeline itself expanded since the last edit are not part of the step.
    m_parts.document.adopt([&](Work& work) { work.lanes = before; });
    m_parts.document.edit(
        text, [&](Work& work) { work.lanes = after; }, lane);
}

void LaneEdits::recordGaps(const std::vector<TimeRange>& before)
{
    const std::vector<TimeRange> opened = m_timeline.state().window.opened();
    m_parts.document.adopt([&](Work& work) { work.openedGaps = before; }); // as in recordLanes()
    m_parts.document.edit(opened.size() < before.size() ? tr("collapse gap") : tr("expand gap"),
                          [&](Work& work) { work.openedGaps = opened; });
}

void LaneEdits::show(const Work& before)
{
    const Work& work = m_parts.document.work();
    if (work.openedGaps != before.openedGaps && work.openedGaps != m_timeline.state().window.opened())
        m_timeline.navigation().setOpenedGaps(work.openedGaps);
    if (work.lanes == before.lanes || work.lanes == m_timeline.lanes().laneState()) return;
    const int rowHeight = m_timeline.lanes().laneState().rowHeight;
    m_timeline.lanes().setLaneState(work.lanes);
    emit m_timeline.lanes().laneStateChanged();
    // The common row height is also the default for new windows.
    if (rowHeight != work.lanes.rowHeight)
        m_parts.settings.remember("timeline/row_height", work.lanes.rowHeight);
}

} // namespace lockstep
