// SPDX-License-Identifier: Apache-2.0
#include "app/fail_condition.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep {

namespace {

struct Measure {
    std::string_view name;
    bool isTime;
    std::string_view analysis; // whose column is summed; empty = counted from the inputs
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

// Longer signs first.
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

} // namespace

Result<FailCondition> parseFailCondition(std::string_view text)
{
    const size_t at = text.find_first_of("<>=!");
    if (at == text.npos) return malformed(text, "no comparison; write for example kernel_total>1s");
    const auto sign =
        std::ranges::find_if(kSigns, [&](const Sign& s) { return text.substr(at).starts_with(s.text); });
    if (sign == kSigns.end()) return malformed(text, "comparisons are < <= == != >= >");
    FailCondition condition{std::string(text), std::string(trimmed(text.substr(0, at))), sign->comparison, 0};
    const auto known = std::ranges::find(kMeasures, condition.name, &Measure::name);
    if (known == kMeasures.end()) {
        std::string names;
        for (const Measure& measure : kMeasures)
            names += (names.empty() ? "" : ", ") + std::string(measure.name);
        return malformed(text, "no number named '" + condition.name + "'; there are " + names);
    }
    const std::string_view number = trimmed(text.substr(at + sign->text.size()));
    if (number.ends_with('%'))
        return malformed(text, "changes in percent need --baseline, not in this build");
    const auto limit = known->isTime ? parseDuration(number) : parseInt(number);
    if (!limit) return malformed(text, "'" + std::string(number) + "' is no number");
    condition.limit = *limit;
    return condition;
}

std::vector<std::string_view> failConditionNames()
{
    std::vector<std::string_view> names;
    for (const Measure& measure : kMeasures)
        names.push_back(measure.name);
    return names;
}

Result<int64_t> measure(const FailCondition& condition, const AnalysisRequest& request,
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
    const auto known = std::ranges::find(kMeasures, condition.name, &Measure::name);
    Scope scope = request.scope;
    scope.by = GroupBy::total;
    const Table table = LOCKSTEP_TRY(runAnalysis(known->analysis, request.scene, scope, progress));
    const size_t column = table.columnNamed(known->column);
    int64_t sum = 0;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (table.hasNumber(column, row)) sum += table.number(column, row);
    }
    return sum;
}

bool holds(const FailCondition& condition, int64_t value)
{
    switch (condition.comparison) {
    case Comparison::less:
        return value < condition.limit;
    case Comparison::lessOrEqual:
        return value <= condition.limit;
    case Comparison::equal:
        return value == condition.limit;
    case Comparison::notEqual:
        return value != condition.limit;
    case Comparison::greaterOrEqual:
        return value >= condition.limit;
    case Comparison::greater:
        return value > condition.limit;
    }
    return false;
}

} // namespace lockstep
