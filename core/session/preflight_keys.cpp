// SPDX-License-Identifier: Apache-2.0
// Preflight rules about unknown keys in the session file and in profiler overrides.
#include <algorithm>

#include "core/base/edit_distance.h"
#include "core/session/hydra_override.h"
#include "core/session/preflight_rules.h"
#include "core/session/session_fields.h"
#include "core/session/session_value.h"
#include "core/session/session_yaml.h"
#include "core/session/verl_key_eras.h"
#include "core/session/verl_keys.h"
#include "core/session/yaml_text.h"

namespace lockstep {

namespace {

constexpr size_t kMaxTold = 100; // maximum number of unknown keys per file that get an individual finding

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
std::string shown(std::string_view key)
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
bool isTaken(const SessionConfig& config, const std::string& path)
{
    return std::any_of(sessionFields().begin(), sessionFields().end(), [&](const SessionField& field) {
        return (field.path == path || field.path.starts_with(path + ".")) && field.write(config);
    });
}

// Returns the path of the same key in another map. If there are several, chooses the one with the longest
// common prefix.
std::string sameKeyElsewhere(const std::string& above, const std::string& key)
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
std::string meantPath(const std::vector<std::string>& path)
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
    const bool isSlip = !nearest.empty() && editDistance(key, nearest) == 1;
    const std::string elsewhere = isSlip ? std::string() : sameKeyElsewhere(above, key);
    if (!elsewhere.empty()) return elsewhere;
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
    const std::string meant = meantPath(unknown.path);
    std::string reason = locationPrefix(unknown.value) + "unknown key " + shown(unknown.path.back()) +
                         (above.empty() ? "" : " in " + above) + "; ";
    if (meant.empty()) {
        addFinding(findings, Severity::warning, joinedPath(unknown.path), "key.unknown",
                   reason + "known keys: " + listText(keysBelow(above)), "remove or correct it");
        return;
    }
    SessionEdit apply;
    if (!isTaken(config, meant)) {
        apply = [path = unknown.path, meant](SessionConfig& c) {
            const auto found = std::find_if(c.unknown.begin(), c.unknown.end(),
                                            [&](const UnknownKey& one) { return one.path == path; });
            if (found == c.unknown.end()) return;
            SessionConfig changed = c;
            changed.unknown.erase(changed.unknown.begin() + (found - c.unknown.begin()));
            if (setSessionValue(changed, partsOf(meant), found->value)) c = std::move(changed);
        };
    }
    addFinding(findings, Severity::warning, joinedPath(unknown.path), "key.unknown",
               reason + "did you mean " + meant + "?",
               unknown.path.back().find('.') != std::string::npos
                   ? "write " + meant + " as nested maps, one key per line"
                   : "use " + meant,
               std::move(apply));
}

void checkHostKeys(const Host& host, Findings& findings)
{
    for (const auto& [key, value] : host.unknown) {
        const std::string_view nearest = nearestWord(key, hostKeys());
        addFinding(findings, Severity::warning, "hosts." + host.name, "key.unknown",
                   locationPrefix(value) + "unknown host key " + shown(key) + "; " +
                       (nearest.empty() ? "known keys: " + listText(hostKeys())
                                        : "did you mean " + std::string(nearest) + "?"),
                   nearest.empty() ? "remove or correct it" : "use " + std::string(nearest));
    }
}

void checkOverride(const RecipeInput& input, const std::string& word, const std::string& field,
                   Findings& findings)
{
    const VerlTrainer trainer = trainerOf(input.config);
    const Result<HydraOverride> parsed = parseHydraOverride(word);
    const bool isMap = parsed && parsed->value && parsed->value->kind == ConfigValue::Kind::map;
    if (!parsed || isMap || !isProfilerKey(parsed->key)) return;
    if (isVerlKeyRead(trainer, input.schema, parsed->key)) return;
    const bool isPlain = parsed->prefix == OverridePrefix::none;
    addFinding(findings, Severity::warning, field, "override.unknown",
               unreadVerlKeyReason(trainer, input.schema, parsed->key) +
                   (isPlain ? ": Hydra would fail on this key"
                            : ": Hydra would accept this key, but nothing reads it"),
               "correct it, or check it against the YAML of the verl checkout");
}

} // namespace

void checkKeys(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const size_t told = std::min(config.unknown.size(), kMaxTold);
    for (const UnknownKey& unknown : std::span(config.unknown).first(told)) {
        if (!unknown.path.empty()) checkUnknownKey(config, unknown, findings);
    }
    if (told < config.unknown.size()) {
        addFinding(findings, Severity::warning, "", "key.unknown",
                   std::to_string(config.unknown.size() - told) + " more keys are unknown",
                   "check that this is the right file");
    }
    for (const Host& host : config.hosts)
        checkHostKeys(host, findings);
    if (!isVerlFamily(config.framework)) return;
    for (const std::string& word : config.command)
        checkOverride(input, word, "command", findings);
    for (const std::string& word : config.otherOverrides)
        checkOverride(input, word, "other_overrides", findings);
}

} // namespace lockstep
