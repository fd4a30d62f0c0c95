// SPDX-License-Identifier: Apache-2.0
// Preflight rules about nsys options: names, values, and support by the nsys on the hosts.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/nsight_options.h"
#include "core/session/preflight_rules.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

NsightOptions& tableOf(SessionConfig& config, std::string_view field)
{
    if (field == "nsys.controller_options") return config.controllerOptions;
    return field == "nsys.worker_options" ? config.workerOptions : config.nemo.extraOptions;
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

} // namespace

void checkNsysOptions(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    checkTable(config.controllerOptions, "nsys.controller_options", input, findings);
    checkTable(config.workerOptions, "nsys.worker_options", input, findings);
    checkTable(config.nemo.extraOptions, "nemo_rl.extra_options", input, findings);
    if (config.tool != Tool::nsys) return;
    const NsightOptions& used =
        config.framework == Framework::nemoRl ? config.nemo.extraOptions : config.workerOptions;
    const NsightOption* discard = findOption(used, "discard-environment");
    if (!secretNames(config).empty() && (discard == nullptr || discard->value != "true")) {
        addFinding(findings, Severity::warning, "environment", "nsys.secrets",
                   "reports contain the environment, and one of the variables looks like a secret",
                   "set discard-environment=true (nsys of 2025 or newer)");
    }
    const NsightOption* output = findOption(config.workerOptions, "o");
    if (output == nullptr) output = findOption(config.workerOptions, "output");
    const bool shared = output != nullptr && output->value &&
                        output->value->find("%p") == std::string::npos &&
                        output->value->find("%q{") == std::string::npos;
    if (shared) {
        addFinding(findings, Severity::error, "nsys.worker_options", "nsys.output_shared",
                   "every worker would write the same file, " + *output->value, "add %h and %p to the name",
                   [name = output->name, value = *output->value](SessionConfig& c) {
                       setOption(c.workerOptions, name, value + "_%h_%p");
                   });
    }
}

} // namespace lockstep
