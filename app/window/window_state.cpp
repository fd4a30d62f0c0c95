// SPDX-License-Identifier: Apache-2.0
#include "app/window/window_state.h"

#include <algorithm>

#include "app/window/clock_map_json.h"
#include "core/timeline/axis_folds.h"

namespace lockstep {

namespace {

constexpr int kVersion = 1;

Json jsonFromRange(const std::optional<TimeRange>& range)
{
    return range ? Json::array({range->begin.ns, range->end.ns}) : Json(nullptr);
}

std::optional<TimeRange> rangeFromJson(const Json& value)
{
    const auto ends = pairFromJson(value);
    return ends && ends->first < ends->second ? std::optional(TimeRange{{ends->first}, {ends->second}})
                                              : std::nullopt;
}

// Returns a valid position of a report in the file, or nullopt.
std::optional<size_t> positionFromJson(const Json& value, size_t reports)
{
    const auto at = integerOf(value);
    return at && *at >= 0 && static_cast<size_t>(*at) < reports ? std::optional(static_cast<size_t>(*at))
                                                                : std::nullopt;
}

Json jsonFromAlignment(const AlignOptions& options)
{
    Json out{{"mode", alignModeName(options.mode)}};
    if (options.step) out["step"] = *options.step;
    if (!options.marker.empty()) out["marker"] = options.marker;
    if (options.occurrence > 0) out["occurrence"] = options.occurrence;
    Json& shifts = out["shifts_ns"] = Json::array();
    for (const auto& [key, shift_ns] : options.shifts_ns)
        shifts.push_back(Json::array({key.value, shift_ns}));
    for (const auto& [key, clock] : options.kept) {
        Json entry{{"report", key.value}, {"clock", jsonFromClockMap(clock.map)}};
        if (clock.utcAtZero_ns) entry["utc_at_zero_ns"] = *clock.utcAtZero_ns;
        out["kept"].push_back(std::move(entry));
    }
    return out;
}

AlignOptions alignmentFromJson(const Json& object, size_t reports)
{
    AlignOptions options;
    if (const auto mode = alignModeNamed(textAt(object, "mode"))) options.mode = *mode;
    options.step = numberAt(object, "step");
    options.marker = textAt(object, "marker");
    options.occurrence = static_cast<size_t>(countAt(object, "occurrence"));
    for (const Json& value : listAt(object, "shifts_ns")) {
        const auto shift = pairFromJson(value);
        const auto report = shift ? positionFromJson(shift->first, reports) : std::nullopt;
        if (report) options.shifts_ns[ReportKey(*report)] = shift->second;
    }
    for (const Json& entry : listAt(object, "kept")) {
        const auto report = entry.is_object() && entry.contains("report")
                                ? positionFromJson(entry["report"], reports)
                                : std::nullopt;
        if (!report) continue;
        options.kept[ReportKey(*report)] = {clockMapFromJson(objectAt(entry, "clock")),
                                            numberAt(entry, "utc_at_zero_ns")};
    }
    return options;
}

std::set<std::string> keysFrom(const Json& list)
{
    std::set<std::string> keys;
    for (const Json& key : list) {
        if (key.is_string()) keys.insert(key.get<std::string>());
    }
    return keys;
}

template<class Names, class Value>
std::string nameAt(const Names& names, Value value)
{
    return std::string(names[static_cast<size_t>(value)]);
}

// Sets `value` to the index of `name`. An unknown name changes nothing.
template<class Names, class Value>
void setNamed(const Names& names, const std::string& name, Value& value)
{
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) value = static_cast<Value>(found - names.begin());
}

bool isRowHeight(int64_t height)
{
    return height >= kMinRowHeight && height <= kMaxRowHeight;
}

Json jsonFromLanes(const LaneState& lanes)
{
    Json collapsed = Json::object();
    for (const auto& [key, isCollapsed] : lanes.collapsed)
        collapsed[key] = isCollapsed;
    return {{"collapsed", std::move(collapsed)},
            {"hidden", lanes.hidden},
            {"pinned", lanes.pinned},
            {"opened", lanes.opened},
            {"hidden_names", lanes.hiddenNames},
            {"rank_order", nameAt(kRankOrderNames, lanes.rankMap.order)},
            {"rank_color", nameAt(kRankColorNames, lanes.rankMap.color)},
            {"memory_look", nameAt(kMemoryLookNames, lanes.memoryLook)},
            {"grouping", nameAt(kLaneGroupingNames, lanes.grouping)},
            {"sort", nameAt(kLaneSortNames, lanes.sort)},
            {"order", lanes.order},
            {"row_height", lanes.rowHeight},
            {"row_heights", lanes.heights}};
}

LaneState lanesFromJson(const Json& object)
{
    LaneState lanes;
    for (const auto& [key, value] : objectAt(object, "collapsed").items())
        lanes.collapsed[key] = value.is_boolean() && value.get<bool>();
    lanes.hidden = keysFrom(listAt(object, "hidden"));
    lanes.pinned = keysFrom(listAt(object, "pinned"));
    lanes.opened = keysFrom(listAt(object, "opened"));
    lanes.hiddenNames = keysFrom(listAt(object, "hidden_names"));
    setNamed(kRankOrderNames, textAt(object, "rank_order"), lanes.rankMap.order);
    setNamed(kRankColorNames, textAt(object, "rank_color"), lanes.rankMap.color);
    setNamed(kMemoryLookNames, textAt(object, "memory_look"), lanes.memoryLook);
    setNamed(kLaneGroupingNames, textAt(object, "grouping"), lanes.grouping);
    setNamed(kLaneSortNames, textAt(object, "sort"), lanes.sort);
    for (const Json& key : listAt(object, "order")) {
        if (key.is_string()) lanes.order.push_back(key.get<std::string>());
    }
    const int64_t height = numberAt(object, "row_height").value_or(lanes.rowHeight);
    if (isRowHeight(height)) lanes.rowHeight = static_cast<int>(height);
    for (const auto& [key, value] : objectAt(object, "row_heights").items()) {
        const int64_t own = value.is_number_integer() ? value.get<int64_t>() : 0;
        if (isRowHeight(own)) lanes.heights[key] = static_cast<int>(own);
    }
    return lanes;
}

} // namespace

std::string laneStateText(const LaneState& lanes)
{
    return jsonLine(jsonFromLanes(lanes));
}

LaneState parseLaneState(std::string_view text)
{
    return lanesFromJson(Json::parse(text, nullptr, false));
}

std::string windowStateText(const WindowState& state)
{
    Json all{{"version", kVersion}, {"alignment", jsonFromAlignment(state.alignment.options)}};
    all["hidden_reports"] = state.hiddenReports;
    Json& locked = all["locked_reports"] = Json::array();
    for (const ReportKey report : state.alignment.locked)
        locked.push_back(report.value);
    all["visible_ns"] = jsonFromRange(state.visible);
    all["selected_ns"] = jsonFromRange(state.selected);
    Json& opened = all["opened_gaps_ns"] = Json::array();
    for (const TimeRange& gap : state.openedGaps)
        opened.push_back(jsonFromRange(gap));
    all["lanes"] = jsonFromLanes(state.lanes);
    return jsonLine(all);
}

Result<WindowState> parseWindowState(std::string_view text, size_t reports)
{
    const Json all = Json::parse(text, nullptr, false);
    const int64_t version = numberAt(all, "version").value_or(0);
    if (version != kVersion) {
        return makeError(ErrorKind::unsupported, "the view in the workspace has version " +
                                                     std::to_string(version) + ", this Lockstep supports " +
                                                     std::to_string(kVersion) +
                                                     "; showing all reports instead");
    }
    WindowState state;
    state.alignment.options = alignmentFromJson(objectAt(all, "alignment"), reports);
    for (const Json& report : listAt(all, "locked_reports")) {
        const auto at = positionFromJson(report, reports);
        if (at && state.alignment.options.kept.contains(ReportKey(*at))) {
            state.alignment.locked.insert(ReportKey(*at));
        }
    }
    for (const Json& report : listAt(all, "hidden_reports")) {
        if (const auto at = positionFromJson(report, reports)) state.hiddenReports.insert(*at);
    }
    state.visible = rangeFromJson(listAt(all, "visible_ns"));
    state.selected = rangeFromJson(listAt(all, "selected_ns"));
    for (const Json& gap : listAt(all, "opened_gaps_ns")) {
        const auto range = rangeFromJson(gap);
        if (range && state.openedGaps.size() < kMaxGaps) state.openedGaps.push_back(*range);
    }
    state.lanes = lanesFromJson(objectAt(all, "lanes"));
    return state;
}

} // namespace lockstep
