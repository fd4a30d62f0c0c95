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
            const auto equal = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
            return std::search(name.begin(), name.end(), text.begin(), text.end(), equal) != name.end();
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
    search.findSlices(scene, isMatch, progress);
    LOCKSTEP_TRY(progress.check());
    for (const Lane& lane : scene.tree->lanes()) {
        if (kindOf(lane, false).isCalled(lane, isMatch)) search.m_lanes.push_back(lane.key);
    }
    return search;
}

void SceneSearch::findSlices(const Scene& scene, const NameMatcher& isMatch, const Progress& progress)
{
    const Workspace& workspace = scene.shown;
    m_parts.resize(workspace.size());
    m_partOf = ByReport<size_t>(workspace.slotCount());
    for (size_t i = 0; i < workspace.size(); ++i)
        m_partOf[workspace.keys()[i]] = i;
    progress.workers().run(workspace.size(), [&](size_t i, size_t) {
        Part& part = m_parts[i];
        part.key = workspace.keys()[i];
        part.report = workspace.shared(part.key);
        part.lod = scene.lods[part.key];
        const StringPool& texts = part.report->strings;
        std::vector<StringId> names;
        for (size_t id = 0; id < texts.size() && !progress.isCanceled(); ++id) {
            if (isMatch(texts.at(StringId(id)))) names.push_back(StringId(id));
        }
        part.names = NameSet(std::move(names), texts.size());
        part.count = part.lod->names().count(part.names);
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
    return part.names.has(part.report->slices.name[slice.slice.value]);
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
        if (part.count == 0) continue;
        const NameIndex& index = part.lod->names();
        const auto rows = static_cast<uint32_t>(part.report->slices.size());
        const uint32_t start = forwards  ? (isFirst ? from.slice.value + 1 : 0)
                               : isFirst ? from.slice.value
                                         : rows;
        const auto found = forwards ? index.firstFrom(*part.report, part.names, start)
                                    : index.lastBefore(*part.report, part.names, start);
        if (found) return SliceRef{part.key, *found};
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
    before += part.lod->names().countBefore(*part.report, part.names, find.slice.slice.value);
    return before;
}

} // namespace lockstep
