// SPDX-License-Identifier: Apache-2.0
#include "core/export/html_findings.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/export/svg_marks.h"

namespace lockstep {

namespace {

constexpr double kBarsWidth = 480, kBarsHeight = 96, kBarsFoot = 22; // pixels
constexpr double kThickestBar = 24;                                  // pixels, with the gap to the next bar
constexpr size_t kMaxBars = 240;

std::string countOf(size_t count, const char* noun)
{
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string joinedNames(const std::vector<std::string>& names)
{
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::string costOf(const RunFindings& findings, int64_t cost_ns)
{
    return durationText({findings.costAStep_ns(cost_ns)}) + (findings.steps > 0 ? "/step" : "");
}

// Returns the bars that are drawn. Of neighbors that share a bar, this is the first flagged one, otherwise
// the largest.
std::vector<FindingBar> drawnBars(const std::vector<FindingBar>& bars)
{
    if (bars.size() <= kMaxBars) return bars;
    std::vector<FindingBar> drawn;
    for (size_t i = 0; i < kMaxBars; ++i) {
        const auto from = bars.begin() + static_cast<std::ptrdiff_t>(bars.size() * i / kMaxBars);
        const auto to = bars.begin() + static_cast<std::ptrdiff_t>(bars.size() * (i + 1) / kMaxBars);
        const auto flagged = std::find_if(from, to, [](const FindingBar& bar) { return bar.isFlagged; });
        drawn.push_back(flagged != to ? *flagged
                                      : *std::ranges::max_element(from, to, {}, &FindingBar::value));
    }
    return drawn;
}

std::string valueWithUnit(const RunFinding& finding, double value)
{
    return svgNumber(value) + (finding.unit.empty() ? "" : " " + finding.unit);
}

// Draws the measured values side by side. Flagged bars have the color of the severity.
std::string findingChart(const RunFinding& finding)
{
    if (finding.bars.empty()) return {};
    const std::vector<FindingBar> bars = drawnBars(finding.bars);
    double largest = finding.threshold.value_or(0);
    for (const FindingBar& bar : bars)
        largest = std::max(largest, bar.value);
    const auto heightOf = [&](double value) {
        return largest > 0 ? (kBarsHeight - 1) * std::clamp(value / largest, 0.0, 1.0) : 0;
    };
    const double apart = std::min(kThickestBar, kBarsWidth / static_cast<double>(bars.size()));
    const double thick = apart > 3 ? apart - 2 : apart;
    const std::string width = svgNumber(kBarsWidth), height = svgNumber(kBarsHeight + kBarsFoot);
    std::string out = "<svg class=\"chart\" role=\"img\" aria-label=\"" + escapedMarkup(finding.caption) +
                      "\" viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width + "\" height=\"" +
                      height + "\">";
    for (size_t i = 0; i < bars.size(); ++i) {
        const double tall = std::max(1.0, heightOf(bars[i].value));
        const std::string look =
            bars[i].isFlagged ? std::string(findingSeverityName(finding.severity)) : "rest";
        out += svgRect(static_cast<double>(i) * apart, kBarsHeight - tall, thick, tall,
                       "class=\"bar " + look + "\"",
                       bars[i].label + ": " + valueWithUnit(finding, bars[i].value));
    }
    out += svgRect(0, kBarsHeight - 1, kBarsWidth, 1, "class=\"axis\"");
    const std::string first = finding.bars.front().label, last = finding.bars.back().label;
    const double foot = kBarsHeight + kBarsFoot - 6;
    out += svgText(0, foot, "class=\"figure\"", bars.size() > 1 ? first + " to " + last : first);
    if (finding.threshold) {
        const std::string y = svgNumber(kBarsHeight - heightOf(*finding.threshold));
        out += "<path class=\"limit\" d=\"M0 " + y + "H" + width + "\"/>" +
               svgText(kBarsWidth, foot, "class=\"limit label\"",
                       "threshold " + valueWithUnit(finding, *finding.threshold));
    }
    return out + "</svg>";
}

std::string captionOf(const RunFinding& finding)
{
    std::string caption = finding.caption + ", " + countOf(finding.bars.size(), "report");
    if (finding.bars.size() > kMaxBars)
        caption += " on " + std::to_string(kMaxBars) +
                   " bars: of neighbors that share a bar, the one that causes the finding is drawn";
    return caption;
}

std::string findingHtml(const RunFindings& findings, size_t which)
{
    const RunFinding& finding = findings.found[which];
    const std::string severity(findingSeverityName(finding.severity));
    std::string out = "<article class=\"finding " + severity +
                      "\">\n<p class=\"muted\"><span class=\"severity " + severity + "\">" + severity +
                      "</span>, finding " + std::to_string(which + 1) + " of " +
                      std::to_string(findings.found.size()) + ", " + costOf(findings, finding.cost_ns) +
                      "</p>\n<h3>" + escapedMarkup(finding.sentence) +
                      "</h3>\n<div class=\"columns\"><div><h4>" + escapedMarkup(captionOf(finding)) +
                      "</h4>" + findingChart(finding) + "</div>\n<div><h4>Evidence</h4><dl>";
    for (const auto& [heading, reason] : finding.reasons)
        out += "<dt>" + escapedMarkup(heading) + "</dt><dd>" + escapedMarkup(reason) + "</dd>";
    out += "</dl></div>\n<div><h4>What to do</h4><ol>";
    for (const std::string& advice : finding.advice)
        out += "<li>" + escapedMarkup(advice) + "</li>";
    return out + "</ol></div></div></article>\n";
}

// Returns the total cost, in the wording of the panel's footer.
std::string sumOf(const RunFindings& findings)
{
    const size_t all = findings.found.size(), untimed = findings.untimedFindings;
    std::string text = countOf(all, "finding") + "; ";
    if (untimed == all) return text + "no total cost: no finding has a time range";
    text += "estimated cost " + costOf(findings, findings.lost_ns) + ", overlaps counted once";
    if (findings.steps == 0) text += "; costs are for the whole range because no steps are known";
    if (untimed > 0) text += "; not included: " + countOf(untimed, "finding") + " without a time range";
    return text;
}

} // namespace

std::string findingsHtml(const RunFindings& findings)
{
    std::string out = "<section><h2 id=\"findings\">Findings, worst first</h2>\n<p>";
    out += findings.found.empty() ? "No findings in " + countOf(findings.reports, "report") : sumOf(findings);
    out += "</p>\n";
    for (size_t i = 0; i < findings.found.size(); ++i)
        out += findingHtml(findings, i);
    if (!findings.ran.empty())
        out += "<p class=\"source\">Rules checked: " + escapedMarkup(joinedNames(findings.ran)) + "</p>\n";
    return out + "</section>\n";
}

} // namespace lockstep
