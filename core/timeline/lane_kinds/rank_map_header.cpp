// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/rank_map_header.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/text.h"
#include "core/timeline/elide.h"

namespace lockstep {

namespace {

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

} // namespace

void addRankMapHeader(LaneFrame& frame, const LanePlace& place)
{
    MapHeader(frame, place).run();
}

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

} // namespace lockstep
