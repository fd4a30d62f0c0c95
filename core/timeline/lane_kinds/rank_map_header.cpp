// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/rank_map_header.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/timeline/elide.h"

namespace lockstep {

namespace {

constexpr int kFirstColor = 100;  // choice numbers from this one on are colors
constexpr int kTickPitch = 22;    // minimum distance between names, in pixels at scale 1
constexpr int kOutlierPitch = 15; // minimum distance between a name and an outlier's name
constexpr int kMinHeader = 220;   // narrower headers do not show bars

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

    // Adds a name at the center of a line: the host at its first line, or a rank.
    void addName(const RankMap::Line& line, const RankMap::Rank& rank, bool isOutlier)
    {
        const int height = px(14);
        const int y = m_top + (line.top + line.bottom - height) / 2;
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
        name.isMuted = false;
        name.isBold = isOutlier;
        name.isWarning = rank.lane == kNoLane;
        LaneText& other = add(m_right - secondWidth, y, secondWidth, height, second);
        other.isRight = true;
        other.isWarning = rank.lane == kNoLane; // `name` may be dangling at this point, because strings were
                                                // added
    }

    const RankMap::Rank* firstMissing(const RankMap::Line& line) const
    {
        const auto begin = m_map.ranks().begin() + line.first, end = begin + line.count;
        const auto found =
            std::find_if(begin, end, [](const RankMap::Rank& rank) { return rank.lane == kNoLane; });
        return found == end ? nullptr : &*found;
    }

    // Returns whether a line always shows its name. This applies to outliers, and to the first of several
    // ranks without a report.
    bool isNamedAnyway(const RankMap::Line& line) const
    {
        if (line.isOutlier) return true;
        const RankMap::Rank* const missing = firstMissing(line);
        return missing != nullptr && (missing == m_map.ranks().data() || missing[-1].lane != kNoLane);
    }

    void addNames()
    {
        std::vector<int> outliers;
        for (const RankMap::Line& line : m_map.lines()) {
            if (isNamedAnyway(line)) outliers.push_back((line.top + line.bottom) / 2);
        }
        const auto isFree = [&](int y) {
            return std::ranges::none_of(outliers,
                                        [&](int at) { return std::abs(at - y) < px(kOutlierPitch); });
        };
        int next = 0;
        const std::string* host = nullptr;
        for (const RankMap::Line& line : m_map.lines()) {
            const RankMap::Rank& rank = m_map.ranks()[line.first];
            const int middle = (line.top + line.bottom) / 2;
            if (isNamedAnyway(line)) {
                addName(line, line.isOutlier ? m_map.speakerOf(line) : *firstMissing(line), line.isOutlier);
                continue;
            }
            const bool begins = m_map.choice().order != RankOrder::host || m_map.missing() > 0 ||
                                m_map.hosts() < 2 || host == nullptr || *host != rank.host;
            host = &rank.host;
            if (!begins || middle < next || !isFree(middle)) continue;
            addName(line, rank, false);
            next = middle + px(kTickPitch);
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
            chip.isChosen = i == static_cast<size_t>(chosen);
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
            text.swatch = categoryOf(activity);
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
