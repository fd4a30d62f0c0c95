// SPDX-License-Identifier: Apache-2.0
// Preflight rules for the cost of a recording, see cost_forecast.h.
#include <algorithm>

#include "core/session/cost_forecast.h"
#include "core/session/preflight_rules.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr int64_t kFewEntries = 100'000;

// The setting that lowers the cost most, with an edit that applies it if there is one.
struct CheaperSetting {
    std::string field, fix;
    SessionEdit apply;
};

CheaperSetting cheaperSetting(const SessionConfig& config, const RecordingCost& cost)
{
    if (cost.kind == ReportKind::memorySnapshot) {
        const auto isLarge = [](const TorchMemoryOptions& one) {
            return one.maxEntries.value_or(0) > kFewEntries;
        };
        const bool isAny =
            isLarge(config.torchMemory) ||
            std::ranges::any_of(config.roles, [&](const auto& role) { return isLarge(role.torchMemory); });
        if (!isAny) return {"ranks", "record fewer ranks", {}};
        return {"torch_memory.max_entries", "set torch_memory.max_entries to " + std::to_string(kFewEntries),
                [isLarge](SessionConfig& c) {
                    if (isLarge(c.torchMemory)) c.torchMemory.maxEntries = kFewEntries;
                    for (RoleProfile& role : c.roles) {
                        if (isLarge(role.torchMemory)) role.torchMemory.maxEntries = kFewEntries;
                    }
                }};
    }
    if (!cost.withStacks) return {"steps", "record fewer ranks, or fewer steps in one report", {}};
    return {"torch.contents", "remove stack from torch.contents", [](SessionConfig& c) {
                const auto remove = [](TorchOptions& torch) {
                    if (torch.contents) std::erase(*torch.contents, "stack");
                };
                remove(c.torch);
                for (RoleProfile& role : c.roles)
                    remove(role.torch);
            }};
}

void checkHostMemory(const RecipeInput& input, std::span<const RecordingCost> costs, Findings& findings)
{
    for (const HostCost& host : costByHost(costs)) {
        const HostFacts* const facts = findHostFacts(input.facts, host.host);
        if (facts == nullptr || !facts->memory_bytes || *facts->memory_bytes <= 0) continue;
        const auto has_bytes = static_cast<double>(*facts->memory_bytes);
        if (host.memory_bytes.high <= has_bytes) continue;
        const bool isCertain = host.memory_bytes.low > has_bytes;
        const auto most = std::ranges::max_element(costs, {}, [](const RecordingCost& one) {
            return one.memory_bytes.high * static_cast<double>(one.ranks.value_or(1));
        });
        CheaperSetting cheaper = cheaperSetting(input.config, *most);
        addFinding(findings, isCertain ? Severity::error : Severity::warning, "hosts." + host.host,
                   "cost.memory",
                   "writing the reports needs about " + memoryRangeText(host.memory_bytes) +
                       " of host memory, but the host has " + memoryText(has_bytes),
                   cheaper.fix, std::move(cheaper.apply));
    }
}

void checkWriteTime(const RecipeInput& input, std::span<const RecordingCost> costs, Findings& findings)
{
    const CollectiveTimeout timeout = collectiveTimeout(input.config);
    const auto most =
        std::ranges::max_element(costs, {}, [](const RecordingCost& one) { return one.write_s.high; });
    if (most == costs.end()) return;
    const double limit_s = std::min(timeout.group_s, timeout.heartbeat_s);
    if (most->write_s.high <= limit_s) return;
    // If all ranks record, they all write, and wait for each other only for the difference.
    int64_t recording = 0;
    for (const RecordingCost& cost : costs) {
        if (cost.role == most->role) recording += cost.ranks.value_or(0);
    }
    const auto world = knownWorldSize(input.config);
    const bool isCertain = most->write_s.low > timeout.group_s && world && recording < *world;
    const bool isHeartbeat = timeout.heartbeat_s < timeout.group_s;
    CheaperSetting cheaper = cheaperSetting(input.config, *most);
    const std::string raise =
        isHeartbeat ? "raise TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC and the timeout of the process group"
                    : "raise the timeout of the process group";
    addFinding(findings, isCertain ? Severity::error : Severity::warning, cheaper.field, "cost.timeout",
               "writing one report takes about " + timeRangeText(most->write_s) +
                   ", while the other ranks wait; collectives time out after " +
                   std::to_string(static_cast<int64_t>(timeout.group_s)) + " s (" + timeout.groupSetting +
                   ")" +
                   (isHeartbeat ? ", the NCCL watchdog after " +
                                      std::to_string(static_cast<int64_t>(timeout.heartbeat_s)) + " s"
                                : ""),
               cheaper.fix + ", or " + raise, std::move(cheaper.apply));
}

} // namespace

void checkCost(const RecipeInput& input, Findings& findings)
{
    const std::vector<ExpectedFile> files = forecastFiles(input.config, input.facts);
    const std::vector<RecordingCost> costs = costForecast(input.config, files);
    checkHostMemory(input, costs, findings);
    checkWriteTime(input, costs, findings);
}

} // namespace lockstep
