// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/cell_source.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/analysis.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

std::optional<size_t> columnOfReport(const Table& table)
{
    for (size_t i = 0; i < table.columnCount(); ++i)
        if (table.column(i).meaning == ColumnMeaning::report) return i;
    return std::nullopt;
}

std::vector<ReportKey> inputsOf(const Table& table, size_t row, const Scene& scene, const Scope& scope)
{
    std::vector<ReportKey> inScope, own;
    const std::optional<size_t> column = columnOfReport(table);
    for (const ReportKey key : scene.shown.keys()) {
        if (!isInScope(scope, scene.shown.identity(key))) continue;
        inScope.push_back(key);
        if (column && table.text(*column, row) == scene.shown.report(key).provenance.path.string())
            own.push_back(key);
    }
    return own.empty() ? inScope : own;
}

// Returns the strings in a row, and the values that identify the row's owner.
std::string rowWords(const Table& table, size_t row)
{
    std::string words;
    for (size_t i = 0; i < table.columnCount(); ++i) {
        const TableColumn& column = table.column(i);
        const bool isOwner = column.name == "rank" || column.name == "Rank" || column.name == "step" ||
                             column.name == "Step" || column.name == "stream";
        const bool isName = column.type == ColumnType::text && column.meaning != ColumnMeaning::report &&
                            !column.name.ends_with("_from") && column.name != "fix" &&
                            column.name != "evidence";
        const std::string cell = isOwner || isName ? table.cell(i, row) : std::string();
        if (cell.empty()) continue;
        words += (words.empty() ? "" : ", ") + (isOwner ? column.name + " " : std::string()) + cell;
    }
    return words;
}

std::string valueOf(const Table& table, size_t column, size_t row)
{
    const std::string cell = table.cell(column, row);
    if (cell.empty()) return "no value";
    const std::string& unit = table.column(column).unit;
    return cell + (unit.empty() ? "" : " " + unit);
}

std::string alignmentOf(const std::vector<ReportKey>& inputs, const Scene& scene)
{
    std::map<std::string_view, size_t> methods;
    for (const ReportKey key : inputs)
        ++methods[alignMethodName(scene.alignment.map(key).method)];
    std::string text;
    for (const auto& [method, count] : methods) {
        text += (text.empty() ? "" : ", ") + std::string(method);
        if (inputs.size() > 1) text += " (" + std::to_string(count) + ")";
    }
    if (inputs.size() == 1) text += ": " + scene.alignment.map(inputs[0]).reason;
    return text;
}

// Returns "error at most ±4.1 µs" for the report with the largest error, and lists reports without an error
// bound.
std::string boundOf(const std::vector<ReportKey>& inputs, const Scene& scene)
{
    int64_t worst_ns = 0;
    size_t without = 0;
    for (const ReportKey key : inputs) {
        const ClockMap& map = scene.alignment.map(key);
        without += !map.bound_ns;
        worst_ns = std::max(worst_ns, map.bound_ns.value_or(0));
    }
    if (without == inputs.size()) return "no error bound can be given";
    const std::string most = "error at most \u00B1" + durationText({worst_ns});
    if (without == 0) return most;
    return most + ", but no error bound can be given for " + std::to_string(without) + " of " +
           std::to_string(inputs.size()) + " reports";
}

// Returns whether a table contains only sums and single rows. Such numbers never depend on the clocks of two
// reports.
bool isOfOneClock(const Analysis& analysis)
{
    for (const AnalysisGroup& group : analysisGroups()) {
        if (group.title != "nsys stats" && group.title != "nsys rules" && group.title != "Memory") continue;
        if (std::ranges::find(group.analyses, analysis.name, &Analysis::name) != group.analyses.end())
            return true;
    }
    return false;
}

std::string clocksOf(const Table& table, size_t column, const Scope& scope,
                     const std::vector<ReportKey>& inputs, const Scene& scene)
{
    const Analysis* const analysis = findAnalysis(table.name());
    const ColumnMeaning meaning = table.column(column).meaning;
    if (meaning == ColumnMeaning::alignedTime) return "aligned time: " + boundOf(inputs, scene);
    if (meaning == ColumnMeaning::alignedDuration)
        return "depends on aligned times: " + boundOf(inputs, scene);
    const std::string rangeText =
        scope.time ? "the ends of the time range are aligned times: " + boundOf(inputs, scene) + "; " : "";
    if (table.headerStyle == HeaderStyle::query)
        return "start and end times in the query are aligned times: " + boundOf(inputs, scene) +
               "; durations in the tables use the clock of their own report";
    if (inputs.size() <= 1)
        return rangeText + "all other values use the report's own clock, without alignment";
    if (analysis != nullptr && isOfOneClock(*analysis))
        return rangeText + "each duration uses the clock of its own report, without alignment";
    return rangeText +
           "durations use the clock of their own report; comparisons between reports use "
           "aligned times: " +
           boundOf(inputs, scene);
}

} // namespace

CellSource cellSourceOf(const Table& table, size_t column, size_t row, const Scene& scene, const Scope& scope)
{
    CellSource source;
    source.value = valueOf(table, column, row);
    const std::string words = rowWords(table, row);
    source.of = table.column(column).name + (words.empty() ? "" : ", " + words);
    source.definition = table.column(column).doc;
    if (source.definition.empty()) source.definition = "this column has no definition";
    source.inputs = inputsOf(table, row, scene, scope);
    source.rows = table.source.rows + ", from " + std::to_string(source.inputs.size()) +
                  (source.inputs.size() == 1 ? " report" : " reports");
    source.rules = table.source.rules;
    for (const std::string& filter : table.source.filters)
        source.filter += (source.filter.empty() ? "" : "; ") + filter;
    if (source.filter.empty()) source.filter = "none: all visible reports";
    source.alignment = alignmentOf(source.inputs, scene);
    source.bound = clocksOf(table, column, scope, source.inputs, scene);
    return source;
}

namespace {

// Tables that are equal to a single grouping of one SQL table.
struct SqlForm {
    std::string_view what;
    std::string_view name; // expression for the table's Name, Operation or Range
    std::string_view from;
};

constexpr std::array kSqlForms{
    SqlForm{"cuda_gpu_kern_sum", "name", "kernel"},
    SqlForm{"cuda_gpu_kern_sum:base", "coalesce(short_name, name)", "kernel"},
    // As in nsys, names have no version suffix, and calls that were recorded a second time with a backtrace
    // are listed separately.
    SqlForm{
        "cuda_api_sum",
        "CASE WHEN kind = 'span' THEN name || ' [backtrace]' WHEN name GLOB '?*_v[0-9][0-9][0-9][0-9]' THEN "
        "substr(name, 1, length(name) - 6) ELSE name END",
        "slice\nWHERE kind IN ('runtime_api', 'driver_api') OR kind = 'span' AND source_table = "
        "'CUPTI_ACTIVITY_KIND_RUNTIME'"},
    SqlForm{"cuda_gpu_mem_time_sum", "copy_kind", "memcpy"},
    SqlForm{"cuda_gpu_mem_size_sum", "copy_kind", "memcpy"},
    SqlForm{"osrt_sum", "name", "slice\nWHERE kind = 'os_runtime'"},
    SqlForm{"nvtx_pushpop_sum", "coalesce(domain, '') || ':' || name", "range\nWHERE kind = 'nvtx_pushpop'"},
};

} // namespace

std::optional<std::string> sqlFormOf(std::string_view what, const Scope& scope)
{
    constexpr std::array kGroups{GroupBy::total, GroupBy::rank, GroupBy::role, GroupBy::step, GroupBy::host};
    const bool isGrouped = scope.by != GroupBy::total;
    const auto form = std::ranges::find(kSqlForms, what, &SqlForm::what);
    if (!scope.description().empty() || form == kSqlForms.end() ||
        std::ranges::find(kGroups, scope.by) == kGroups.end())
        return std::nullopt;
    const std::string group = isGrouped ? std::string(groupByName(scope.by)) + ", " : "";
    const bool isBytes = what == "cuda_gpu_mem_size_sum";
    const std::string value = isBytes ? "bytes" : "duration_ns", end = isBytes ? "bytes" : "ns";
    std::string query = "SELECT " + group + std::string(form->name) +
                        (form->name == "name" ? "" : " AS name") + ", count(*) AS n";
    for (const char* const sum : {"total", "min", "max"})
        query += std::string(", ") + (std::string_view(sum) == "total" ? "sum" : sum) + "(" + value +
                 ") AS " + sum + "_" + end;
    return query + "\nFROM " + std::string(form->from) + "\nGROUP BY " + group +
           (form->name == "name" ? "name" : std::string(form->name)) + "\nORDER BY " + group + "total_" +
           end + " DESC";
}

} // namespace lockstep
