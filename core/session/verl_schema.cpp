#include "core/session/verl_schema.h"

#include <algorithm>

#include "core/session/host_facts.h"

namespace lockstep {

namespace {

// The key stands at the beginning of a line, after blanks only.
bool hasKey(std::string_view yaml, std::string_view key)
{
    for (size_t at = yaml.find(key); at != std::string_view::npos; at = yaml.find(key, at + 1)) {
        size_t begin = at;
        while (begin > 0 && (yaml[begin - 1] == ' ' || yaml[begin - 1] == '\t')) --begin;
        if (begin == 0 || yaml[begin - 1] == '\n') return true;
    }
    return false;
}

size_t indentOf(std::string_view line)
{
    return std::min(line.find_first_not_of(' '), line.size());
}

// `child:` directly under the top-level key `parent:`.
bool hasDirectChild(std::string_view yaml, std::string_view parent, std::string_view child)
{
    bool inside = false;
    size_t childIndent = 0;
    while (!yaml.empty()) {
        const size_t end = std::min(yaml.find('\n'), yaml.size());
        const std::string_view line = yaml.substr(0, end);
        yaml.remove_prefix(std::min(end + 1, yaml.size()));
        const size_t indent = indentOf(line);
        if (indent == line.size() || line[indent] == '#') continue;
        if (indent == 0) {
            inside = line.starts_with(parent);
            childIndent = 0;
        } else if (inside) {
            if (childIndent == 0) childIndent = indent;
            if (indent == childIndent && line.substr(indent).starts_with(child)) return true;
        }
    }
    return false;
}

} // namespace

Result<VerlSchema> detectVerlSchema(std::string_view trainerYaml, std::string_view profilerYaml)
{
    if (hasKey(trainerYaml, "global_profiler:")) {
        if (hasKey(trainerYaml, "relocate_results:") || hasKey(profilerYaml, "relocate_results:")) return VerlSchema::head;
        if (profilerYaml.empty()) return VerlSchema::v0_6_0;
        if (hasKey(profilerYaml, "schedule:")) return VerlSchema::v0_9_0;
        if (profilerYaml.find("manual_save") != std::string_view::npos) return VerlSchema::v0_7_0;
        if (hasKey(profilerYaml, "precision_debugger:")) return VerlSchema::v0_8_0;
        return VerlSchema::v0_7_1;
    }
    if (hasKey(trainerYaml, "profile_steps:")) {
        const bool shared = hasDirectChild(trainerYaml, "actor_rollout_ref:", "profiler:");
        return shared ? VerlSchema::v0_5_0 : VerlSchema::v0_4_1;
    }
    return makeError(ErrorKind::notFound, "this verl has neither global_profiler nor trainer.profile_steps: it is 0.4.0 or "
                                          "older and cannot be profiled; use 0.4.1 or newer");
}

VerlSchema schemaOf(const SessionConfig& config, std::span<const HostFacts> facts)
{
    if (config.schema) return *config.schema;
    for (const HostFacts& host : facts) {
        const CheckoutFacts* checkout = findCheckout(host, config.workingFolder, config.framework);
        if (checkout != nullptr && checkout->schema) return *checkout->schema;
    }
    return VerlSchema::head;
}

int64_t stagesPerStep(const SessionConfig& config, VerlSchema schema)
{
    const bool actorGroup = isRoleOn(config, schema, Role::actor) || isRoleOn(config, schema, Role::rollout) ||
                            isRoleOn(config, schema, Role::ref);
    return (actorGroup ? 4 : 0) + (isRoleOn(config, schema, Role::critic) ? 2 : 0) +
           (isRoleOn(config, schema, Role::reward) ? 1 : 0);
}

int64_t captureRangeCount(const SessionConfig& config, VerlSchema schema)
{
    const bool discrete = std::any_of(kRoles.begin(), kRoles.end(), [&](Role role) {
        return isRoleOn(config, schema, role) && isNsysDiscrete(config, role);
    });
    if (!discrete) return static_cast<int64_t>(stepGroups(config).size());
    return static_cast<int64_t>(sortedSteps(config).size()) * std::max<int64_t>(1, stagesPerStep(config, schema));
}

bool isRoleOn(const SessionConfig& config, VerlSchema schema, Role role)
{
    if (!hasRoleBlock(config.framework, schema, role)) return false;
    const RoleProfile& profile = config.role(role);
    if (isOldVerl(schema)) return profile.allRanks.value_or(false) || (profile.ranks && !profile.ranks->empty());
    if (role == Role::rollout && !profile.enable) return config.role(Role::actor).enable.value_or(false);
    return profile.enable.value_or(false);
}

bool hasRoleBlock(Framework framework, VerlSchema schema, Role role)
{
    if (!isVerlFamily(framework)) return false;
    if (framework == Framework::verlOmni) return role != Role::critic && role != Role::reward;
    if (role == Role::reward) return schema <= VerlSchema::v0_7_0;
    if (schema == VerlSchema::v0_5_0) return role == Role::actor || role == Role::critic;
    return true;
}

bool isNsysDiscrete(const SessionConfig& config, Role role)
{
    const RoleProfile& profile = config.role(role);
    if (profile.discrete) return *profile.discrete;
    // The rollout's block copies the actor's.
    if (role == Role::rollout && config.role(Role::actor).discrete) return *config.role(Role::actor).discrete;
    return config.discrete.value_or(false);
}

} // namespace lockstep
