// SPDX-License-Identifier: Apache-2.0
#include "core/sql/query_lane_rows.h"

#include <charconv>
#include <optional>
#include <unordered_map>

#include "core/base/text.h"

namespace lockstep {

namespace {

// A cell that should contain an integer.
struct IntegerCell {
    enum class State : uint8_t { null, valid, invalid };

    State state = State::null;
    int64_t value = 0;
};

IntegerCell integerAt(const Table& table, size_t column, size_t row)
{
    using State = IntegerCell::State;
    if (column >= table.columnCount()) return {};
    if (table.column(column).type == ColumnType::text) { // contains other values as well
        const std::string_view text = table.text(column, row);
        if (text.empty()) return {};
        int64_t value = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool isWhole = failed == std::errc() && end == text.data() + text.size();
        return isWhole ? IntegerCell{State::valid, value} : IntegerCell{State::invalid, 0};
    }
    if (!table.hasNumber(column, row)) return {};
    int64_t scale = 1;
    for (int i = 0; i < table.column(column).decimals; ++i)
        scale *= 10;
    const int64_t number = table.number(column, row);
    return number % scale == 0 ? IntegerCell{State::valid, number / scale} : IntegerCell{State::invalid, 0};
}

// Returns the aligned range of a row, or nullopt if the row has none.
std::optional<TimeRange> rangeAt(const Table& table, size_t ts, size_t dur, size_t row)
{
    const IntegerCell start = integerAt(table, ts, row), length = integerAt(table, dur, row);
    if (start.state != IntegerCell::State::valid || length.state == IntegerCell::State::invalid) return {};
    if (start.value < kAllTime.begin.ns || start.value >= kAllTime.end.ns) return {};
    if (length.value < 0 || length.value > kAllTime.end.ns - start.value) return {};
    return TimeRange{{start.value}, {start.value + length.value}};
}

struct OpenTrack {
    std::string label;
    std::vector<QuerySlice> slices;
};

struct OmittedRows {
    uint64_t invalid = 0, tracks = 0, overlaps = 0;

    uint64_t total() const { return invalid + tracks + overlaps; }
};

std::string counted(uint64_t count)
{
    return groupedText(static_cast<int64_t>(count));
}

void addSentence(std::string& note, const std::string& sentence)
{
    note += (note.empty() ? "" : "\n") + sentence;
}

// Describes what the lanes do not show.
void describe(QueryLanes& lanes, const Table& result, const OmittedRows& left, uint64_t outside)
{
    const bool isCut =
        !result.source.rules.empty() && result.source.rules.back().starts_with("truncated after");
    if (left.total() > 0)
        lanes.value = counted(left.total()) + (left.total() == 1 ? " row left out" : " rows left out");
    else if (isCut)
        lanes.value = "first " + counted(result.rowCount()) + " rows";
    else if (result.rowCount() == 0)
        lanes.value = "no rows";
    if (left.invalid > 0)
        addSentence(lanes.note, "Rows left out because ts is missing or not an integer, or dur is negative "
                                "or not an integer: " +
                                    counted(left.invalid));
    if (left.tracks > 0)
        addSentence(lanes.note, "Rows left out because the result has more than " + counted(kMaxQueryTracks) +
                                    " tracks: " + counted(left.tracks));
    if (left.overlaps > 0)
        addSentence(lanes.note, "Rows left out because more than " + counted(kMaxQueryRows) +
                                    " slices of a track overlap: " + counted(left.overlaps));
    if (isCut)
        addSentence(lanes.note,
                    "Only the first " + counted(result.rowCount()) + " rows are shown; there are more.");
    if (outside > 0)
        addSentence(lanes.note, "Rows outside the recorded time: " + counted(outside) +
                                    ". ts must be on the aligned axis, as start_ns is.");
}

} // namespace

bool canBeLanes(const Table& result)
{
    const size_t ts = result.columnNamed("ts");
    if (ts == result.columnCount()) return false;
    if (result.rowCount() == 0) return true; // columns without cells have no known type
    const ColumnType type = result.column(ts).type;
    return type == ColumnType::integer || (type == ColumnType::time && result.column(ts).decimals == 0);
}

QueryLanes queryLanesOf(const Table& result, int64_t number, std::string title, TimeRange extent)
{
    if (!canBeLanes(result))
        return emptyQueryLanes(number, std::move(title), "no column ts",
                               "The result has no column ts with integers.");
    const size_t ts = result.columnNamed("ts"), dur = result.columnNamed("dur"),
                 name = result.columnNamed("name"), track = result.columnNamed("track");
    OmittedRows left;
    uint64_t outside = 0;
    const auto names = std::make_shared<StringPool>();
    std::vector<OpenTrack> open;
    std::unordered_map<std::string, size_t> trackOf;
    for (size_t row = 0; row < result.rowCount(); ++row) {
        const std::optional<TimeRange> range = rangeAt(result, ts, dur, row);
        if (!range) {
            ++left.invalid;
            continue;
        }
        std::string label = track < result.columnCount() ? result.cell(track, row) : "slices";
        const auto [known, isNew] = trackOf.try_emplace(label, open.size());
        if (isNew) {
            label = printable(label);
            open.push_back({label.empty() ? "no track" : std::move(label), {}});
        }
        if (known->second >= kMaxQueryTracks) {
            ++left.tracks;
            continue;
        }
        const StringId id =
            names->intern(name < result.columnCount() ? printable(result.cell(name, row)) : std::string());
        open[known->second].slices.push_back({*range, id});
        outside += range->end < extent.begin || extent.end < range->begin;
    }
    QueryLanes lanes{number, std::move(title), {}, {}, {}};
    open.resize(std::min(open.size(), kMaxQueryTracks));
    for (OpenTrack& one : open) {
        QueryTrack made{std::move(one.label), lanes.title, names, {}};
        made.rows = packQuerySlices(std::move(one.slices), left.overlaps);
        lanes.tracks.push_back(std::make_shared<const QueryTrack>(std::move(made)));
    }
    describe(lanes, result, left, outside);
    return lanes;
}

QueryLanes emptyQueryLanes(int64_t number, std::string title, std::string value, std::string note)
{
    return {number, std::move(title), std::move(value), std::move(note), {}};
}

} // namespace lockstep
