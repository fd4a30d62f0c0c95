// SPDX-License-Identifier: Apache-2.0
#include "core/export/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "core/analysis/table_header.h"
#include "core/base/text.h"
#include "core/export/svg_chart.h"
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
    const double pitch = std::min(kThickestBar, kBarsWidth / static_cast<double>(bars.size()));
    const double thick = pitch > 3 ? pitch - 2 : pitch;
    const std::string width = svgNumber(kBarsWidth), height = svgNumber(kBarsHeight + kBarsFoot);
    std::string out = "<svg class=\"chart\" role=\"img\" aria-label=\"" + escapedMarkup(finding.caption) +
                      "\" viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width + "\" height=\"" +
                      height + "\">";
    for (size_t i = 0; i < bars.size(); ++i) {
        const double tall = std::max(1.0, heightOf(bars[i].value));
        const std::string barClass =
            bars[i].isFlagged ? std::string(findingSeverityName(finding.severity)) : "rest";
        out += svgRect(static_cast<double>(i) * pitch, kBarsHeight - tall, thick, tall,
                       "class=\"bar " + barClass + "\"",
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

namespace {

constexpr size_t kChartRows = 24;
constexpr size_t kLongestCell = 160; // in characters; the tooltip has the complete text
constexpr size_t kShortCell = 30;    // number of characters that fit on one line

constexpr std::string_view kStyle = R"(
:root { --page:#fff; --panel:#f4f6f9; --line:#dde2ea; --text:#1b2330; --muted:#5d6b80; --accent:#2257d6; --bad:#c3352b;
  --warn:#9a6200; --c0:#4a76b8; --c1:#d08b2f; --c2:#8a93a3; --c3:#7a5fb5; --c4:#3b9a8f; --c5:#b0557e;
  --h0:#f3f5fa; --h1:#d7e0ee; --h2:#bbcae2; --h3:#9fb4d7; --h4:#839fcb; --h5:#6789bf; --h6:#4b74b4; --h7:#2f5ea8; }
@media screen and (prefers-color-scheme: dark) { :root { --page:#14171c; --panel:#1d2128; --line:#313845; --text:#e4e8ef;
  --muted:#98a4b8; --accent:#7aa5ff; --bad:#ff7a6e; --warn:#e0ab4a; --c0:#6d9bdf; --c1:#e0a850; --c2:#7b8596; --c3:#a48be0;
  --c4:#5cc0b4; --c5:#d680a6;
  --h0:#1a2029; --h1:#283546; --h2:#364963; --h3:#455e80; --h4:#53729e; --h5:#6187bb; --h6:#6f9bd8; --h7:#7db0f5; } }
* { box-sizing:border-box }
body { margin:0; background:var(--page); color:var(--text); font:14px/1.5 Inter,"Segoe UI",system-ui,sans-serif;
  font-variant-ligatures:none; font-feature-settings:"calt" 0,"liga" 0 }
main { padding:24px 32px 64px }
h1 { font-size:24px; margin:0 0 4px } h2 { font-size:17px; margin:40px 0 4px; padding-top:12px; border-top:1px solid var(--line) }
p { margin:4px 0 } .muted,.source { color:var(--muted) } .source { font-size:12px; margin:6px 0 }
nav { display:flex; flex-wrap:wrap; gap:4px 14px; margin:16px 0 0 } a { color:var(--accent); text-decoration:none }
.scroll { overflow:auto; max-height:85vh; border:1px solid var(--line); border-radius:6px; margin:8px 0 }
table { border-collapse:collapse; font-size:12.5px; width:100% }
th,td { padding:4px 10px; text-align:left; white-space:nowrap; border-bottom:1px solid var(--line); vertical-align:top }
th { background:var(--panel); font-weight:600; position:sticky; top:0 } tr:last-child td { border-bottom:0 }
td.n,th.n { text-align:right; font-variant-numeric:tabular-nums }
td.t { white-space:normal; min-width:28em; max-width:46em; overflow-wrap:anywhere }
td.high,.severity.high { color:var(--bad); font-weight:600 } td.medium,.severity.medium { color:var(--warn); font-weight:600 }
.finding { border:1px solid var(--line); border-left:4px solid var(--muted); border-radius:6px; padding:8px 16px 12px; margin:10px 0 }
.finding.high { border-left-color:var(--bad) } .finding.medium { border-left-color:var(--warn) }
h3 { font-size:15px; margin:0 0 4px } h4 { font-size:12px; margin:6px 0 2px } ol { margin:6px 0; padding-left:20px; font-size:12.5px }
.columns { display:grid; grid-template-columns:repeat(auto-fit,minmax(340px,1fr)); gap:4px 32px }
.bar.high { fill:var(--bad) } .bar.medium { fill:var(--warn) } .bar.low { fill:var(--muted) } .bar.rest { fill:var(--muted); opacity:.4 }
path.limit { stroke:var(--warn); stroke-dasharray:4 3 } .chart text.limit { fill:var(--warn) }
.chart { display:block; max-width:100%; height:auto; margin:10px 0 } .chart text { font-size:12px; fill:var(--text) }
.chart .label { text-anchor:end } .chart .figure { fill:var(--muted) }
.chart .tick { text-anchor:middle; fill:var(--muted) } .chart .axis { fill:var(--line) } .chart .band { opacity:.18 }
.chart .curve { fill:none; stroke-width:2 } .chart .absent { fill:var(--panel); stroke:var(--line); stroke-dasharray:2 3 }
.s0 { stroke:var(--c0) } .s1 { stroke:var(--c1) } .s2 { stroke:var(--c2) } .s3 { stroke:var(--c3) } .s4 { stroke:var(--c4) } .s5 { stroke:var(--c5) }
.h0 { fill:var(--h0) } .h1 { fill:var(--h1) } .h2 { fill:var(--h2) } .h3 { fill:var(--h3) } .h4 { fill:var(--h4) } .h5 { fill:var(--h5) } .h6 { fill:var(--h6) } .h7 { fill:var(--h7) }
.c0 { fill:var(--c0) } .c1 { fill:var(--c1) } .c2 { fill:var(--c2) } .c3 { fill:var(--c3) } .c4 { fill:var(--c4) } .c5 { fill:var(--c5) }
.picture img { width:100%; border:1px solid var(--line); border-radius:6px; display:block }
details { margin:6px 0 } summary { cursor:pointer; color:var(--muted); font-size:12px }
dl { display:grid; grid-template-columns:max-content 1fr; gap:2px 14px; font-size:12px; margin:6px 0 } dd { margin:0 }
dt { font-family:ui-monospace,monospace }
pre { font-size:11px; white-space:pre-wrap; overflow-wrap:anywhere; background:var(--panel); padding:10px; border-radius:6px }
@media print { main { padding:0 } .scroll { overflow:visible; max-height:none; border:0 } th { position:static }
  @page { size:A4 landscape; margin:12mm } table { font-size:8.5px } th,td { white-space:normal; padding:2px 3px }
  td.n { white-space:nowrap } td.t { min-width:12em; max-width:none }
  th { overflow-wrap:anywhere; min-width:2.5em }
  tr,.chart,.picture,.finding { break-inside:avoid } h2 { break-after:avoid } nav { display:none } body { background:#fff } }
)";

std::string base64(std::string_view bytes)
{
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve(bytes.size() / 3 * 4 + 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](size_t at) {
            return at < bytes.size() ? static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])) : 0u;
        };
        const uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        out += kLetters[three >> 18 & 63];
        out += kLetters[three >> 12 & 63];
        out += i + 1 < bytes.size() ? kLetters[three >> 6 & 63] : '=';
        out += i + 2 < bytes.size() ? kLetters[three & 63] : '=';
    }
    return out;
}

bool isNumber(const TableColumn& column)
{
    return column.type != ColumnType::text;
}

// Returns the columns that have at least one value.
std::vector<size_t> filledColumns(const Table& table)
{
    std::vector<size_t> columns;
    for (size_t i = 0; i < table.columnCount(); ++i) {
        for (size_t row = 0; row < table.rowCount(); ++row) {
            if (table.cell(i, row).empty()) continue;
            columns.push_back(i);
            break;
        }
    }
    return columns;
}

std::string fileName(const std::string& path)
{
    const size_t slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
}

// Returns true if the paths in a column can be identified by file name.
bool isByFileName(const Table& table, size_t column)
{
    if (table.column(column).meaning != ColumnMeaning::report) return false;
    std::set<std::string> paths, names;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string path = table.cell(column, row);
        if (paths.insert(path).second && !names.insert(fileName(path)).second) return false;
    }
    return true;
}

// How a column is displayed.
struct ShownColumn {
    size_t column = 0;
    bool byFileName = false;
    std::string_view kind = {}; // n: numbers, s: short strings on one line, t: long text
};

// Returns the string that a cell displays; the tooltip has the complete text.
std::string shownText(const Table& table, const ShownColumn& shown, const std::string& text)
{
    if (isNumber(table.column(shown.column))) return text;
    return shortenedText(shown.byFileName ? fileName(text) : text, kLongestCell);
}

std::string cellHtml(const Table& table, const ShownColumn& shown, size_t row)
{
    const TableColumn& column = table.column(shown.column);
    const std::string cell = shownCell(table, shown.column, row);
    const std::string text = shownText(table, shown, cell);
    const std::string exact =
        column.type == ColumnType::time ? table.cell(shown.column, row) + " " + column.unit : cell;
    const std::string_view word =
        column.meaning == ColumnMeaning::severity ? std::string_view(cell) : shown.kind;
    return "<td class=\"" + escapedMarkup(word) + "\"" +
           (exact != text && !cell.empty() ? " title=\"" + escapedMarkup(exact) + "\"" : "") + ">" +
           escapedMarkup(text) + "</td>";
}

ShownColumn shownColumn(const Table& table, size_t column, size_t rows)
{
    ShownColumn shown{column, isByFileName(table, column), "n"};
    if (isNumber(table.column(column))) return shown;
    shown.kind = "s";
    for (size_t row = 0; row < rows; ++row) {
        if (shownText(table, shown, shownCell(table, column, row)).size() > kShortCell) shown.kind = "t";
    }
    return shown;
}

// Returns a line with the columns that are not shown because they are empty.
std::string emptyColumnsHtml(const Table& table, const std::vector<size_t>& filled)
{
    const size_t empty = table.columnCount() - filled.size();
    if (empty == 0) return {};
    std::string names;
    for (size_t column = 0; column < table.columnCount(); ++column) {
        if (!std::ranges::binary_search(filled, column))
            names += (names.empty() ? "" : ", ") + table.column(column).name;
    }
    return "<p class=\"muted\">" + std::to_string(empty) + " of " + std::to_string(table.columnCount()) +
           (empty == 1 ? " columns has no values and is" : " columns have no values and are") +
           " not shown: " + escapedMarkup(names) + "</p>\n";
}

std::string moreRowsHtml(const Table& table, const std::string& shown)
{
    return "<p class=\"muted\">" + shown + " To get all rows, run <code>lockstep --export " +
           escapedMarkup(table.name()) + "</code>.</p>\n";
}

std::string tableHtml(const Table& table, size_t mostRows)
{
    const size_t rows = mostRows == 0 ? table.rowCount() : std::min(mostRows, table.rowCount());
    const std::vector<size_t> filled = filledColumns(table);
    std::vector<ShownColumn> columns;
    for (const size_t column : filled)
        columns.push_back(shownColumn(table, column, rows));
    std::string out = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                      escapedMarkup(table.title()) + "\"><table><thead><tr>";
    for (const ShownColumn& shown : columns) {
        const TableColumn& column = table.column(shown.column);
        out += "<th class=\"" + std::string(shown.kind) + "\" title=\"" + escapedMarkup(column.doc) + "\">" +
               escapedMarkup(column.name) + "</th>";
    }
    out += "</tr></thead><tbody>\n";
    for (size_t row = 0; row < rows; ++row) {
        out += "<tr>";
        for (const ShownColumn& shown : columns)
            out += cellHtml(table, shown, row);
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (rows < table.rowCount())
        out += moreRowsHtml(table, "First " + std::to_string(rows) + " of " +
                                       std::to_string(table.rowCount()) + " rows.");
    return out + emptyColumnsHtml(table, filled);
}

// Reduces a critical path to its longest rows. Returns a line about the other rows, "" if all rows remain.
std::string keepLongestRows(Table& path, size_t most)
{
    const size_t all = path.rowCount();
    const std::optional<TableChart> chart = chartOfTable(path); // its values are the times of the rows
    if (!chart || most == 0 || all <= most) return {};
    const size_t time = chart->values.front();
    const std::vector<uint32_t> order = sortedRows(path, time, true);
    int64_t total_ns = 0, others_ns = 0;
    for (size_t i = 0; i < all; ++i) {
        if (!path.hasNumber(time, order[i])) continue;
        total_ns += path.number(time, order[i]);
        if (i >= most) others_ns += path.number(time, order[i]);
    }
    path.reorder(std::span(order).first(most));
    const double share = total_ns > 0 ? 100 * double(others_ns) / double(total_ns) : 0;
    const size_t others = all - most;
    return moreRowsHtml(
        path, "The " + std::to_string(most) + " longest of " + std::to_string(all) + " rows. The other " +
                  (others == 1 ? "row takes " : std::to_string(others) + " rows take ") +
                  durationText({others_ns}) + ", " + svgNumber(share) + " % of the critical path.");
}

// Returns the source of a table and the meaning of its columns.
std::string sourceHtml(const Table& table)
{
    std::string out = "<p class=\"source\">From: " + escapedMarkup(table.source.rows) + ".";
    for (const std::string& filter : table.source.filters)
        out += " Filter: " + escapedMarkup(filter) + ".";
    out += "</p>\n<details><summary>Definitions</summary>";
    for (const std::string& rule : table.source.rules)
        out += "<p class=\"source\">" + escapedMarkup(rule) + "</p>";
    out += "<dl>";
    for (size_t i = 0; i < table.columnCount(); ++i) {
        out += "<dt>" + escapedMarkup(fileHeader(table, i)) + "</dt><dd>" +
               escapedMarkup(table.column(i).doc) + "</dd>";
    }
    return out + "</dl></details>\n";
}

std::string chartHtml(const Table& table)
{
    const std::optional<TableChart> chart = chartOfTable(table);
    return chart ? chartSvg(table, *chart, kChartRows) : std::string();
}

std::string pictureHtml(const HtmlReport& report)
{
    if (report.timeline.empty())
        return "<p class=\"muted\">No timeline picture: " + escapedMarkup(report.timelineFailure) + "</p>\n";
    const auto uri = [](const HtmlPicture& picture) {
        return "data:" + picture.mimeType + ";base64," + base64(picture.bytes);
    };
    std::string out = "<picture class=\"picture\">";
    if (report.timeline.size() > 1)
        out += "<source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"" +
               uri(report.timeline[1]) + "\">";
    return out + "<img alt=\"Timeline of all reports on one axis\" src=\"" + uri(report.timeline[0]) +
           "\"></picture>\n";
}

std::string headHtml(const HtmlReport& report)
{
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        escapedMarkup(report.title) + " \u2014 Lockstep</title><link rel=\"icon\" href=\"data:,\"><style>" +
        std::string(kStyle) + "</style></head>\n<body><main>\n<h1>" + escapedMarkup(report.title) + "</h1>\n";
    for (const std::string& fact : report.facts)
        out += "<p class=\"muted\">" + escapedMarkup(fact) + "</p>\n";
    out += "<nav><a href=\"#findings\">Findings</a><a href=\"#timeline\">Timeline</a>";
    for (const Table& table : report.tables) {
        if (table.rowCount() > 0)
            out +=
                "<a href=\"#" + escapedMarkup(table.name()) + "\">" + escapedMarkup(table.title()) + "</a>";
    }
    return out + "<a href=\"#provenance\">Provenance</a></nav>\n";
}

// Lists missing tables with the reason, because an empty section must not appear to be a good result.
std::string absentHtml(const HtmlReport& report)
{
    std::string out;
    for (const Table& table : report.tables) {
        if (table.rowCount() == 0)
            out += "<dt>" + escapedMarkup(table.name()) +
                   "</dt><dd>no rows: " + escapedMarkup(table.title()) + "</dd>";
    }
    for (const auto& [name, why] : report.failures)
        out += "<dt>" + escapedMarkup(name) + "</dt><dd>" + escapedMarkup(why) + "</dd>";
    return out.empty() ? "" : "<h2 id=\"absent\">Not in this report</h2><dl>" + out + "</dl>\n";
}

} // namespace

const std::vector<std::string>& htmlReportTables()
{
    static const std::vector<std::string> kTables{"bottlenecks",
                                                  "inventory",
                                                  "alignment",
                                                  "step_breakdown",
                                                  "step_statistics",
                                                  "step_statistics:series",
                                                  "role_breakdown",
                                                  "critical_path",
                                                  "async_balance",
                                                  "rollout_tail",
                                                  "serving",
                                                  "temporal_breakdown",
                                                  "kernel_breakdown",
                                                  "stragglers",
                                                  "comm_comp_overlap",
                                                  "collectives",
                                                  "idle_breakdown",
                                                  "network_sum",
                                                  "cuda_gpu_time_util_map",
                                                  "cuda_gpu_kern_sum",
                                                  "cuda_gpu_kern_hist",
                                                  "cuda_gpu_mem_time_sum",
                                                  "cuda_gpu_mem_size_sum",
                                                  "nvtx_sum",
                                                  "launch_stats",
                                                  "queue_length",
                                                  "memory_bandwidth",
                                                  "operator_stats",
                                                  "memory_summary",
                                                  "gpu_gaps"};
    return kTables;
}

std::string htmlReport(HtmlReport report)
{
    std::string out = headHtml(report) + findingsHtml(report.findings);
    out += "<section><h2 id=\"timeline\">Timeline</h2>\n" + pictureHtml(report) + "</section>\n";
    for (Table& table : report.tables) {
        if (table.rowCount() == 0) continue;
        const bool isPath = table.name() == "critical_path";
        const std::string others = isPath ? keepLongestRows(table, report.mostPathRows) : std::string();
        out += "<section><h2 id=\"" + escapedMarkup(table.name()) + "\">" + escapedMarkup(table.title()) +
               "</h2>\n" + chartHtml(table) + tableHtml(table, isPath ? 0 : report.mostRows) + others +
               sourceHtml(table) + "</section>\n";
    }
    out += absentHtml(report);
    out += "<h2 id=\"provenance\">Provenance</h2>\n<p class=\"source\">Program, inputs with their digests, "
           "clock alignment, and the source of each table.</p><details><summary>As JSON</summary><pre>" +
           escapedMarkup(report.provenanceJson) + "</pre></details>\n</main></body></html>\n";
    return out;
}

} // namespace lockstep
