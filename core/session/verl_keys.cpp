// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_keys.h"

#include <algorithm>
#include <array>

#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

// verl keys whose value has a different form from the session field: a pair of numbers instead of a range of
// steps, or one flag for each word instead of a list. Part of the tables in verl_keys.h.

constexpr std::string_view kOptions = "trainer.npu_profile.options.";
constexpr int64_t kLongestInterval = 100'000; // a longer interval is assumed to be a typo

struct Flag {
    std::string_view key, word;
};

constexpr std::array<Flag, 6> kNpuFlags{Flag{"with_npu", "npu"},       Flag{"with_cpu", "cpu"},
                                        Flag{"with_memory", "memory"}, Flag{"record_shapes", "shapes"},
                                        Flag{"with_module", "module"}, Flag{"with_stack", "stack"}};

bool has(const std::vector<std::string>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

Status readInterval(SessionConfig& config, const ConfigValue& value)
{
    std::vector<int64_t> ends;
    LOCKSTEP_TRY(assign(ends, value));
    if (ends.size() != 2) return valueError(value, "the first and the last step, such as [3, 5]");
    if (ends[0] < 0 || ends[1] < 0) {
        config.steps.reset();
        return {};
    }
    if (ends[1] < ends[0] || ends[1] - ends[0] >= kLongestInterval)
        return valueError(value, "a first step and a last step that is not before it");
    config.steps.emplace();
    for (int64_t step = ends[0]; step <= ends[1]; ++step)
        config.steps->push_back(step);
    return {};
}

std::optional<ConfigValue> writeInterval(const SessionConfig& config)
{
    const std::vector<int64_t> steps = sortedSteps(config);
    if (steps.empty()) return std::nullopt;
    return valueOf(std::vector<int64_t>{steps.front(), steps.back()});
}

VerlKey flagKey(const Flag& flag)
{
    const auto read = [word = std::string(flag.word)](SessionConfig& config, const ConfigValue& value) {
        bool isOn = false;
        const Status done = assign(isOn, value);
        if (!done) return done;
        std::vector<std::string> words = config.npu.contents.value_or(std::vector<std::string>{"npu", "cpu"});
        std::erase(words, word);
        if (isOn) words.push_back(word);
        config.npu.contents = std::move(words);
        return done;
    };
    const auto write = [word = flag.word](const SessionConfig& config) -> std::optional<ConfigValue> {
        if (config.tool != Tool::npu || !config.npu.contents) return std::nullopt;
        return ConfigValue::fromBool(has(*config.npu.contents, word));
    };
    return {std::string(kOptions) + std::string(flag.key), "npu.contents", {}, read, write};
}

template<class Get>
VerlKey plainKey(std::string_view name, std::string field, Get get)
{
    return {std::string(kOptions) + std::string(name),
            std::move(field),
            {},
            [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
            [get](const SessionConfig& config) {
                return config.tool == Tool::npu ? writtenValue(get(config)) : std::nullopt;
            }};
}

// trainer.profile_interval of the SFT trainer: the first and last step of its only capture, both inclusive;
// [-1, -1] = none. It corresponds to the session's steps. Steps with gaps are written as the range from the
// first to the last step.
VerlKey profileIntervalKey()
{
    return {"trainer.profile_interval", "steps", {}, readInterval, writeInterval};
}

// trainer.npu_profile.options.* in 0.5.0: level, analysis, save_path, and one flag for each word in
// npu.contents. If the session does not set contents, verl's default applies: npu and cpu. These keys are
// written only for the tool npu, because 0.5.0 has no key for the tool.
std::vector<VerlKey> npuProfileKeys()
{
    std::vector<VerlKey> keys;
    keys.push_back(plainKey(
        "level", "npu.level", [](auto& c) -> auto& { return c.npu.level; }));
    keys.push_back(plainKey(
        "analysis", "npu.analysis", [](auto& c) -> auto& { return c.npu.analysis; }));
    // In the old era, save_path is not used for anything else.
    keys.push_back(plainKey(
        "save_path", "save_path", [](auto& c) -> auto& { return c.savePath; }));
    for (const Flag& flag : kNpuFlags)
        keys.push_back(flagKey(flag));
    return keys;
}

using Keys = std::vector<VerlKey>;

template<class Get>
void add(Keys& keys, std::string key, std::string field, Get get)
{
    keys.push_back(
        {std::move(key),
         std::move(field),
         {},
         [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
         [get](const SessionConfig& config) { return writtenValue(get(config)); }});
}

// Returns the map with the role's tool settings if it is missing in verl's YAML, otherwise "".
std::string wholeNode(VerlTrainer trainer, VerlSchema schema, Role role, const std::string& block,
                      std::string_view tool)
{
    const bool copies = trainer == VerlTrainer::rl || trainer == VerlTrainer::omni;
    const bool isCopied = role == Role::rollout && copies;
    const bool isInterpolated = schema >= VerlSchema::v0_6_0 && schema <= VerlSchema::v0_7_0;
    if (isInterpolated && (isCopied || (role == Role::reward && trainer == VerlTrainer::rl)))
        return block + ".tool_config";
    // Newer layouts list the rollout's copies explicitly, but only for tools that the rollout engines
    // support.
    const bool isExcluded = tool == "nsys" || tool == "torch_memory";
    return isCopied && schema >= VerlSchema::v0_7_1 && isExcluded
               ? block + ".tool_config." + std::string(tool)
               : std::string();
}

// RoleBlock is the block of one role in one layout, together with the path of the role's settings in the
// session.
struct RoleBlock {
    VerlTrainer trainer;
    VerlSchema schema;
    Role role;
    std::string key;   // key of the block
    std::string field; // prefix of the field paths: "roles.actor."

    std::string toolKey(std::string_view tool, std::string_view name) const
    {
        return key + ".tool_config." + std::string(tool) + "." + std::string(name);
    }
    std::string whole(std::string_view tool) const { return wholeNode(trainer, schema, role, key, tool); }
};

// Adds a setting that belongs only to the role. member(profile) returns the corresponding member of the
// profile.
template<class Get>
void addOwn(Keys& keys, const RoleBlock& block, std::string key, const std::string& field, Get member,
            std::string whole = {})
{
    keys.push_back({std::move(key), block.field + field, std::move(whole),
                    [role = block.role, member](SessionConfig& config, const ConfigValue& value) {
                        return assign(member(config.role(role)), value);
                    },
                    [role = block.role, member](const SessionConfig& config) {
                        return writtenValue(member(config.role(role)));
                    }});
}

// Adds a torch or npu setting for one role. Reading sets the role's own settings; writing uses the settings
// that apply to the role.
template<class Own, class Effective, class Get>
void addEffective(Keys& keys, const RoleBlock& block, std::string_view tool, const std::string& name, Own own,
                  Effective effective, Get member)
{
    keys.push_back(
        {block.toolKey(tool, name), block.field + std::string(tool) + "." + name, block.whole(tool),
         [role = block.role, own, member](SessionConfig& config, const ConfigValue& value) {
             return assign(member(own(config.role(role))), value);
         },
         [role = block.role, schema = block.schema, effective, member](const SessionConfig& config) {
             return writtenValue(member(effective(config, schema, role)));
         }});
}

#define LOCKSTEP_OF(name)                                                                                    \
    [](auto& x) -> auto&                                                                                     \
    {                                                                                                        \
        return x.name;                                                                                       \
    }

void addTorch(Keys& keys, const RoleBlock& block)
{
    const auto key = [&](const char* name, auto member) {
        addEffective(keys, block, "torch", name, LOCKSTEP_OF(torch), torchOf, member);
    };
    if (!hasTorchContents(block.schema)) {
        key("step_start", LOCKSTEP_OF(stepStart));
        key("step_end", LOCKSTEP_OF(stepEnd));
        return;
    }
    key("contents", LOCKSTEP_OF(contents));
    key("discrete", LOCKSTEP_OF(discrete));
    if (block.schema < VerlSchema::v0_9_0) return;
    key("profile_token_start", LOCKSTEP_OF(tokenStart));
    key("profile_token_end", LOCKSTEP_OF(tokenEnd));
    key("schedule.skip_first", LOCKSTEP_OF(schedule.skipFirst));
    key("schedule.wait", LOCKSTEP_OF(schedule.wait));
    key("schedule.warmup", LOCKSTEP_OF(schedule.warmup));
    key("schedule.active", LOCKSTEP_OF(schedule.active));
    key("schedule.repeat", LOCKSTEP_OF(schedule.repeat));
}

void addNpu(Keys& keys, const RoleBlock& block)
{
    const auto key = [&](const char* name, auto member) {
        addEffective(keys, block, "npu", name, LOCKSTEP_OF(npu), npuOf, member);
    };
    key("contents", LOCKSTEP_OF(contents));
    key("level", LOCKSTEP_OF(level));
    key("analysis", LOCKSTEP_OF(analysis));
    key("discrete", LOCKSTEP_OF(discrete));
    if (block.schema < VerlSchema::v0_9_0) return;
    key("profile_token_start", LOCKSTEP_OF(tokenStart));
    key("profile_token_end", LOCKSTEP_OF(tokenEnd));
}

void addRoleTool(Keys& keys, const RoleBlock& block)
{
    keys.push_back({block.key + ".tool",
                    block.field + "tool",
                    {},
                    [role = block.role](SessionConfig& config, const ConfigValue& value) {
                        return assign(config.role(role).tool, value);
                    },
                    [block](const SessionConfig& config) -> std::optional<ConfigValue> {
                        // VeRL-Omni's role blocks do not inherit the tool; their default is torch.
                        const std::optional<Tool>& own = config.role(block.role).tool;
                        const bool repeat = config.framework == Framework::verlOmni &&
                                            isRoleOn(config, block.schema, block.role) &&
                                            config.role(block.role).enable && config.tool != Tool::capture;
                        return writtenValue(repeat && !own ? config.tool : own);
                    }});
}

void addHooks(Keys& keys, const RoleBlock& block)
{
    if (!hasHooks(block.trainer, block.schema)) return;
    addOwn(keys, block, block.key + ".relocate_results", "hooks.relocate_results",
           LOCKSTEP_OF(hooks.relocateResults));
    addOwn(keys, block, block.key + ".finish_hook_cmd", "hooks.command", LOCKSTEP_OF(hooks.command));
    addOwn(keys, block, block.key + ".finish_hook_all_ranks", "hooks.all_ranks", LOCKSTEP_OF(hooks.allRanks));
    addOwn(keys, block, block.key + ".finish_hook_ranks", "hooks.ranks", LOCKSTEP_OF(hooks.ranks));
}

void addNewRole(Keys& keys, VerlTrainer trainer, VerlSchema schema, Role which)
{
    const RoleBlock block{trainer, schema, which, std::string(roleBlockKey(trainer, schema, which)),
                          "roles." + std::string(enumName(which)) + "."};
    if (block.key.empty()) return;
    addOwn(keys, block, block.key + ".enable", "enable", LOCKSTEP_OF(enable));
    addOwn(keys, block, block.key + ".ranks", "ranks", LOCKSTEP_OF(ranks));
    addOwn(keys, block, block.key + ".all_ranks", "all_ranks", LOCKSTEP_OF(allRanks));
    addRoleTool(keys, block);
    addOwn(keys, block, block.key + ".save_path", "save_path", LOCKSTEP_OF(savePath));
    addHooks(keys, block);
    addOwn(keys, block, block.toolKey("nsys", "discrete"), "discrete", LOCKSTEP_OF(discrete),
           block.whole("nsys"));
    addTorch(keys, block);
    addOwn(keys, block, block.toolKey("torch_memory", "trace_alloc_max_entries"), "torch_memory.max_entries",
           LOCKSTEP_OF(torchMemory.maxEntries), block.whole("torch_memory"));
    addOwn(keys, block, block.toolKey("torch_memory", "stack_depth"), "torch_memory.stack_depth",
           LOCKSTEP_OF(torchMemory.stackDepth), block.whole("torch_memory"));
    addNpu(keys, block);
    if (!hasTool(trainer, schema, Tool::precisionDebugger)) return;
    const std::string tool = "precision_debugger";
    addOwn(keys, block, block.toolKey(tool, "config_path"), tool + ".config_path",
           LOCKSTEP_OF(precision.configPath));
    addOwn(keys, block, block.toolKey(tool, "stages"), tool + ".stages", LOCKSTEP_OF(precision.stages));
    addOwn(keys, block, block.toolKey(tool, "strict"), tool + ".strict", LOCKSTEP_OF(precision.strict));
    addOwn(keys, block, block.toolKey(tool, "steps"), tool + ".steps", LOCKSTEP_OF(precision.steps));
}

void addPrecision(Keys& keys, const std::string& block)
{
    const std::string tool = "precision_debugger.";
    add(keys, block + tool + "config_path", tool + "config_path", LOCKSTEP_OF(precision.configPath));
    add(keys, block + tool + "stages", tool + "stages", LOCKSTEP_OF(precision.stages));
    add(keys, block + tool + "strict", tool + "strict", LOCKSTEP_OF(precision.strict));
    add(keys, block + tool + "steps", tool + "steps", LOCKSTEP_OF(precision.steps));
}

void addGlobalHooks(Keys& keys, VerlTrainer trainer, VerlSchema schema, const std::string& block)
{
    if (!hasHooks(trainer, schema)) return;
    add(keys, block + "relocate_results", "hooks.relocate_results", LOCKSTEP_OF(hooks.relocateResults));
    add(keys, block + "finish_hook_cmd", "hooks.command", LOCKSTEP_OF(hooks.command));
    add(keys, block + "finish_hook_all_ranks", "hooks.all_ranks", LOCKSTEP_OF(hooks.allRanks));
    add(keys, block + "finish_hook_ranks", "hooks.ranks", LOCKSTEP_OF(hooks.ranks));
}

void addGlobal(Keys& keys, VerlTrainer trainer, VerlSchema schema)
{
    add(keys, "global_profiler.tool", "tool", LOCKSTEP_OF(tool));
    add(keys, "global_profiler.steps", "steps", LOCKSTEP_OF(steps));
    add(keys, "global_profiler.profile_continuous_steps", "profile_continuous_steps",
        LOCKSTEP_OF(profileContinuousSteps));
    add(keys, "global_profiler.save_path", "save_path", LOCKSTEP_OF(savePath));
    addGlobalHooks(keys, trainer, schema, "global_profiler.");
    const std::string tools = "global_profiler.global_tool_config.";
    add(keys, tools + "nsys.discrete", "discrete", LOCKSTEP_OF(discrete));
    add(keys, tools + "torch_memory.trace_alloc_max_entries", "torch_memory.max_entries",
        LOCKSTEP_OF(torchMemory.maxEntries));
    add(keys, tools + "torch_memory.stack_depth", "torch_memory.stack_depth",
        LOCKSTEP_OF(torchMemory.stackDepth));
    if (hasTool(trainer, schema, Tool::precisionDebugger)) addPrecision(keys, tools);
}

void addOldRole(Keys& keys, VerlSchema schema, Role which)
{
    const RoleBlock block{VerlTrainer::rl, schema, which,
                          std::string(roleBlockKey(VerlTrainer::rl, schema, which)),
                          "roles." + std::string(enumName(which)) + "."};
    if (block.key.empty()) return;
    addOwn(keys, block, block.key + ".ranks", "ranks", LOCKSTEP_OF(ranks));
    addOwn(keys, block, block.key + ".all_ranks", "all_ranks", LOCKSTEP_OF(allRanks));
    keys.push_back({block.key + ".discrete",
                    block.field + "discrete",
                    {},
                    [which](SessionConfig& c, const ConfigValue& value) {
                        return assign(c.role(which).discrete, value);
                    },
                    [schema, which](const SessionConfig& c) {
                        const std::optional<bool>& own = c.role(which).discrete;
                        return writtenValue(!own && isRoleOn(c, schema, which) ? c.discrete : own);
                    }});
}

// The SFT trainer has a single block, `profiler`. Its ranks are those of the actor in the session.
void addSftKeys(Keys& keys, VerlSchema schema)
{
    const RoleBlock block{VerlTrainer::sft, schema, Role::actor,
                          std::string(roleBlockKey(VerlTrainer::sft, schema, Role::actor)), "roles.actor."};
    if (block.key.empty()) return;
    add(keys, "profiler.tool", "tool", LOCKSTEP_OF(tool));
    keys.push_back(profileIntervalKey());
    add(keys, "profiler.save_path", "save_path", LOCKSTEP_OF(savePath));
    addGlobalHooks(keys, block.trainer, schema, "profiler.");
    addOwn(keys, block, "profiler.enable", "enable", LOCKSTEP_OF(enable));
    addOwn(keys, block, "profiler.ranks", "ranks", LOCKSTEP_OF(ranks));
    addOwn(keys, block, "profiler.all_ranks", "all_ranks", LOCKSTEP_OF(allRanks));
    addTorch(keys, block);
    add(keys, block.toolKey("torch_memory", "trace_alloc_max_entries"), "torch_memory.max_entries",
        LOCKSTEP_OF(torchMemory.maxEntries));
    add(keys, block.toolKey("torch_memory", "stack_depth"), "torch_memory.stack_depth",
        LOCKSTEP_OF(torchMemory.stackDepth));
    addNpu(keys, block);
    if (hasTool(block.trainer, schema, Tool::precisionDebugger)) addPrecision(keys, "profiler.tool_config.");
}

Keys makeKeys(VerlTrainer trainer, VerlSchema schema)
{
    Keys keys;
    if (trainer == VerlTrainer::sft) {
        addSftKeys(keys, schema);
    } else if (isOldVerl(schema)) {
        add(keys, "trainer.profile_steps", "steps", LOCKSTEP_OF(steps));
        for (const Role role : kRoles)
            addOldRole(keys, schema, role);
        if (schema == VerlSchema::v0_5_0) {
            for (VerlKey& key : npuProfileKeys())
                keys.push_back(std::move(key));
        }
    } else {
        addGlobal(keys, trainer, schema);
        for (const Role role : kRoles)
            addNewRole(keys, trainer, schema, role);
    }
    return keys;
}

#undef LOCKSTEP_OF

} // namespace

std::span<const VerlKey> verlKeys(VerlTrainer trainer, VerlSchema schema)
{
    static const std::array<std::array<Keys, 8>, kVerlTrainers> kTables = [] {
        std::array<std::array<Keys, 8>, kVerlTrainers> tables;
        for (size_t t = 0; t < kVerlTrainers; ++t) {
            for (size_t i = 0; i < 8; ++i)
                tables[t][i] = makeKeys(static_cast<VerlTrainer>(t), static_cast<VerlSchema>(i));
        }
        return tables;
    }();
    return kTables[static_cast<size_t>(trainer)][static_cast<size_t>(schema)];
}

const VerlKey* findVerlKey(VerlTrainer trainer, VerlSchema schema, std::string_view key)
{
    const std::span<const VerlKey> keys = verlKeys(trainer, schema);
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const VerlKey& one) { return one.key == key; });
    return found == keys.end() ? nullptr : &*found;
}

std::string_view workerOptionsPrefix(VerlSchema schema)
{
    return isOldVerl(schema) ? "trainer.worker_nsight_options."
                             : "global_profiler.global_tool_config.nsys.worker_nsight_options.";
}

std::string_view controllerOptionsPrefix(VerlSchema schema)
{
    return isOldVerl(schema) ? "trainer.controller_nsight_options."
                             : "global_profiler.global_tool_config.nsys.controller_nsight_options.";
}

bool isVerlNsysOption(std::string_view option, bool isWorker)
{
    const bool isWorkers = option == "capture-range" || option == "capture-range-end" || option == "kill";
    return option == "trace" || option == "cuda-memory-usage" || option == "cuda-graph-trace" ||
           (isWorker && isWorkers);
}

std::string_view roleBlockKey(VerlTrainer trainer, VerlSchema schema, Role role)
{
    if (!hasRoleBlock(trainer, schema, role)) return {};
    if (trainer == VerlTrainer::sft) return "profiler";
    switch (role) {
    case Role::actor:
        return schema == VerlSchema::v0_5_0 ? "actor_rollout_ref.profiler"
                                            : "actor_rollout_ref.actor.profiler";
    case Role::rollout:
        return "actor_rollout_ref.rollout.profiler";
    case Role::ref:
        return "actor_rollout_ref.ref.profiler";
    case Role::critic:
        return "critic.profiler";
    case Role::reward:
        return trainer == VerlTrainer::rl ? "reward_model.profiler" : "reward.reward_model.rollout.profiler";
    }
    return {};
}

bool isProfilerKey(std::string_view key)
{
    return key.starts_with("global_profiler.") || key == "trainer.profile_steps" ||
           key == "trainer.profile_interval" || key.starts_with("trainer.npu_profile.") ||
           key.starts_with("trainer.worker_nsight_options.") ||
           key.starts_with("trainer.controller_nsight_options.") || key.starts_with("profiler.") ||
           key.find(".profiler.") != std::string_view::npos;
}

// The rollout copies the actor's block, so it requires its own settings only if it is explicitly enabled.
static bool isExplicitlyEnabled(const SessionConfig& config, VerlSchema schema, Role role)
{
    return config.role(role).enable.value_or(false) && isRoleOn(config, schema, role);
}

const TorchOptions& torchOf(const SessionConfig& config, VerlSchema schema, Role role)
{
    static const TorchOptions kNone;
    if (config.role(role).torch.isSet()) return config.role(role).torch;
    return isExplicitlyEnabled(config, schema, role) ? config.torch : kNone;
}

const NpuOptions& npuOf(const SessionConfig& config, VerlSchema schema, Role role)
{
    static const NpuOptions kNone;
    if (config.role(role).npu.isSet()) return config.role(role).npu;
    return isExplicitlyEnabled(config, schema, role) ? config.npu : kNone;
}

} // namespace lockstep
