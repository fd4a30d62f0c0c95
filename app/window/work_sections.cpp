// SPDX-License-Identifier: Apache-2.0
#include "app/window/work_sections.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "app/window/clock_map_json.h"
#include "core/sql/stored_queries.h"
#include "core/timeline/axis_folds.h"

namespace lockstep {

namespace {

// Versions of the sections; another version is not read.
constexpr int kWindowVersion = 1, kViewsVersion = 1, kLaneSetsVersion = 1, kLaneQueriesVersion = 1;
constexpr int kMaxScroll = 10'000'000;

struct WorkText {
    Q_DECLARE_TR_FUNCTIONS(lockstep::WorkSections)
};

// Returns the sentence if anything was dropped.
std::vector<std::string> lossText(int dropped, const QString& text)
{
    return dropped > 0 ? std::vector{text.toStdString()} : std::vector<std::string>();
}

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
    for (const auto& [key, clock] : options.accepted) {
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
        if (report && shift->second != 0) options.shifts_ns[ReportKey(*report)] = shift->second;
    }
    for (const Json& entry : listAt(object, "kept")) {
        const auto report = entry.is_object() && entry.contains("report")
                                ? positionFromJson(entry["report"], reports)
                                : std::nullopt;
        if (!report) continue;
        options.accepted[ReportKey(*report)] = {clockMapFromJson(objectAt(entry, "clock")),
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
    Json out{{"collapsed", std::move(collapsed)},
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
    if (lanes.samples != SampleLaneChoice()) {
        out["sample_order"] = nameAt(kSampleOrderNames, lanes.samples.order);
        out["sample_grouping"] = nameAt(kSampleGroupingNames, lanes.samples.grouping);
    }
    return out;
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
    setNamed(kSampleOrderNames, textAt(object, "sample_order"), lanes.samples.order);
    setNamed(kSampleGroupingNames, textAt(object, "sample_grouping"), lanes.samples.grouping);
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

// Copies the parts of the lane state that a lane layout stores.
LaneState layoutOf(const LaneState& lanes)
{
    LaneState out;
    takeLayout(lanes, out);
    return out;
}

std::string windowText(const Work& work)
{
    Json all{{"version", kWindowVersion}, {"alignment", jsonFromAlignment(work.alignment.options)}};
    const auto positions = [](const std::set<ReportKey>& reports) {
        Json list = Json::array();
        for (const ReportKey report : reports)
            list.push_back(report.value);
        return list;
    };
    all["hidden_reports"] = positions(work.hidden);
    all["locked_reports"] = positions(work.alignment.locked);
    all["visible_ns"] = jsonFromRange(work.visible);
    all["selected_ns"] = jsonFromRange(work.selected);
    Json& opened = all["opened_gaps_ns"] = Json::array();
    for (const TimeRange& gap : work.openedGaps)
        opened.push_back(jsonFromRange(gap));
    all["lanes"] = jsonFromLanes(work.lanes);
    return jsonLine(all);
}

// The following read one section into `work`. They return what could not be read, as sentences. Error:
// unsupported (invalid JSON or a version of another Lockstep); `work` is unchanged then.

Result<std::vector<std::string>> readWindow(std::string_view text, size_t reports, Work& work)
{
    const Json all = jsonFrom(text);
    const int64_t version = numberAt(all, "version").value_or(0);
    if (version != kWindowVersion) {
        return makeError(ErrorKind::unsupported, "the view in the workspace has version " +
                                                     std::to_string(version) + ", this Lockstep supports " +
                                                     std::to_string(kWindowVersion));
    }
    work.alignment = {};
    work.alignment.options = alignmentFromJson(objectAt(all, "alignment"), reports);
    for (const Json& report : listAt(all, "locked_reports")) {
        const auto at = positionFromJson(report, reports);
        if (at && work.alignment.options.accepted.contains(ReportKey(*at)))
            work.alignment.locked.insert(ReportKey(*at));
    }
    for (const Json& report : listAt(all, "hidden_reports")) {
        if (const auto at = positionFromJson(report, reports)) work.hidden.insert(ReportKey(*at));
    }
    work.visible = rangeFromJson(listAt(all, "visible_ns"));
    work.selected = rangeFromJson(listAt(all, "selected_ns"));
    for (const Json& gap : listAt(all, "opened_gaps_ns")) {
        const auto range = rangeFromJson(gap);
        if (range && work.openedGaps.size() < kMaxGaps) work.openedGaps.push_back(*range);
    }
    work.lanes = lanesFromJson(objectAt(all, "lanes"));
    return std::vector<std::string>();
}

std::string viewsText(const StoredViews& views)
{
    Json list = Json::array();
    for (size_t i = 0; i < views.size(); ++i) {
        if (!views[i]) continue;
        list.push_back({{"key", i + 1},
                        {"place", linkText(views[i]->place)},
                        {"lanes", jsonFromLanes(views[i]->lanes)},
                        {"scroll", views[i]->scroll}});
    }
    return jsonLine({{"version", kViewsVersion}, {"views", std::move(list)}});
}

Result<std::vector<std::string>> readViews(std::string_view text, size_t, Work& work)
{
    const Json all = jsonFrom(text);
    if (numberAt(all, "version") != kViewsVersion)
        return makeError(ErrorKind::unsupported, "the saved views are from a different version of Lockstep");
    int dropped = 0;
    for (const Json& entry : listAt(all, "views")) {
        const int64_t key = numberAt(entry, "key").value_or(0);
        auto place = parseLink(textAt(entry, "place"));
        if (key < 1 || key > kViewCount || !place) {
            ++dropped;
            continue;
        }
        const int64_t scroll = std::clamp<int64_t>(numberAt(entry, "scroll").value_or(0), 0, kMaxScroll);
        work.views[static_cast<size_t>(key - 1)] =
            StoredView{*std::move(place), lanesFromJson(objectAt(entry, "lanes")), static_cast<int>(scroll)};
    }
    return lossText(dropped, WorkText::tr("%n saved view(s) could not be read", nullptr, dropped));
}

std::string laneSetsText(const LaneSets& sets)
{
    Json list = Json::array();
    for (const LaneSet& set : sets)
        list.push_back({{"name", set.name}, {"lanes", jsonFromLanes(set.lanes)}});
    return jsonLine({{"version", kLaneSetsVersion}, {"sets", std::move(list)}});
}

Result<std::vector<std::string>> readLaneSets(std::string_view text, size_t, Work& work)
{
    const Json all = jsonFrom(text);
    if (numberAt(all, "version") != kLaneSetsVersion)
        return makeError(ErrorKind::unsupported, "the lane layouts are from a different version of Lockstep");
    int dropped = 0;
    for (const Json& entry : listAt(all, "sets")) {
        const std::string name = textAt(entry, "name");
        const bool isKnown = std::ranges::find(work.laneSets, name, &LaneSet::name) != work.laneSets.end();
        if (name.empty() || isKnown || !objectAt(entry, "lanes").is_object()) {
            ++dropped;
            continue;
        }
        work.laneSets.push_back({name, layoutOf(lanesFromJson(objectAt(entry, "lanes")))});
    }
    return lossText(dropped, WorkText::tr("%n lane layout(s) could not be read", nullptr, dropped));
}

// Stores the text of the queries, not their rows: the times of rows are valid only for one alignment.
std::string laneQueriesText(const LaneQueries& queries)
{
    Json list = Json::array();
    for (const LaneQuery& one : queries)
        list.push_back({{"number", one.number}, {"title", one.title}, {"query", one.query}});
    return jsonLine({{"version", kLaneQueriesVersion}, {"queries", std::move(list)}});
}

Result<std::vector<std::string>> readLaneQueries(std::string_view text, size_t, Work& work)
{
    const Json all = jsonFrom(text);
    if (numberAt(all, "version") != kLaneQueriesVersion)
        return makeError(ErrorKind::unsupported, "the query lanes are from a different version of Lockstep");
    int dropped = 0;
    LaneQueries& queries = work.laneQueries;
    for (const Json& entry : listAt(all, "queries")) {
        LaneQuery one{numberAt(entry, "number").value_or(0), textAt(entry, "title"), textAt(entry, "query")};
        const bool isKnown = std::ranges::find(queries, one.number, &LaneQuery::number) != queries.end();
        if (one.number < 1 || one.query.empty() || one.query.size() > kMaxStoredQuery_bytes || isKnown ||
            queries.size() == kMaxLaneQueries) {
            ++dropped;
            continue;
        }
        queries.push_back(std::move(one));
    }
    return lossText(dropped, WorkText::tr("%n query lane(s) could not be read", nullptr, dropped));
}

Result<std::vector<std::string>> readMarks(std::string_view text, size_t, Work& work)
{
    ReadMarks read = LOCKSTEP_TRY(parseMarks(text));
    work.marks = std::move(read.marks);
    return std::move(read.notes);
}

// A section of a workspace file with a part of the work.
struct Section {
    const char* name;
    std::string (*text)(const Work& work); // equal work gives equal bytes
    Result<std::vector<std::string>> (*read)(std::string_view text, size_t reports, Work& work);
};

constexpr std::array kSections{
    Section{"window", windowText, readWindow},
    Section{kMarksSection, [](const Work& work) { return marksText(work.marks); }, readMarks},
    Section{"views", [](const Work& work) { return viewsText(work.views); }, readViews},
    Section{"lane_sets", [](const Work& work) { return laneSetsText(work.laneSets); }, readLaneSets},
    Section{"query_lanes", [](const Work& work) { return laneQueriesText(work.laneQueries); },
            readLaneQueries},
};

} // namespace

void takeLayout(const LaneState& from, LaneState& to)
{
    to.hidden = from.hidden;
    to.pinned = from.pinned;
    to.opened = from.opened;
    to.grouping = from.grouping;
    to.samples = from.samples;
    to.sort = from.sort;
    to.order = from.order;
}

WorkSections sectionsOf(const Work& work, const WorkSections& unread)
{
    WorkSections sections;
    for (const Section& section : kSections) {
        std::string text = section.text(work);
        const auto old = unread.find(section.name);
        if (old == unread.end()) {
            sections[section.name] = std::move(text);
        } else if (text != section.text(Work())) {
            sections[section.name] = std::move(text);
            sections[std::string(section.name) + ", not read"] = old->second;
        }
    }
    return sections;
}

ReadWork readWork(const WorkSections& sections, size_t reports, Work base)
{
    ReadWork out{std::move(base), {}, {}};
    for (const Section& section : kSections) {
        const auto found = sections.find(section.name);
        if (found == sections.end() || found->second.empty()) continue;
        auto read = section.read(found->second, reports, out.work);
        if (read) {
            for (std::string& note : *read)
                out.notes.push_back({std::move(note), HelpTopic::none});
            continue;
        }
        out.unread.insert(*found);
        out.notes.push_back(
            {read.error().message + "; this part is not used and stays in the file", read.error().help});
    }
    return out;
}

} // namespace lockstep
