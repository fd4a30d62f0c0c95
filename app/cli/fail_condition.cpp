// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fail_condition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/cli/column_condition.h"
#include "core/analysis/comparison.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep {

namespace {

struct Measure {
    std::string_view name;
    bool isTime;
    // The analysis whose column is summed; empty = the number is counted from the inputs.
    std::string_view analysis;
    std::string_view column;
};

constexpr std::array<Measure, 11> kMeasures{{
    {"kernel_total", true, "cuda_gpu_kern_sum", "Total Time"},
    {"kernel_count", false, "cuda_gpu_kern_sum", "Instances"},
    {"api_total", true, "cuda_api_sum", "Total Time"},
    {"api_count", false, "cuda_api_sum", "Num Calls"},
    {"memory_total", true, "cuda_gpu_mem_time_sum", "Total Time"},
    {"memory_count", false, "cuda_gpu_mem_time_sum", "Count"},
    {"osrt_total", true, "osrt_sum", "Total Time"},
    {"links", false, "inventory", "links"},
    {"data_loss", false, "inventory", "data_loss"},
    {"failed_inputs", false, "", ""},
    {"unplaced_reports", false, "", ""},
}};

struct Sign {
    std::string_view text;
    Comparison comparison;
};

// Longer operators come first, because the shorter ones are prefixes of them.
constexpr std::array<Sign, 6> kSigns{{{"<=", Comparison::lessOrEqual},
                                      {">=", Comparison::greaterOrEqual},
                                      {"==", Comparison::equal},
                                      {"!=", Comparison::notEqual},
                                      {"<", Comparison::less},
                                      {">", Comparison::greater}}};

tl::unexpected<Error> malformed(std::string_view text, const std::string& why)
{
    return makeError(ErrorKind::invalid, "--fail-on '" + std::string(text) + "': " + why);
}

// Returns the offset of the comparison operator: the last one, because arguments of a table also contain '='.
size_t signAt(std::string_view text)
{
    constexpr std::string_view kSignLetters = "<>=!";
    size_t at = text.find_last_of(kSignLetters);
    if (at != text.npos && at > 0 && kSignLetters.find(text[at - 1]) != text.npos) --at;
    return at;
}

// Recognizes TABLE or TABLE.COLUMN. The existence of the column is checked after the table is made.
bool takeTable(FailCondition& condition)
{
    if (resolveAnalysis(condition.name)) {
        condition.table = condition.name;
        return true;
    }
    const size_t dot = condition.name.rfind('.');
    if (dot == condition.name.npos || dot + 1 == condition.name.size()) return false;
    if (!resolveAnalysis(condition.name.substr(0, dot))) return false;
    condition.table = condition.name.substr(0, dot);
    condition.column = condition.name.substr(dot + 1);
    return true;
}

Status takeLimit(FailCondition& condition, std::string_view number, bool isTime)
{
    if (number.ends_with('%')) {
        std::string_view percent = trimmed(number.substr(0, number.size() - 1));
        if (percent.starts_with('+')) percent.remove_prefix(1);
        const auto change = parseDouble(percent);
        if (!change || !std::isfinite(*change))
            return malformed(condition.text,
                             "'" + std::string(number) + "' is not a change in percent; use for example +5%");
        condition.isChange = true;
        condition.changeLimit = *change;
        return {};
    }
    const bool isColumn = !condition.column.empty();
    if (isColumn) condition.limitText = number;
    const bool isNumber = isColumn ? parseDouble(number) || parseDuration(number)
                          : isTime ? parseDuration(number).has_value()
                                   : parseInt(number).has_value();
    if (!isNumber) return malformed(condition.text, "'" + std::string(number) + "' is not a valid number");
    if (!isColumn) condition.limit = *(isTime ? parseDuration(number) : parseInt(number));
    return {};
}

// Returns the number to check for a run: a measure, or the number of rows of a table.
Result<int64_t> measured(const FailCondition& condition, const AnalysisRequest& request,
                         const Progress& progress)
{
    if (condition.name == "failed_inputs") {
        return std::ranges::count_if(request.inputs,
                                     [](const InputFile& input) { return input.error.has_value(); });
    }
    if (condition.name == "unplaced_reports") {
        return std::ranges::count_if(request.workspace.keys(),
                                     [&](ReportKey key) { return !request.alignment.map(key).isPlaced(); });
    }
    if (!condition.table.empty()) {
        const Table table = LOCKSTEP_TRY(
            runAnalysis(condition.table, request.scene, request.scope, progress, request.inputs));
        return static_cast<int64_t>(table.rowCount());
    }
    const auto measure = std::ranges::find(kMeasures, condition.name, &Measure::name);
    Scope scope = request.scope;
    scope.by = GroupBy::total;
    const Table table = LOCKSTEP_TRY(runAnalysis(measure->analysis, request.scene, scope, progress));
    const size_t column = table.columnNamed(measure->column);
    int64_t sum = 0;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (table.hasNumber(column, row)) sum += table.number(column, row);
    }
    return sum;
}

CheckedCondition checkedNumber(const FailCondition& condition, int64_t now,
                               const std::optional<int64_t>& before)
{
    const std::string is = condition.name + " is " + std::to_string(now);
    if (!condition.isChange)
        return {compares(condition.comparison, static_cast<long double>(now),
                         static_cast<long double>(condition.limit)),
                is};
    const auto a = static_cast<double>(now), b = static_cast<double>(before.value_or(0));
    return {compares(condition.comparison, changeOf(b, a), condition.changeLimit),
            is + ", " + std::to_string(before.value_or(0)) + " before: " + changeText(b, a)};
}

} // namespace

Result<FailCondition> parseFailCondition(std::string_view text)
{
    const size_t at = signAt(text);
    if (at == text.npos) return malformed(text, "no comparison; use for example kernel_total>1s");
    const auto sign =
        std::ranges::find_if(kSigns, [&](const Sign& s) { return text.substr(at).starts_with(s.text); });
    if (sign == kSigns.end()) return malformed(text, "unknown comparison; use < <= == != >= or >");
    FailCondition condition;
    condition.text = text;
    condition.name = trimmed(text.substr(0, at));
    condition.comparison = sign->comparison;
    const auto measure = std::ranges::find(kMeasures, condition.name, &Measure::name);
    if (measure == kMeasures.end() && !takeTable(condition)) {
        std::string names;
        for (const Measure& each : kMeasures)
            names += (names.empty() ? "" : ", ") + std::string(each.name);
        return malformed(text, "unknown name '" + condition.name + "'; use " + names +
                                   ", or TABLE or TABLE.COLUMN for a table of --export");
    }
    LOCKSTEP_TRY(takeLimit(condition, trimmed(text.substr(at + sign->text.size())),
                           measure != kMeasures.end() && measure->isTime));
    return condition;
}

std::vector<std::string_view> failConditionNames()
{
    std::vector<std::string_view> names;
    for (const Measure& each : kMeasures)
        names.push_back(each.name);
    return names;
}

Result<CheckedCondition> checkCondition(const FailCondition& condition, const AnalysisRequest& request,
                                        const AnalysisRequest* before, const Progress& progress)
{
    if (!condition.column.empty()) {
        const auto tableOf = [&](const AnalysisRequest& of) {
            return runAnalysis(condition.table, of.scene, of.scope, progress, of.inputs);
        };
        const Table now = LOCKSTEP_TRY(tableOf(request));
        if (!condition.isChange) return checkColumn(condition, now, nullptr);
        const Table earlier = LOCKSTEP_TRY(tableOf(*before));
        return checkColumn(condition, now, &earlier);
    }
    const int64_t now = LOCKSTEP_TRY(measured(condition, request, progress));
    if (!condition.isChange) return checkedNumber(condition, now, std::nullopt);
    return checkedNumber(condition, now, LOCKSTEP_TRY(measured(condition, *before, progress)));
}

} // namespace lockstep
