// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/samples/sample_findings.h"

#include <algorithm>
#include <functional>

#include "core/analysis/duration_statistics.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kMediumShare = 10, kHighShare = 30, kLongTail = 50; // in percent of the time
constexpr double kFullCache = 25;                                    // in percent of the time
constexpr double kManyPreemptions = 5;                               // per 100 requests

// A value per row that may exceed a threshold.
struct ShareRule {
    std::string_view rule, unit, caption;
    double medium = 0, high = 0;
    std::string definition;
    std::vector<std::string> advice;
};

std::string tenths(double value)
{
    return fixedPointText(static_cast<int64_t>(value * 10 + 0.5), 1);
}

std::string percentText(double value)
{
    return tenths(value) + " %";
}

double sharePercent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// valueOf: nullopt if unknown. sentenceOf: about the worst row. Appends a finding if that row exceeds the
// threshold.
template<class Row>
void addShare(std::vector<RunFinding>& findings, std::span<const Row> rows, ShareRule rule,
              const std::function<std::optional<double>(const Row&)>& valueOf,
              const std::function<std::string(const Row&)>& labelOf,
              const std::function<std::string(const Row&, double)>& sentenceOf,
              const std::function<int64_t(const Row&)>& costOf_ns)
{
    const Row* worst = nullptr;
    double largest = 0;
    RunFinding found;
    size_t beyond = 0;
    for (const Row& row : rows) {
        const auto value = valueOf(row);
        if (!value) continue;
        const bool isBeyond = *value >= rule.medium;
        found.bars.push_back({labelOf(row), *value, isBeyond});
        if (!isBeyond) continue;
        ++beyond;
        found.cost_ns += costOf_ns(row);
        if (worst == nullptr || *value > largest) worst = &row;
        largest = std::max(largest, *value);
    }
    if (worst == nullptr) return;
    found.rule = rule.rule;
    found.severity = largest >= rule.high ? FindingSeverity::high : FindingSeverity::medium;
    found.unit = rule.unit;
    found.caption = rule.caption;
    found.threshold = rule.medium;
    found.sentence = sentenceOf(*worst, largest);
    if (beyond > 1) found.sentence += " (worst of " + std::to_string(beyond) + ")";
    found.advice = std::move(rule.advice);
    found.fix = found.advice.front();
    found.show = worst->longest;
    found.reasons = {
        {"rule", rule.definition},
        {"threshold", tenths(rule.medium) + " " + found.unit + "; high from " + tenths(rule.high)},
        {"seen in", std::to_string(beyond) + " of " + std::to_string(found.bars.size())}};
    findings.push_back(std::move(found));
}

std::string stepLabel(const BalanceRow& row)
{
    return row.step ? "step " + std::to_string(*row.step) : "step unknown";
}

std::vector<std::string> tailAdvice(const std::string& reason)
{
    if (reason.starts_with("queue"))
        return {"Add rollout engines, or allow more running requests per engine",
                "Distribute requests by load instead of in turn"};
    if (reason.starts_with("tool") || reason.starts_with("reward"))
        return {"Run tools and rewards on more workers, and give slow ones a deadline",
                "Let the engines work on other samples while a tool runs"};
    return {"Continue unfinished samples in the next step (partial rollout), or train asynchronously",
            "Start prompts with long answers first, or limit the number of tokens",
            "See the reason column of rollout_tail for the sample that came last"};
}

std::string lastText(const TailRow& row)
{
    return row.reason.empty() ? "" : "; the last one: " + row.reason;
}

} // namespace

std::vector<RunFinding> tailFindings(std::span<const TailRow> rows)
{
    std::vector<RunFinding> findings;
    const auto capacity_ms = [](const TailRow& row) { return *row.busy_ms + *row.idle_ms; };
    const auto idle = [&](const TailRow& row) -> std::optional<double> {
        if (!row.after50_ms || capacity_ms(row) <= 0) return std::nullopt;
        return sharePercent(*row.after50_ms, capacity_ms(row));
    };
    const auto worst =
        std::ranges::max_element(rows, {}, [&](const TailRow& row) { return idle(row).value_or(-1); });
    if (worst == rows.end()) return findings;
    const auto label = [](const TailRow& row) { return row.unit; };
    const std::string definition =
        "idle GPU time after half of the samples had ended, as a share of the GPU time from the first "
        "start to the last end";
    addShare<TailRow>(
        findings, rows,
        {"rollout_tail", "%", "Rollout GPUs idle after half of the samples (%)", kMediumShare, kHighShare,
         definition, tailAdvice(worst->reason)},
        idle, label,
        [](const TailRow& row, double share) {
            return "Rollout GPUs idle " + percentText(share) + " of the time of " + row.unit +
                   " while they wait for its slowest samples" + lastText(row);
        },
        [](const TailRow& row) { return *row.gpus > 0 ? *row.after50_ms * 1'000'000 / *row.gpus : 0; });
    if (idle(*worst)) return findings;
    // The GPUs of the engines are not known, but the times of the samples are.
    addShare<TailRow>(
        findings, rows,
        {"rollout_tail", "%", "Time of the last tenth of the samples (%)", kHighShare, kLongTail,
         "time from the end of nine tenths of the samples to the last end, as a share of the time from the first start",
         tailAdvice(worst->reason)},
        [](const TailRow& row) -> std::optional<double> {
            if (!row.saved_ns || !row.window_ns) return std::nullopt;
            return sharePercent(*row.saved_ns, *row.window_ns);
        },
        label,
        [](const TailRow& row, double share) {
            return "The last tenth of the samples takes " + percentText(share) + " of the time of " +
                   row.unit + lastText(row);
        },
        [](const TailRow& row) { return *row.saved_ns; });
    return findings;
}

std::vector<RunFinding> balanceFindings(std::span<const BalanceRow> rows)
{
    std::vector<RunFinding> findings;
    const auto shareOf = [](int64_t StepBalance::*time, BalancePart part) {
        return [time, part](const BalanceRow& row) -> std::optional<double> {
            const auto time_ns = row.usable(part, row.balance.*time);
            return time_ns ? std::optional(sharePercent(*time_ns, row.balance.wall_ns)) : std::nullopt;
        };
    };
    addShare<BalanceRow>(
        findings, rows,
        {"exposed_generation",
         "%",
         "The trainer waits for samples (%)",
         kMediumShare,
         kHighShare,
         "time in which the trainer waits for samples, as a share of the step, from the async_balance table",
         {"Generate samples while the trainer works, or further ahead, or give the rollout engines more GPUs",
          "Find the samples that come last: rollout_tail"}},
        shareOf(&StepBalance::exposed_ns, BalancePart::exposedGeneration), stepLabel,
        [](const BalanceRow& row, double share) {
            return "The trainer waits for samples " + percentText(share) + " of " + stepLabel(row);
        },
        [](const BalanceRow& row) { return row.balance.exposed_ns; });
    addShare<BalanceRow>(
        findings, rows,
        {"weight_sync",
         "%",
         "Weight update (%)",
         kMediumShare,
         kHighShare,
         "time of weight updates in which the trainer does not train, as a share of the step, from the async_balance "
         "table",
         {"See in async_balance which part takes the time: pause, gather, transfer or resume",
          "Update weights less often, or during the next step"}},
        shareOf(&StepBalance::weightSync_ns, BalancePart::weightSync), stepLabel,
        [](const BalanceRow& row, double share) {
            return "The weight update takes " + percentText(share) + " of " + stepLabel(row);
        },
        [](const BalanceRow& row) { return row.balance.weightSync_ns; });
    return findings;
}

std::vector<RunFinding> servingFindings(std::span<const ServingRow> rows)
{
    std::vector<RunFinding> findings;
    const auto name = [](const ServingRow& row) {
        return row.replica.empty() ? "unknown server" : row.replica;
    };
    const auto noCost = [](const ServingRow&) { return int64_t(0); };
    addShare<ServingRow>(
        findings, rows,
        {"kv_cache_full",
         "%",
         "Time with a full KV cache (%)",
         kFullCache,
         2 * kFullCache,
         "share of the time in which 90 % or more of the KV cache were in use, from the serving table",
         {"Allow fewer running requests per engine, or give the KV cache more memory",
          "Use more GPUs per engine: each then holds a smaller part of the weights"}},
        [](const ServingRow& row) -> std::optional<double> {
            return row.cacheHigh ? std::optional(static_cast<double>(*row.cacheHigh) / 100) : std::nullopt;
        },
        name,
        [&](const ServingRow& row, double share) {
            return "KV cache of " + name(row) + " full " + percentText(share) + " of the time";
        },
        noCost);
    addShare<ServingRow>(
        findings, rows,
        {"preemptions",
         "per 100 requests",
         "Preemptions per 100 requests",
         kManyPreemptions,
         4 * kManyPreemptions,
         "requests whose work an engine discarded and repeated, from the serving table",
         {"Allow fewer running requests per engine, or give the KV cache more memory"}},
        [](const ServingRow& row) -> std::optional<double> {
            return row.preemptionsPer100 ? std::optional(static_cast<double>(*row.preemptionsPer100) / 10)
                                         : std::nullopt;
        },
        name,
        [&](const ServingRow& row, double value) {
            return name(row) + " preempts " + tenths(value) + " of 100 requests";
        },
        noCost);
    return findings;
}

} // namespace lockstep
