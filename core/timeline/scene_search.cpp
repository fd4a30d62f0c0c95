// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/scene_search.h"

#include <algorithm>

#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/timeline/lane_kind.h"

namespace lockstep {

namespace {

Result<NameMatcher> matcherFor(const SearchQuery& query)
{
    if (query.text.empty()) return makeError(ErrorKind::invalid, "nothing to search for");
    if (!query.isRegex) {
        return NameMatcher([text = lowerAscii(query.text)](std::string_view name) {
            return lowerAscii(name).find(text) != std::string::npos;
        });
    }
    auto pattern = Pattern::compile(query.text, Pattern::Case::ignored);
    if (!pattern) return tl::make_unexpected(std::move(pattern).error());
    return NameMatcher(
        [compiled = *std::move(pattern)](std::string_view name) { return compiled.matches(name); });
}

} // namespace

Result<SceneSearch> SceneSearch::make(const Scene& scene, const SearchQuery& query, const Progress& progress)
{
    const NameMatcher isMatch = LOCKSTEP_TRY(matcherFor(query));
    SceneSearch search;
    search.findSlices(scene.shown, isMatch, progress);
    LOCKSTEP_TRY(progress.check());
    for (const Lane& lane : scene.tree->lanes()) {
        if (kindOf(lane, false).isCalled(lane, isMatch)) search.m_lanes.push_back(lane.key);
    }
    return search;
}

void SceneSearch::findSlices(const Workspace& workspace, const NameMatcher& isMatch, const Progress& progress)
{
    m_parts.resize(workspace.size());
    m_partOf = ByReport<size_t>(workspace.slotCount());
    for (size_t i = 0; i < workspace.size(); ++i)
        m_partOf[workspace.keys()[i]] = i;
    progress.workers().run(workspace.size(), [&](size_t i, size_t) {
        Part& part = m_parts[i];
        part.key = workspace.keys()[i];
        part.report = workspace.shared(part.key);
        part.names.resize(part.report->strings.size());
        for (size_t id = 0; id < part.names.size() && !progress.isCanceled(); ++id) {
            part.names[id] = isMatch(part.report->strings.at(StringId(id)));
        }
        for (const StringId name : part.report->slices.name)
            part.count += part.names[name.value] ? 1 : 0;
    });
    for (const Part& part : m_parts)
        m_sliceCount += part.count;
}

bool SceneSearch::isOf(const LaneTree& tree) const
{
    return std::ranges::all_of(m_lanes, [&](const std::string& key) { return tree.find(key) != kNoLane; });
}

bool SceneSearch::matches(SliceRef slice) const
{
    const Part& part = m_parts[m_partOf[slice.report]];
    return part.names[part.report->slices.name[slice.slice.value].value];
}

std::optional<SliceRef> SceneSearch::stepSlices(SliceRef from, bool forwards) const
{
    const int64_t by = forwards ? 1 : -1;
    int64_t at = from.isValid() ? static_cast<int64_t>(m_partOf[from.report])
                 : forwards     ? 0
                                : static_cast<int64_t>(m_parts.size()) - 1;
    bool isFirst = from.isValid();
    for (; at >= 0 && at < static_cast<int64_t>(m_parts.size()); at += by, isFirst = false) {
        const Part& part = m_parts[static_cast<size_t>(at)];
        const auto& names = part.report->slices.name;
        const auto rows = static_cast<int64_t>(names.size());
        int64_t row = isFirst ? from.slice.value + by : forwards ? 0 : rows - 1;
        for (; part.count > 0 && row >= 0 && row < rows; row += by) {
            const auto index = static_cast<size_t>(row);
            if (part.names[names[index].value]) return SliceRef{part.key, SliceId(index)};
        }
    }
    return std::nullopt;
}

std::optional<size_t> SceneSearch::laneIndex(const SearchFind& find) const
{
    const auto found = std::ranges::find(m_lanes, find.lane);
    if (find.slice.isValid() || found == m_lanes.end()) return std::nullopt;
    return static_cast<size_t>(found - m_lanes.begin());
}

SearchFind SceneSearch::step(const SearchFind& from, bool forwards) const
{
    const auto firstSlice = [&]() -> SearchFind {
        const auto slice = stepSlices({}, forwards);
        return slice ? SearchFind{*slice, {}} : SearchFind();
    };
    const auto firstLane = [&] { return SearchFind{{}, forwards ? m_lanes.front() : m_lanes.back()}; };
    if (const auto lane = laneIndex(from)) {
        const size_t next = forwards ? *lane + 1 : *lane - 1; // past either end: not below size()
        if (next < m_lanes.size()) return {{}, m_lanes[next]};
        const SearchFind slice = firstSlice();
        return slice.isNothing() ? firstLane() : slice;
    }
    if (from.slice.isValid()) {
        if (const auto slice = stepSlices(from.slice, forwards)) return {*slice, {}};
        return m_lanes.empty() ? firstSlice() : firstLane();
    }
    // Backwards from nothing the last comes first, and that is a lane where there is one.
    const bool areLanesFirst = !m_lanes.empty() && (!forwards || m_sliceCount == 0);
    return areLanesFirst ? firstLane() : firstSlice();
}

uint64_t SceneSearch::indexOf(const SearchFind& find) const
{
    if (const auto lane = laneIndex(find)) return m_sliceCount + *lane;
    uint64_t before = 0;
    const size_t own = m_partOf[find.slice.report];
    for (size_t i = 0; i < own; ++i)
        before += m_parts[i].count;
    const Part& part = m_parts[own];
    for (uint32_t row = 0; row < find.slice.slice.value; ++row)
        before += part.names[part.report->slices.name[row].value] ? 1 : 0;
    return before;
}

} // namespace lockstep
