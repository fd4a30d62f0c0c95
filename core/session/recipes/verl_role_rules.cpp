// SPDX-License-Identifier: Apache-2.0
// Preflight rules about verl's roles: which settings are read or ignored, and which ranks exist.
#include <algorithm>

#include "core/session/recipes/verl_reports.h"
#include "core/session/recipes/verl_rules.h"
#include "core/session/typed_value.h"
#include "core/session/verl_schema.h"
#include "core/session/verl_settings.h"

namespace lockstep {

namespace {

std::string roleField(Role role, std::string_view name)
{
    return "roles." + std::string(enumName(role)) + "." + std::string(name);
}

bool recordsAnything(const RoleProfile& role)
{
    return role.enable.value_or(false) || role.allRanks.value_or(false) ||
           (role.ranks && !role.ranks->empty());
}

// By default, actor, rollout and ref share one worker, and verl reads only the actor's block for it.
void checkSharedWorker(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const RoleProfile& actor = config.role(Role::actor);
    const RoleProfile& ref = config.role(Role::ref);
    if (!ref.enable.value_or(false)) return;
    if (!actor.enable.value_or(false)) {
        addFinding(findings, Severity::error, "roles.ref.enable", "verl.ref_only",
                   "ref shares the actor's worker, and verl reads only the actor's block: nothing would be "
                   "recorded",
                   "enable the actor with ref's ranks", [](SessionConfig& c) {
                       RoleProfile& from = c.role(Role::ref);
                       c.role(Role::actor) = from;
                       from = {};
                   });
    } else if (ref.ranks != actor.ranks || ref.allRanks != actor.allRanks) {
        addFinding(findings, Severity::warning, "roles.ref.ranks", "verl.ref_ignored",
                   "ref shares the actor's worker: its own ranks are ignored (verl 0.6 and later)",
                   "remove the settings of ref", [](SessionConfig& c) { c.role(Role::ref) = {}; });
    }
}

void checkOldBlocks(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const RoleProfile& actor = config.role(Role::actor);
    for (const Role role : {Role::rollout, Role::ref}) {
        const RoleProfile& other = config.role(role);
        if (input.schema == VerlSchema::v0_5_0 && recordsAnything(other)) {
            addFinding(
                findings, Severity::warning, roleField(role, "ranks"), "verl.one_block",
                "verl 0.5.0 has one block for actor, rollout and ref, written from the actor's settings",
                "remove these", [role](SessionConfig& c) { c.role(role) = {}; });
        }
        const bool same = other.ranks == actor.ranks && other.allRanks == actor.allRanks &&
                          other.discrete == actor.discrete;
        if (input.schema == VerlSchema::v0_4_1 && !same) {
            addFinding(
                findings, Severity::warning, roleField(role, "ranks"), "verl.blocks_differ",
                "under FSDP, verl 0.4.1 uses the last block of the shared worker, not the union of the blocks",
                "use the actor's settings for all three", [role](SessionConfig& c) {
                    const RoleProfile& from = c.role(Role::actor);
                    RoleProfile& to = c.role(role);
                    to.ranks = from.ranks;
                    to.allRanks = from.allRanks;
                    to.discrete = from.discrete;
                });
        }
    }
}

void checkNoneOn(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool || config.tool == Tool::capture) return;
    const bool any = std::any_of(kRoles.begin(), kRoles.end(),
                                 [&](Role role) { return isRoleOn(config, input.schema, role); });
    if (any) return;
    if (isOldVerl(input.schema)) {
        addFinding(findings, Severity::error, "roles", "verl.none_on",
                   "no role has ranks, so nothing is recorded", "record rank 0 of the actor's worker",
                   [schema = input.schema](SessionConfig& c) {
                       c.role(Role::actor).ranks = {0};
                       if (schema != VerlSchema::v0_4_1) return;
                       c.role(Role::rollout).ranks = {0};
                       c.role(Role::ref).ranks = {0};
                   });
        return;
    }
    if (config.role(Role::ref).enable.value_or(false)) return; // already reported for ref
    addFinding(findings, Severity::error, "roles", "verl.none_on",
               "no role is enabled, so nothing is recorded", "enable the actor",
               [](SessionConfig& c) { c.role(Role::actor).enable = true; });
}

void checkRanks(const RecipeInput& input, Role role, Findings& findings)
{
    const RoleProfile& profile = input.config.role(role);
    if (!profile.ranks) return;
    std::vector<int64_t> sorted = *profile.ranks;
    std::sort(sorted.begin(), sorted.end());
    const std::string field = roleField(role, "ranks");
    if (!sorted.empty() && sorted.front() < 0) {
        addFinding(findings, Severity::error, field, "ranks.negative", "ranks must not be negative",
                   "remove it", [role](SessionConfig& c) {
                       std::erase_if(*c.role(role).ranks, [](int64_t rank) { return rank < 0; });
                   });
    }
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        addFinding(findings, Severity::note, field, "ranks.duplicate", "duplicate rank", "");
    }
    const std::optional<int64_t> world =
        role == Role::rollout ? rolloutWorldSize(input.config) : knownWorldSize(input.config);
    const bool isVerl = input.config.framework == Framework::verl;
    const bool replicas = (role == Role::rollout && !(isVerl && input.schema == VerlSchema::head)) ||
                          (role == Role::reward && !isVerl);
    if (world && !replicas && !sorted.empty() && sorted.back() >= *world) {
        addFinding(findings, Severity::error, field, "ranks.beyond_world",
                   "rank " + std::to_string(sorted.back()) + " does not exist: the run has ranks 0 to " +
                       std::to_string(*world - 1),
                   "remove it", [role, last = *world](SessionConfig& c) {
                       std::erase_if(*c.role(role).ranks, [last](int64_t rank) { return rank >= last; });
                   });
    }
    if (profile.allRanks.value_or(false) && !sorted.empty()) {
        addFinding(findings, Severity::note, field, "ranks.all",
                   "all_ranks is on: the list of ranks has no effect", "");
    }
    if (!isOldVerl(input.schema) && !profile.enable.value_or(false) && !sorted.empty() &&
        !(role == Role::rollout && rolloutCopies(input.config, input.schema))) {
        addFinding(findings, Severity::warning, roleField(role, "enable"), "verl.not_enabled",
                   "ranks are set but the role is not enabled, so it records nothing", "enable the role",
                   [role](SessionConfig& c) { c.role(role).enable = true; });
    }
}

} // namespace

static void checkNoBlock(const RecipeInput& input, Role role, Findings& findings)
{
    const VerlTrainer trainer = trainerOf(input.config);
    if (!recordsAnything(input.config.role(role)) || hasRoleBlock(trainer, input.schema, role)) return;
    const auto drop = [role](SessionConfig& c) { c.role(role) = {}; };
    if (trainer == VerlTrainer::sft) {
        addFinding(findings, role == Role::actor ? Severity::error : Severity::warning,
                   roleField(role, "enable"), "sft.roles",
                   role == Role::actor
                       ? "verl's SFT trainer has profiler settings from 0.7.0 on: nothing would be recorded"
                       : "the SFT trainer has one worker, the actor; this role is ignored",
                   "remove these", drop);
    } else if (trainer == VerlTrainer::rl && role == Role::reward) {
        addFinding(
            findings, Severity::warning, "roles.reward.enable", "verl.reward",
            "the reward model has no profiler settings here (only verl 0.4.1 to 0.7.0 has them); they are ignored",
            "remove them", drop);
    }
}

void checkVerlRoles(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkNoneOn(input, findings);
    if (isOldVerl(input.schema)) {
        checkOldBlocks(input, findings);
    } else if (trainerOf(config) != VerlTrainer::sft) {
        checkSharedWorker(input, findings);
    }
    for (const Role role : kRoles) {
        const RoleProfile& profile = config.role(role);
        checkRanks(input, role, findings);
        checkNoBlock(input, role, findings);
        if (profile.tool && config.tool && *profile.tool != *config.tool) {
            addFinding(findings, Severity::warning, roleField(role, "tool"), "verl.role_tool",
                       "a role with a different tool than the session fails when verl merges their settings",
                       "use the session's tool", [role](SessionConfig& c) { c.role(role).tool.reset(); });
        }
    }
}

} // namespace lockstep
