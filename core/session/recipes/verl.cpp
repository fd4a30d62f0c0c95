// SPDX-License-Identifier: Apache-2.0
// Recipe for verl: PPO and related algorithms on Ray, profiled through Hydra overrides.
// Preflight rules about verl's roles: which settings are read or ignored, and which ranks exist.
#include "core/session/recipes/verl.h"

#include <algorithm>

#include "core/session/hydra_override.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
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

void checkNoBlock(const RecipeInput& input, Role role, Findings& findings)
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

// Checks only the roles: whether each is enabled, whether its settings are read or ignored, and its ranks.
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

constexpr std::string_view kWorkerField = "nsys.worker_options";

void checkSchema(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    bool found = false;
    for (const HostFacts& host : input.facts) {
        const CheckoutFacts* checkout = findCheckout(host, config.workingFolder, config.framework);
        if (checkout == nullptr || !checkout->schema) continue;
        found = true;
        if (*checkout->schema == input.schema) continue;
        const bool silent = !isOldVerl(input.schema);
        const std::string checkoutSchema(enumName(*checkout->schema));
        addFinding(findings, Severity::error, "schema", "verl.schema",
                   host.host + " has verl " + checkout->version + " with the settings layout of " +
                       checkoutSchema + ", but the plan uses that of " + std::string(enumName(input.schema)) +
                       (silent ? ": verl accepts and ignores keys that differ"
                               : ": Hydra fails on the first key that differs"),
                   "use " + checkoutSchema,
                   [schema = *checkout->schema](SessionConfig& c) { c.schema = schema; });
    }
    if (!found && !config.schema) {
        addFinding(findings, Severity::note, "schema", "verl.schema_unknown",
                   "the checkout was not inspected; the plan uses the newest settings layout",
                   "check the hosts, or choose the release");
    }
}

void checkOldTool(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const VerlTrainer trainer = trainerOf(config);
    if (config.tool && !hasTool(trainer, input.schema, *config.tool)) {
        const bool isSft = trainer == VerlTrainer::sft;
        const Tool other = isSft ? Tool::torch : Tool::nsys;
        const std::string trainerName = isSft ? "the SFT trainer of verl " : "verl ";
        addFinding(findings, Severity::error, "tool", "verl.tool_era",
                   trainerName + std::string(enumName(input.schema)) + " cannot profile with " +
                       std::string(enumName(*config.tool)),
                   "choose " + std::string(enumName(other)), [other](SessionConfig& c) { c.tool = other; });
    }
    if (input.schema == VerlSchema::v0_6_0 && config.tool == Tool::torch) {
        addFinding(findings, Severity::error, "tool", "verl.torch_0_6",
                   "verl 0.6 reads torch settings that do not exist: its torch tool does not work",
                   "choose nsys", [](SessionConfig& c) { c.tool = Tool::nsys; });
    }
    // v0.7.0 verl/utils/profiler/profile.py:110 takes no arguments; ppo/ray_trainer.py:1067 passes two.
    if (input.schema == VerlSchema::v0_7_0 && config.tool == Tool::torch && trainer == VerlTrainer::rl) {
        addFinding(
            findings, Severity::error, "tool", "verl.torch_0_7_0",
            "verl 0.7.0 cannot use the torch profiler in RL runs: the first profiled step fails with a "
            "TypeError",
            "choose nsys, or use verl 0.7.1", [](SessionConfig& c) { c.tool = Tool::nsys; });
    }
    if (isOldVerl(input.schema) && config.profileContinuousSteps.value_or(false)) {
        addFinding(
            findings, Severity::warning, "profile_continuous_steps", "verl.old_continuous",
            "only verl 0.6 and newer can put adjacent steps into one report; every step has its own report here",
            "turn it off", [](SessionConfig& c) { c.profileContinuousSteps.reset(); });
    }
}

void checkCaptureRange(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (config.tool != Tool::nsys) return;
    const NsightOption* range = findOption(config.workerOptions, "capture-range");
    if (range != nullptr && range->value != "cudaProfilerApi") {
        addFinding(findings, Severity::error, std::string(kWorkerField), "verl.capture_range",
                   "capture-range must be cudaProfilerApi: verl starts and stops the capture by these calls",
                   "remove it", [](SessionConfig& c) { eraseOption(c.workerOptions, "capture-range"); });
    }
    const NsightOption* end = findOption(config.workerOptions, "capture-range-end");
    if (end == nullptr || !end->value) return;
    const int64_t needed = captureRangeCount(config, input.schema);
    const std::optional<int64_t> allowed = repeatCount(*end->value);
    if (end->value->starts_with("repeat") && (!allowed || *allowed >= needed)) return;
    if (!end->value->starts_with("repeat") && needed <= 1) return;
    addFinding(findings, Severity::error, std::string(kWorkerField), "verl.capture_range_end",
               *end->value + " ends the recording after " + std::to_string(allowed.value_or(1)) + " of " +
                   std::to_string(needed) + " capture ranges; the rest is silently lost",
               "remove it; the plan then uses repeat-shutdown:" + std::to_string(needed),
               [](SessionConfig& c) { eraseOption(c.workerOptions, "capture-range-end"); });
}

// Checks the engines of the rollout and VeRL-Omni's reward servers, which record separately.
void checkEngine(const RecipeInput& input, Role role, Findings& findings)
{
    const SessionConfig& config = input.config;
    const RoleProfile& engine = config.role(role);
    if (isOldVerl(input.schema) || !isRoleOn(config, input.schema, role) || !config.tool) return;
    const std::string field = "roles." + std::string(enumName(role)) + ".";
    const bool chosen = engine.enable.value_or(false);
    const std::string name = overrideValue(config, "actor_rollout_ref.rollout.name").value_or("");
    const Tool tool = engine.tool.value_or(*config.tool);
    if (tool == Tool::nsys || tool == Tool::torchMemory) {
        if (tool == Tool::nsys && name == "trtllm") return;
        addFinding(
            findings, chosen ? Severity::warning : Severity::note, field + "enable", "verl.rollout_tool",
            "vLLM and SGLang engines record only with torch and npu: generation has no report of its "
            "own under " +
                std::string(enumName(tool)),
            chosen ? "turn it off, or use torch with discrete" : "",
            chosen ? SessionEdit([role](SessionConfig& c) { c.role(role).enable = false; }) : SessionEdit());
        return;
    }
    const std::optional<bool>& torchs = engine.torch.isSet() ? engine.torch.discrete : config.torch.discrete;
    const std::optional<bool>& npus = engine.npu.isSet() ? engine.npu.discrete : config.npu.discrete;
    if (tool == Tool::torch && !torchs.value_or(false) && hasTorchContents(input.schema)) {
        addFinding(findings, chosen ? Severity::warning : Severity::note, "torch.discrete",
                   "verl.rollout_discrete", "rollout engines record only with torch.discrete",
                   "set it to record generation", [](SessionConfig& c) { c.torch.discrete = true; });
    } else if (tool == Tool::npu && !npus.value_or(false)) {
        addFinding(findings, chosen ? Severity::warning : Severity::note, "npu.discrete", "verl.rollout_npu",
                   "rollout engines record only with npu.discrete", "set it to record generation",
                   [](SessionConfig& c) { c.npu.discrete = true; });
    }
    if (chosen && engine.ranks && !engine.ranks->empty()) {
        const bool global = config.framework == Framework::verl && input.schema == VerlSchema::head;
        addFinding(findings, Severity::note, field + "ranks", "verl.rollout_ranks",
                   global ? "these are global GPU ranks; each selects the replica that it belongs to"
                          : "here, these are replica numbers, not ranks",
                   "");
    }
}

// Reports roles that are enabled although this release never records them.
void checkUnrecordedRoles(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool || config.tool == Tool::capture || isOldVerl(input.schema)) return;
    if (!recordsCritic(config, input.schema) && isRoleOn(config, input.schema, Role::critic)) {
        addFinding(findings, Severity::warning, "roles.critic.enable", "verl.critic_0_8",
                   "verl 0.8.0 never records the critic: it does not pass the critic's profiler settings on",
                   "use verl 0.9.0 or newer", {});
    }
    const Tool engineTool = config.role(Role::rollout).tool.value_or(*config.tool);
    const bool isEngineOn = isRoleOn(config, input.schema, Role::rollout) && hasTorchContents(input.schema) &&
                            (engineTool == Tool::torch || engineTool == Tool::npu);
    if (isEngineOn && !startsEngines(config, input.schema)) {
        // The V1 trainer is the reason if the older trainer would start them.
        const SessionEdit useOlderTrainer = [](SessionConfig& c) {
            c.otherOverrides.emplace_back("trainer.use_v1=False");
        };
        SessionConfig older = config;
        useOlderTrainer(older);
        const bool isV1 = startsEngines(older, input.schema);
        const bool chosen = config.role(Role::rollout).enable.value_or(false);
        addFinding(
            findings, chosen ? Severity::warning : Severity::note, "roles.rollout.enable",
            "verl.engines_not_started",
            isV1 ? "verl 0.9.0 does not record rollout engines with the V1 trainer, which is its default"
                 : "this entry point of verl does not record rollout engines",
            isV1 ? "set trainer.use_v1=False, or use a newer verl" : "use verl.trainer.main_ppo",
            isV1 ? useOlderTrainer : SessionEdit());
    }
    for (const Role role : kRoles) {
        const RoleProfile& profile = config.role(role);
        const bool isUnranked = profile.enable.value_or(false) && !profile.allRanks.value_or(false) &&
                                (!profile.ranks || profile.ranks->empty());
        if (!isUnranked || !isRoleOn(config, input.schema, role)) continue;
        if (recordsRankZero(input.schema, profile.tool.value_or(*config.tool))) continue;
        addFinding(findings, Severity::error, roleField(role, "ranks"), "verl.no_ranks",
                   "no rank is selected: up to verl 0.7.0, nothing is recorded without ranks",
                   "record rank 0", [role](SessionConfig& c) { c.role(role).ranks = {0}; });
    }
}

// The newest critics mark every mini-batch of their update, and the number of mini-batches depends on the
// run's batch sizes.
void checkCriticBatches(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const bool isCounted = config.tool == Tool::nsys && input.schema == VerlSchema::head &&
                           isRoleOn(config, input.schema, Role::critic) &&
                           isNsysDiscrete(config, input.schema, Role::critic);
    if (!isCounted) return;
    addFinding(findings, Severity::note, "roles.critic.discrete", "verl.critic_batches",
               "the critic writes one report per mini-batch of its update: " +
                   std::to_string(criticBatches(config)) +
                   " per step, from the batch sizes in the overrides or verl's defaults",
               "");
}

// The SFT trainer's profile_interval is one contiguous range of steps.
void checkInterval(const RecipeInput& input, Findings& findings)
{
    const std::vector<int64_t> steps = sortedSteps(input.config);
    if (trainerOf(input.config) != VerlTrainer::sft || steps.empty()) return;
    if (steps.back() - steps.front() + 1 == static_cast<int64_t>(steps.size())) return;
    addFinding(findings, Severity::error, "steps", "sft.interval",
               "the SFT trainer records one contiguous range of steps: all from " +
                   std::to_string(steps.front()) + " to " + std::to_string(steps.back()),
               "keep the first range", [](SessionConfig& c) {
                   SessionConfig joined = c;
                   joined.profileContinuousSteps = true;
                   c.steps = stepGroups(joined).front();
               });
}

void checkKnownOverride(const RecipeInput& input, const std::string& word, const HydraOverride& parsed,
                        Findings& findings)
{
    const SessionConfig& config = input.config;
    const VerlKey* known = findVerlKey(trainerOf(config), input.schema, parsed.key);
    if (known == nullptr) return;
    SessionConfig trial = config;
    const Status fits = known->read(trial, *parsed.value);
    if (!fits) {
        addFinding(findings, Severity::warning, "other_overrides", "override.value",
                   parsed.key + " " + fits.error().message + ": Lockstep does not know what this records",
                   "it is passed to verl unchanged");
    } else if (!known->write(config)) {
        addFinding(findings, Severity::note, "other_overrides", "override.is_field",
                   word + " has a field in the form; the forecast and the checks ignore the override",
                   "move it to the field", [known, word, value = *parsed.value](SessionConfig& c) {
                       if (known->read(c, value)) std::erase(c.otherOverrides, word);
                   });
    } else {
        addFinding(findings, Severity::warning, "other_overrides", "override.hides_field",
                   word + " comes last and overrides the corresponding field", "remove it",
                   [word](SessionConfig& c) { std::erase(c.otherOverrides, word); });
    }
}

void checkOtherOverrides(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    for (const std::string& word : config.otherOverrides) {
        const Result<HydraOverride> parsed = parseHydraOverride(word);
        if (!parsed) {
            const bool readable = parsed.error().kind == ErrorKind::unsupported;
            addFinding(findings, readable ? Severity::warning : Severity::error, "other_overrides",
                       "override.syntax", word + ": " + parsed.error().message,
                       "put double quotes around the value");
        } else if (parsed->value) {
            checkKnownOverride(input, word, *parsed, findings);
        }
    }
}

} // namespace

Result<RecipeProgram> verlProgram(const RecipeInput& input)
{
    RecipeProgram program;
    program.overrides = verlOverrides(input.config, input.schema);
    program.environment = captureEnvironment(input);
    // The workers get the environment of their cluster, plus these variables. The SFT trainer runs under
    // torchrun, and old releases do not pass on any variables. In these cases the cluster must set the
    // variables (see capture.ray_environment).
    const bool passesOn = trainerOf(input.config) != VerlTrainer::sft && !isOldVerl(input.schema);
    for (const auto& [name, value] : passesOn ? program.environment : TextPairs()) {
        program.overrides.push_back("++ray_kwargs.ray_init.runtime_env.env_vars." + name + "=" +
                                    hydraQuoted(value));
    }
    program.argv = input.config.command;
    program.argv.insert(program.argv.end(), program.overrides.begin(), program.overrides.end());
    return program;
}

void checkVerl(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkSchema(input, findings);
    checkOldTool(input, findings);
    checkVerlRoles(input, findings);
    for (const Role role : {Role::rollout, Role::reward}) {
        if (role == Role::rollout || config.framework == Framework::verlOmni)
            checkEngine(input, role, findings);
    }
    checkUnrecordedRoles(input, findings);
    checkCriticBatches(input, findings);
    checkInterval(input, findings);
    checkCaptureRange(input, findings);
    checkOtherOverrides(input, findings);
    if (config.tool == Tool::nsys && !sortedSteps(config).empty()) {
        addFinding(findings, Severity::note, "nsys.controller_options", "verl.controller",
                   "the controller is recorded for the whole run, regardless of the steps", "");
    }
}

Recipe verlRecipe()
{
    static constexpr std::array kTools{
        Tool::nsys, Tool::torch, Tool::torchMemory, Tool::npu, Tool::precisionDebugger, Tool::capture};
    return {Framework::verl, "verl", false, true, kTools, verlProgram, forecastVerl, checkVerl};
}

} // namespace lockstep
