// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_schema.h"

#include <algorithm>

#include "core/base/edit_distance.h"
#include "core/base/text.h"
#include "core/session/host_facts.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"

namespace lockstep {

namespace {

// Returns true if a line begins with the key, preceded only by spaces.
bool hasKey(std::string_view yaml, std::string_view key)
{
    for (size_t at = yaml.find(key); at != std::string_view::npos; at = yaml.find(key, at + 1)) {
        size_t begin = at;
        while (begin > 0 && (yaml[begin - 1] == ' ' || yaml[begin - 1] == '\t'))
            --begin;
        if (begin == 0 || yaml[begin - 1] == '\n') return true;
    }
    return false;
}

size_t indentOf(std::string_view line)
{
    return std::min(line.find_first_not_of(' '), line.size());
}

// Returns true if `child:` is a direct child of the top-level key `parent:`.
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
        if (hasKey(trainerYaml, "relocate_results:") || hasKey(profilerYaml, "relocate_results:"))
            return VerlSchema::head;
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
    return makeError(ErrorKind::notFound,
                     "this verl has neither global_profiler nor trainer.profile_steps: it is 0.4.0 or "
                     "older and cannot be profiled; use 0.4.1 or newer",
                     HelpTopic::verl);
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

StageCount stagesOf(const SessionConfig& config, VerlSchema schema, Role role)
{
    const bool isHead = schema == VerlSchema::head;
    switch (role) {
    case Role::critic:
        if (isHead) return {criticBatches(config), 1};
        return {2, isOldVerl(schema) ? 2 : 1};
    case Role::reward:
        return {1, 1};
    case Role::actor:
    case Role::rollout:
    case Role::ref:
        break;
    }
    if (trainerOf(config) == VerlTrainer::sft) return {1, 1};
    // Both log-prob passes are optional. With a separate engine, generation is also optional. In the old era,
    // the actor's log-probs are always computed.
    return {isHead ? 3 : 4, isOldVerl(schema) ? 2 : 1};
}

int64_t criticBatches(const SessionConfig& config)
{
    constexpr int64_t kMax = 10'000; // a larger number is assumed to be a typo
    const auto number = [&](std::initializer_list<std::string_view> keys, int64_t otherwise) {
        for (const std::string_view key : keys) {
            const std::optional<std::string> text = overrideValue(config, key);
            const int64_t value = text ? parseInt(*text).value_or(0) : 0;
            if (value > 0) return std::min(value, int64_t{1} << 30);
        }
        return otherwise;
    };
    const int64_t batch = number({"data.train_batch_size"}, 1024);
    const int64_t miniBatchSize =
        number({"critic.ppo_mini_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size"}, 256);
    const int64_t epochs = number({"critic.ppo_epochs", "actor_rollout_ref.actor.ppo_epochs"}, 1);
    return std::clamp((batch + miniBatchSize - 1) / miniBatchSize * std::min(epochs, kMax), int64_t{1}, kMax);
}

int64_t stagesPerStep(const SessionConfig& config, VerlSchema schema)
{
    const bool actorGroup = isRoleOn(config, schema, Role::actor) ||
                            isRoleOn(config, schema, Role::rollout) || isRoleOn(config, schema, Role::ref);
    int64_t stages = actorGroup ? stagesOf(config, schema, Role::actor).most : 0;
    for (const Role role : {Role::critic, Role::reward}) {
        if (isRoleOn(config, schema, role)) stages += stagesOf(config, schema, role).most;
    }
    return stages;
}

int64_t captureRangeCount(const SessionConfig& config, VerlSchema schema)
{
    const bool discrete = std::any_of(kRoles.begin(), kRoles.end(), [&](Role role) {
        return isRoleOn(config, schema, role) && isNsysDiscrete(config, schema, role);
    });
    if (!discrete) return static_cast<int64_t>(stepGroups(config).size());
    return static_cast<int64_t>(sortedSteps(config).size()) *
           std::max<int64_t>(1, stagesPerStep(config, schema));
}

bool isRoleOn(const SessionConfig& config, VerlSchema schema, Role role)
{
    if (!isVerlFamily(config.framework) || !hasRoleBlock(trainerOf(config), schema, role)) return false;
    const RoleProfile& profile = config.role(role);
    if (isOldVerl(schema))
        return profile.allRanks.value_or(false) || (profile.ranks && !profile.ranks->empty());
    if (role == Role::rollout && !profile.enable && rolloutCopies(config, schema))
        return config.role(Role::actor).enable.value_or(false);
    return profile.enable.value_or(false);
}

bool rolloutCopies(const SessionConfig& config, VerlSchema schema)
{
    return !isOldVerl(schema) && trainerOf(config) != VerlTrainer::omniDiffusion;
}

bool hasRoleBlock(VerlTrainer trainer, VerlSchema schema, Role role)
{
    switch (trainer) {
    case VerlTrainer::sft:
        return role == Role::actor && schema >= VerlSchema::v0_7_0;
    case VerlTrainer::omni:
        return true;
    case VerlTrainer::omniDiffusion:
        return role != Role::critic;
    case VerlTrainer::rl:
        break;
    }
    if (role == Role::reward) return schema <= VerlSchema::v0_7_0;
    if (schema == VerlSchema::v0_5_0) return role == Role::actor || role == Role::critic;
    return true;
}

bool isNsysDiscrete(const SessionConfig& config, VerlSchema schema, Role role)
{
    const RoleProfile& profile = config.role(role);
    if (profile.discrete) return *profile.discrete;
    const std::optional<bool>& actors = config.role(Role::actor).discrete;
    if (role == Role::rollout && actors && rolloutCopies(config, schema)) return *actors;
    return config.discrete.value_or(false);
}

bool hasTorchContents(VerlSchema schema)
{
    return schema >= VerlSchema::v0_7_1;
}

bool recordsRankZero(VerlSchema schema, Tool tool)
{
    if (isOldVerl(schema)) return false;
    return schema > VerlSchema::v0_7_0 || (tool != Tool::nsys && tool != Tool::npu);
}

bool recordsCritic(const SessionConfig& config, VerlSchema schema)
{
    return config.framework != Framework::verl || schema != VerlSchema::v0_8_0;
}

bool startsEngines(const SessionConfig& config, VerlSchema schema)
{
    if (config.framework != Framework::verl || trainerOf(config) != VerlTrainer::rl || isOldVerl(schema))
        return true;
    const auto starts = [&](std::string_view name) {
        return std::ranges::any_of(config.command,
                                   [&](const std::string& word) { return word.find(name) != word.npos; });
    };
    if (starts("one_step_off")) return false;
    if (starts("fully_async")) return schema >= VerlSchema::v0_8_0;
    if (schema == VerlSchema::v0_8_0) return !starts("main_ppo_sync");
    if (schema == VerlSchema::v0_9_0)
        return lowerAscii(overrideValue(config, "trainer.use_v1").value_or("")) == "false";
    return true;
}

bool hasTool(VerlTrainer trainer, VerlSchema schema, Tool tool)
{
    const bool isSft = trainer == VerlTrainer::sft;
    switch (tool) {
    case Tool::nsys: // no release starts an SFT run's workers under nsys
        return !isSft;
    case Tool::torch:
    case Tool::torchMemory:
        return isSft ? schema >= VerlSchema::v0_7_0 : !isOldVerl(schema);
    case Tool::npu:
        return isSft ? schema >= VerlSchema::v0_7_0 : schema >= VerlSchema::v0_5_0;
    case Tool::precisionDebugger:
        return schema >= VerlSchema::v0_8_0 && trainer != VerlTrainer::omniDiffusion;
    case Tool::capture:
        break;
    }
    return true;
}

bool hasHooks(VerlTrainer trainer, VerlSchema schema)
{
    return schema == VerlSchema::head && (trainer == VerlTrainer::rl || trainer == VerlTrainer::sft);
}

namespace {

std::string_view lastPart(std::string_view key)
{
    return key.substr(key.rfind('.') + 1);
}

std::span<const std::string_view> schemaWords()
{
    return enumNames(VerlSchema{});
}

// Returns the key in an override such as "++a.b=1" or "~a.b".
std::string_view keyOfWord(std::string_view word)
{
    const size_t begin = std::min(word.find_first_not_of("+~"), word.size());
    return word.substr(begin, word.find('=') - begin);
}

// Returns e.g. "0.4.1 to 0.5.0" or "0.9.0 and newer", or "" if no layout reads the key.
std::string verlReleasesWith(VerlTrainer trainer, std::string_view key)
{
    std::string text;
    const std::span<const std::string_view> words = schemaWords();
    for (size_t i = 0; i < words.size(); ++i) {
        if (!isVerlKeyRead(trainer, static_cast<VerlSchema>(i), key)) continue;
        size_t last = i;
        while (last + 1 < words.size() && isVerlKeyRead(trainer, static_cast<VerlSchema>(last + 1), key))
            ++last;
        const bool isOpen = last + 1 == words.size();
        text += (text.empty() ? "" : ", ") + std::string(words[i]);
        if (isOpen && last > i) text += " and newer";
        if (!isOpen && last > i) text += " to " + std::string(words[last]);
        i = last;
    }
    return text;
}

} // namespace

bool isVerlKeyRead(VerlTrainer trainer, VerlSchema schema, std::string_view key)
{
    for (const std::string_view prefix : {workerOptionsPrefix(schema), controllerOptionsPrefix(schema)}) {
        if (key.starts_with(prefix) && key.size() > prefix.size()) return true;
    }
    return key.ends_with("._target_") || findVerlKey(trainer, schema, key) != nullptr;
}

std::string unreadVerlKeyReason(VerlTrainer trainer, VerlSchema schema, std::string_view key)
{
    const std::string name(key), here(enumName(schema));
    if (const std::string releases = verlReleasesWith(trainer, key); !releases.empty())
        return name + " is read by verl " + releases + ", not by " + here;
    std::vector<std::string_view> known;
    for (const VerlKey& one : verlKeys(trainer, schema))
        known.push_back(one.key);
    std::string_view nearest = nearestWord(key, known);
    // Many long keys share most of their text, so the distance is compared with the length of the last
    // component.
    const size_t last = std::max(lastPart(key).size(), lastPart(nearest).size());
    if (editDistance(key, nearest) * 2 > last) nearest = {};
    return name + " is not a known profiler setting of verl " + here +
           (nearest.empty() ? std::string() : "; the closest match is " + std::string(nearest));
}

std::optional<VerlSchema> schemaOfOverrides(VerlTrainer trainer, std::span<const std::string> words)
{
    std::vector<std::string_view> keys;
    for (const std::string& word : words) {
        if (isProfilerKey(keyOfWord(word))) keys.push_back(keyOfWord(word));
    }
    size_t best = schemaWords().size() - 1;
    int64_t mostRead = -1;
    for (size_t i = schemaWords().size(); i-- > 0;) {
        const auto schema = static_cast<VerlSchema>(i);
        const int64_t read = std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
            return isVerlKeyRead(trainer, schema, key);
        });
        if (read <= mostRead) continue;
        mostRead = read;
        best = i;
    }
    if (best + 1 == schemaWords().size()) return std::nullopt;
    return static_cast<VerlSchema>(best);
}

} // namespace lockstep
