// SPDX-License-Identifier: Apache-2.0
#include "core/session/cost_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

// See the sources in the header.
constexpr CostRange kCompressedSlice_bytes{20, 35};
constexpr CostRange kExpansion{13, 18};
constexpr CostRange kPeakOfTrace{4, 8};
constexpr CostRange kPlainSlice_s{5e-6, 20e-6};
constexpr CostRange kStackSlice_s{10e-6, 200e-6};
constexpr CostRange kSnapshotEntry_bytes{1'000, 4'000};
constexpr CostRange kSnapshotOf100k_s{0.7, 461};
constexpr int64_t kUsualEntries = 100'000; // verl-project/verl profiler/config.py, trace_alloc_max_entries

const TorchOptions& torchOf(const SessionConfig& config, const std::string& role)
{
    const auto which = enumFromWord<Role>(role);
    return which && config.role(*which).torch.isSet() ? config.role(*which).torch : config.torch;
}

bool hasStacks(const TorchOptions& torch)
{
    const auto contents = torch.contents.value_or(std::vector<std::string>());
    return std::ranges::find(contents, "stack") != contents.end();
}

RecordingCost traceCost(const SessionConfig& config, const ExpectedFile& file)
{
    RecordingCost cost;
    cost.withStacks = hasStacks(torchOf(config, file.role));
    const auto size_bytes = static_cast<double>(file.size_bytes);
    cost.memory_bytes = {size_bytes * kExpansion.low * kPeakOfTrace.low,
                         size_bytes * kExpansion.high * kPeakOfTrace.high};
    const CostRange slice_s = cost.withStacks ? kStackSlice_s : kPlainSlice_s;
    cost.write_s = {size_bytes / kCompressedSlice_bytes.high * slice_s.low,
                    size_bytes / kCompressedSlice_bytes.low * slice_s.high};
    return cost;
}

RecordingCost snapshotCost(const SessionConfig& config, const ExpectedFile& file)
{
    RecordingCost cost;
    const auto which = enumFromWord<Role>(file.role);
    const auto own = which ? config.role(*which).torchMemory.maxEntries : std::nullopt;
    const auto entries = static_cast<double>(
        std::max<int64_t>(1, (own ? own : config.torchMemory.maxEntries).value_or(kUsualEntries)));
    cost.withStacks = true;
    cost.memory_bytes = {entries * kSnapshotEntry_bytes.low, entries * kSnapshotEntry_bytes.high};
    const double share = entries / kUsualEntries;
    cost.write_s = {kSnapshotOf100k_s.low * share, kSnapshotOf100k_s.high * std::max(1.0, share)};
    return cost;
}

// Rounds to two significant digits.
std::string roughNumber(double value)
{
    if (value <= 0) return "0";
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    const double rounded = std::round(value / unit) * unit;
    if (rounded >= 10) return std::to_string(std::llround(rounded));
    const auto tenths = std::llround(rounded * 10);
    return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
}

struct RoughText {
    std::string number, unit;
};

// Returns the value in the largest unit that it reaches. `from` is the smallest value shown in the unit.
struct RoughUnit {
    double from, size;
    const char* name;
};

RoughText roughText(double value, std::span<const RoughUnit> units)
{
    const RoughUnit* best = &units.front();
    for (const RoughUnit& unit : units) {
        if (value >= unit.from) best = &unit;
    }
    return {roughNumber(value / best->size), best->name};
}

constexpr std::array<RoughUnit, 3> kMemoryUnits{{{0, 1e6, "MB"}, {1e9, 1e9, "GB"}, {1e12, 1e12, "TB"}}};
constexpr std::array<RoughUnit, 3> kTimeUnits{{{0, 1, "s"}, {120, 60, "min"}, {7200, 3600, "h"}}};

std::string rangeText(const CostRange& range, std::span<const RoughUnit> units)
{
    const RoughText low = roughText(range.low, units), high = roughText(range.high, units);
    return low.number + (low.unit == high.unit ? "" : " " + low.unit) + " to " + high.number + " " +
           high.unit;
}

bool isWordInCommand(const SessionConfig& config, std::string_view name)
{
    const auto has = [name](const std::string& word) { return word.find(name) != std::string::npos; };
    return std::ranges::any_of(config.command, has) || std::ranges::any_of(config.otherOverrides, has);
}

std::optional<double> environmentNumber(const SessionConfig& config, std::string_view name)
{
    for (const auto& [key, value] : config.environment) {
        if (key == name) return parseDouble(value);
    }
    return std::nullopt;
}

std::string padTo(std::string text, size_t width)
{
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

std::string timeoutText(const CollectiveTimeout& timeout)
{
    return "collectives time out after " + roughNumber(timeout.group_s) + " s (" + timeout.groupSetting + ")";
}

} // namespace

std::vector<RecordingCost> costForecast(const SessionConfig& config, std::span<const ExpectedFile> files)
{
    std::vector<RecordingCost> costs;
    for (const ExpectedFile& file : files) {
        const bool isTrace = file.kind == ReportKind::torchTrace;
        if (!isTrace && file.kind != ReportKind::memorySnapshot) continue;
        RecordingCost cost = isTrace ? traceCost(config, file) : snapshotCost(config, file);
        cost.kind = file.kind;
        cost.role = file.role;
        cost.host = file.host;
        if (!file.ranks.empty()) cost.ranks = static_cast<int64_t>(file.ranks.size());
        if (file.ranks.empty() && file.rankCount) cost.ranks = *file.rankCount;
        costs.push_back(std::move(cost));
    }
    return costs;
}

std::vector<HostCost> costByHost(std::span<const RecordingCost> costs)
{
    std::vector<HostCost> hosts;
    for (const RecordingCost& cost : costs) {
        if (cost.host.empty() || !cost.ranks) continue;
        auto found = std::ranges::find(hosts, cost.host, &HostCost::host);
        if (found == hosts.end()) found = hosts.insert(found, {cost.host, {}});
        const auto ranks = static_cast<double>(*cost.ranks);
        found->memory_bytes.low = std::max(found->memory_bytes.low, ranks * cost.memory_bytes.low);
        found->memory_bytes.high += ranks * cost.memory_bytes.high;
    }
    return hosts;
}

// The recipe's variables collective_timeout_s and collective_setting describe the framework's own timeout.
CollectiveTimeout collectiveTimeout(const SessionConfig& config)
{
    CollectiveTimeout timeout;
    timeout.groupSetting = "the default of NCCL process groups";
    if (const LaunchRecipe* recipe = recipeFor(config.framework).data; recipe != nullptr) {
        const std::vector<Host> hosts = plannedHosts(config);
        const RecipeInput input{config, {}, hosts, eraOf(config, {}), 0};
        const SessionScope scope(*recipe, input);
        const RecipeValue seconds = scope.value("collective_timeout_s");
        const RecipeValue setting = scope.value("collective_setting");
        if (seconds.kind == RecipeValue::Kind::integer && seconds.number > 0 && setting.isKnown()) {
            timeout.group_s = static_cast<double>(seconds.number);
            const bool isGiven = isWordInCommand(config, setting.message());
            timeout.groupSetting = setting.message() + (isGiven ? "" : ", by default");
        }
    }
    if (const auto seconds = environmentNumber(config, "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC");
        seconds && *seconds > 0)
        timeout.heartbeat_s = *seconds;
    if (environmentNumber(config, "TORCH_NCCL_ENABLE_MONITORING") == 0.0)
        timeout.heartbeat_s = std::numeric_limits<double>::infinity();
    return timeout;
}

std::string memoryText(double bytes)
{
    const RoughText text = roughText(bytes, kMemoryUnits);
    return text.number + " " + text.unit;
}

std::string memoryRangeText(const CostRange& bytes)
{
    return rangeText(bytes, kMemoryUnits);
}

std::string timeRangeText(const CostRange& seconds)
{
    return rangeText(seconds, kTimeUnits);
}

std::string costText(std::span<const RecordingCost> costs, const CollectiveTimeout& timeout)
{
    if (costs.empty()) return {};
    std::string text = padTo("role", 12) + padTo("host", 12) + padTo("ranks", 10) +
                       padTo("memory per rank", 20) + "time to write a report\n";
    for (const RecordingCost& cost : costs) {
        text += padTo(cost.role.empty() ? "-" : cost.role, 12) +
                padTo(cost.host.empty() ? "?" : cost.host, 12) +
                padTo(cost.ranks ? std::to_string(*cost.ranks) : "unknown", 10) +
                padTo(memoryRangeText(cost.memory_bytes), 20) + timeRangeText(cost.write_s) + "\n";
    }
    for (const HostCost& host : costByHost(costs))
        text += "memory on " + host.host + ": " + memoryRangeText(host.memory_bytes) + "\n";
    return text + "training waits while a report is written; " + timeoutText(timeout) + "\n";
}

std::string costSummary(std::span<const RecordingCost> costs, const CollectiveTimeout& timeout)
{
    if (costs.empty()) return {};
    CostRange rank_bytes = costs.front().memory_bytes, write_s = costs.front().write_s;
    for (const RecordingCost& cost : costs) {
        rank_bytes = {std::min(rank_bytes.low, cost.memory_bytes.low),
                      std::max(rank_bytes.high, cost.memory_bytes.high)};
        write_s = {std::min(write_s.low, cost.write_s.low), std::max(write_s.high, cost.write_s.high)};
    }
    std::string text =
        "While a report is written, a rank needs about " + memoryRangeText(rank_bytes) + " of host memory";
    const std::vector<HostCost> hosts = costByHost(costs);
    const auto most =
        std::ranges::max_element(hosts, {}, [](const HostCost& one) { return one.memory_bytes.high; });
    if (most != hosts.end())
        text += " (" + most->host + ": " + memoryRangeText(most->memory_bytes) + " in total)";
    return text + ", and training waits for about " + timeRangeText(write_s) + ". " +
           "Other ranks: " + timeoutText(timeout) + ".";
}

} // namespace lockstep
