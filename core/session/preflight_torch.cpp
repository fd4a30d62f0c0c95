// SPDX-License-Identifier: Apache-2.0
// Preflight rules about torch.profiler and memory snapshots.
#include <algorithm>

#include "core/session/preflight_rules.h"
#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 5> kTorchContents{"cuda", "cpu", "memory", "shapes", "stack"};

TorchOptions& torchAt(SessionConfig& config, std::optional<Role> role)
{
    return role ? config.role(*role).torch : config.torch;
}

void checkContents(const TorchOptions& torch, std::optional<Role> role, const std::string& path,
                   Findings& findings)
{
    if (!torch.contents) return;
    const std::vector<std::string>& words = *torch.contents;
    for (const std::string& word : words) {
        if (std::find(kTorchContents.begin(), kTorchContents.end(), word) != kTorchContents.end()) continue;
        addFinding(findings, Severity::error, path + "contents", "torch.contents",
                   "'" + word + "' is not " + choiceText(kTorchContents), "remove it",
                   [role, word](SessionConfig& c) { std::erase(*torchAt(c, role).contents, word); });
    }
    const bool has = std::find(words.begin(), words.end(), "cuda") != words.end();
    if (words.empty()) {
        addFinding(findings, Severity::note, path + "contents", "torch.contents_empty",
                   "with empty contents, CPU and GPU rows are recorded, but no stacks, shapes or memory", "");
    } else if (!has) {
        addFinding(findings, Severity::warning, path + "contents", "torch.no_gpu",
                   "no GPU rows are recorded unless the contents include cuda", "add cuda",
                   [role](SessionConfig& c) {
                       torchAt(c, role).contents->insert(torchAt(c, role).contents->begin(), "cuda");
                   });
    }
}

void checkSchedule(const RecipeInput& input, std::optional<Role> role, const TorchOptions& torch,
                   const std::string& path, Findings& findings)
{
    const TorchSchedule& schedule = torch.schedule;
    if (schedule == TorchSchedule{}) return;
    for (const auto& value :
         {schedule.skipFirst, schedule.wait, schedule.warmup, schedule.active, schedule.repeat}) {
        if (value.value_or(0) < 0) {
            addFinding(findings, Severity::error, path + "schedule", "torch.schedule_negative",
                       "the numbers of a schedule count mini-batches and must not be negative",
                       "use 0 or more");
            break;
        }
    }
    if (schedule.active.value_or(0) == 0) {
        addFinding(findings, Severity::warning, path + "schedule.active", "torch.schedule_off",
                   "the schedule has no effect because active is 0",
                   "set the number of mini-batches to record");
    }
    if (isVerlFamily(input.config.framework) && input.schema < VerlSchema::v0_9_0) {
        addFinding(findings, Severity::error, path + "schedule", "torch.schedule_unsupported",
                   "schedules need verl 0.9.0 or newer; the plan omits this one", "remove the schedule",
                   [role](SessionConfig& c) { torchAt(c, role).schedule = {}; });
    }
}

void checkTokens(const RecipeInput& input, std::optional<Role> role, const TorchOptions& torch,
                 const std::string& path, Findings& findings)
{
    if (!torch.tokenStart && !torch.tokenEnd) return;
    const int64_t start = torch.tokenStart.value_or(0);
    if (start < 0 || (torch.tokenEnd && *torch.tokenEnd <= start)) {
        addFinding(findings, Severity::error, path + "profile_token_end", "torch.tokens",
                   "the token window is empty: its start must be 0 or more, and its end after its start",
                   "raise the end");
    }
    if (isVerlFamily(input.config.framework) && input.schema < VerlSchema::v0_9_0) {
        addFinding(findings, Severity::error, path + "profile_token_start", "torch.tokens_unsupported",
                   "token windows need verl 0.9.0 or newer; the plan omits this one", "remove the window",
                   [role](SessionConfig& c) {
                       torchAt(c, role).tokenStart.reset();
                       torchAt(c, role).tokenEnd.reset();
                   });
    }
}

// In releases up to 0.7.0, the torch tool accepts only a range of mini-batches, and verl fails on any other
// setting.
void checkMiniBatches(const RecipeInput& input, std::optional<Role> role, const TorchOptions& torch,
                      const std::string& path, Findings& findings)
{
    if (!isVerlFamily(input.config.framework) || isOldVerl(input.schema)) return;
    const std::string release(enumName(input.schema));
    const bool hasSteps = torch.stepStart || torch.stepEnd;
    if (hasTorchContents(input.schema)) {
        if (!hasSteps) return;
        addFinding(findings, Severity::error, path + "step_start", "torch.step_unsupported",
                   "step_start and step_end exist only up to verl 0.7.0; the plan omits them", "remove them",
                   [role](SessionConfig& c) {
                       torchAt(c, role).stepStart.reset();
                       torchAt(c, role).stepEnd.reset();
                   });
        return;
    }
    if (torch.contents || torch.discrete) {
        addFinding(findings, Severity::error, path + "contents", "torch.contents_unsupported",
                   "verl " + release +
                       " takes step_start and step_end, and always records shapes and stacks; "
                       "the plan omits contents and discrete",
                   "remove them", [role](SessionConfig& c) {
                       torchAt(c, role).contents.reset();
                       torchAt(c, role).discrete.reset();
                   });
    }
    const bool isEmpty =
        torch.stepStart.value_or(0) < 0 || (torch.stepEnd && *torch.stepEnd <= torch.stepStart.value_or(0));
    if (isEmpty) {
        addFinding(findings, Severity::error, path + "step_end", "torch.step_range",
                   "the range of mini-batches is empty: its start must be 0 or more, and its end after its "
                   "start",
                   "raise the end");
    }
    const bool isUsed = input.config.tool == Tool::torch && (!role || torch.isSet());
    if (isUsed && !torch.stepEnd && input.schema == VerlSchema::v0_7_0) {
        addFinding(findings, Severity::warning, path + "step_end", "torch.step_end_open",
                   "verl " + release + " has no default end for the mini-batches to record",
                   "set the first mini-batch that is not recorded");
    }
}

void checkOne(const RecipeInput& input, std::optional<Role> role, Findings& findings)
{
    const TorchOptions& torch = role ? input.config.role(*role).torch : input.config.torch;
    const std::string path = role ? "roles." + std::string(enumName(*role)) + ".torch." : "torch.";
    checkContents(torch, role, path, findings);
    checkSchedule(input, role, torch, path, findings);
    checkTokens(input, role, torch, path, findings);
    checkMiniBatches(input, role, torch, path, findings);
}

void checkPositive(const TorchMemoryOptions& memory, std::string field,
                   const std::function<TorchMemoryOptions&(SessionConfig&)>& memoryOf, Findings& findings)
{
    if (memory.maxEntries.value_or(1) >= 1 && memory.stackDepth.value_or(1) >= 1) return;
    addFinding(findings, Severity::error, std::move(field), "torch_memory.positive",
               "entries and stack depth must be 1 or more", "raise them", [memoryOf](SessionConfig& c) {
                   TorchMemoryOptions& set = memoryOf(c);
                   if (set.maxEntries.value_or(1) < 1) set.maxEntries = 100'000;
                   if (set.stackDepth.value_or(1) < 1) set.stackDepth = 32;
               });
}

void checkMemory(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkPositive(
        config.torchMemory, "torch_memory",
        [](SessionConfig& c) -> TorchMemoryOptions& { return c.torchMemory; }, findings);
    for (const Role role : kRoles) {
        checkPositive(
            config.role(role).torchMemory, "roles." + std::string(enumName(role)) + ".torch_memory",
            [role](SessionConfig& c) -> TorchMemoryOptions& { return c.role(role).torchMemory; }, findings);
    }
    if (config.tool != Tool::torchMemory) return;
    addFinding(findings, Severity::warning, "tool", "torch_memory.overhead",
               "allocator history is on in every rank for the whole run, even where no snapshot is taken",
               "lower stack_depth if the run becomes too slow");
}

} // namespace

void checkTorch(const RecipeInput& input, Findings& findings)
{
    checkOne(input, std::nullopt, findings);
    for (const Role role : kRoles)
        checkOne(input, role, findings);
    checkMemory(input, findings);
    const SessionConfig& config = input.config;
    if (config.tool == Tool::torch && config.discrete && !config.torch.discrete &&
        isVerlFamily(config.framework)) {
        addFinding(findings, Severity::warning, "discrete", "torch.discrete_elsewhere",
                   "this setting applies only to nsys; torch.discrete, the setting for torch, is not set",
                   "set torch.discrete", [](SessionConfig& c) { c.torch.discrete = c.discrete; });
    }
}

} // namespace lockstep
