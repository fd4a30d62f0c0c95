// SPDX-License-Identifier: Apache-2.0
#include "core/export/step_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/chart_axis.h"
#include "core/analysis/training/step_breakdown.h"
#include "core/base/text.h"
#include "core/export/svg_marks.h"

namespace lockstep {

namespace {

// StepChartData holds the numbers in a step chart: for each group (rank, role ...) one bar per step, split
// into phases. Created from the rows of step_breakdown and drawn by stepChartSvg(). Pure. Thread: any.

// StepBar is one step in one group. Times are in ns, as means over the processes that were summed (the
// `parts` column). The means of the phases therefore add up to `wall` for any number of processes.
struct StepBar {
    size_t slot = 0; // position of the step on the common step axis
    double wall_ns = 0;
    std::vector<double> parts_ns; // by StepChartData::parts
};

struct StepChartGroup {
    std::string name;          // "rank 3"; empty in a chart without groups
    std::vector<StepBar> bars; // bars by slot
};

struct StepChartData {
    std::vector<std::string> parts; // phases that occur in any step, in table order, then "outside"
    std::vector<std::string> slots; // step numbers, ascending; "?" if unknown
    std::vector<StepChartGroup> groups;
    std::vector<std::string> rules;   // how steps and phases were identified, one sentence each
    std::vector<std::string> defects; // what is incomplete: steps missing in some processes, phases never
                                      // closed
    double longest_ns = 0;
};

constexpr int64_t kNoStep = std::numeric_limits<int64_t>::max(); // sorts last

// Part kRlPhases is the time outside all phases.
std::string_view partName(size_t part)
{
    return part < kRlPhases ? rlPhaseName(static_cast<RlPhase>(part)) : "outside";
}

int64_t partTime_ns(const StepTimes& times, size_t part)
{
    return part < kRlPhases ? times.phase_ns[part].value_or(0) : times.outside_ns;
}

// Returns the parts that have a time in any step.
std::vector<size_t> usedParts(std::span<const StepRow> steps)
{
    std::vector<size_t> parts;
    for (size_t part = 0; part <= kRlPhases; ++part) {
        const auto hasTime = [&](const StepRow& row) { return partTime_ns(row.times, part) > 0; };
        if (std::ranges::any_of(steps, hasTime)) parts.push_back(part);
    }
    return parts;
}

// Returns "rank 3", or an empty string if the steps are not grouped.
std::string groupNameOf(GroupBy by, const GroupKey& group)
{
    if (by == GroupBy::total) return {};
    const TableColumn column = groupColumn(by);
    const std::string word = lowerAscii(column.name);
    const bool isText = column.type == ColumnType::text;
    if (group.isUnknown || (isText && group.text.empty())) return word + " unknown";
    return isText ? group.text : word + " " + std::to_string(group.number);
}

// If a step number occurs twice in a group because steps were found by different rules, each occurrence gets
// its own slot.
struct SlotKey {
    int64_t number;
    size_t nth;
    friend auto operator<=>(const SlotKey&, const SlotKey&) = default;
};

std::vector<SlotKey> slotKeys(std::span<const StepRow> steps, GroupBy by)
{
    std::map<std::pair<std::string, int64_t>, size_t> seen;
    std::vector<SlotKey> keys;
    for (const StepRow& row : steps) {
        const int64_t number = row.step.value_or(kNoStep);
        keys.push_back({number, seen[{groupNameOf(by, row.group), number}]++});
    }
    return keys;
}

// Adds the rules by which the steps were found.
void addStepRule(std::span<const StepRow> steps, StepChartData& data)
{
    std::vector<std::string> texts;
    for (const StepRow& row : steps)
        if (!row.from.empty() && std::ranges::find(texts, row.from) == texts.end()) texts.push_back(row.from);
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : "; ") + text;
    if (!all.empty()) data.rules.push_back("Steps: " + all);
}

// Adds a rule such as "rollout: a, b; update: c" that covers all rows. Each phase occurs once, with all of
// its range names.
void addPhaseRule(std::span<const StepRow> steps, StepChartData& data)
{
    std::vector<std::string> order;
    std::set<std::string> known;
    for (const StepRow& row : steps) {
        const std::string& text = row.phaseNames;
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = std::min(text.find("; ", begin), text.size());
            if (known.insert(text.substr(begin, end - begin)).second)
                order.push_back(text.substr(begin, end - begin));
            begin = end + 2;
        }
    }
    if (order.empty()) {
        data.defects.push_back("no range has the name of a phase: all time is outside phases");
        return;
    }
    std::string all;
    for (const std::string& rule : order)
        all += (all.empty() ? "" : "; ") + rule;
    data.rules.push_back("Phases by range name: " + all);
}

void addDefects(std::span<const StepRow> steps, StepChartData& data)
{
    const auto bars = [](auto count) { return std::to_string(count) + (count == 1 ? " bar" : " bars"); };
    const auto missing = std::ranges::count_if(steps, [](const StepRow& row) { return row.missing > 0; });
    const auto open =
        std::ranges::count_if(steps, [](const StepRow& row) { return row.times.openRanges > 0; });
    if (missing > 0)
        data.defects.push_back(bars(missing) + " for steps that some processes lack: mean over the others");
    if (open > 0) data.defects.push_back(bars(open) + " with phases that were never closed");
    if (std::ranges::find(data.slots, "?") != data.slots.end())
        data.defects.push_back("?: step number unknown");
}

// Creates the data. steps: result of step_breakdown, grouped by anything except step.
StepChartData stepChartData(std::span<const StepRow> steps, GroupBy by)
{
    StepChartData data;
    if (steps.empty()) return data;
    const std::vector<size_t> parts = usedParts(steps);
    for (const size_t part : parts)
        data.parts.emplace_back(partName(part));
    const std::vector<SlotKey> keys = slotKeys(steps, by);
    std::map<SlotKey, size_t> slots;
    for (const SlotKey& key : keys)
        slots[key] = 0;
    for (auto& [key, slot] : slots) {
        slot = data.slots.size();
        data.slots.push_back(key.number == kNoStep ? "?" : std::to_string(key.number));
    }
    std::map<std::string, size_t> groups;
    for (size_t i = 0; i < steps.size(); ++i) {
        const StepRow& row = steps[i];
        const auto [at, isNew] = groups.try_emplace(groupNameOf(by, row.group), data.groups.size());
        if (isNew) data.groups.push_back({at->first, {}});
        const double over = std::max(1.0, static_cast<double>(row.parts));
        StepBar bar{slots[keys[i]], static_cast<double>(row.times.wall_ns) / over, {}};
        for (const size_t part : parts)
            bar.parts_ns.push_back(static_cast<double>(partTime_ns(row.times, part)) / over);
        data.longest_ns = std::max(data.longest_ns, bar.wall_ns);
        data.groups[at->second].bars.push_back(std::move(bar));
    }
    for (StepChartGroup& group : data.groups)
        std::ranges::stable_sort(group.bars, {}, &StepBar::slot);
    addStepRule(steps, data);
    addPhaseRule(steps, data);
    addDefects(steps, data);
    return data;
}

// All lengths are in pixels at scale 1, i.e. for images up to 1600 x 900.
constexpr double kMargin = 24, kLeft = 84, kTitle = 17, kBody = 12, kLine = 17, kPanelGap = 30,
                 kMinPanel = 56, kWidestBar = 72, kMinSlot = 3, kLetter = 0.56;
constexpr size_t kMaxNoteLines = 7;

struct StepChartColors {
    const char *window, *line, *text, *muted;
};
constexpr StepChartColors kLightChart{"#FFFFFF", "#D8DEE6", "#1B2430", "#5B6776"};
constexpr StepChartColors kDarkChart{"#15181D", "#2E353F", "#E6EAF0", "#9AA6B5"};

// A phase has the color of the role that runs it, or of the category that is most similar.
struct PhaseColor {
    std::string_view phase;
    const char *light, *dark;
};
constexpr std::array kPhaseColors{
    PhaseColor{"generation", "#E69F00", "#E69F00"},    PhaseColor{"reward", "#D55E00", "#D55E00"},
    PhaseColor{"ref", "#009E73", "#009E73"},           PhaseColor{"old_log_prob", "#56B4E9", "#56B4E9"},
    PhaseColor{"values", "#B8629B", "#D07FB5"},        PhaseColor{"adv", "#B08F2A", "#D9BC5E"},
    PhaseColor{"update_critic", "#CC79A7", "#CC79A7"}, PhaseColor{"update_actor", "#0072B2", "#2E8FCB"},
    PhaseColor{"weight_sync", "#7A6BB0", "#9686D1"},   PhaseColor{"waiting", "#8C9AA8", "#77869A"},
    PhaseColor{"other", "#8F7A52", "#B39B6C"}};

const char* partColor(std::string_view part, bool isDark)
{
    const auto* const found = std::ranges::find(kPhaseColors, part, &PhaseColor::phase);
    if (found == kPhaseColors.end()) return isDark ? "#434D5A" : "#C3CBD5"; // outside all phases
    return isDark ? found->dark : found->light;
}

std::string partLabel(std::string part)
{
    std::ranges::replace(part, '_', ' ');
    return part == "outside" ? "outside phases" : part;
}

size_t lettersOf(std::string_view text)
{
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Wraps text at spaces, or inside a word that is too long for a line. Text beyond the last line is replaced
// by an ellipsis.
std::vector<std::string> wrappedLines(const std::string& text, size_t letters, size_t most)
{
    std::vector<std::string> lines(1);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = shortenedText(text.substr(begin, end - begin), std::max<size_t>(letters, 8));
        std::string& last = lines.back();
        if (!last.empty() && lettersOf(last) + 1 + lettersOf(word) > letters) {
            if (lines.size() == most) {
                last += " \u2026";
                return lines;
            }
            lines.push_back(word);
        } else {
            last += (last.empty() ? "" : " ") + word;
        }
        begin = end + 1;
    }
    return lines;
}

class StepChartPainter {
  public:
    StepChartPainter(const StepChartData& data, const StepChartStyle& style)
        : m_data(data), m_style(style), m_colors(style.isDark ? kDarkChart : kLightChart),
          m_width(std::max(style.width, 160)), m_height(std::max(style.height, 120)),
          m_scale(std::clamp(std::min(m_width / 1600, m_height / 900), 1.0, 8.0))
    {
    }

    std::string paint()
    {
        const double top = paintHead();
        layOut(top);
        for (size_t i = 0; i < m_shown.size(); ++i)
            paintPanel(i);
        paintSteps();
        paintNotes();
        const std::string width = svgNumber(m_width), height = svgNumber(m_height);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
               "\" viewBox=\"0 0 " + width + " " + height + "\" font-family=\"Inter\" " +
               "style=\"font-variant-ligatures:none;font-feature-settings:'calt' 0,'liga' 0\">" +
               "<title>Lockstep step chart</title>\n" +
               svgRect(0, 0, m_width, m_height, fill(m_colors.window)) + m_body + "</svg>\n";
    }

  private:
    double px(double atScale1) const { return atScale1 * m_scale; }
    static std::string fill(const char* color) { return std::string("fill=\"") + color + "\""; }
    std::string font(const char* color, double size, const char* more = "") const
    {
        return fill(color) + " font-size=\"" + svgNumber(px(size)) + "\"" + more;
    }
    size_t lettersIn(double width) const
    {
        return static_cast<size_t>(std::max(8.0, width / (px(kBody) * kLetter)));
    }

    // Paints title, subtitle and legend; returns their bottom edge.
    double paintHead()
    {
        double y = px(kMargin) + px(kTitle) * 0.8;
        m_body += svgText(px(kMargin), y, font(m_colors.text, kTitle, " font-weight=\"600\""),
                          "Training steps by phase");
        const size_t steps = m_data.slots.size(), groups = m_data.groups.size();
        std::string text = groupedText(static_cast<int64_t>(steps)) + (steps == 1 ? " step" : " steps");
        if (groups > 1) text += ", " + groupedText(static_cast<int64_t>(groups)) + " groups on one scale";
        text += "; time per step, mean over the processes that have the step, split by phase";
        for (const std::string& line : wrappedLines(text, lettersIn(m_width - px(2 * kMargin)), 2))
            m_body += svgText(px(kMargin), y += px(kLine + 2), font(m_colors.muted, kBody), line);
        double x = px(kMargin);
        y += px(kLine + 8);
        for (const std::string& part : m_data.parts) {
            const std::string word = partLabel(part);
            const double width = px(17 + 18) + static_cast<double>(word.size()) * px(kBody) * kLetter;
            if (x > px(kMargin) && x + width > m_width - px(kMargin)) {
                x = px(kMargin);
                y += px(kLine + 2);
            }
            m_body += svgRect(x, y - px(10), px(12), px(12), fill(partColor(part, m_style.isDark))) +
                      svgText(x + px(17), y, font(m_colors.text, kBody), word);
            x += width;
        }
        return y + px(14);
    }

    // Chooses which groups and columns are drawn, and where.
    void layOut(double top)
    {
        m_left = px(kLeft);
        m_plotWidth = std::max(40.0, m_width - m_left - px(kMargin));
        for (const std::string& note : m_data.defects)
            m_notes.push_back("Note: " + note);
        const auto columns = static_cast<size_t>(m_plotWidth / px(kMinSlot));
        m_columns = std::clamp<size_t>(m_data.slots.size(), 1, std::max<size_t>(columns, 1));
        if (m_columns < m_data.slots.size())
            m_notes.push_back("Note: " + groupedText(static_cast<int64_t>(m_data.slots.size())) +
                              " steps in " + std::to_string(m_columns) +
                              " columns: the longest step of each column is drawn");
        std::vector<std::string> sentences = m_data.rules;
        sentences.insert(sentences.begin(), m_style.source.begin(), m_style.source.end());
        m_notes.insert(m_notes.end(), sentences.begin(), sentences.end());
        // does not include the step numbers and the axis name below
        const double left = m_height - top - px(kMargin + 40);
        const auto lines = static_cast<size_t>(std::clamp(left / px(kLine) / 3, 1.0, double(kMaxNoteLines)));
        const double room = left - static_cast<double>(lines) * px(kLine);
        const auto most = static_cast<size_t>(std::max(1.0, room / px(kMinPanel + kPanelGap)));
        chooseGroups(most);
        wrapNotes(lines);
        const double all = left - static_cast<double>(m_lines.size()) * px(kLine);
        m_pitch = all / static_cast<double>(m_shown.size());
        m_panelTop = top + px(kPanelGap - 8);
        m_panelHeight = std::max(8.0, m_pitch - px(kPanelGap));
    }

    // Chooses all groups, or those whose steps deviate most from the median.
    void chooseGroups(size_t most)
    {
        const auto mean = [&](size_t i) {
            double sum = 0;
            for (const StepBar& bar : m_data.groups[i].bars)
                sum += bar.wall_ns;
            return sum / static_cast<double>(m_data.groups[i].bars.size());
        };
        std::vector<double> means;
        for (size_t i = 0; i < m_data.groups.size(); ++i) {
            m_shown.push_back(i);
            means.push_back(mean(i));
        }
        if (m_shown.size() <= most) return;
        std::vector<double> sorted = means;
        std::ranges::sort(sorted);
        const double middle = sorted[sorted.size() / 2];
        std::ranges::stable_sort(m_shown, std::greater{},
                                 [&](size_t i) { return std::abs(means[i] - middle); });
        m_shown.resize(most);
        std::ranges::sort(m_shown);
        m_notes.insert(m_notes.begin(), "Note: " + std::to_string(most) + " of " +
                                            groupedText(static_cast<int64_t>(m_data.groups.size())) +
                                            " groups shown: those farthest from the median");
    }

    void wrapNotes(size_t lines)
    {
        const size_t letters = lettersIn(m_width - px(2 * kMargin));
        if (m_notes.size() > lines) {
            const size_t kept = std::max<size_t>(lines, 1) - 1;
            const std::string rest = "Note: " + std::to_string(m_notes.size() - kept) +
                                     " more lines. Increase the picture height to show them.";
            m_notes.resize(kept);
            m_notes.push_back(rest);
        }
        for (size_t i = 0; i < m_notes.size() && m_lines.size() < lines; ++i) {
            const size_t later = m_notes.size() - i - 1; // one line is reserved for each later note
            const size_t free = lines - m_lines.size();
            for (std::string& line : wrappedLines(m_notes[i], letters, free > later ? free - later : 1))
                m_lines.push_back(std::move(line));
        }
    }

    double panelTop(size_t panel) const { return m_panelTop + static_cast<double>(panel) * m_pitch; }

    void paintPanel(size_t panel)
    {
        const StepChartGroup& group = m_data.groups[m_shown[panel]];
        const double top = panelTop(panel), most = m_data.longest_ns > 0 ? m_data.longest_ns * 1.04 : 1;
        const ChartAxis axis{0, most, timeUnitOf(most)};
        const auto y = [&](double ns) { return top + m_panelHeight * (1 - axis.shareOf(ns)); };
        const auto ticks = static_cast<size_t>(std::clamp(m_panelHeight / px(34), 1.0, 8.0));
        for (const AxisTick& tick : axis.ticks(ticks)) {
            const double at = y(tick.value);
            m_body += svgRect(m_left, at, m_plotWidth, m_scale, fill(m_colors.line)) +
                      svgText(m_left - px(8), at + px(4),
                              font(m_colors.muted, kBody - 1, " text-anchor=\"end\""), tick.text);
        }
        m_body +=
            svgText(m_left - px(8), top - px(9), font(m_colors.muted, kBody - 1, " text-anchor=\"end\""),
                    "time (" + axis.unit.name + ")");
        if (!group.name.empty())
            m_body += svgText(m_left, top - px(9), font(m_colors.text, kBody, " font-weight=\"600\""),
                              shortenedText(group.name, lettersIn(m_plotWidth)));
        m_body += "\n";
        paintBars(group, y);
    }

    template<class Y>
    void paintBars(const StepChartGroup& group, const Y& y)
    {
        std::vector<const StepBar*> seen(m_columns, nullptr);
        for (const StepBar& bar : group.bars) {
            const StepBar*& at = seen[bar.slot * m_columns / m_data.slots.size()];
            if (at == nullptr || bar.wall_ns > at->wall_ns) at = &bar;
        }
        const double pitch = m_plotWidth / static_cast<double>(m_columns);
        const double width = std::min(pitch > px(6) ? pitch * 0.72 : pitch - 0.5, px(kWidestBar));
        for (size_t column = 0; column < m_columns; ++column) {
            if (seen[column] == nullptr) continue;
            const StepBar& bar = *seen[column];
            const double x = m_left + (static_cast<double>(column) + 0.5) * pitch - width / 2;
            double below = 0;
            for (size_t i = 0; i < m_data.parts.size(); ++i) {
                if (bar.parts_ns[i] <= 0) continue;
                m_body += svgRect(x, y(below + bar.parts_ns[i]), width, y(below) - y(below + bar.parts_ns[i]),
                                  fill(partColor(m_data.parts[i], m_style.isDark)), tooltip(bar, i));
                below += bar.parts_ns[i];
            }
            const std::string sum = durationText(Duration{std::llround(bar.wall_ns)}, 2);
            if (static_cast<double>(lettersOf(sum)) * px(kBody) * kLetter < pitch)
                m_body += svgText(x + width / 2, y(bar.wall_ns) - px(4),
                                  font(m_colors.text, kBody - 1, " text-anchor=\"middle\""), sum);
        }
        m_body += "\n";
    }

    std::string tooltip(const StepBar& bar, size_t part) const
    {
        const auto time = [](double ns) { return durationText(Duration{std::llround(ns)}); };
        return "step " + m_data.slots[bar.slot] + ", " + partLabel(m_data.parts[part]) + ": " +
               time(bar.parts_ns[part]) + " of " + time(bar.wall_ns);
    }

    void paintSteps()
    {
        const double bottom = panelTop(m_shown.size() - 1) + m_panelHeight;
        const double pitch = m_plotWidth / static_cast<double>(m_columns);
        size_t longest = 1;
        for (const std::string& slot : m_data.slots)
            longest = std::max(longest, slot.size());
        const double label = px(kBody) * (static_cast<double>(longest) * kLetter + 1);
        const size_t every = std::max<size_t>(1, static_cast<size_t>(std::ceil(label / pitch)));
        for (size_t column = 0; column < m_columns; column += every) {
            const size_t slot = (column * m_data.slots.size() + m_columns - 1) / m_columns;
            m_body += svgText(m_left + (static_cast<double>(column) + 0.5) * pitch, bottom + px(16),
                              font(m_colors.muted, kBody - 1, " text-anchor=\"middle\""), m_data.slots[slot]);
        }
        m_body += svgText(m_left + m_plotWidth / 2, bottom + px(33),
                          font(m_colors.muted, kBody - 1, " text-anchor=\"middle\""), "step") +
                  "\n";
    }

    void paintNotes()
    {
        double y = m_height - px(kMargin) / 2 - px(kLine) * static_cast<double>(m_lines.size());
        for (const std::string& line : m_lines) {
            const bool isFlaw = line.starts_with("Note: ");
            m_body += svgText(px(kMargin), y += px(kLine),
                              font(isFlaw ? m_colors.text : m_colors.muted, kBody - 1), line);
        }
    }

    const StepChartData& m_data;
    const StepChartStyle& m_style;
    const StepChartColors& m_colors;
    double m_width, m_height, m_scale;
    double m_left = 0, m_plotWidth = 0, m_panelTop = 0, m_panelHeight = 0, m_pitch = 0;
    size_t m_columns = 1;        // number of step columns
    std::vector<size_t> m_shown; // number of groups shown
    std::vector<std::string> m_notes, m_lines;
    std::string m_body;
};

} // namespace

std::string stepChartSvg(std::span<const StepRow> steps, GroupBy by, const StepChartStyle& style)
{
    const StepChartData data = stepChartData(steps, by);
    return data.groups.empty() ? std::string() : StepChartPainter(data, style).paint();
}

} // namespace lockstep
