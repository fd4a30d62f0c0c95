// SPDX-License-Identifier: Apache-2.0
// Preflight rules about what a session file contains: unknown keys, nsys options, settings for tools that
// are not used, and secrets.
#include <algorithm>
#include <array>

#include "core/base/edit_distance.h"
#include "core/base/text.h"
#include "core/session/nsight_options.h"
#include "core/session/preflight_rules.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/secrets.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_text.h"

namespace lockstep {

namespace {

constexpr size_t kMaxReported = 100; // maximum number of unknown keys per file that get an individual finding

std::string joinedPath(std::span<const std::string> path)
{
    std::string text;
    for (const std::string& key : path)
        text += (text.empty() ? "" : ".") + key;
    return text;
}

std::vector<std::string> partsOf(std::string_view path)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find('.', begin), path.size());
        parts.emplace_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// Returns a key in the form shown in a message, quoted if needed.
std::string displayKey(std::string_view key)
{
    return yamlScalar(ConfigValue::fromText(std::string(key)));
}

std::vector<std::string_view> keysBelow(const std::string& above)
{
    std::vector<std::string_view> keys;
    for (const SessionField& field : sessionFields()) {
        if (!above.empty() && !field.path.starts_with(above + ".")) continue;
        const size_t begin = above.empty() ? 0 : above.size() + 1;
        const std::string_view key =
            std::string_view(field.path).substr(begin, field.path.find('.', begin) - begin);
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

// Returns true if the field at the path, or a field inside it, is set.
bool isFieldSet(const SessionConfig& config, const std::string& path)
{
    return std::any_of(sessionFields().begin(), sessionFields().end(), [&](const SessionField& field) {
        return (field.path == path || field.path.starts_with(path + ".")) && field.write(config);
    });
}

// Returns the path of the same key in another map. If there are several, chooses the one with the longest
// common prefix.
std::string sameKeyInOtherMap(const std::string& above, const std::string& key)
{
    std::string best;
    size_t bestShared = 0;
    for (const SessionField& field : sessionFields()) {
        if (!field.path.ends_with("." + key) && field.path != key) continue;
        const auto end = std::mismatch(above.begin(), above.end(), field.path.begin(), field.path.end());
        const auto shared = static_cast<size_t>(end.first - above.begin());
        if (best.empty() || shared > bestShared) {
            best = field.path;
            bestShared = shared;
        }
    }
    return best;
}

// Returns the path of the key that the user probably meant, or "".
std::string suggestedPath(const std::vector<std::string>& path)
{
    const std::string& key = path.back();
    const std::string above = joinedPath(std::span(path).first(path.size() - 1));
    const std::string begin = above.empty() ? "" : above + ".";
    if (key.find('.') != std::string::npos) {
        std::vector<std::string_view> all;
        for (const SessionField& field : sessionFields())
            all.push_back(field.path);
        return std::string(nearestWord(begin + key, all));
    }
    const std::vector<std::string_view> here = keysBelow(above);
    const std::string_view nearest = nearestWord(key, here);
    const bool isTypo = !nearest.empty() && editDistance(key, nearest) == 1;
    const std::string otherPath = isTypo ? std::string() : sameKeyInOtherMap(above, key);
    if (!otherPath.empty()) return otherPath;
    return nearest.empty() ? std::string() : begin + std::string(nearest);
}

std::string listText(std::span<const std::string_view> words)
{
    std::string text;
    for (const std::string_view word : words)
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string locationPrefix(const ConfigValue& value)
{
    const std::string place = locationText(value.keyLocation);
    return place.empty() ? "" : place + ": ";
}

void checkUnknownKey(const SessionConfig& config, const UnknownKey& unknown, Findings& findings)
{
    const std::string above = joinedPath(std::span(unknown.path).first(unknown.path.size() - 1));
    const std::string suggestion = suggestedPath(unknown.path);
    std::string reason = locationPrefix(unknown.value) + "unknown key " + displayKey(unknown.path.back()) +
                         (above.empty() ? "" : " in " + above) + "; ";
    if (suggestion.empty()) {
        addFinding(findings, Severity::warning, joinedPath(unknown.path), "key.unknown",
                   reason + "known keys: " + listText(keysBelow(above)), "remove or correct it");
        return;
    }
    SessionEdit apply;
    if (!isFieldSet(config, suggestion)) {
        apply = [path = unknown.path, suggestion](SessionConfig& c) {
            const auto found = std::find_if(c.unknown.begin(), c.unknown.end(),
                                            [&](const UnknownKey& one) { return one.path == path; });
            if (found == c.unknown.end()) return;
            SessionConfig changed = c;
            changed.unknown.erase(changed.unknown.begin() + (found - c.unknown.begin()));
            if (setSessionValue(changed, partsOf(suggestion), found->value)) c = std::move(changed);
        };
    }
    addFinding(findings, Severity::warning, joinedPath(unknown.path), "key.unknown",
               reason + "did you mean " + suggestion + "?",
               unknown.path.back().find('.') != std::string::npos
                   ? "write " + suggestion + " as nested maps, one key per line"
                   : "use " + suggestion,
               std::move(apply));
}

// `what`: "host" or "server", whose maps have the given keys.
void checkMapKeys(std::span<const std::pair<std::string, ConfigValue>> unknown, const std::string& field,
                  const std::string& what, std::span<const std::string_view> keys, Findings& findings)
{
    for (const auto& [key, value] : unknown) {
        const std::string_view nearest = nearestWord(key, keys);
        addFinding(findings, Severity::warning, field, "key.unknown",
                   locationPrefix(value) + "unknown " + what + " key " + displayKey(key) + "; " +
                       (nearest.empty() ? "known keys: " + listText(keys)
                                        : "did you mean " + std::string(nearest) + "?"),
                   nearest.empty() ? "remove or correct it" : "use " + std::string(nearest));
    }
}

void checkServer(const SessionConfig& config, const SessionServer& server, Findings& findings)
{
    checkMapKeys(server.unknown, "servers", "server", serverKeys(), findings);
    const bool isKnown = server.host.empty() || std::ranges::any_of(config.hosts, [&](const Host& host) {
                             return host.name == server.host;
                         });
    if (!isKnown)
        addFinding(findings, Severity::error, "servers", "servers.host",
                   "the server " + server.url + " names the host '" + server.host +
                       "', which is not in this session",
                   "use the name of one of the hosts");
}

} // namespace

void checkKeys(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const size_t reported = std::min(config.unknown.size(), kMaxReported);
    for (const UnknownKey& unknown : std::span(config.unknown).first(reported)) {
        if (!unknown.path.empty()) checkUnknownKey(config, unknown, findings);
    }
    if (reported < config.unknown.size()) {
        addFinding(findings, Severity::warning, "", "key.unknown",
                   std::to_string(config.unknown.size() - reported) + " more keys are unknown",
                   "check that this is the right file");
    }
    for (const Host& host : config.hosts)
        checkMapKeys(host.unknown, "hosts." + host.name, "host", hostKeys(), findings);
    for (const SessionServer& server : config.servers)
        checkServer(config, server, findings);
}

namespace {

NsightOptions& tableOf(SessionConfig& config, std::string_view field)
{
    return field == "nsys.controller_options" ? config.controllerOptions : config.workerOptions;
}

void checkValue(const NsightOption& option, const NsightOptionRule& rule, std::string_view field,
                std::optional<NsysVersion> version, Findings& findings)
{
    if (!option.value) return;
    const std::string lower = lowerAscii(*option.value);
    if ((lower == "true" || lower == "false") && lower != *option.value) {
        addFinding(findings, Severity::error, std::string(field), "nsys.boolean_case",
                   option.name + "=" + *option.value + ": nsys accepts only lower-case true and false",
                   "write " + lower,
                   [table = std::string(field), name = option.name, lower](SessionConfig& c) {
                       setOption(tableOf(c, table), name, lower);
                   });
        return;
    }
    const std::string problem = nsightValueProblem(rule, *option.value, version);
    if (!problem.empty()) {
        addFinding(findings, Severity::error, std::string(field), "nsys.value", option.name + ": " + problem,
                   rule.defaultValue.empty()
                       ? "correct it"
                       : "correct it, or remove it to use the default, " + std::string(rule.defaultValue));
    }
}

void checkKnown(const NsightOption& option, const NsightOptionRule* rule, std::string_view field,
                std::span<const HostFacts> facts, Findings& findings)
{
    for (const HostFacts& host : facts) {
        const NsysFacts* nsys = nsysOnPath(host);
        if (nsys == nullptr) continue;
        const std::string name = rule != nullptr ? std::string(rule->name) : option.name;
        const std::optional<NsysVersion> version = nsysVersion(nsys->version);
        const bool listed =
            std::find(nsys->options.begin(), nsys->options.end(), name) != nsys->options.end();
        const bool inTable =
            rule != nullptr && (!version || (*version >= rule->since &&
                                             (rule->until == NsysVersion{} || *version <= rule->until)));
        if (nsys->options.empty() ? inTable || rule == nullptr : listed) continue;
        const bool hasNewer = rule != nullptr && !rule->replacement.empty();
        const std::string table(field);
        addFinding(findings, Severity::error, table, "nsys.unknown_option",
                   "nsys " + nsys->version + " on " + host.host + " has no --" + name +
                       "; Ray checks the options first, so no worker would start",
                   hasNewer ? "use " + std::string(rule->replacement) : "remove it",
                   [table, name = option.name,
                    newer = hasNewer ? std::string(rule->replacement) : std::string()](SessionConfig& c) {
                       const NsightOption* found = findOption(tableOf(c, table), name);
                       const std::optional<std::string> value =
                           found != nullptr ? found->value : std::nullopt;
                       eraseOption(tableOf(c, table), name);
                       if (!newer.empty()) setOption(tableOf(c, table), newer, value);
                   });
        return;
    }
    if (rule == nullptr) {
        addFinding(findings, Severity::note, std::string(field), "nsys.unfamiliar",
                   option.name + " is not an nsys option that Lockstep knows; it is passed through unchanged",
                   "query the hosts to check it against their nsys");
    }
}

void checkTable(const NsightOptions& options, std::string_view field, const RecipeInput& input,
                Findings& findings)
{
    std::optional<NsysVersion> version;
    if (const std::optional<std::string> text = knownNsysVersion(input.facts)) version = nsysVersion(*text);
    for (const NsightOption& option : options) {
        const NsightOptionRule* rule = findNsightRule(option.name);
        checkKnown(option, rule, field, input.facts, findings);
        if (rule != nullptr) checkValue(option, *rule, field, version, findings);
    }
    const NsightOption* sample = findOption(options, "sample");
    if (sample == nullptr) sample = findOption(options, "s");
    const NsightOption* metrics = findOption(options, "gpu-metrics-devices");
    if (metrics == nullptr) metrics = findOption(options, "gpu-metrics-device");
    for (const HostFacts& host : input.facts) {
        const bool samples = sample != nullptr && sample->value && *sample->value != "none";
        if (samples && host.perfEventParanoid.value_or(0) > 2) {
            addFinding(findings, Severity::warning, std::string(field), "nsys.paranoid",
                       host.host + " does not allow CPU sampling (perf_event_paranoid is " +
                           std::to_string(*host.perfEventParanoid) + ", but must be 2 or lower)",
                       "set sample to none, or lower the setting on the host",
                       [table = std::string(field), name = sample->name](SessionConfig& c) {
                           setOption(tableOf(c, table), name, "none");
                       });
        }
        const bool counts = metrics != nullptr && metrics->value && *metrics->value != "none";
        if (counts && host.countersRestricted.value_or(false)) {
            addFinding(findings, Severity::error, std::string(field), "nsys.counters",
                       host.host + " restricts GPU counters to administrators",
                       "remove the GPU metrics option",
                       [table = std::string(field), name = metrics->name](SessionConfig& c) {
                           eraseOption(tableOf(c, table), name);
                       });
        }
    }
}

enum class NsysCount : uint8_t { one, onePerHost, onePerWorker };

// Returns how many processes of the run get the session's nsys options.
NsysCount nsysCount(const RecipeInput& input)
{
    const SessionConfig& config = input.config;
    const Recipe& recipe = recipeFor(config.framework);
    const bool isInWorkers =
        recipe.data != nullptr
            ? !recipe.data->startsNsys
            : config.framework == Framework::torchrun && config.torchrun.nsysPlacement == NsysPlacement::rank;
    if (isInWorkers) return NsysCount::onePerWorker;
    const bool isOnAll = recipe.data != nullptr ? recipe.data->runsOnEveryHost : recipe.runsOnEveryHost;
    return isOnAll && input.hosts.size() > 1 ? NsysCount::onePerHost : NsysCount::one;
}

void checkSharedOutput(const RecipeInput& input, Findings& findings)
{
    const NsysCount count = nsysCount(input);
    const NsightOption* output = findOption(input.config.workerOptions, "o");
    if (output == nullptr) output = findOption(input.config.workerOptions, "output");
    if (output == nullptr || !output->value || count == NsysCount::one) return;
    const bool isPerWorker = count == NsysCount::onePerWorker;
    const auto contains = [&](const char* part) { return output->value->find(part) != std::string::npos; };
    if (contains("%p") || contains("%q{") || (!isPerWorker && contains("%h"))) return;
    addFinding(findings, isPerWorker ? Severity::error : Severity::warning, "nsys.worker_options",
               "nsys.output_shared",
               isPerWorker ? "every worker would write the same file, " + *output->value
                           : "every host would write the same file, " + *output->value +
                                 ", if the hosts share its folder",
               isPerWorker ? "add %h and %p to the name" : "add %h to the name",
               [name = output->name, value = *output->value, isPerWorker](SessionConfig& c) {
                   setOption(c.workerOptions, name, value + (isPerWorker ? "_%h_%p" : "_%h"));
               });
}

} // namespace

void checkNsysOptions(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkTable(config.controllerOptions, "nsys.controller_options", input, findings);
    checkTable(config.workerOptions, "nsys.worker_options", input, findings);
    if (config.tool != Tool::nsys) return;
    const NsightOption* discard = findOption(config.workerOptions, "discard-environment");
    if (!secretNames(config).empty() && (discard == nullptr || discard->value != "true")) {
        addFinding(findings, Severity::warning, "environment", "nsys.secrets",
                   "reports contain the environment, and one of the variables looks like a secret",
                   "set discard-environment=true (nsys of 2025 or newer)");
    }
    checkSharedOutput(input, findings);
}

namespace {

bool isUsed(const SessionConfig& config, Tool tool)
{
    return config.tool == tool || std::any_of(config.roles.begin(), config.roles.end(),
                                              [&](const RoleProfile& role) { return role.tool == tool; });
}

void addUnused(const SessionConfig& config, std::string field, std::string rule, std::string_view what,
               SessionEdit clear, Findings& findings)
{
    addFinding(findings, Severity::warning, std::move(field), std::move(rule),
               "the tool is " + std::string(enumName(*config.tool)) + ": " + std::string(what) +
                   " have no effect",
               "remove them", std::move(clear));
}

void checkIdleNsys(const SessionConfig& config, size_t era, Findings& findings)
{
    const auto options = [&](const NsightOptions& set, const char* field, SessionEdit clear) {
        if (!set.empty()) addUnused(config, field, "nsys.unused", "nsys options", std::move(clear), findings);
    };
    options(config.controllerOptions, "nsys.controller_options",
            [](SessionConfig& c) { c.controllerOptions.clear(); });
    options(config.workerOptions, "nsys.worker_options", [](SessionConfig& c) { c.workerOptions.clear(); });
    if (config.tool == Tool::capture) return; // capture also supports one report per stage
    // Some frameworks have one discrete setting for nsys and the NPU profiler.
    if (config.tool == Tool::npu && hasRoles(config) && !hasRecipeField(config, era, "npu.discrete")) return;
    // For torch, another rule reports that discrete is a different setting from torch.discrete.
    if (config.discrete && config.tool != Tool::torch) {
        addUnused(
            config, "discrete", "discrete.unused", "nsys reports per stage",
            [](SessionConfig& c) { c.discrete.reset(); }, findings);
    }
    for (const Role role : kRoles) {
        if (!config.role(role).discrete) continue;
        addUnused(
            config, "roles." + std::string(enumName(role)) + ".discrete", "discrete.unused",
            "nsys reports per stage", [role](SessionConfig& c) { c.role(role).discrete.reset(); }, findings);
    }
}

} // namespace

void checkIdleSettings(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    if (!config.tool) return;
    if (!isUsed(config, Tool::nsys)) checkIdleNsys(config, input.era, findings);
    const bool torch = isUsed(config, Tool::torch), memory = isUsed(config, Tool::torchMemory);
    if (!torch && config.torch.isSet()) {
        addUnused(
            config, "torch", "torch.unused", "torch.profiler settings",
            [](SessionConfig& c) { c.torch = {}; }, findings);
    }
    if (!memory && config.torchMemory != TorchMemoryOptions{}) {
        addUnused(
            config, "torch_memory", "torch_memory.unused", "memory snapshot settings",
            [](SessionConfig& c) { c.torchMemory = {}; }, findings);
    }
    for (const Role role : kRoles) {
        const std::string path = "roles." + std::string(enumName(role)) + ".";
        if (!torch && config.role(role).torch.isSet()) {
            addUnused(
                config, path + "torch", "torch.unused", "torch.profiler settings",
                [role](SessionConfig& c) { c.role(role).torch = {}; }, findings);
        }
        if (!memory && config.role(role).torchMemory != TorchMemoryOptions{}) {
            addUnused(
                config, path + "torch_memory", "torch_memory.unused", "memory snapshot settings",
                [role](SessionConfig& c) { c.role(role).torchMemory = {}; }, findings);
        }
    }
}

namespace {

void checkClearValues(const SessionConfig& config, Findings& findings)
{
    for (const auto& [name, value] : config.environment) {
        if (!isSecret(config, name) || isSecretReference(name, value)) continue;
        addFinding(findings, Severity::warning, "environment", "secret.in_clear",
                   "the session contains the value of " + name +
                       " or a password in it; processes receive it, but it is not saved",
                   "remove it from the file and set it in the environment from which lockstep is started",
                   [key = name](SessionConfig& c) {
                       for (auto& [one, text] : c.environment) {
                           if (one == key) text = secretReference(key);
                       }
                   });
    }
}

void checkArguments(const std::vector<std::string>& words, const std::string& field, Findings& findings)
{
    for (const auto& spans : findSecretsInArguments(words)) {
        for (const SecretSpan& secret : spans) {
            addFinding(findings, Severity::warning, field, "secret.in_words",
                       "a secret (" + secret.label +
                           ") is part of a command line, which process lists on the hosts show; files "
                           "written by Lockstep contain a reference instead",
                       "pass it in the environment");
        }
    }
}

bool containsProgram(const std::vector<std::string>& words, std::string_view program)
{
    return std::ranges::any_of(
        words, [program](const std::string& word) { return word.substr(word.rfind('/') + 1) == program; });
}

// Programs that pass on their environment, or that receive the names of the variables; see launch_plan.cpp.
constexpr std::array<std::string_view, 8> kPassing{"docker",      "podman", "nerdctl", "apptainer",
                                                   "singularity", "srun",   "enroot",  "env"};

void checkContainer(const SessionConfig& config, Findings& findings)
{
    const std::vector<std::string>& prefix = config.containerPrefix;
    if (prefix.empty()) return;
    const bool passes = std::ranges::any_of(
        kPassing, [&prefix](std::string_view program) { return containsProgram(prefix, program); });
    if (passes && !containsProgram(prefix, "sudo")) return;
    addFinding(findings, Severity::warning, "container", "secret.container",
               "secrets are set in the environment of " + prefix.front() +
                   ", not in its arguments; whether it passes them on is unknown",
               "make sure that " + prefix.front() + " passes its environment on");
}

} // namespace

void checkSecrets(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkArguments(config.command, "command", findings);
    checkArguments(config.containerPrefix, "container", findings);
    checkArguments(config.otherOverrides, "other_overrides", findings);
    const std::vector<std::string> names = secretNames(hideSecrets(config).config);
    if (names.empty()) return;
    checkClearValues(config, findings);
    checkContainer(config, findings);
    if (config.launcher.kind == LauncherKind::rayJob) {
        addFinding(findings, Severity::warning, "environment", "secret.ray_job",
                   "Ray stores and shows the environment of a job in clear text, so " + names.front() +
                       " is not passed to it; the job fails unless the cluster sets the variable",
                   "set it where Ray is started");
    }
}

} // namespace lockstep
