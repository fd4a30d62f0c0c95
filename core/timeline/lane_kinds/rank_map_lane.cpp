// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/rank_map_lane.h"

#include <algorithm>
#include <ostream>
#include <span>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/lane_kinds/rank_map_header.h"
#include "core/timeline/lane_kinds/registry.h"
#include "core/timeline/summary_layout.h"

namespace lockstep {

namespace {

class RankMapLane final : public LaneKind {
  public:
    std::string_view name() const override { return "rank map"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    bool hasRows() const override { return false; }
    int controlsHeight(const FrameMetrics& metrics) const override { return metrics.mapControls; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    bool isWide() const override { return true; }
    const HeatMap* heat(const DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool press(const Scene& scene, const Hit& hit, LaneState& state) const override;
    uint32_t targetOf(const Hit& hit) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

std::string rankName(const RankMap::Rank& rank)
{
    std::string text = rank.number ? "rank " + std::to_string(*rank.number) : std::string("process");
    if (!rank.host.empty()) text += " \u00B7 " + rank.host;
    if (!rank.role.empty()) text += " \u00B7 " + rank.role;
    return text;
}

// Returns "compute 92 %   communication 5 %   idle 3 %" for one pixel.
std::string compositionText(const Scene& scene, const DisplayList& list, const RankMap::Rank& rank, int x)
{
    const TimeRange pixel = list.scale.pixelRange(x);
    std::vector<ActivityParts> parts(1);
    addActivities(scene, rank.lane, PixelScale(pixel, static_cast<int>(parts.size())), parts);
    std::string text;
    uint32_t idle = 255;
    for (size_t i = 0; i < kActivities; ++i) {
        const uint32_t part = std::min<uint32_t>(parts[0][i], idle);
        idle -= part;
        if (part == 0) continue;
        text += std::string(activityName(static_cast<Activity>(i))) + " " +
                std::to_string((part * 100 + 127) / 255) + " %   ";
    }
    return text + "idle " + std::to_string((idle * 100 + 127) / 255) + " %";
}

std::string latenessText(const RankMap::Rank& rank)
{
    std::string text = "last to arrive in " + groupedText(static_cast<int64_t>(rank.timesLast)) + " of " +
                       groupedText(static_cast<int64_t>(rank.collectives)) + " collectives";
    if (rank.timesLast > 0) text += "; longest waits caused: " + durationText({rank.caused_ns});
    return text;
}

// Returns a text with the ranks of a line that have no report; empty if there are none. Their names may not
// have fit next to the map.
std::string missingText(const RankMap& map, const RankMap::Line& line)
{
    constexpr size_t kMost = 3;
    std::vector<std::string> numbers;
    for (const RankMap::Rank& rank : std::span(map.ranks()).subspan(line.first, line.count)) {
        if (rank.lane == kNoLane) numbers.push_back(std::to_string(rank.number.value_or(0)));
    }
    if (numbers.empty()) return {};
    std::string text = numbers.size() == 1 ? "no open report for rank " : "no open report for ranks ";
    for (size_t i = 0; i < std::min(kMost, numbers.size()); ++i)
        text += (i == 0 ? "" : ", ") + numbers[i];
    if (numbers.size() > kMost) text += " and " + std::to_string(numbers.size() - kMost) + " more";
    return text;
}

} // namespace

bool RankMapLane::handles(const Lane& lane, bool isCollapsed) const
{
    return isCollapsed && lane.isRankMap();
}

int RankMapLane::height(const PlacedLane& placed, const FrameMetrics& metrics) const
{
    return metrics.mapControls + metrics.mapShare + placed.map->height() + metrics.line;
}

void RankMapLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const FrameMetrics& metrics = frame.metrics;
    const int top = place.y + metrics.mapControls;
    addRankMapHeader(frame, place);
    DisplayRow& row = addRow(frame, place, top, metrics.mapShare + place.lane.map->height());
    row.isSummary = true;
    row.contentKey = place.lane.map;
    addJob(frame, place, {});
}

void RankMapLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    RankMapRowData& data = row.data.ensure<RankMapRowData>();
    data.map = job.placed->map;
    fillRankMap(frame, *data.map, data.heat, row);
}

const HeatMap* RankMapLane::heat(const DisplayRow& row) const
{
    const auto* const data = row.data.as<RankMapRowData>();
    return data == nullptr || data->heat.lines.empty() ? nullptr : &data->heat;
}

bool RankMapLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    const auto* const data = row.data.as<RankMapRowData>();
    if (data == nullptr) return false;
    const RankMap& map = *data->map;
    const RankMap::Line* const line = map.lineAt(y - row.y - (row.height - map.height()));
    if (line == nullptr || x < 0 || x >= data->heat.width) return false;
    hit.part = Hit::Part::shape;
    hit.x = x;
    hit.data.set(RankMapHitData{data->map, static_cast<uint32_t>(line - map.lines().data()),
                                static_cast<uint32_t>(&map.representativeOf(*line) - map.ranks().data())});
    return true;
}

std::vector<std::string> RankMapLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    const auto* const data = hit.data.as<RankMapHitData>();
    if (data == nullptr) return {};
    const RankMap& map = *data->map;
    const RankMap::Line& line = map.lines()[data->line];
    const RankMap::Rank& rank = map.ranks()[data->rank];
    std::vector<std::string> lines{rankName(rank)};
    if (rank.lane == kNoLane) {
        lines.push_back("no open report for this rank");
    } else {
        const TimeRange pixel = list.scale.pixelRange(hit.x);
        lines.push_back("at " + durationText(pixel.begin - TraceTime{0}, 9) + ": " +
                        compositionText(scene, list, rank, hit.x));
        const auto memory =
            map.choice().color == RankColor::memory ? memoryOf(scene, rank.lane, pixel) : std::nullopt;
        if (memory) lines.push_back("memory up to " + counterValueText(*memory, "B") + " in this pixel");
        const Lane& lane = scene.tree->lane(rank.lane);
        const auto& process = *lane.data.as<ProcessLaneData>();
        if (process.time.busy()) lines.push_back("busy " + lane.value + " of its captured time");
        if (rank.collectives > 0) {
            lines.push_back(latenessText(rank));
            lines.push_back("waited for others: " + durationText({rank.waited_ns}));
        }
        if (!process.isPlaced) lines.push_back("clock not aligned");
    }
    if (line.count > 1) {
        const RankMap::Rank& first = map.ranks()[line.first];
        const RankMap::Rank& last = map.ranks()[line.first + line.count - 1];
        lines.push_back(std::to_string(line.count) + " ranks share this line: " + rankName(first) + " to " +
                        rankName(last));
        const std::string missing = missingText(map, line);
        if (!missing.empty()) lines.push_back(missing);
    }
    if (list.hidden != nullptr) lines.emplace_back(kHiddenNamesCount);
    return lines;
}

bool RankMapLane::press(const Scene& scene, const Hit& hit, LaneState& state) const
{
    if (hit.part == Hit::Part::choice) return chooseInHeader(hit.choice, state.rankMap);
    const uint32_t lane = targetOf(hit);
    if (lane == kNoLane) return false;
    const LaneState before = state;
    state.reveal(*scene.tree, lane, true);
    // A second click on an opened lane closes it.
    if (state == before) state.close(*scene.tree, lane);
    return true;
}

uint32_t RankMapLane::targetOf(const Hit& hit) const
{
    const auto* const data = hit.data.as<RankMapHitData>();
    return data == nullptr ? kNoLane : data->map->ranks()[data->rank].lane;
}

void RankMapLane::write(std::ostream& out, const DisplayRow& row) const
{
    const auto* const data = row.data.as<RankMapRowData>();
    if (data == nullptr) return;
    const RankMap& map = *data->map;
    const RankMapChoice choice = map.choice();
    out << "    map by " << kRankOrderNames[static_cast<size_t>(choice.order)] << ", "
        << kRankColorNames[static_cast<size_t>(choice.color)] << '\n';
    for (size_t i = 0; i < map.lines().size(); ++i) {
        const RankMap::Line& line = map.lines()[i];
        const RankMap::Rank& first = map.ranks()[line.first];
        out << "    = " << line.top << ".." << line.bottom << " rank " << first.number.value_or(-1) << " x"
            << line.count << (line.isOutlier ? " outlier" : "");
        const HeatCell* const cells = data->heat.lineAt(i);
        for (int x = 0; x < data->heat.width; ++x) {
            if (x > 0 && cells[x] == cells[x - 1]) continue;
            out << ' ' << x << ':';
            if (cells[x].category == HeatCell::kNoReport) {
                out << "none";
            } else {
                out << sliceCategoryName(cells[x].category) << '/' << int(cells[x].part);
            }
        }
        out << '\n';
    }
}

const LaneKind& rankMapLane()
{
    static const RankMapLane kLane{};
    return kLane;
}

} // namespace lockstep
