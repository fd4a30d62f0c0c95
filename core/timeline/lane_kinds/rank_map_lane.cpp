// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/rank_map_lane.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <vector>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/lane_kinds/registry.h"
#include "core/timeline/rank_map.h"
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

// The header of a rank map: the choices above it, the names of hosts and ranks, and the utilization and
// lateness of each line. Part of RankMapLane. Pure.

constexpr int kFirstColor = 100; // choice numbers from this one on are colors
constexpr int kNameHeight = 14;  // in pixels at scale 1
constexpr int kNamePitch = 15;   // minimum distance between the tops of two names
constexpr int kTickPitch = 22;   // minimum distance between the names of ordinary lines
constexpr int kMinHeader = 220;  // narrower headers do not show bars

class MapHeader {
  public:
    MapHeader(LaneFrame& frame, const LanePlace& place)
        : m_frame(frame), m_metrics(frame.metrics), m_map(*place.lane.map), m_out(frame.list.lanes.back()),
          m_y(place.y), m_top(place.y + m_metrics.mapControls + m_metrics.mapShare),
          m_hasBars(frame.list.headerWidth >= px(kMinHeader))
    {
    }

    void run()
    {
        m_late = m_frame.list.headerWidth - m_metrics.headerPadding - m_metrics.mapBar;
        m_busy = m_late - m_metrics.headerPadding - m_metrics.mapBar;
        m_left = m_out.indent + m_metrics.triangle;
        m_right = (m_hasBars ? m_busy : m_frame.list.headerWidth) - m_metrics.headerPadding;
        addTitles();
        addNames();
        if (m_hasBars) addBars();
        addChoices();
    }

  private:
    int px(double atScaleOne) const { return static_cast<int>(std::lround(atScaleOne * m_metrics.scale)); }
    int widthOf(std::string_view text) const
    {
        return static_cast<int>(std::ceil(m_frame.view.font->widthOf(text)));
    }

    LaneText& add(int x, int y, int width, int height, std::string text)
    {
        LaneText& out = m_out.texts.emplace_back();
        out.x = x;
        out.y = y;
        out.width = width;
        out.height = height;
        out.text = elideEnd(text, static_cast<float>(width), *m_frame.view.font);
        return out;
    }

    void addTitles()
    {
        const int y = m_y + m_metrics.mapControls, height = m_metrics.mapShare;
        static constexpr std::array kTitles{"share of ranks", "mean busy", "share of waiting ranks",
                                            "mean memory"};
        add(m_left, y, m_right - m_left, height, kTitles[static_cast<size_t>(m_map.choice().color)]);
        if (!m_hasBars) return;
        // The value that a full-length bar represents is shown below the bar's name.
        add(m_busy, y, m_metrics.mapBar, height / 2, "busy");
        add(m_busy, y + height / 2, m_metrics.mapBar, height / 2, "100 %");
        if (m_map.maxCaused_ns() == 0) return;
        add(m_late, y, m_metrics.mapBar, height / 2, "late");
        add(m_late, y + height / 2, m_metrics.mapBar, height / 2, durationText({m_map.maxCaused_ns()}, 1));
    }

    // Returns the top of a name at the center of a line, in pixels from the map's top. Names do not extend
    // beyond the map.
    int nameTop(const RankMap::Line& line) const
    {
        const int centered = (line.top + line.bottom - px(kNameHeight)) / 2;
        return std::clamp(centered, 0, std::max(0, m_map.height() - px(kNameHeight)));
    }

    bool isFree(int top) const
    {
        return std::ranges::none_of(m_names, [&](int at) { return std::abs(at - top) < px(kNamePitch); });
    }

    // Adds the name of a line: the host at its first line, or a rank. top: in pixels from the map's top.
    void addName(int top, const RankMap::Rank& rank, bool isOutlier)
    {
        m_names.push_back(top);
        const int height = px(kNameHeight), y = m_top + top;
        const std::string number =
            rank.number ? "rank " + std::to_string(*rank.number) : std::string("process");
        const bool hostFirst = m_map.choice().order == RankOrder::host && !isOutlier;
        const std::string none = "no report";
        const std::string& first = hostFirst && !rank.host.empty() ? rank.host : number;
        const std::string& second = rank.lane == kNoLane              ? none
                                    : hostFirst && !rank.host.empty() ? number
                                                                      : rank.host;
        const int room = m_right - m_left, secondWidth = std::min(room / 2, widthOf(second));
        LaneText& name = add(m_left, y, room - secondWidth - m_metrics.headerPadding, height, first);
        // A rank without a report is never an outlier.
        name.tone = rank.lane == kNoLane ? LaneText::Tone::warning
                    : isOutlier          ? LaneText::Tone::bold
                                         : LaneText::Tone::plain;
        LaneText& other = add(m_right - secondWidth, y, secondWidth, height, second);
        other.align = LaneText::Align::right;
        if (rank.lane == kNoLane) other.tone = LaneText::Tone::warning; // `name` may be dangling here
    }

    const RankMap::Rank* firstMissing(const RankMap::Line& line) const
    {
        const auto begin = m_map.ranks().begin() + line.first, end = begin + line.count;
        const auto found =
            std::find_if(begin, end, [](const RankMap::Rank& rank) { return rank.lane == kNoLane; });
        return found == end ? nullptr : &*found;
    }

    // Names never overlap. Names of outliers take precedence, then names of ranks without a report. A name
    // without room is omitted; the hover card of its line contains it.
    void addNames()
    {
        addOutlierNames();
        const RankMap::Rank* const ranks = m_map.ranks().data();
        for (const RankMap::Line& line : m_map.lines()) {
            // Names only the first of consecutive ranks without a report.
            const RankMap::Rank* const missing = firstMissing(line);
            const bool begins = missing != nullptr && (missing == ranks || missing[-1].lane != kNoLane);
            if (begins && !line.isOutlier && isFree(nameTop(line))) addName(nameTop(line), *missing, false);
        }
        addOtherNames();
    }

    // Outliers are always named. Names that would overlap move apart, and keep the order of the lines: names
    // that touch form a block, which is centered on their lines (pool adjacent violators, as in isotonic
    // regression).
    void addOutlierNames()
    {
        struct Block {
            int tops = 0; // sum of the tops that the names have without the names above them in the block
            int names = 0;
            double top() const { return static_cast<double>(tops) / names; }
        };
        const int pitch = px(kNamePitch);
        std::vector<const RankMap::Line*> lines;
        std::vector<Block> blocks;
        for (const RankMap::Line& line : m_map.lines()) {
            if (!line.isOutlier) continue;
            Block block{nameTop(line) - static_cast<int>(lines.size()) * pitch, 1};
            lines.push_back(&line);
            for (; !blocks.empty() && blocks.back().top() > block.top(); blocks.pop_back())
                block = {block.tops + blocks.back().tops, block.names + blocks.back().names};
            blocks.push_back(block);
        }
        const int last = m_map.height() - px(kNameHeight) - (static_cast<int>(lines.size()) - 1) * pitch;
        int name = 0;
        for (const Block& block : blocks) {
            const int top = std::clamp(static_cast<int>(std::lround(block.top())), 0, std::max(0, last));
            for (int i = 0; i < block.names; ++i, ++name)
                addName(top + name * pitch, m_map.representativeOf(*lines[static_cast<size_t>(name)]), true);
        }
    }

    void addOtherNames()
    {
        int next = 0;
        const std::string* host = nullptr;
        for (const RankMap::Line& line : m_map.lines()) {
            if (line.isOutlier) continue;
            const RankMap::Rank& rank = m_map.ranks()[line.first];
            const bool begins = m_map.choice().order != RankOrder::host || m_map.missing() > 0 ||
                                m_map.hosts() < 2 || host == nullptr || *host != rank.host;
            host = &rank.host;
            const int top = nameTop(line);
            if (!begins || top < next || !isFree(top)) continue;
            addName(top, rank, false);
            next = top + px(kTickPitch);
        }
    }

    void addBars()
    {
        for (const RankMap::Line& line : m_map.lines()) {
            double busy = 0;
            int64_t caused_ns = 0;
            for (uint32_t i = line.first; i < line.first + line.count; ++i) {
                busy += std::clamp(m_map.ranks()[i].busy, 0.0, 1.0) / line.count;
                caused_ns = std::max(caused_ns, m_map.ranks()[i].caused_ns);
            }
            const int inset = line.isOutlier ? m_metrics.line : 0;
            const int y = m_top + line.top + inset, height = line.bottom - line.top - 2 * inset;
            addBar(m_busy, y, height, busy, false);
            if (m_map.maxCaused_ns() == 0) continue;
            const double late = static_cast<double>(caused_ns) / static_cast<double>(m_map.maxCaused_ns());
            addBar(m_late, y, height, late, line.isOutlier);
        }
    }

    void addBar(int x, int y, int height, double part, bool isWarning)
    {
        const int width = static_cast<int>(std::lround(part * m_metrics.mapBar));
        if (width > 0) m_out.bars.push_back({x, y, width, height, isWarning});
    }

    template<class Names, class Value>
    void addChips(int& x, std::string_view title, const Names& names, Value chosen, int firstChoice)
    {
        const int pad = px(6), y = m_y + px(3), height = m_metrics.mapControls - px(6);
        add(x, y, widthOf(title) + pad, height, std::string(title));
        x += widthOf(title) + pad;
        for (size_t i = 0; i < names.size(); ++i) {
            const int width = widthOf(names[i]) + 2 * pad;
            LaneText& chip = m_out.texts.emplace_back();
            chip.x = x;
            chip.y = y;
            chip.width = width;
            chip.height = height;
            chip.text = names[i];
            chip.choice = firstChoice + static_cast<int>(i);
            chip.align = LaneText::Align::center;
            if (i == static_cast<size_t>(chosen)) chip.tone = LaneText::Tone::chosen;
            x += width;
        }
        x += 2 * pad;
    }

    void addLegend(int left)
    {
        static constexpr std::array kShown{Activity::compute, Activity::communication, Activity::copy,
                                           Activity::other};
        const int swatch = px(14), gap = px(10);
        int width = 0;
        for (const Activity activity : kShown)
            width += swatch + widthOf(activityName(activity)) + gap;
        int x = m_frame.list.size.width - width;
        if (x < left || m_map.choice().color != RankColor::activity) return;
        for (const Activity activity : kShown) {
            const int of = swatch + widthOf(activityName(activity));
            LaneText& text = m_out.texts.emplace_back();
            text.x = x;
            text.y = m_y;
            text.width = of;
            text.height = m_metrics.mapControls;
            text.text = activityName(activity);
            text.ink = Ink{.category = categoryOf(activity)};
            x += of + gap;
        }
    }

    void addChoices()
    {
        int x = m_frame.list.headerWidth + px(8);
        addChips(x, "Sort", kRankOrderNames, m_map.choice().order, 0);
        addChips(x, "Color", kRankColorNames, m_map.choice().color, kFirstColor);
        addLegend(x);
    }

    LaneFrame& m_frame;
    const FrameMetrics& m_metrics;
    const RankMap& m_map;
    DisplayLane& m_out;
    const int m_y, m_top;
    const bool m_hasBars;
    int m_busy = 0, m_late = 0, m_left = 0, m_right = 0;
    std::vector<int> m_names; // tops of the names, in pixels from the map's top
};

// Adds labels and bars to the lane's header, which is the last in frame.list.lanes.
void addRankMapHeader(LaneFrame& frame, const LanePlace& place)
{
    MapHeader(frame, place).run();
}

// Applies a click on one of the choices in the header; returns false for other values.
bool chooseInHeader(int choice, RankMapChoice& out)
{
    if (choice >= kFirstColor && choice < kFirstColor + static_cast<int>(kRankColorNames.size())) {
        out.color = static_cast<RankColor>(choice - kFirstColor);
        return true;
    }
    if (choice < 0 || choice >= static_cast<int>(kRankOrderNames.size())) return false;
    out.order = static_cast<RankOrder>(choice);
    return true;
}

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
