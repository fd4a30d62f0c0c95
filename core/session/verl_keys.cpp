#include "core/session/verl_keys.h"

#include <algorithm>

#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"

namespace lockstep {

namespace {

using Keys = std::vector<VerlKey>;

template<class Get>
void add(Keys& keys, std::string key, std::string field, Get get)
{
    keys.push_back({std::move(key), std::move(field),
                    [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
                    [get](const SessionConfig& config) { return writtenValue(get(config)); }});
}

// As add(), but an empty list is written too: `ranks=[]` and `contents=[]` say something.
template<class Get>
void addTorchKey(Keys& keys, const std::string& key, std::string field, Role role, VerlSchema schema, Get member)
{
    keys.push_back({key, std::move(field),
                    [role, member](SessionConfig& config, const ConfigValue& value) {
                        return assign(member(config.role(role).torch), value);
                    },
                    [role, schema, member](const SessionConfig& config) {
                        return writtenValue(member(torchOf(config, schema, role)));
                    }});
}

void addTorch(Keys& keys, const std::string& block, const std::string& field, Role role, VerlSchema schema)
{
    const std::string torch = block + ".tool_config.torch.";
    const auto key = [&](const char* name, const char* fieldName, auto member) {
        addTorchKey(keys, torch + name, field + "torch." + fieldName, role, schema, member);
    };
    key("contents", "contents", [](auto& t) -> auto& { return t.contents; });
    key("discrete", "discrete", [](auto& t) -> auto& { return t.discrete; });
    key("profile_token_start", "profile_token_start", [](auto& t) -> auto& { return t.tokenStart; });
    key("profile_token_end", "profile_token_end", [](auto& t) -> auto& { return t.tokenEnd; });
    key("schedule.skip_first", "schedule.skip_first", [](auto& t) -> auto& { return t.schedule.skipFirst; });
    key("schedule.wait", "schedule.wait", [](auto& t) -> auto& { return t.schedule.wait; });
    key("schedule.warmup", "schedule.warmup", [](auto& t) -> auto& { return t.schedule.warmup; });
    key("schedule.active", "schedule.active", [](auto& t) -> auto& { return t.schedule.active; });
    key("schedule.repeat", "schedule.repeat", [](auto& t) -> auto& { return t.schedule.repeat; });
}

void addRoleTool(Keys& keys, const std::string& block, const std::string& field, Framework framework, Role role,
                 VerlSchema schema)
{
    keys.push_back({block + ".tool", field + "tool",
                    [role](SessionConfig& config, const ConfigValue& value) { return assign(config.role(role).tool, value); },
                    [role, schema, framework](const SessionConfig& config) -> std::optional<ConfigValue> {
                        // VeRL-Omni's role blocks do not inherit the tool: theirs is torch unless told.
                        const bool repeat = framework == Framework::verlOmni && isRoleOn(config, schema, role) &&
                                            config.role(role).enable && config.tool != Tool::capture;
                        return writtenValue(repeat && !config.role(role).tool ? config.tool : config.role(role).tool);
                    }});
}

void addNewRole(Keys& keys, Framework framework, VerlSchema schema, Role which)
{
    const std::string block(roleBlockKey(framework, schema, which));
    if (block.empty()) return;
    const std::string field = "roles." + std::string(wordOf(which)) + ".";
    const auto role = [which](auto& config) -> auto& { return config.role(which); };
    add(keys, block + ".enable", field + "enable", [role](auto& c) -> auto& { return role(c).enable; });
    add(keys, block + ".ranks", field + "ranks", [role](auto& c) -> auto& { return role(c).ranks; });
    add(keys, block + ".all_ranks", field + "all_ranks", [role](auto& c) -> auto& { return role(c).allRanks; });
    addRoleTool(keys, block, field, framework, which, schema);
    add(keys, block + ".save_path", field + "save_path", [role](auto& c) -> auto& { return role(c).savePath; });
    add(keys, block + ".tool_config.nsys.discrete", field + "discrete", [role](auto& c) -> auto& { return role(c).discrete; });
    addTorch(keys, block, field, which, schema);
    const std::string memory = block + ".tool_config.torch_memory.";
    add(keys, memory + "trace_alloc_max_entries", field + "torch_memory.max_entries",
        [role](auto& c) -> auto& { return role(c).torchMemory.maxEntries; });
    add(keys, memory + "stack_depth", field + "torch_memory.stack_depth",
        [role](auto& c) -> auto& { return role(c).torchMemory.stackDepth; });
}

#define LOCKSTEP_MEMBER(member) [](auto& config) -> auto& { return config.member; }

void addGlobal(Keys& keys)
{
    add(keys, "global_profiler.tool", "tool", LOCKSTEP_MEMBER(tool));
    add(keys, "global_profiler.steps", "steps", LOCKSTEP_MEMBER(steps));
    add(keys, "global_profiler.profile_continuous_steps", "profile_continuous_steps",
        LOCKSTEP_MEMBER(profileContinuousSteps));
    add(keys, "global_profiler.save_path", "save_path", LOCKSTEP_MEMBER(savePath));
    add(keys, "global_profiler.relocate_results", "hooks.relocate_results", LOCKSTEP_MEMBER(hooks.relocateResults));
    add(keys, "global_profiler.finish_hook_cmd", "hooks.command", LOCKSTEP_MEMBER(hooks.command));
    add(keys, "global_profiler.finish_hook_all_ranks", "hooks.all_ranks", LOCKSTEP_MEMBER(hooks.allRanks));
    add(keys, "global_profiler.finish_hook_ranks", "hooks.ranks", LOCKSTEP_MEMBER(hooks.ranks));
    const std::string tools = "global_profiler.global_tool_config.";
    add(keys, tools + "nsys.discrete", "discrete", LOCKSTEP_MEMBER(discrete));
    add(keys, tools + "torch_memory.trace_alloc_max_entries", "torch_memory.max_entries",
        LOCKSTEP_MEMBER(torchMemory.maxEntries));
    add(keys, tools + "torch_memory.stack_depth", "torch_memory.stack_depth", LOCKSTEP_MEMBER(torchMemory.stackDepth));
}

void addOldRole(Keys& keys, VerlSchema schema, Role which)
{
    const std::string block(roleBlockKey(Framework::verl, schema, which));
    if (block.empty()) return;
    const std::string field = "roles." + std::string(wordOf(which)) + ".";
    const auto role = [which](auto& config) -> auto& { return config.role(which); };
    add(keys, block + ".ranks", field + "ranks", [role](auto& c) -> auto& { return role(c).ranks; });
    add(keys, block + ".all_ranks", field + "all_ranks", [role](auto& c) -> auto& { return role(c).allRanks; });
    keys.push_back({block + ".discrete", field + "discrete",
                    [role](SessionConfig& c, const ConfigValue& value) { return assign(role(c).discrete, value); },
                    [role, schema, which](const SessionConfig& c) {
                        const bool inherits = !role(c).discrete && isRoleOn(c, schema, which);
                        return writtenValue(inherits ? c.discrete : role(c).discrete);
                    }});
}

Keys makeKeys(Framework framework, VerlSchema schema)
{
    Keys keys;
    if (isOldVerl(schema)) {
        add(keys, "trainer.profile_steps", "steps", LOCKSTEP_MEMBER(steps));
        for (const Role role : kRoles) addOldRole(keys, schema, role);
    } else {
        addGlobal(keys);
        for (const Role role : kRoles) addNewRole(keys, framework, schema, role);
    }
    return keys;
}

#undef LOCKSTEP_MEMBER

} // namespace

std::span<const VerlKey> verlKeys(Framework framework, VerlSchema schema)
{
    static const std::array<std::array<Keys, 8>, 2> kTables = [] {
        std::array<std::array<Keys, 8>, 2> tables;
        for (size_t i = 0; i < 8; ++i) {
            tables[0][i] = makeKeys(Framework::verl, static_cast<VerlSchema>(i));
            tables[1][i] = makeKeys(Framework::verlOmni, static_cast<VerlSchema>(i));
        }
        return tables;
    }();
    return kTables[framework == Framework::verlOmni ? 1 : 0][static_cast<size_t>(schema)];
}

const VerlKey* findVerlKey(Framework framework, VerlSchema schema, std::string_view key)
{
    const std::span<const VerlKey> keys = verlKeys(framework, schema);
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const VerlKey& one) { return one.key == key; });
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

std::string_view roleBlockKey(Framework framework, VerlSchema schema, Role role)
{
    if (!hasRoleBlock(framework, schema, role)) return {};
    switch (role) {
    case Role::actor:
        return schema == VerlSchema::v0_5_0 ? "actor_rollout_ref.profiler" : "actor_rollout_ref.actor.profiler";
    case Role::rollout: return "actor_rollout_ref.rollout.profiler";
    case Role::ref: return "actor_rollout_ref.ref.profiler";
    case Role::critic: return "critic.profiler";
    case Role::reward: return "reward_model.profiler";
    }
    return {};
}

bool isProfilerKey(std::string_view key)
{
    return key.starts_with("global_profiler.") || key == "trainer.profile_steps" ||
           key.starts_with("trainer.worker_nsight_options.") || key.starts_with("trainer.controller_nsight_options.") ||
           key.starts_with("profiler.") || key.find(".profiler.") != std::string_view::npos;
}

const TorchOptions& torchOf(const SessionConfig& config, VerlSchema schema, Role role)
{
    static const TorchOptions kNone;
    const RoleProfile& profile = config.role(role);
    if (profile.torch.isSet()) return profile.torch;
    // The rollout copies the actor's block, so it needs words of its own only where it was enabled by its own word.
    return profile.enable.value_or(false) && isRoleOn(config, schema, role) ? config.torch : kNone;
}

} // namespace lockstep
